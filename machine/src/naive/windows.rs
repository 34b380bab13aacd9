//! Cells of register windows, by a table of numbers.

use crate::mode::Mode;
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
