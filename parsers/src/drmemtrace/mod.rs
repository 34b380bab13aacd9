//! DynamoRIO drmemtrace: post-processed offline traces.
//!
//! The files are merged into one sequence of visible records, in the order of the whole trace
//! ([`RecordSink`]).
//! A step store keeps them in blocks with random access, and a [`crate::source::Source`] pushes
//! their events.
//!
//! A member that is cut off, damaged or lost costs itself, and is reported with file, member and
//! offset. An archive without a directory is read by the headers of its members. Only a failed read
//! is an error.

mod block;
pub(crate) mod check;
mod companion;
#[cfg(test)]
mod companion_tests;
mod container;
mod counts;
mod decoder;
pub(crate) mod head;
mod layout;
mod marker_names;
mod merge;
mod modules_log;
mod opening;
mod pool;
mod raw_record;
mod record;
mod recorder;
pub(crate) mod source;
#[cfg(test)]
mod store_tests;
mod visible;

pub use crate::drmemtrace::companion::{FunctionList, PhysicalPages, TracedFunction};
pub use crate::drmemtrace::counts::TraceCounts;
pub use crate::drmemtrace::head::FileType;
pub use crate::drmemtrace::marker_names::instruction_name;
pub use crate::drmemtrace::visible::record_text;
pub use companion::CompanionProblems;
pub use counts::{Counter, Counts};
pub use head::TraceHead;
pub use layout::{LayoutError, TraceLayout};
pub use marker_names::{known_marker_names, marker_kind, marker_name, record_name};
pub use merge::{read_records, read_records_as};
pub use modules_log::{ModuleSegment, ModulesLog};
pub use raw_record::Width;
pub use record::{InstructionRecord, RecordSink, ThreadIdentity};
pub use source::Drmemtrace;
pub use visible::{RecordContent, VisibleRecord, unix_micros};
