//! Btrace: a record for each control transfer. Together with the program's files, the records
//! determine the path of each thread.
//!
//! Btrace3 of Sun (2004) replaced each control transfer of a program with a trap and recorded its
//! destination. A [`BranchRecord`] is the content of one record, and a [`BranchLayout`] describes
//! its encoding. A [`TimeOrderedReader`] sorts the records of all threads by time. `reconstruct`
//! finds the instructions between two records in the program's files. The text form has a line for
//! each instruction instead and needs no program.
//!
//! The program that a recording was read with is part of the identity of its step store and of the
//! index.

pub(crate) mod check;
mod code;
mod couples;
mod fit;
mod head;
mod order;
mod rebuild;
mod record;
mod source;
mod text_line;
mod windows;
mod written;

pub use crate::btrace::record::{BranchKind, BranchLayout, BranchRecordReader, OWN_LAYOUT};
pub use fit::FittedRecord;
pub use head::BtraceHead;
pub use order::{OrderedRecord, TimeOrderedReader};
pub use record::BranchRecord;
pub use source::{Btrace, BtraceOptions};
pub use text_line::{HEADING, TextLine};
pub use written::{BtraceTextWriter, StepRecorder, header};
