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
mod facts;
mod finding;
mod foreign;
mod gap;
pub mod kept;
mod known_instruction;
mod marker;
mod numbers;
pub mod packed;
mod parse_into;
mod program_file;
mod program_fit;
mod read_at;
pub mod reconstruct;
pub mod rst;
mod scratch;
mod source;
pub mod step_store;
pub mod tarmac;
pub mod template;
pub mod text;

pub use detect::{Format, TraceAssumptions, detect};
pub use distinct::{DistinctAddresses, DistinctCount};
pub use error::{FormatError, SourceError};
pub use events::*;
pub use facts::{KnownThread, RecordingScope, RegisterSource, SourceTraits};
pub use finding::{Finding, FindingPlace, Findings, Rule, RuleFindings, Severity};
pub use gap::{Gap, GapReason};
pub use known_instruction::KnownInstruction;
pub use marker::{Marker, MarkerKind, traced_system_call};
pub use numbers::{Line, Position, Step};
pub use program_file::{CodePart, ProgramFile};
pub use program_fit::ProgramFit;
pub use read_at::{ReadAt, TraceFile};
pub use scratch::ParseScratch;
pub use source::{CheckWatch, ParsedRange, RenderedLine, Source};
pub use tarmac::{Tarmac, TarmacOptions};
