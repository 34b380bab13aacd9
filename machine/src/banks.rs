//! Processor states, and the registers that a plain name may denote in them.

pub use crate::arm::mode_words::{StackChoice, StackChoices, bank_mode};
pub use crate::mode::{
    Bank, BankedRegister, ExecutionState, RegisterAlias, SecurityState, ThreadStack, WindowChange,
};
