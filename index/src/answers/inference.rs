//! Register values that the steps of a trace imply.

use stepback_machine::RegisterView;

use crate::answers::reason::InferenceReason;
use crate::answers::value::Value;

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
