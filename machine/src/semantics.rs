//! Effects of an instruction: registers, memory, flags, and formulas for the values that it writes.

pub use crate::expression::{Expression, Operation};
pub use crate::meaning::{
    ConditionalSelection, DataAccess, ExecutionCondition, FlagTest, FlagUse, Meaning,
    MemoryOperand, RegisterEffect, RegisterUse, ScaledRegister, StoreExtent, StoreExtentPart,
};
pub use crate::origins::{InstructionInput, ValueOrigin};
