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
//! The names at the root decode instructions and name registers. The modules contain the types of
//! the answers.
//!
//! The registers that an instruction reads and writes, and the value that it computes:
//!
//! ```
//! use stepback_machine::semantics::Expression;
//! use stepback_machine::{Address, Encoding, InstructionSet, Registers, decode};
//!
//! let encoding = Encoding::new(&[0x00, 0x04, 0x00, 0x91]).unwrap();
//! let add = decode(encoding, Address(0x8000), InstructionSet::A64);
//! assert_eq!(add.text, "add x0, x0, #1");
//! let x0 = Registers::view("x0", InstructionSet::A64).unwrap();
//! let registers = add.registers.as_ref().unwrap();
//! assert_eq!((&registers.reads[..], &registers.writes[..]), (&[x0][..], &[x0][..]));
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

pub use crate::architecture::ElfMachine;
pub use crate::endian::Endian;
pub use crate::instruction::{Address, CodeSite, Encoding, Instruction, decode, step_text};
pub use crate::meaning::AccessKind;
pub use crate::mode::Mode;
pub use crate::placement::InstructionPlacement;
pub use crate::register_group::RegisterGroup;
pub use crate::registers::Registers;
pub use crate::set::InstructionSet;
pub use crate::view::{RegisterId, RegisterView};

/// Effects of an instruction: registers, memory, flags, and formulas for the values that it writes.
pub mod semantics {
    pub use crate::expression::{Expression, Operation};
    pub use crate::meaning::{
        ConditionalSelection, ExecutionCondition, FlagTest, FlagUse, Meaning, MemoryOperand,
        RegisterEffect, RegisterUse, ScaledRegister, StoreExtent, StoreExtentPart,
    };
    pub use crate::origins::{InstructionInput, ValueOrigin};
}

/// Control transfers: branches, delay slots, linkage stubs, and flow from the text of an instruction.
pub mod flow {
    pub use crate::abi::{LinkageStub, StubSlot};
    pub use crate::control::{
        BranchTarget, ControlFlowEffect, ControlSuccessor, DelaySlotRule, FlowKind,
        OperandWordKind, RecordedBranch, TextFlow, without_prefix,
    };
}

/// Processor states, and the registers that a plain name may denote in them.
pub mod banks {
    pub use crate::arm::mode_words::{StackChoice, StackChoices, bank_mode};
    pub use crate::mode::{
        Bank, BankedRegister, ExecutionState, RegisterAlias, SecurityState, ThreadStack,
        WindowChange,
    };
}

/// Calling conventions of functions, system calls and semihosting.
pub mod convention {
    pub use crate::abi::{
        Abi, Privilege, RegisterBit, ReturnAddress, SemihostingCall, SystemCallConvention,
        SystemCallFailure,
    };
}

/// Frames that processors push on exception entry and pop on return.
pub mod exception {
    pub use crate::exception_frame::{
        ExceptionFlow, ExceptionFrame, FrameAccess, FrameEvent, FrameLayout,
    };
}

/// Names, number formats and decoded status registers, for user interfaces.
pub mod display {
    pub use crate::architecture::{ArchitectureChoice, ArchitectureNames};
    pub use crate::register_group::{LaneFormat, LaneKind};
    pub use crate::register_run::RegisterRun;
    pub use crate::status::{StatusFlag, StatusRegister};
}
