//! Address expressions: `sp + 8`, `table + 4 * x1`, ``sym::`Lexer::next(int)` + 0x10``.
//!
//! - Numbers are in C syntax: `16`, `0x10`, `020`, `0b10000`.
//! - Operators have the precedence of C: unary `+ - ~ !`, then `* / %`, `+ -`, `<< >>`, `< <= >
//!   >=`, `== !=`, `&`, `^`, `|`, `&&`, `||`.
//! - Comparisons return 1 or 0.
//! - `&&` and `||` evaluate their right side only if it matters.
//! - `[sp+8]` is the number in memory there, as wide as an address of the traced CPU and in its
//!   byte order.
//! - `u8[sp]`, `u16[sp]`, `u32[sp]` and `u64[sp]` state the width. A number with an unknown byte is
//!   unknown.
//! - Numbers are unsigned and 64 bits wide. Where a variable takes part, the rules of C apply: signs,
//!   widths, and pointers that count elements.
//! - Results wrap around at 2^64, a shift by 64 or more returns 0, and a division by 0 is an error.
//! - A name is a register first, then a symbol; `reg::x0` and `sym::x0` choose one.
//! - [`BareNumber`] states how hexadecimal digits without `0x` are read, as listings print
//!   addresses.
//! - A variable may have members, elements and a target as in C: `h->id`, `rows[2].name`, `*(p + 1)`.
//!   A member of the target of a pointer may follow a dot too. Indexes are in C syntax.
//! - `&x` is the address of a variable or a symbol, `sizeof x` the size of a variable, `'A'` a
//!   character.
//! - Names with other characters than letters, digits, `. _ $ ::` are quoted in backticks.
//!
//! ```
//! use stepback_debugger::expression::{NameLookup, ValueLookup, Width, evaluate};
//!
//! struct Example;
//! impl NameLookup for Example {
//!     fn register(&self, name: &str) -> Option<ValueLookup> {
//!         match name {
//!             "sp" => Some(ValueLookup::Known(0x1000)),
//!             "x5" => Some(ValueLookup::Unknown),
//!             _ => None,
//!         }
//!     }
//!     fn symbols(&self, name: &str) -> Vec<u64> {
//!         if name == "table" { vec![0x2000] } else { Vec::new() }
//!     }
//!     fn memory(&self, address: u64, _: Width) -> ValueLookup {
//!         if address == 0x1008 { ValueLookup::Known(0x77) } else { ValueLookup::Unknown }
//!     }
//!     fn is_used(&self, address: u64) -> bool {
//!         address == 0x1008
//!     }
//! }
//! assert_eq!(evaluate("table + 2 * sp", &Example), Ok(0x4000));
//! assert_eq!(evaluate("[sp + 8] + 1", &Example), Ok(0x78));
//! let error = evaluate("sp + x5", &Example).unwrap_err();
//! assert_eq!(error.to_string(), "column 6: x5 is unknown at this position");
//! ```

mod at_position;
mod error;
mod evaluate;
mod example;
mod lookup;
mod named_numbers;
mod operation;
mod operators;
mod parser;
mod pointer_sum;
mod shown;
#[cfg(test)]
mod tests;
mod token;
mod typed_number;
mod value_path;
#[cfg(test)]
mod variable_tests;

pub use crate::expression::shown::{AddressSpace, split_range, split_space};
pub use at_position::{IndexLookup, SymbolLookup, absence, is_used};
pub use error::{ExpressionError, ExpressionErrorKind, LookupFailure, NoNumber};
pub use evaluate::{Expression, dereferenced, evaluate, parse};
pub use example::ExampleRegisters;
pub use lookup::{NameLookup, SymbolAbsence, ValueLookup, Width};
pub use shown::{
    BareNumber, ChosenReading, LONG_HEX, OtherReading, bare_hex, decimal, shown_address,
};
pub use typed_number::{IntegerType, TypedNumber};
pub use value_path::{PathPart, ValuePath, VariableAspect};
