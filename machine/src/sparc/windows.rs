//! Register windows: maps plain register names to cells, independent of the current window.
//!
//! The outs of a window and the ins of the next are the same cells (The SPARC Architecture Manual,
//! Version 9, 5.1.2 "Windowed r Registers"), and `save` moves to the next window. Each cell is
//! therefore a separate register with an absolute number, and a plain name denotes the cell in the
//! current window: the last write of `%i0` finds the caller's `%o0`.
//!
//! ```
//! use stepback_machine::{InstructionSet::Sparc64, Mode, Registers};
//! let view = |name| Registers::view(name, Sparc64).unwrap().register;
//! let caller = Mode::Window { current: 7, count: 8, globals: 0 };
//! let callee = Mode::Window { current: 0, count: 8, globals: 0 };
//! assert_eq!(caller.home(view("%o0")), callee.home(view("%i0")));
//! assert_eq!(caller.home(view("%o0")), view("w0.i0"));
//! ```

use std::iter::StepBy;
use std::ops::Range;

use crate::mode::{Mode, WindowChange};
use crate::view::RegisterId;

/// Range of the number of windows that a processor may have (The SPARC Architecture Manual, Version
/// 9, 5.1.2).
pub const WINDOWS: Range<u8> = 3..33;
/// Maximum number of sets of globals.
pub const GLOBAL_SETS: u8 = 8;
/// Number of locals and ins in a window.
const WINDOW_CELLS: u16 = 16;

/// First cell of the windows: eight locals and eight ins each.
const CELLS: u16 = 128;
/// First global: `%g0` … `%g7` of each set; all sets share `%g0`.
const GLOBALS: u16 = CELLS + 32 * WINDOW_CELLS;
/// First neighbour: outs and locals of the window after `save`, then locals and ins of the one
/// after `restore`.
const NEIGHBOURS: u16 = GLOBALS + 8 * 8;
/// First number after all names that denote one cell per window.
pub const AFTER_CELLS: u16 = NEIGHBOURS + 32;
/// Numbers of cells, globals, neighbours and special registers, up to the numbered outs.
pub const COMPUTED: Range<u16> = CELLS..NUMBERED_OUTS;
/// Outs of each window by window number: the number of windows decides which cells they are.
const NUMBERED_OUTS: u16 = 896;

/// Returns the register with an encoding number in the current window. The stack pointer and the
/// link register have fixed numbers in all architectures, so `%i7` takes the number of `%o6`.
pub const fn general(number: u16) -> RegisterId {
    match number & 31 {
        14 => RegisterId::SP,
        15 => RegisterId::LR,
        31 => RegisterId(14),
        number => RegisterId(number),
    }
}

/// Returns the encoding number of a plain register.
pub const fn number_of(register: RegisterId) -> Option<u16> {
    match register {
        RegisterId::SP => Some(14),
        RegisterId::LR => Some(15),
        RegisterId(14) => Some(31),
        RegisterId(15) => None,
        RegisterId(number) if number < 31 => Some(number),
        _ => None,
    }
}

/// Returns a register by encoding number, as named in the window after `save`.
pub const fn after_save(number: u16) -> RegisterId {
    match number & 31 {
        number @ 8..24 => RegisterId(NEIGHBOURS + number - 8),
        // Its ins are the current outs.
        number @ 24..32 => general(number - 16),
        number => general(number),
    }
}

/// Returns a register by encoding number, as named in the window after `restore`.
pub const fn after_restore(number: u16) -> RegisterId {
    match number & 31 {
        // Its outs are the current ins.
        number @ 8..16 => general(number + 16),
        number @ 16..32 => RegisterId(NEIGHBOURS + number),
        number => general(number),
    }
}

/// Returns a local (0 to 7) or an in (8 to 15) of a window.
pub const fn cell(window: u16, place: u16) -> RegisterId {
    RegisterId(CELLS + window * WINDOW_CELLS + place)
}

/// Returns a global of a set.
pub const fn global(set: u16, number: u16) -> RegisterId {
    if number == 0 {
        RegisterId(0)
    } else {
        RegisterId(GLOBALS + set * 8 + number)
    }
}

