//! The registers of a thread at a position.

use stepback_machine::{InstructionSet, RegisterView};
use stepback_parsers::{Position, Step};

use crate::answers::reason::InferenceReason;
use crate::answers::thread::ThreadId;
use crate::answers::value::{Value, ValueSource};

/// A register file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RegisterFile {
    /// Whose it is.
    pub thread: ThreadId,
    /// Which names it uses.
    pub instruction_set: InstructionSet,
    /// In the order of the architecture, then banks and system registers by name.
    pub registers: Vec<RegisterState>,
}

/// A register at a position.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RegisterState {
    /// As shown.
    pub name: String,
    /// Which bytes.
    pub view: RegisterView,
    /// Full width.
    pub value: Value,
    /// Where the bytes that are known come from.
    pub source: ValueSource,
    /// Where it was last written: the position after the write, 0 for the initial state; none when never.
    pub written_at: Option<Position>,
    /// The step that did it; none for the initial state.
    pub written_by: Option<Step>,
    /// Why the value is known, when it is inferred from what steps did.
    pub reason: Option<InferenceReason>,
}

impl RegisterFile {
    /// The value of a register by the name that is shown; none when there is no such register.
    pub fn get(&self, name: &str) -> Option<&Value> {
        self.state(name).map(|state| &state.value)
    }

    /// A register by the name that is shown.
    pub fn state(&self, name: &str) -> Option<&RegisterState> {
        self.registers.iter().find(|register| register.name == name)
    }
}
