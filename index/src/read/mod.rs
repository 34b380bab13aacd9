//! Small readers over an open index, from which queries are built.

pub(crate) mod banks;
pub(crate) mod byte_set;
pub(crate) mod byte_values;
pub(crate) mod bytes;
pub(crate) mod call_gaps;
pub(crate) mod concurrent;
pub(crate) mod contradictions;
pub(crate) mod encodings;
pub(crate) mod far_uses;
pub(crate) mod fetches;
pub(crate) mod functions;
pub(crate) mod key_maps;
pub(crate) mod last_lead;
pub(crate) mod lines;
pub(crate) mod markers;
pub(crate) mod names;
pub(crate) mod operands;
pub(crate) mod overtaken;
pub(crate) mod range_collector;
pub(crate) mod records;
pub(crate) mod register_reader;
pub(crate) mod slots;
pub(crate) mod states;
pub(crate) mod thread_steps;
pub(crate) mod told_pages;
pub(crate) mod touches;
pub(crate) mod views;
pub(crate) mod visits;
pub(crate) mod walked_uses;

pub use self::encodings::CodeCheck;
pub use self::markers::MarkerReader;
pub use self::names::NameReader;
pub use self::slots::SlotReader;
pub use self::thread_steps::{PointReader, StepCounter, StepPoint};
pub use self::visits::VisitReader;
pub use crate::store::data::{ReadGuard, allow_reads, forbid_reads};
