//! Arm Tarmac: the text that Fast Models, RTL simulations and emulators write for every
//! instruction.
//!
//! ```text
//! 53 clk IT (53) 002109f0 f94003e1 O EL3h_s : LDR      x1,[sp,#0]
//! 53 clk MR8 000ffb80:0000000ffb80 00000000_000ffbb8
//! 53 clk R X1 00000000000FFBB8
//! ```
//!
//! A line is `[time [unit]] [cpu] type fields…`. The other main style has `ES` lines, `LD` and `ST`
//! diagrams, and a time only on instruction lines.
//!
//! # Assignment of lines to steps
//!
//! A line belongs to the instruction line before it, with one exception. Lines with a *new*
//! timestamp (other than that of the line before) directly before an instruction line of the same
//! thread and time belong to that instruction. The step's chunk then begins at the first of them,
//! and the instruction is pushed first.
//!
//! ```text
//! 5 clk IT (1) 00001000 e3a00001 A usr : MOV r0,#1
//! 6 clk R r0 00000001                                  <- step below; its chunk begins here
//! 6 clk IT (2) 00001004 e3a01002 A usr : MOV r1,#2
//! 6 clk R r1 00000002                                  <- step above
//! ```
//!
//! The run of such lines ends at a line of another thread or time, and is at most 256 KiB long: a
//! longer one belongs to the step before. A timestamp further back than that is forgotten, and the
//! next one is always new. After an instruction line without a timestamp, the next timestamp is
//! never new.
//!
//! Traces with another order of lines are read by `attributed_run`; `line_order` assigns each line
//! to its step.
//!
//! # Independence of chunks
//!
//! A chunk parsed separately yields the same events as in a whole run, so no state is carried from
//! step to step. The instruction of the chunk decides the meaning of `d3` or `sp`. A missing
//! timestamp is `None` ([`crate::events::StepEvent::time`]). Only the numbers of threads and
//! registers, and the single report of each unknown unit, depend on the run.
//!
//! # Two records on one line
//!
//! After a lost newline, or if two programs wrote at once, the second record is read as if it began
//! a line. It may begin a chunk in the middle of the line. A run of lines before an instruction
//! never extends over such a line, and no cut is made near it.
//!
//! # Fast path and slow path
//!
//! `quick` and `quick_header` read the forms of nearly all lines and return `None` for anything
//! else; then `slow` reads the line token by token. Both yield the same events.

mod address;
mod attributed_run;
mod convert;
mod cut;
mod diagram_line;
mod fused;
mod header;
mod instruction_line;
pub(crate) mod line;
mod line_order;
mod line_table;
mod memory_line;
mod merge;
mod nodes;
mod quick;
mod quick_header;
mod register_line;
mod register_name;
mod register_value;
pub(crate) mod run;
mod settings;
mod slow;
pub(crate) mod source;

#[cfg(test)]
mod tests;

pub use crate::tarmac::header::{LineHead, LineShape};
pub use convert::{ConversionLoss, ConversionWriter, ConvertError, ConvertedPart, TarmacStyle};
pub(crate) use merge::core_readers;
pub use nodes::{TarmacNode, is_noticed_register};
pub use source::{Tarmac, TarmacOptions};
