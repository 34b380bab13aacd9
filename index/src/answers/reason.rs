//! Reasons for inferred values.

use std::fmt;

use stepback_parsers::Step;

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
