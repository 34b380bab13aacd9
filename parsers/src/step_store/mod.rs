//! The steps of a trace in the order of the whole, to be read anywhere.
//!
//! Some formats cannot be read in the middle: their files are compressed, their threads interleaved, or what a record
//! means depends on all before it. So the first opening reads such a trace once, on a thread of its own, and writes its
//! steps again in small blocks that decode by themselves into a file beside the index ([`crate::kept`]);
//! a step takes two to four bytes there; long blocks are packed. [`StepStore`] reads blocks while the rest still comes.
//!
//! A format that uses it writes with an [`Encoder`], says what its numbers mean (`StoredFormat`), and answers as a source
//! by way of `StoredTrace`.

pub(crate) mod block;
pub(crate) mod block_reader;
mod block_writer;
mod budget;
pub(crate) mod code;
mod code_table;
mod codes;
pub(crate) mod encoder;
pub(crate) mod event_run;
pub(crate) mod fill;
mod frame;
mod frames;
pub(crate) mod items;
pub(crate) mod layout;
mod modes;
mod numbers;
mod recent;
pub(crate) mod record;
mod record_place;
mod shared;
pub(crate) mod store;
pub(crate) mod stored_trace;
#[cfg(test)]
mod tests;
mod visit;

pub use block::ITEMS;
pub use block_reader::BlockVisitor;
pub use code::{Code, EffectShape, ShapeAccess};
pub use code_table::InstructionSetChooser;
pub use encoder::{BlockSink, Encoder};
pub use fill::Filler;
pub use layout::StoreFacts;
pub use record::{
    ReadEnd, StepStatus, StoredAccess, StoredHint, StoredMarker, StoredRegister, StoredStep,
    StoredThread,
};
pub use store::{DamagedCopy, ReadTrace, StepStore, StoreScratch};
