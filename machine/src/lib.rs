//! Models of processors: registers, decoding, instruction semantics, control flow, calling
//! conventions.
//!
//! Each architecture is a folder. No other crate matches on an instruction set.
//! `architecture.rs` defines the queries and `rows.rs` dispatches them: a new architecture is a
//! folder and a row.
//!
//! Capstone disassembles Arm and RISC-V. iced-x86 decodes x86, because Capstone's register lists
//! have gaps there. SPARC is decoded here.
//!
//! All instruction sets share the numbers of the stack pointer, the program counter and the status
//! register ([`RegisterId`]), so the index finds them without a set.
//!
//! ```
//! use stepback_machine::{Address, Encoding, Expression, InstructionSet, Registers, decode};
//!
//! let encoding = Encoding::new(&[0x00, 0x04, 0x00, 0x91]).unwrap();
//! let add = decode(encoding, Address(0x8000), InstructionSet::A64);
//! assert_eq!(add.text, "add x0, x0, #1");
//! let x0 = Registers::view("x0", InstructionSet::A64).unwrap();
//! assert_eq!(add.registers.as_ref().unwrap().writes, [x0]);
//! assert_eq!(add.meaning.writes[0].value, Expression::register(x0).plus(1));
//! ```

#![warn(missing_docs)]

mod abi;
mod architecture;
mod arm;
mod control;
mod description;
mod endian;
mod exception_frame;
mod expression;
mod instruction;
pub mod linux;
mod meaning;
mod mode;
#[cfg(feature = "oracle")]
pub mod naive;
mod origins;
mod placement;
mod regdeps;
mod register_group;
mod register_run;
mod registers;
mod riscv;
mod rows;
mod set;
mod sparc;
mod status;
#[cfg(test)]
mod tests;
mod view;
mod x86;

pub use crate::abi::{LinkageStub, Privilege, SemihostingCall, StubSlot};
pub use crate::architecture::{ArchitectureChoice, ArchitectureNames, ElfMachine};
pub use crate::arm::mode_words::{StackChoice, StackChoices, bank_mode};
pub use crate::control::{OperandWordKind, RecordedBranch, TextFlow, without_prefix};
pub use crate::endian::Endian;
pub use crate::instruction::{Address, CodeSite, Encoding, decode, step_text};
pub use crate::meaning::{AccessKind, ConditionalSelection, FlagTest, FlagUse, RegisterUse};
pub use crate::mode::{Bank, BankedRegister};
pub use crate::placement::InstructionPlacement;
pub use crate::register_group::{LaneFormat, LaneKind};
pub use crate::register_run::RegisterRun;
pub use crate::set::InstructionSet;
pub use crate::status::{StatusFlag, StatusRegister};
pub use crate::view::{RegisterId, RegisterView};
pub use abi::{Abi, RegisterBit, ReturnAddress, SystemCallConvention, SystemCallFailure};
pub use arm::psr::Psr;
pub use control::{BranchTarget, ControlFlowEffect, ControlSuccessor, DelaySlotRule, FlowKind};
pub use exception_frame::{ExceptionFlow, ExceptionFrame, FrameAccess, FrameEvent, FrameLayout};
pub use expression::{Expression, Operation};
pub use instruction::Instruction;
pub use meaning::{
    ExecutionCondition, Meaning, MemoryOperand, RegisterEffect, ScaledRegister, StoreExtent,
    StoreExtentPart,
};
pub use mode::{ExecutionState, Mode, RegisterAlias, SecurityState, ThreadStack, WindowChange};
pub use origins::{InstructionInput, ValueOrigin};
pub use register_group::RegisterGroup;
pub use registers::Registers;
