//! Btrace: a record for each control transfer, from which and the program's files the path of each thread follows.
//!
//! Btrace3 of Sun (2004) put a trap in the place of each control transfer of a program and wrote down where it went.
//! A [`BranchRecord`] is what one record says, a [`BranchLayout`] where that stands in a file; an [`Order`] gives the records
//! of all threads their turns; what lies between two of them [`crate::reconstruct`] finds in the program's files.
//! The text form has a line for each instruction instead and needs no program.

mod check;
mod code;
mod couples;
mod fit;
mod head;
mod kind;
mod layout;
mod lines;
mod order;
mod reader;
mod rebuild;
mod record;
mod retold;
mod source;
mod summary;
mod text_line;
mod windows;
mod written;

pub use fit::{FittedRecord, RecordMismatch};
pub use head::BtraceHead;
pub use kind::BranchKind;
pub use layout::{BranchLayout, OWN_LAYOUT};
pub use order::{OrderedRecord, TimeOrderedReader};
pub use reader::BranchRecordReader;
pub use record::BranchRecord;
pub use source::{Btrace, BtraceOptions};
pub use text_line::{HEADING, TextLine};
pub use written::{BtraceTextWriter, StepRecorder, header};