/// Returns an out of a window by window number.
pub const fn numbered_out(window: u16, number: u16) -> RegisterId {
    RegisterId(NUMBERED_OUTS + window * 8 + number)
}

/// Returns the cell that a plain register denotes in a mode; the register itself if it has no cells.
pub fn home(mode: Mode, plain: RegisterId) -> RegisterId {
    RegisterWindows::of(mode).map_or(plain, |windows| windows.home(plain))
}

/// State of the register windows.
#[derive(Clone, Copy)]
struct RegisterWindows {
    current: u8,
    count: u8,
    globals: u8,
}

impl RegisterWindows {
    fn of(mode: Mode) -> Option<Self> {
        match mode {
            Mode::Window {
                current,
                count,
                globals,
            } => Some(Self {
                current,
                count,
                globals,
            }),
            _ => None,
        }
    }

    fn home(self, plain: RegisterId) -> RegisterId {
        if let Some(number) = number_of(plain) {
            return match number {
                0..8 => global(self.globals.into(), number),
                8..16 => cell(self.window(1), number),
                16..24 => cell(self.window(0), number - 16),
                number => cell(self.window(0), number - 16),
            };
        }
        match plain.0.checked_sub(NEIGHBOURS) {
            Some(place @ 0..8) => cell(self.window(2), place + 8),
            Some(place @ 8..16) => cell(self.window(1), place - 8),
            Some(place @ 16..32) => cell(self.window(-1), place - 16),
            _ => match plain
                .0
                .checked_sub(NUMBERED_OUTS)
                .filter(|place| *place < 256)
            {
                Some(place) => cell(
                    (place / 8 + 1) % u16::from(self.count.max(1)),
                    8 + place % 8,
                ),
                None => plain,
            },
        }
    }

    /// Returns the window at a distance from the current one, modulo the number of windows.
    fn window(self, further: i16) -> u16 {
        let count = i16::from(self.count.max(1));
        let place = i16::from(self.current) + further;
        let near = match place {
            place if place < 0 => place + count,
            place if place >= count => place - count,
            place => place,
        };
        // Avoids a division, which is slow and needed only for numbers of windows that no processor
        // has.
        let place = if (0..count).contains(&near) {
            near
        } else {
            place.rem_euclid(count)
        };
        place.unsigned_abs()
    }
}

/// Returns the cells that a plain register may denote.
pub fn banks(plain: RegisterId) -> StepBy<Range<u16>> {
    let windows = |first: RegisterId| (first.0..GLOBALS).step_by(WINDOW_CELLS.into());
    if let Some(place) = plain
        .0
        .checked_sub(NUMBERED_OUTS)
        .filter(|place| *place < 256)
    {
        let next = cell((place / 8 + 1) % 32, 8 + place % 8).0;
        return (next..next + 1).step_by(1);
    }
    let place = plain.0.checked_sub(NEIGHBOURS).filter(|place| *place < 32);
    match (number_of(plain), place) {
        (Some(number @ 1..8), _) => (global(0, number).0..NEIGHBOURS).step_by(8),
        (Some(number @ 8..16), _) => windows(cell(0, number)),
        (Some(number @ 16..32), _) => windows(cell(0, number - 16)),
        (None, Some(place)) => windows(cell(
            0,
            if place < 16 {
                (place + 8) % 16
            } else {
                place - 16
            },
        )),
        _ => (0..0).step_by(1),
    }
}

/// Returns the other registers that denote this cell in some window; empty for registers
/// outside windows.
pub fn names_of_cell(cell: RegisterId) -> Vec<RegisterId> {
    let Some(place) = cell.0.checked_sub(CELLS).filter(|_| cell.0 < NEIGHBOURS) else {
        return Vec::new();
    };
    if cell.0 >= GLOBALS {
        return vec![general((cell.0 - GLOBALS) % 8)];
    }
    let numbers: &[u16] = match place % WINDOW_CELLS {
        place @ 8.. => &[place, place + 16],
        place => &[place + 16],
    };
    let of = |number: &u16| {
        [
            general(*number),
            after_save(*number),
            after_restore(*number),
        ]
    };
    numbers.iter().flat_map(of).collect()
}

