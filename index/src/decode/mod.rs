//! What the bytes of an instruction mean: its text, the registers that it uses, and what it does to them.
//!
//! ```
//! use stepback_index::decode::decode;
//! use stepback_parsers::{Address, Encoding, InstructionSet};
//!
//! let encoding = Encoding::new(&[0x00, 0x04, 0x00, 0x91]).unwrap();
//! let add = decode(encoding, Address(0x8000), InstructionSet::A64);
//! assert_eq!(add.text, "add x0, x0, #1");
//! ```

mod decoder;
mod expression;
mod instruction;
mod meaning;

pub use decoder::decode;
pub use expression::{Expression, Operation};
pub use instruction::{Instruction, RegisterUse};
pub use meaning::{Condition, Meaning, MemoryOperand, RegisterEffect, ScaledRegister};
