//! Register names at a position: a processor may change to a state with other names.

use crate::answers::cell::ThreadId;
use crate::answers::error::QueryError;
use crate::read::names::NameReader;
use crate::read::register_reader::RegisterReader;
use stepback_machine::banks::ExecutionState;
use stepback_machine::{InstructionSet, RegisterId, RegisterView};
use stepback_parsers::Position;

impl NameReader<'_> {
    /// Returns the instruction set that names a thread's registers at a position: a processor may
    /// change to another one. Cost: the text of a step.
    ///
    /// # Errors
    /// See [`QueryError`].
    pub fn set_at(&self, thread: ThreadId, at: Position) -> Result<InstructionSet, QueryError> {
        let first = self.0.instruction_set(thread);
        if !first.has_states() {
            return Ok(first);
        }
        Ok(self
            .state_at(thread, at)?
            .map_or(first, |state| self.0.set_of_names(thread, state.set)))
    }

    /// Returns the state of a thread at a position; none for a thread without steps. Cost: the text
    /// of a step.
    ///
    /// # Errors
    /// See [`QueryError`].
    pub fn state_at(
        &self,
        thread: ThreadId,
        at: Position,
    ) -> Result<Option<ExecutionState>, QueryError> {
        RegisterReader::new(self.0, thread, at).state_at()
    }

    /// Returns the only bank of a plain register that the trace writes for a thread on lines that
    /// identify the bank; none if there are more.
    pub fn only_bank(&self, thread: ThreadId, plain: RegisterId) -> Option<RegisterId> {
        RegisterReader::new(self.0, thread, Position(0)).only_bank(plain)
    }

    /// Returns a register by any of its names at a position. Cost: the text of a step.
    ///
    /// # Errors
    /// See [`QueryError`].
    pub fn register_view_at(
        &self,
        name: &str,
        thread: ThreadId,
        at: Position,
    ) -> Result<Option<RegisterView>, QueryError> {
        let set = self.set_at(thread, at)?;
        Ok(match self.name_in_state(name, thread, at)? {
            Some(banked) => self
                .view_in(&banked, set)
                .or_else(|| self.view_in(name, set)),
            None => self.view_in(name, set),
        })
    }

    /// Returns the full name of a register with a name such as `msp`, which the security states
    /// share, in the state at a position.
    fn name_in_state(
        &self,
        name: &str,
        thread: ThreadId,
        at: Position,
    ) -> Result<Option<String>, QueryError> {
        let name = name.to_ascii_lowercase();
        let is_banked = InstructionSet::is_state_banked_anywhere(&name);
        let Some(ExecutionState { set, mode }) = is_banked
            .then(|| self.state_at(thread, at))
            .transpose()?
            .flatten()
        else {
            return Ok(None);
        };
        Ok(set
            .state_suffix(&name, mode)
            .map(|suffix| format!("{name}{suffix}")))
    }
}
