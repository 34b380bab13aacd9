//! The index file and its lists: layout, encoding and checksums.

pub(crate) mod calls;
pub(crate) mod codes;
pub(crate) mod contents;
pub(crate) mod data;
pub(crate) mod directory;
pub(crate) mod fingerprint;
pub(crate) mod granules;
pub(crate) mod key_map;
pub(crate) mod keys;
pub(crate) mod layout;
pub(crate) mod output;
pub(crate) mod packed;
pub(crate) mod packed_rows;
pub(crate) mod regions;
pub(crate) mod segment;
pub(crate) mod visits;
