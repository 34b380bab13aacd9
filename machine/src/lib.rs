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
pub mod banks;
mod control;
pub mod convention;
mod description;
pub mod display;
pub mod dwarf_registers;
mod endian;
pub mod exception;
mod exception_frame;
mod expression;
pub mod flow;
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
pub mod semantics;
mod set;
mod sparc;
mod status;
pub mod target_description;
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
