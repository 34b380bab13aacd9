//! What the steps of a trace force about registers.

use stepback_machine::RegisterView;

use crate::answers::reason::InferenceReason;
use crate::answers::value::Value;

/// What was found.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Inference {
    /// The registers of which something is known, in the order of the architecture.
    pub registers: Vec<InferredRegister>,
    /// How often two facts about a register or a value in memory differed; neither is told then.
    pub contradictions: u64,
}

/// A register whose value is known in part or in whole.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct InferredRegister {
    /// As shown.
    pub name: String,
    /// Which bytes.
    pub view: RegisterView,
    /// What is known of them.
    pub value: Value,
    /// Why.
    pub reason: InferenceReason,
}
