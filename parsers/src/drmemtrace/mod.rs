//! DynamoRIO drmemtrace: post-processed offline traces.
//!
//! The files are merged into one sequence of visible records, in the order of the whole trace
//! ([`RecordSink`]).
//! A step store keeps them in blocks with random access, and a [`crate::source::Source`] pushes
//! their events.

mod block;
mod branches;
mod check;
mod chunks;
mod companion;
#[cfg(test)]
mod companion_tests;
mod container;
mod counts;
mod decoder;
mod encoding_slot;
mod file_type;
mod function_list;
pub(crate) mod head;
mod junk;
mod layout;
mod marker_names;
mod merge;
mod modules_log;
mod opening;
mod physical_pages;
mod pool;
mod raw_record;
mod record;
mod recorder;
pub(crate) mod source;
#[cfg(test)]
mod store_tests;
mod summary;
mod text;
mod threads;
mod thumb;
mod visible;

pub use branches::instruction_name;
pub use companion::{CompanionProblem, CompanionProblems};
pub use counts::{Counter, Counts};
pub use file_type::FileType;
pub use function_list::{FunctionList, TracedFunction};
pub use head::TraceHead;
pub use layout::{LayoutError, TraceLayout};
pub use marker_names::{marker_kind, marker_name, record_name};
pub use merge::{read_records, read_records_as};
pub use modules_log::{ModuleSegment, ModulesLog};
pub use physical_pages::PhysicalPages;
pub use raw_record::Width;
pub use record::{DataRecord, HintRecord, InstructionRecord, RecordSink, ThreadIdentity};
pub use source::Drmemtrace;
pub use summary::TraceCounts;
pub use text::record_text;
pub use visible::{RecordContent, VisibleRecord, unix_micros};
