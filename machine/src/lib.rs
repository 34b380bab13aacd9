//! Models of processors: registers, decoding, instruction semantics, control flow, calling
//! conventions.
//!
//! Each architecture is a folder. No other crate matches on an instruction set.
//! `architecture.rs` defines the queries and `rows.rs` dispatches them: a new architecture is a
//! folder and a row.
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
mod access_kind;
mod address;
mod architecture;
mod arm;
mod bank;
mod branch;
mod bytes;
mod control;
mod decoder;
mod description;
mod disassembly;
mod endian;
mod exception_frame;
mod expression;
mod flags;
mod home;
mod host_call;
mod instruction;
mod lane_format;
pub mod linux;
mod meaning;
mod mode;
#[cfg(feature = "oracle")]
pub mod naive;
mod names;
mod origins;
mod placement;
mod privilege;
mod regdeps;
mod register_group;
mod register_run;
mod register_use;
mod registers;
mod riscv;
mod rows;
mod selection;
mod set;
mod site;
mod sparc;
mod stack_choice;
mod status;
mod stub;
#[cfg(test)]
mod tests;
mod text_flow;
mod view;
mod window;
mod word;
mod x86;

pub use abi::{Abi, RegisterBit, ReturnAddress, SystemCallConvention, SystemCallFailure};
pub use access_kind::AccessKind;
pub use address::Address;
pub use arm::psr::Psr;
pub use bank::{Bank, BankedRegister};
pub use branch::RecordedBranch;
pub use bytes::Encoding;
pub use control::{BranchTarget, ControlFlowEffect, ControlSuccessor, DelaySlotRule, FlowKind};
pub use decoder::{decode, step_text};
pub use endian::Endian;
pub use exception_frame::{ExceptionFlow, ExceptionFrame, FrameAccess, FrameEvent, FrameLayout};
pub use expression::{Expression, Operation};
pub use flags::FlagUse;
pub use home::RegisterAlias;
pub use host_call::SemihostingCall;
pub use instruction::Instruction;
pub use lane_format::{LaneFormat, LaneKind};
pub use meaning::{
    ExecutionCondition, Meaning, MemoryOperand, RegisterEffect, ScaledRegister, StoreExtent,
    StoreExtentPart,
};
pub use mode::{ExecutionState, Mode, SecurityState, ThreadStack, bank_mode};
pub use names::{ArchitectureChoice, ArchitectureNames, ElfMachine};
pub use origins::{InstructionInput, ValueOrigin};
pub use placement::InstructionPlacement;
pub use privilege::Privilege;
pub use register_group::RegisterGroup;
pub use register_run::RegisterRun;
pub use register_use::RegisterUse;
pub use registers::Registers;
pub use selection::{ConditionalSelection, FlagTest};
pub use set::InstructionSet;
pub use site::CodeSite;
pub use stack_choice::{StackChoice, StackChoices};
pub use status::{StatusFlag, StatusRegister};
pub use stub::{LinkageStub, StubSlot};
pub use text_flow::{OperandWordKind, TextFlow, without_prefix};
pub use view::{RegisterId, RegisterView};
pub use window::WindowChange;
