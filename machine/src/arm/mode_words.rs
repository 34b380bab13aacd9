//! Words for the processor modes of Arm, and the registers that select between two stack pointers.

use crate::mode::{Mode, SecurityState, ThreadStack};
use crate::view::RegisterId;

/// Returns the security state from the suffix of a word such as `thread_ns` or `msp_s`, in any case.
pub fn security_of(word: &[u8]) -> SecurityState {
    let suffix = word
        .iter()
        .rposition(|byte| *byte == b'_')
        .and_then(|at| word.get(at..));
    match suffix {
        Some([_, b's' | b'S']) => SecurityState::Secure,
        Some([_, b'n' | b'N', b's' | b'S']) => SecurityState::NonSecure,
        _ => SecurityState::Undivided,
    }
}

/// Returns true unless a bank of one security state is known not to be in use in the other. A name
/// without suffix, on a line that states no security state, means the Secure register, as at reset.
pub fn may_be_in_use(bank: SecurityState, mode: SecurityState) -> bool {
    use SecurityState::{NonSecure, Secure, Undivided};
    !matches!(
        (bank, mode),
        (Secure | Undivided, NonSecure) | (NonSecure, Secure)
    )
}

/// Parses a mode word such as `EL3h_s` or `svc_s`.
pub fn mode_of_word(word: &[u8]) -> Mode {
    let lower = |place: usize| word.get(place).map_or(0, u8::to_ascii_lowercase);
    match [lower(0), lower(1), lower(2), lower(3)] {
        [b'e', b'l', level @ b'0'..=b'3', stack @ (b'h' | b't')] => Mode::Level {
            level: level & 3,
            has_own_stack: stack == b'h',
        },
        [first, second, third, 0 | b'_'] => {
            bank_mode(&[first, second, third]).map_or(Mode::Other, Mode::Banked)
        }
        [b'h', b'a', b'n', b'd'] | [b'h', b'n', b'd', b'l'] => Mode::Handler(security_of(word)),
        [b't', b'h', b'r', b'e' | b'd'] => Mode::Thread(security_of(word), ThreadStack::Unsaid),
        _ => Mode::Other,
    }
}

/// Returns the AArch32 mode of a mode word, for modes with banked registers.
pub fn bank_mode(word: &[u8]) -> Option<[u8; 3]> {
    let mode = <[u8; 3]>::try_from(word).ok()?;
    match &mode {
        b"sys" => Some(*b"usr"),
        b"usr" | b"svc" | b"irq" | b"fiq" | b"abt" | b"und" | b"mon" | b"hyp" => Some(mode),
        _ => None,
    }
}

/// A register that selects a stack pointer: `control`, `control_s`, `control_ns`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct StackChoice {
    /// Register number in the trace.
    pub register: RegisterId,
    /// Security state that it applies to.
    pub security: SecurityState,
}

/// The latest value of each such register; there may be one per security state.
///
/// ```
/// use stepback_machine::{Mode, RegisterId};
/// use stepback_machine::banks::{SecurityState, StackChoice, StackChoices, ThreadStack};
/// let choice = |register, security| StackChoice { register: RegisterId(register), security };
/// let mut choices = StackChoices::default();
/// choices.note(choice(200, SecurityState::Secure), Some(2));
/// choices.note(choice(201, SecurityState::NonSecure), Some(0));
/// let chosen = |word: &[u8]| choices.chosen(Mode::of(word));
/// assert_eq!(chosen(b"thread_s"), Mode::Thread(SecurityState::Secure, ThreadStack::Process));
/// assert_eq!(chosen(b"thread_ns"), Mode::Thread(SecurityState::NonSecure, ThreadStack::Main));
/// // Without a security state, either register could apply.
/// assert_eq!(chosen(b"thread"), Mode::Thread(SecurityState::Undivided, ThreadStack::Unsaid));
/// ```
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct StackChoices(Vec<(StackChoice, Option<u8>)>);

impl StackChoices {
    /// Records the lowest byte of a register's new value; none if the trace does not state it.
    pub fn note(&mut self, choice: StackChoice, lowest_byte: Option<u8>) {
        self.0
            .retain(|(known, _)| known.register != choice.register);
        self.0.push((choice, lowest_byte));
    }

    /// Returns an M-profile mode with the stack pointer that the registers select. Bit 1 (SPSEL)
    /// selects that of `thread` mode (DDI 0553, CONTROL). Handlers always use the main one.
    pub fn chosen(&self, mode: Mode) -> Mode {
        let lowest_byte = self.lowest_byte(mode.security());
        mode.in_stack(match lowest_byte.map(|byte| byte >> 1 & 1) {
            Some(0) => ThreadStack::Main,
            Some(_) => ThreadStack::Process,
            None => ThreadStack::Unsaid,
        })
    }

    /// Returns the value that applies in a security state; none unless all candidates agree.
    fn lowest_byte(&self, security: SecurityState) -> Option<u8> {
        let is_own = |known: &StackChoice| known.security == security;
        let has_own = self.0.iter().any(|(known, _)| is_own(known));
        let is_meant = |known: &StackChoice| match security {
            SecurityState::Secure | SecurityState::NonSecure if has_own => is_own(known),
            _ => may_be_in_use(known.security, security),
        };
        let mut bytes = self
            .0
            .iter()
            .filter(|(known, _)| is_meant(known))
            .map(|(_, byte)| *byte);
        let first = bytes.next()?;
        let choice = |byte: Option<u8>| byte.map(|byte| byte >> 1 & 1);
        bytes
            .all(|byte| choice(byte) == choice(first))
            .then_some(first)?
    }
}
