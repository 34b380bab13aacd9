//! Numbers that are stored for modes.

use stepback_machine::{Mode, SecurityState, ThreadStack};

/// Returns the number of a mode: its kind in the lowest byte, its fields above.
pub fn number_of_mode(mode: Mode) -> u64 {
    let [kind, a, b, c] = match mode {
        Mode::Other => [0; 4],
        Mode::Level {
            level,
            has_own_stack,
        } => [1, level, u8::from(has_own_stack), 0],
        Mode::Banked([a, b, c]) => [2, a, b, c],
        Mode::Handler(security) => [3, number_of_security(security), 0, 0],
        Mode::Window {
            current,
            count,
            globals,
        } => [4, current, count, globals],
        Mode::Thread(security, stack) => {
            let stack = match stack {
                ThreadStack::Unsaid => 0,
                ThreadStack::Main => 1,
                ThreadStack::Process => 2,
            };
            [5, stack, number_of_security(security), 0]
        }
        Mode::Untold => [6, 0, 0, 0],
    };
    u64::from(u32::from_le_bytes([kind, a, b, c]))
}

/// Returns the mode of a stored number.
pub fn mode_of_number(number: u64) -> Option<Mode> {
    let [kind, a, b, c] = u32::try_from(number).ok()?.to_le_bytes();
    Some(match kind {
        0 => Mode::Other,
        1 => Mode::Level {
            level: a,
            has_own_stack: b != 0,
        },
        2 => Mode::Banked([a, b, c]),
        3 => Mode::Handler(*SECURITY.get(usize::from(a))?),
        4 => Mode::of_window_status(u32::from_le_bytes([a, b, c, 0]))?,
        5 => {
            let stack = match a {
                0 => ThreadStack::Unsaid,
                1 => ThreadStack::Main,
                2 => ThreadStack::Process,
                _ => return None,
            };
            Mode::Thread(*SECURITY.get(usize::from(b))?, stack)
        }
        6 => Mode::Untold,
        _ => return None,
    })
}

/// Security states, indexed by their stored numbers.
const SECURITY: [SecurityState; 4] = [
    SecurityState::Undivided,
    SecurityState::Secure,
    SecurityState::NonSecure,
    SecurityState::Unsaid,
];

fn number_of_security(security: SecurityState) -> u8 {
    SECURITY
        .iter()
        .zip(0..)
        .find(|(known, _)| **known == security)
        .map_or(0, |(_, number)| number)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_lead_back_to_their_modes() {
        let level = Mode::Level {
            level: 2,
            has_own_stack: true,
        };
        let window = Mode::Window {
            current: 31,
            count: 32,
            globals: 7,
        };
        let stacks = [ThreadStack::Unsaid, ThreadStack::Main, ThreadStack::Process];
        let threads = SECURITY
            .into_iter()
            .flat_map(|state| stacks.map(|stack| Mode::Thread(state, stack)));
        let handlers = SECURITY.map(Mode::Handler);
        let modes = [
            Mode::Other,
            level,
            Mode::Banked(*b"irq"),
            window,
            Mode::Untold,
        ];
        for mode in modes.into_iter().chain(threads).chain(handlers) {
            assert_eq!(mode_of_number(number_of_mode(mode)), Some(mode));
        }
        assert_eq!([99, 1 << 32, 0x0808_0804].map(mode_of_number), [None; 3]);
    }
}
