//! What the bytes of an instruction mean: its text, the registers that it uses, and what it does to them.
//!
//! ```
//! use stepback_index::decode::{Expression, decode};
//! use stepback_parsers::{Address, Encoding, InstructionSet, Registers};
//!
//! let encoding = Encoding::new(&[0x00, 0x04, 0x00, 0x91]).unwrap();
//! let add = decode(encoding, Address(0x8000), InstructionSet::A64);
//! assert_eq!(add.text, "add x0, x0, #1");
//! let x0 = Registers::view("x0", InstructionSet::A64).unwrap();
//! assert_eq!(add.registers.as_ref().unwrap().writes, [x0]);
//! assert_eq!(add.meaning.writes[0].value, Expression::register(x0).plus(1));
//! ```

mod a64;
mod arm;
mod by_disassembler;
mod decoder;
mod description;
mod expression;
mod instruction;
mod meaning;
mod riscv;
#[cfg(test)]
mod tests;
mod views;
mod x86;

pub use decoder::decode;
pub(crate) use decoder::step_text;
pub use expression::{Expression, Operation};
pub use instruction::{Instruction, RegisterUse};
pub use meaning::{Condition, Meaning, MemoryOperand, RegisterEffect, ScaledRegister};
