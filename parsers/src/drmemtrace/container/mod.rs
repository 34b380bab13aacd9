//! Unpacks files of any packing into blocks of records.

mod range;
mod snappy;
pub(super) mod unpacker;
mod zip_members;
