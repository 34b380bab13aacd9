//! Files to blocks of records, whatever they are packed in.

mod kind;
mod lz4;
mod member;
mod range;
mod snappy;
pub(super) mod unpacker;
mod zip_members;
mod zip_walk;
