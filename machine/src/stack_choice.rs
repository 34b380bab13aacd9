//! What the registers say that choose between two stack pointers.

use crate::view::RegisterId;

/// The newest value of each such register: there may be several, one a security state.
///
/// ```
/// use stepback_machine::{Mode, RegisterId, StackChoices, ThreadStack};
/// let mut choices = StackChoices::default();
/// choices.note(RegisterId(200), Some(2));
/// assert_eq!(Mode::of(b"thread").with_control(choices.lowest_byte()), Mode::Thread(ThreadStack::Process));
/// // That of the other security state says something else: nobody knows which one counts.
/// choices.note(RegisterId(201), Some(0));
/// assert_eq!(choices.lowest_byte(), None);
/// ```
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct StackChoices(Vec<(RegisterId, Option<u8>)>);

impl StackChoices {
    /// Takes the lowest byte of a value that one of them got; none when the trace does not tell it.
    pub fn note(&mut self, register: RegisterId, lowest_byte: Option<u8>) {
        self.0.retain(|(known, _)| *known != register);
        self.0.push((register, lowest_byte));
    }

    /// The lowest byte for [`Mode::with_control`](crate::Mode::with_control); none unless all that were written agree.
    pub fn lowest_byte(&self) -> Option<u8> {
        let (_, first) = *self.0.first()?;
        let choice = |byte: Option<u8>| byte.map(|byte| byte >> 1 & 1);
        self.0.iter().all(|(_, byte)| choice(*byte) == choice(first)).then_some(first)?
    }
}
