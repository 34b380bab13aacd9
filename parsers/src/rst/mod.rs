//! RST: traces of Sun's SPARC simulators, plain or packed.
//!
//! A file is an array of records of 24 bytes ([`RawRecord`]). A [`RecordReader`] unpacks them and
//! returns them in batches. [`push_json`] and [`push_line`] format
//! one, and [`layout_of`] returns its fields.
//!
//! Nothing after damage can be read from a packed file, since each number is predicted from those
//! before it.

pub(crate) mod check;
mod container;
mod fields;
mod grouping;
pub mod kind;
mod raw_record;
mod reader;
mod records;
mod replay;
mod source;
mod stream;
mod text;
mod word_cache;

pub use crate::rst::grouping::RstHead;
pub use crate::rst::raw_record::{CpuFields, RecordLayout, layout_of};
pub use crate::rst::reader::{PlainCopy, write_plain};
pub use crate::rst::text::push_json;
pub use container::kind::RstContainer;
pub use grouping::are_one_trace;
pub use raw_record::{RECORD_BYTES, RawRecord, RecordEncoding, RecordField, RstVersion};
pub use reader::{RecordBatch, RecordReader};
pub use records::*;
pub use source::Rst;
pub use text::push_line;
