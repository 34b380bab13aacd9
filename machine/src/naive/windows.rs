//! Register windows and processor modes for the oracle, from tables of numbers: the cell that a
//! register name means in a window ([`cell_of`]), and the mode in a status register
//! ([`stated_mode`]).

use crate::mode::{Mode, SecurityState, ThreadStack};
use crate::set::InstructionSet;
use crate::view::RegisterId;

/// A cell of the windowed register file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum NaiveWindowCell {
    /// A global of one set.
    Global {
        /// Number of the set.
        set: u8,
        /// 1 to 7.
        number: u8,
    },
    /// A local: belongs to one window only.
    Local {
        /// Number of the window.
        window: u8,
        /// 0 to 7.
        number: u8,
    },
    /// An in of a window, which is also an out of the previous one.
    In {
        /// Number of the window.
        window: u8,
        /// 0 to 7.
        number: u8,
    },
}

impl NaiveWindowCell {
    /// Returns the register number of the cell.
    pub fn register(self) -> RegisterId {
        RegisterId(match self {
            Self::Local { window, number } => 128 + 16 * u16::from(window) + u16::from(number),
            Self::In { window, number } => 136 + 16 * u16::from(window) + u16::from(number),
            Self::Global { set, number } => 640 + 8 * u16::from(set) + u16::from(number),
        })
    }
}

/// Returns the cell that a register denotes in a mode with windows; none for all other registers.
pub fn cell_of(register: RegisterId, mode: Mode) -> Option<NaiveWindowCell> {
    let Mode::Window {
        current,
        count,
        globals,
    } = mode
    else {
        return None;
    };
    let (above, below) = ((current + 1) % count, (current + count - 1) % count);
    let part = |first: u16, width: u16| {
        let place = register.0 - first;
        (
            u8::try_from(place / width).unwrap_or(u8::MAX),
            u8::try_from(place % width).unwrap_or(u8::MAX),
        )
    };
    Some(match register.0 {
        1..=7 => NaiveWindowCell::Global {
            set: globals,
            number: part(0, 8).1,
        },
        8..=13 => NaiveWindowCell::In {
            window: above,
            number: part(8, 8).1,
        },
        31 | 32 => NaiveWindowCell::In {
            window: above,
            number: part(25, 8).1,
        },
        16..=23 => NaiveWindowCell::Local {
            window: current,
            number: part(16, 8).1,
        },
        24..=30 => NaiveWindowCell::In {
            window: current,
            number: part(24, 8).1,
        },
        14 => NaiveWindowCell::In {
            window: current,
            number: 7,
        },
        128..=639 => match part(128, 16) {
            (window, number @ 0..=7) => NaiveWindowCell::Local { window, number },
            (window, number) => NaiveWindowCell::In {
                window,
                number: number - 8,
            },
        },
        640..=703 => NaiveWindowCell::Global {
            set: part(640, 8).0,
            number: part(640, 8).1,
        },
        704..=711 => NaiveWindowCell::In {
            window: (above + 1) % count,
            number: part(704, 8).1,
        },
        712..=719 => NaiveWindowCell::Local {
            window: above,
            number: part(712, 8).1,
        },
        720..=727 => NaiveWindowCell::Local {
            window: below,
            number: part(720, 8).1,
        },
        728..=735 => NaiveWindowCell::In {
            window: below,
            number: part(728, 8).1,
        },
        896..=1151 => NaiveWindowCell::In {
            window: (part(896, 8).0 + 1) % count,
            number: part(896, 8).1,
        },
        _ => return None,
    })
}

/// Returns the mode in a complete status register, lowest byte first (DDI 0487, C5.2.19 and
/// G8.2.35; DDI 0553, XPSR).
pub fn stated_mode(status: [u8; 4], set: InstructionSet) -> Option<Mode> {
    let [low, second, third, top] = status;
    if !set.has_states() {
        return None;
    }
    if set == InstructionSet::Sparc64 {
        let is_mode = low < second && (3..=32).contains(&second) && third < 8 && top == 0;
        return is_mode.then_some(Mode::Window {
            current: low,
            count: second,
            globals: third,
        });
    }
    if set == InstructionSet::T32 && top & 1 != 0 {
        let is_thread = low == 0 && second & 1 == 0;
        let none = SecurityState::Undivided;
        return Some(if is_thread {
            Mode::Thread(none, ThreadStack::Unsaid)
        } else {
            Mode::Handler(none)
        });
    }
    let level = |level, has_own_stack| {
        Some(Mode::Level {
            level,
            has_own_stack,
        })
    };
    match low & 0x1f {
        0b00000 if set == InstructionSet::A64 => level(0, false),
        0b00100 => level(1, false),
        0b00101 => level(1, true),
        0b01000 => level(2, false),
        0b01001 => level(2, true),
        0b01100 => level(3, false),
        0b01101 => level(3, true),
        0b10000 | 0b11111 => Some(Mode::Banked(*b"usr")),
        0b10001 => Some(Mode::Banked(*b"fiq")),
        0b10010 => Some(Mode::Banked(*b"irq")),
        0b10011 => Some(Mode::Banked(*b"svc")),
        0b10110 => Some(Mode::Banked(*b"mon")),
        0b10111 => Some(Mode::Banked(*b"abt")),
        0b11010 => Some(Mode::Banked(*b"hyp")),
        0b11011 => Some(Mode::Banked(*b"und")),
        _ => None,
    }
}

/// Returns the instruction set of the execution state that a mode belongs to.
pub fn set_of_mode(mode: Mode, before: InstructionSet) -> InstructionSet {
    match mode {
        Mode::Level { .. } => InstructionSet::A64,
        Mode::Window { .. } => InstructionSet::Sparc64,
        Mode::Banked(_) if before == InstructionSet::A64 => InstructionSet::A32,
        _ => before,
    }
}

/// Returns an Arm instruction set that represents all with this register width.
pub fn set_of_width(word_bytes: u16) -> InstructionSet {
    if word_bytes == 8 {
        InstructionSet::A64
    } else {
        InstructionSet::A32
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::registers::Registers;
    use crate::set::InstructionSet;

    #[test]
    fn both_tellings_agree_on_which_names_are_one_cell() {
        let mode = Mode::Window {
            current: 6,
            count: 7,
            globals: 2,
        };
        let views = || {
            (0..RegisterId::FIRST_NAMED.0)
                .map(RegisterId)
                .filter(|id| cell_of(*id, mode).is_some())
        };
        for (one, other) in views().flat_map(|one| views().map(move |other| (one, other))) {
            let is_one = cell_of(one, mode) == cell_of(other, mode);
            assert_eq!(
                is_one,
                mode.home(one) == mode.home(other),
                "{one:?} {other:?}"
            );
            assert_eq!(
                cell_of(one, mode).map(NaiveWindowCell::register),
                Some(mode.home(one)),
                "{one:?}"
            );
        }
        let cell = |name| {
            Registers::view(name, InstructionSet::Sparc64)
                .and_then(|view| cell_of(view.register, mode))
        };
        assert_eq!(
            cell("%o6"),
            Some(NaiveWindowCell::In {
                window: 0,
                number: 6
            })
        );
        assert_eq!(
            cell("g3"),
            Some(NaiveWindowCell::Global { set: 2, number: 3 })
        );
        assert_eq!(
            (cell("w-1.i7"), cell("pc")),
            (
                Some(NaiveWindowCell::In {
                    window: 5,
                    number: 7
                }),
                None
            )
        );
    }
}
