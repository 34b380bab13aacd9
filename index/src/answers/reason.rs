//! Why a value is known.

use std::fmt;

use stepback_parsers::Step;

/// Why a register's value is known.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct InferenceReason {
    /// What forces it.
    pub fact: Fact,
    /// How it came into the register.
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

/// What forces a value.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Fact {
    /// An instruction holds it.
    Constant(Step),
    /// A register that an address was made of, when the address is known.
    Address(Step),
    /// Where an indirect branch went.
    Target(Step),
    /// A record of the trace states it.
    Stated(Step),
}

impl Fact {
    pub(crate) fn is_constant(self) -> bool {
        matches!(self, Self::Constant(_))
    }

    /// The step that shows it.
    pub fn step(self) -> Step {
        match self {
            Self::Constant(step)
            | Self::Address(step)
            | Self::Target(step)
            | Self::Stated(step) => step,
        }
    }
}

/// How a register got its value.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum ValueDerivation {
    /// It already had it where the inference began.
    #[default]
    Held,
    /// It has had it since something other than instructions may have changed it.
    Lost,
    /// It was copied from another register, or computed.
    Computed(Step),
    /// A constant was added to it: the motion of a stack pointer.
    Moved(Step),
    /// It was loaded by the first step from memory that the second, where known, wrote or read before.
    Loaded(Step, Option<Step>),
    /// A call left it: a return address.
    Returned(Step),
}
