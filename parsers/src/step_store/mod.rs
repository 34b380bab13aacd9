//! Step store: the steps of a trace in trace order, with random access.
//!
//! Some formats cannot be read from the middle: their files are compressed, their threads
//! interleaved, or the meaning of a record depends on all records before it. The first opening
//! reads such a trace once, on a separate thread, and writes its steps to a file next to the index
//! ([`crate::kept`]). That file consists of small blocks that decode without other blocks; a step
//! takes two to four bytes, and long blocks are compressed. A [`StepStore`](store::StepStore) reads
//! blocks while the rest is still being written.
//!
//! A format writes with an [`Encoder`](encoder::Encoder), defines the meaning of its numbers
//! (`StoredFormat`), and serves as a source through `StoredTrace`.
//!
//! A block with a wrong checksum removes the file and returns [`DamagedCopy`]. The caller then
//! opens the trace again, which makes the store again.

pub(crate) mod block;
pub(crate) mod block_reader;
mod block_writer;
mod budget;
pub(crate) mod code;
pub(crate) mod code_table;
pub(crate) mod encoder;
pub(crate) mod event_lines;
pub(crate) mod event_run;
pub(crate) mod fill;
pub(crate) mod frame;
pub(crate) mod items;
pub(crate) mod layout;
mod numbers;
pub(crate) mod record;
pub(crate) mod store;
pub(crate) mod stored_trace;
#[cfg(test)]
mod tests;

pub use code::Code;
pub use record::{ReadEnd, StoredAccess, StoredHint, StoredMarker};
pub use store::DamagedCopy;
