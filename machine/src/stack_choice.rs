//! Values of the registers that select between two stack pointers.

use crate::mode::{Mode, SecurityState};
use crate::view::RegisterId;

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
/// use stepback_machine::{Mode, RegisterId, Security, StackChoice, StackChoices, ThreadStack};
/// let choice = |register, security| StackChoice { register: RegisterId(register), security };
/// let mut choices = StackChoices::default();
/// choices.note(choice(200, Security::Secure), Some(2));
/// choices.note(choice(201, Security::NonSecure), Some(0));
/// let chosen = |word: &[u8]| choices.chosen(Mode::of(word));
/// assert_eq!(chosen(b"thread_s"), Mode::Thread(Security::Secure, ThreadStack::Process));
/// assert_eq!(chosen(b"thread_ns"), Mode::Thread(Security::NonSecure, ThreadStack::Main));
/// // Without a security state, either register could apply.
/// assert_eq!(chosen(b"thread"), Mode::Thread(Security::Undivided, ThreadStack::Unsaid));
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

    /// Returns an M-profile mode with the stack pointer that the registers select.
    pub fn chosen(&self, mode: Mode) -> Mode {
        mode.with_control(self.lowest_byte(mode.security()))
    }

    /// Returns the value that applies in a security state; none unless all candidates agree.
    fn lowest_byte(&self, security: SecurityState) -> Option<u8> {
        let is_own = |known: &StackChoice| known.security == security;
        let has_own = self.0.iter().any(|(known, _)| is_own(known));
        let is_meant = |known: &StackChoice| match security {
            SecurityState::Secure | SecurityState::NonSecure if has_own => is_own(known),
            _ => known.security.may_be_of(security),
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
