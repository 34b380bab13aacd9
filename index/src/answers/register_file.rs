//! Registers of a thread at a position.

use stepback_machine::{InstructionSet, RegisterView};
use stepback_parsers::{Position, Step};

use crate::answers::reason::InferenceReason;
use crate::answers::thread::ThreadId;
use crate::answers::value::{Value, ValueSource};

/// The registers of a thread at a position.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RegisterFile {
    /// Thread of the registers.
    pub thread: ThreadId,
    /// Instruction set that determines the names.
    pub instruction_set: InstructionSet,
    /// Registers in the order of the architecture, then banks and system registers by name.
    pub registers: Vec<RegisterState>,
}

/// A register at a position.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RegisterState {
    /// Displayed name.
    pub name: String,
    /// Bytes of the register.
    pub view: RegisterView,
    /// Value at full width.
    pub value: Value,
    /// Source of the known bytes.
    pub source: ValueSource,
    /// Position right after the last write, 0 for the initial state; `None` without a write.
    pub written_at: Option<Position>,
    /// Step of the last write; `None` for the initial state.
    pub written_by: Option<Step>,
    /// Reason for an inferred value.
    pub reason: Option<InferenceReason>,
}

impl RegisterFile {
    /// Returns the value of a register by its displayed name; `None` if there is no such register.
    pub fn get(&self, name: &str) -> Option<&Value> {
        self.state(name).map(|state| &state.value)
    }

    /// Returns a register by its displayed name.
    pub fn state(&self, name: &str) -> Option<&RegisterState> {
        self.registers.iter().find(|register| register.name == name)
    }
}
