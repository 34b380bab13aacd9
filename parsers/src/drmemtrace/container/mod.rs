//! Unpacks files of any packing into blocks of records.

mod kind;
mod lz4;
mod member;
mod range;
mod snappy;
pub(super) mod unpacker;
mod zip_members;
mod zip_walk;