/// Returns the plain register that denotes a cell in a mode. None for registers outside
/// windows and globals, for cells without a plain name, and in modes without windows.
pub fn plain_of(mode: Mode, cell: RegisterId) -> Option<RegisterId> {
    let windows = RegisterWindows::of(mode)?;
    let place = cell.0.checked_sub(CELLS).filter(|_| cell.0 < NEIGHBOURS)?;
    let number = if cell.0 < GLOBALS {
        let (window, place) = (place / WINDOW_CELLS, place % WINDOW_CELLS);
        match place {
            8.. if window == windows.window(1) => place,
            _ if window == windows.window(0) => place + 16,
            _ => return None,
        }
    } else {
        Some((cell.0 - GLOBALS) % 8).filter(|_| (cell.0 - GLOBALS) / 8 == windows.globals.into())?
    };
    Some(general(number))
}

/// Returns the mode after an instruction's window change; unchanged if the new window depends
/// on a register.
pub fn after(mode: Mode, step: Option<WindowChange>) -> Mode {
    let Mode::Window {
        current,
        count,
        globals,
    } = mode
    else {
        return mode;
    };
    let turned = |current: u8| Mode::Window {
        current: current % count.max(1),
        count,
        globals,
    };
    match step {
        Some(WindowChange::Save) => turned(current.saturating_add(1)),
        Some(WindowChange::Restore) => turned(current.saturating_add(count.saturating_sub(1))),
        Some(WindowChange::Flush | WindowChange::Choice) | None => mode,
    }
}

/// Encodes a mode as a value of the status register; none for modes whose processors have
/// their own layout. From the lowest byte: current window, number of windows, set of globals.
pub const fn window_status(mode: Mode) -> Option<u32> {
    match mode {
        Mode::Window {
            current,
            count,
            globals,
        } => Some(u32::from_le_bytes([current, count, globals, 0])),
        _ => None,
    }
}

/// Decodes a mode from such a value; none for values that no processor has.
pub const fn of_window_status(status: u32) -> Option<Mode> {
    let [current, count, globals, rest] = status.to_le_bytes();
    let is_known =
        WINDOWS.start <= count && count < WINDOWS.end && current < count && globals < GLOBAL_SETS;
    if is_known && rest == 0 {
        Some(Mode::Window {
            current,
            count,
            globals,
        })
    } else {
        None
    }
}

#[cfg(test)]
mod tests {
    use std::collections::HashMap;

    use super::*;
    use crate::registers::Registers;
    use crate::set::InstructionSet;

    fn all_modes() -> impl Iterator<Item = Mode> {
        WINDOWS.flat_map(|count| {
            (0..count).flat_map(move |current| {
                (0..GLOBAL_SETS).map(move |globals| Mode::Window {
                    current,
                    count,
                    globals,
                })
            })
        })
    }

    #[test]
    fn numbers_lead_to_registers_and_back() {
        for number in 0..32 {
            assert_eq!(number_of(general(number)), Some(number));
        }
        assert_eq!((general(14), general(15)), (RegisterId::SP, RegisterId::LR));
        assert_eq!(
            [15, 33, 34, 128].map(|number| number_of(RegisterId(number))),
            [None; 4]
        );
    }

    #[test]
    fn save_makes_outs_of_the_caller_ins_of_the_callee() {
        for mode in all_modes() {
            let Mode::Window {
                current,
                count,
                globals,
            } = mode
            else {
                continue;
            };
            let next = Mode::Window {
                current: (current + 1) % count,
                count,
                globals,
            };
            assert_eq!(
                (
                    mode.after(Some(WindowChange::Save)),
                    next.after(Some(WindowChange::Restore))
                ),
                (next, mode)
            );
            for number in 0..32 {
                assert_eq!(
                    mode.home(after_save(number)),
                    next.home(general(number)),
                    "{mode:?} {number}"
                );
                assert_eq!(
                    next.home(after_restore(number)),
                    mode.home(general(number)),
                    "{mode:?} {number}"
                );
            }
            for number in 8..16 {
                assert_eq!(mode.home(general(number)), next.home(general(number + 16)));
                assert_eq!(
                    mode.home(numbered_out(current.into(), number - 8)),
                    mode.home(general(number))
                );
            }
        }
    }

