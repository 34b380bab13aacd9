//! Arm Tarmac: the text that Fast Models, RTL simulations and emulators write for every instruction.
//!
//! ```text
//! 53 clk IT (53) 002109f0 f94003e1 O EL3h_s : LDR      x1,[sp,#0]
//! 53 clk MR8 000ffb80:0000000ffb80 00000000_000ffbb8
//! 53 clk R X1 00000000000FFBB8
//! ```
//!
//! A line is `[time [unit]] [cpu] type fields…`; the other great family writes `ES` lines, `LD` and `ST` diagrams,
//! and a time only on instruction lines.
//!
//! # Which lines belong to which step
//!
//! A line belongs to the instruction line before it, with one exception.
//! Lines that bear a *new* timestamp (other than that of the line before) directly before an instruction line
//! of the same thread with that same time belong to that instruction:
//! the step's chunk begins at the first of them, and the instruction is pushed first.
//!
//! ```text
//! 5 clk IT (1) 00001000 e3a00001 A usr : MOV r0,#1
//! 6 clk R r0 00000001                                  <- belongs to the step below, whose chunk begins here
//! 6 clk IT (2) 00001004 e3a01002 A usr : MOV r1,#2
//! 6 clk R r1 00000002                                  <- belongs to the step above
//! ```
//!
//! The run of such lines ends at a line of another thread or time, and is at most 256 KiB long:
//! a longer one belongs to the step before.
//! A timestamp that was written longer ago than that counts as forgotten: the next one is new whatever it is.
//! Behind an instruction line without a timestamp the next one is not new, whatever it is.
//!
//! Traces whose lines are in another order are read by `attributed_run`; `line_order` says to which step each belongs.
//!
//! # What a chunk may not know
//!
//! A chunk parsed by itself gives the events that it gives in a whole run, so nothing is carried from step to step:
//! what `d3` or `sp` means is decided by the instruction of the chunk;
//! a time that is not written is none ([`crate::events::StepEvent::time`]).
//! Only numbers of threads and registers, and the one complaint about each unknown event type, depend on the run.
//!
//! # Two records on one line
//!
//! Where a newline was lost, or two programs wrote at once, the second record is read as if it began a line:
//! it may begin a chunk, in the middle of the line.
//! No run of lines before an instruction goes over such a line, and no cut is made near it.
//!
//! # How it is fast
//!
//! `quick_*` read the shapes that make up nearly all lines and give up (`None`) on anything else;
//! then `slow` reads the line token by token. Both give the same events.

mod address;
mod ahead;
mod attributed_run;
mod convert;
mod cut;
mod diagram_line;
mod fault;
mod fused;
mod head;
mod header;
mod instruction_line;
pub(crate) mod line;
mod line_head;
mod line_order;
mod line_table;
mod memory_line;
mod merge;
pub(crate) mod names;
mod nodes;
mod quick;
mod quick_header;
mod register_line;
mod register_name;
mod register_table;
mod register_value;
mod run;
mod settings;
mod slow;
pub(crate) mod source;
mod timestamp;

#[cfg(test)]
mod tests;

pub use convert::{ConversionLoss, ConvertError, TarmacStyle};
pub use line_head::{LineHead, LineShape};
pub use merge::{CoreFile, MergedText};
pub use nodes::{TarmacNode, is_noticed_register};
pub use source::{Tarmac, TarmacOptions};
