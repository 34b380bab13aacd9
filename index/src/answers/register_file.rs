//! The registers of a thread at a position ([`RegisterFile`]), and the values that its steps imply
//! ([`Inference`]). An inferred value has the fact and the derivation that justify it, so that it
//! can be distinguished from a recorded one and explained.

use std::fmt;

use stepback_machine::{InstructionSet, RegisterView};
use stepback_parsers::{Position, Step};

use crate::answers::cell::ThreadId;
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

/// Result of register inference.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Inference {
    /// Registers with at least one inferred bit, in the order of the architecture.
    pub registers: Vec<InferredRegister>,
    /// Number of contradictions between two facts about a register or a memory value. A
    /// contradicted value is not reported.
    pub contradictions: u64,
}

/// A register with a fully or partly inferred value.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct InferredRegister {
    /// Displayed name.
    pub name: String,
    /// Bytes of the register.
    pub view: RegisterView,
    /// Inferred value.
    pub value: Value,
    /// Reason for the value.
    pub reason: InferenceReason,
}

/// Reason why the value of a register is known.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct InferenceReason {
    /// Fact that implies the value.
    pub fact: Fact,
    /// Derivation from that fact to the register.
    pub way: ValueDerivation,
}

impl fmt::Display for InferenceReason {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.way {
            ValueDerivation::Returned(step) => {
                return write!(f, "return address of the call at step {}", step.0);
            }
            ValueDerivation::Computed(step) | ValueDerivation::Moved(step)
                if self.fact == Fact::Constant(step) =>
            {
                return write!(f, "constant of step {}", step.0);
            }
            ValueDerivation::Held | ValueDerivation::Lost => {}
            ValueDerivation::Computed(step) => write!(f, "computed by step {} from ", step.0)?,
            ValueDerivation::Moved(step) => write!(f, "moved by step {} from ", step.0)?,
            ValueDerivation::Loaded(step, None) => write!(f, "loaded by step {}: ", step.0)?,
            ValueDerivation::Loaded(step, Some(source)) => {
                write!(
                    f,
                    "loaded by step {} from what step {} accessed: ",
                    step.0, source.0
                )?;
            }
        }
        match self.fact {
            Fact::Constant(step) => write!(f, "a constant of step {}", step.0),
            Fact::Address(step) => write!(f, "the address of the access of step {}", step.0),
            Fact::Target(step) => write!(f, "where step {} branched to", step.0),
            Fact::Stated(step) => write!(f, "what the trace states at step {}", step.0),
        }
    }
}

/// Fact that implies a value.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Fact {
    /// A constant in an instruction.
    Constant(Step),
    /// The known address of an access, which determines a register used to compute it.
    Address(Step),
    /// The target of an indirect branch.
    Target(Step),
    /// A record of the trace.
    Stated(Step),
}

impl Fact {
    pub(crate) fn is_constant(self) -> bool {
        matches!(self, Self::Constant(_))
    }

    /// Returns the step that shows the fact.
    pub fn step(self) -> Step {
        match self {
            Self::Constant(step)
            | Self::Address(step)
            | Self::Target(step)
            | Self::Stated(step) => step,
        }
    }
}

/// Derivation of a register's value.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum ValueDerivation {
    /// The register held the value at the start of the inference.
    #[default]
    Held,
    /// The register held the value after the last point where something other than instructions may
    /// have changed it.
    Lost,
    /// Copied from another register, or computed.
    Computed(Step),
    /// A constant was added to it, as to a moving stack pointer.
    Moved(Step),
    /// Loaded by the first step from memory that the second step, if known, wrote or read before.
    Loaded(Step, Option<Step>),
    /// Written by a call: a return address.
    Returned(Step),
}
