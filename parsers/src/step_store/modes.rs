//! The numbers under which modes are written.

use stepback_machine::{Mode, ThreadStack};

/// A kind in the lowest byte, what belongs to it above.
pub fn number_of_mode(mode: Mode) -> u64 {
    let [kind, a, b, c] = match mode {
        Mode::Other => [0; 4],
        Mode::Level { level, has_own_stack } => [1, level, u8::from(has_own_stack), 0],
        Mode::Banked([a, b, c]) => [2, a, b, c],
        Mode::Handler => [3, 0, 0, 0],
        Mode::Window { current, count, globals } => [4, current, count, globals],
        Mode::Thread(ThreadStack::Unsaid) => [5, 0, 0, 0],
        Mode::Thread(ThreadStack::Main) => [5, 1, 0, 0],
        Mode::Thread(ThreadStack::Process) => [5, 2, 0, 0],
        Mode::Untold => [6, 0, 0, 0],
    };
    u64::from(u32::from_le_bytes([kind, a, b, c]))
}

/// The mode of such a number.
pub fn mode_of_number(number: u64) -> Option<Mode> {
    let [kind, a, b, c] = u32::try_from(number).ok()?.to_le_bytes();
    Some(match kind {
        0 => Mode::Other,
        1 => Mode::Level { level: a, has_own_stack: b != 0 },
        2 => Mode::Banked([a, b, c]),
        3 => Mode::Handler,
        4 => Mode::of_window_status(u32::from_le_bytes([a, b, c, 0]))?,
        5 => Mode::Thread(match a {
            0 => ThreadStack::Unsaid,
            1 => ThreadStack::Main,
            2 => ThreadStack::Process,
            _ => return None,
        }),
        6 => Mode::Untold,
        _ => return None,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_lead_back_to_their_modes() {
        let level = Mode::Level { level: 2, has_own_stack: true };
        let window = Mode::Window { current: 31, count: 32, globals: 7 };
        let stacks = [ThreadStack::Unsaid, ThreadStack::Main, ThreadStack::Process].map(Mode::Thread);
        let modes = [Mode::Other, level, Mode::Banked(*b"irq"), Mode::Handler, window, Mode::Untold];
        for mode in modes.into_iter().chain(stacks) {
            assert_eq!(mode_of_number(number_of_mode(mode)), Some(mode));
        }
        assert_eq!([99, 1 << 32, 0x0808_0804].map(mode_of_number), [None; 3]);
    }
}
