//! Readers of CPU instruction traces: bytes to events.
//!
//! A [`Source`] reads one format. It pushes the [`events`](EventSink) of a byte range into a sink,
//! reports every problem with line and byte offset, and continues. Nothing here keeps state between
//! two calls, so ranges can be read in parallel and read again later. [`detect`] finds the format of
//! a file. Each format has a module with its source and what only it has.
//!
//! ```
//! use stepback_parsers::{EventSink, ParseScratch, Source as _, StepEvent, Tarmac};
//!
//! #[derive(Default)]
//! struct Addresses(Vec<u64>);
//! impl EventSink for Addresses {
//!     fn begin_step(&mut self, step: &StepEvent<'_>) {
//!         self.0.push(step.pc.0);
//!     }
//! }
//!
//! let text = b"1 clk IT (1) 00008000 e3a00001 A svc : MOV r0,#1\n1 clk R r0 00000001\n";
//! let tarmac = Tarmac::open(Box::new(text.to_vec()), Default::default())?;
//! let mut sink = Addresses::default();
//! tarmac.parse(0..text.len() as u64, &mut ParseScratch::default(), &mut sink)?;
//! assert_eq!(sink.0, [0x8000]);
//! # Ok::<(), stepback_parsers::SourceError>(())
//! ```

#![warn(missing_docs)]

pub mod btrace;
pub mod check;
mod commit_log;
pub mod decoded_text;
mod delta_log;
pub mod described_log;
mod detect;
mod distinct;
pub mod drmemtrace;
mod error;
mod events;
pub mod files;
mod finding;
mod foreign;
mod kept;
mod marker;
mod packed;
mod parse_into;
mod problem;
mod program_file;
mod qemu_log;
mod read_at;
mod reconstruct;
pub mod rst;
mod source;
mod step_store;
pub mod stf;
pub mod stored;
pub mod tarmac;
pub mod template;
mod text;
mod text_log;

pub use crate::delta_log::TenetWriter;
pub use crate::detect::{Format, TraceAssumptions, detect};
pub use crate::distinct::{CodePiece, DistinctAddresses, DistinctCount};
pub use crate::error::{FormatError, SourceError};
pub use crate::events::*;
pub use crate::marker::{Gap, GapReason, Marker, MarkerKind, traced_system_call};
pub use crate::problem::*;
pub use crate::program_file::{CodePart, MissingProgram, ProgramFile, ProgramFit};
pub use crate::read_at::{ReadAt, TraceFile};
pub use crate::source::{
    KnownInstruction, KnownThread, ParseScratch, ParsedRange, RecordingScope, RegisterSource,
    RenderedLine, Source, SourceTraits,
};
pub use crate::tarmac::{Tarmac, TarmacOptions};
pub use crate::text::{LINE_LIMIT, MergedText, ROW_DIGITS};
