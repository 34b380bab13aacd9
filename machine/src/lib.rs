//! What a processor is: registers, instructions and what they mean, control flow, calling conventions, names.
//!
//! One folder an architecture; nothing outside this crate asks which instruction set it has before it.
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

mod access_kind;
mod address;
mod arm;
mod branch;
mod by_disassembler;
mod bytes;
mod decoder;
mod description;
mod endian;
mod expression;
mod instruction;
mod lane_format;
pub mod linux;
mod meaning;
mod mode;
mod register_group;
mod registers;
mod riscv;
mod set;
#[cfg(test)]
mod tests;
mod view;
mod views;
mod x86;

pub use access_kind::AccessKind;
pub use address::Address;
pub use arm::bank::Bank;
pub use arm::flow::{Flow, flow};
pub use arm::psr::Psr;
pub use branch::Branch;
pub use bytes::Encoding;
pub use decoder::{decode, step_text};
pub use endian::Endian;
pub use expression::{Expression, Operation};
pub use instruction::{Instruction, RegisterUse};
pub use lane_format::{LaneFormat, LaneKind};
pub use meaning::{Condition, Meaning, MemoryOperand, RegisterEffect, ScaledRegister};
pub use mode::{Mode, bank_mode};
pub use register_group::RegisterGroup;
pub use registers::Registers;
pub use set::InstructionSet;
pub use view::{RegisterId, RegisterView};