    #[test]
    fn every_cell_is_a_register_of_its_own_below_the_named_ones() {
        let mut owners = HashMap::new();
        for mode in all_modes() {
            let Mode::Window {
                current, globals, ..
            } = mode
            else {
                continue;
            };
            for number in 0..32 {
                let home = mode.home(general(number));
                let owner = match number {
                    0 => (0, 0),
                    1..8 => (u16::from(globals), number),
                    8..16 => continue,
                    _ => (100 + u16::from(current), number),
                };
                assert_eq!(
                    *owners.entry(home).or_insert(owner),
                    owner,
                    "{mode:?} {number}"
                );
                assert!(home < RegisterId::FIRST_NAMED);
                assert!(
                    number == 0 || banks(general(number)).any(|bank| bank == home.0),
                    "{mode:?} {number}"
                );
            }
        }
        assert_eq!(owners.len(), 1 + 7 * 8 + 16 * 32);
        assert!(numbered_out(31, 7) < RegisterId::FIRST_NAMED);
    }

    #[test]
    fn cells_lead_back_to_their_plain_names() {
        for mode in all_modes() {
            for number in 1..32 {
                let plain = general(number);
                assert_eq!(
                    mode.plain_of(mode.home(plain)),
                    Some(plain),
                    "{mode:?} {number}"
                );
            }
        }
        let mode = Mode::Window {
            current: 3,
            count: 8,
            globals: 1,
        };
        assert_eq!(
            [cell(5, 0), cell(4, 3), global(0, 2), RegisterId::PC].map(|cell| mode.plain_of(cell)),
            [None; 4]
        );
        assert_eq!(Mode::Other.plain_of(cell(0, 0)), None);
    }

    #[test]
    fn neighbours_have_cells_as_well() {
        let mode = Mode::Window {
            current: 7,
            count: 8,
            globals: 1,
        };
        for number in 8..32 {
            for plain in [after_save(number), after_restore(number)] {
                assert!(
                    banks(plain).any(|bank| bank == mode.home(plain).0),
                    "{number} {plain:?}"
                );
            }
        }
        assert_eq!(mode.home(after_save(14)), cell(1, 14));
        assert_eq!(mode.home(numbered_out(7, 2)), cell(0, 10));
    }

    #[test]
    fn the_status_tells_the_window() {
        for mode in all_modes() {
            assert_eq!(
                mode.window_status().and_then(Mode::of_window_status),
                Some(mode)
            );
        }
        for status in [0, 0x0208, 0x0808, 0x08_0800, 0x100_0800, 0x2100] {
            assert_eq!(Mode::of_window_status(status), None, "{status:x}");
        }
    }

    #[test]
    fn every_name_of_a_cell_is_found() {
        for current in 0..8 {
            let mode = Mode::Window {
                current,
                count: 8,
                globals: 0,
            };
            let plain = (1..32)
                .map(general)
                .chain((NEIGHBOURS..AFTER_CELLS).map(RegisterId));
            for name in plain {
                let names = names_of_cell(mode.home(name));
                let is_named = names
                    .iter()
                    .any(|known| mode.home(*known) == mode.home(name));
                assert!(
                    is_named && names.contains(&name),
                    "{current} {name:?}: {names:?}"
                );
            }
        }
        assert_eq!(names_of_cell(RegisterId::PC), []);
        // Other sets use these numbers for registers that have no windows.
        assert!(InstructionSet::Sparc64.has_windows());
        let rv60 = Registers::view("rv60", InstructionSet::Regdeps)
            .unwrap()
            .register;
        assert_eq!(InstructionSet::Regdeps.names_of_cell(rv60), []);
        assert!(!InstructionSet::Regdeps.has_windows());
    }
}
