//! Readers of CPU instruction traces: bytes to events.
//!
//! A [`Source`] reads one format. It pushes the [`events`](EventSink) of a byte range into a sink,
//! reports every problem with line and byte offset, and continues. Nothing here keeps state between
//! two calls, so ranges can be read in parallel and read again later.
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
pub mod decoded_text;
mod detect;
mod distinct;
pub mod drmemtrace;
mod error;
mod events;
mod finding;
mod foreign;
pub mod kept;
mod marker;
pub mod packed;
mod parse_into;
mod program_file;
mod read_at;
pub mod reconstruct;
pub mod rst;
mod source;
pub mod step_store;
pub mod tarmac;
pub mod template;
pub mod text;

pub use crate::events::{Line, Position, Step};
pub use crate::marker::{Gap, GapReason};
pub use crate::program_file::ProgramFit;
pub use crate::source::{
    KnownInstruction, KnownThread, ParseScratch, RecordingScope, RegisterSource, SourceTraits,
};
pub use detect::{Format, TraceAssumptions, detect};
pub use distinct::{DistinctAddresses, DistinctCount};
pub use error::{FormatError, SourceError};
pub use events::*;
pub use finding::{Finding, FindingPlace, Findings, Rule, RuleFindings, Severity};
pub use marker::{Marker, MarkerKind, traced_system_call};
pub use program_file::{CodePart, ProgramFile};
pub use read_at::{ReadAt, TraceFile};
pub use source::{CheckWatch, ParsedRange, RenderedLine, Source};
pub use tarmac::{Tarmac, TarmacOptions};
