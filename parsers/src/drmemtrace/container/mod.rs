//! Files to blocks of records, whatever they are packed in.

mod kind;
mod lz4;
mod member;
mod range;
mod snappy;
mod unpacker;
mod zip_members;
mod zip_walk;

pub use kind::ContainerKind;
pub use unpacker::Unpacker;

/// Bytes of a packed file that are read at once; a trace may have a thousand files.
const BUFFER_BYTES: usize = 32 << 10;
