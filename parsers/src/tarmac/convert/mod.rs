//! Conversion of a trace into the other style.
//!
//! ```text
//! 5 clk IT (1) 00001000 e5901000 A svc : LDR r1,[r0]
//! 5 clk MR4 00002004 00000007
//! 5 clk R r1 00000007
//! ```
//!
//! becomes, and conversely,
//!
//! ```text
//!           5 clk ES  (00001000:e5901000) A svc:         LDR r1,[r0]
//!                     LD 00002000 ........ ........ 00000007 ........
//!                     R r1 00000007
//! ```
//!
//! Only text that the styles write differently is rewritten. Everything else is copied unchanged,
//! damaged lines too. Reading the result yields the same steps, times, registers and bytes.

mod converter;
mod parts;
mod pieces;
pub(super) mod style;

pub use crate::tarmac::convert::style::ConversionLoss;
pub use converter::ConvertError;
pub use parts::{ConversionWriter, ConvertedPart};
pub use style::TarmacStyle;
