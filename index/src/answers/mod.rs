//! What questions answer with: plain data, which knows no index.

pub(crate) mod access_kinds;
pub(crate) mod accesses_at;
pub(crate) mod byte_state;
pub(crate) mod call;
pub(crate) mod cancel;
pub(crate) mod cell;
pub(crate) mod difference;
pub(crate) mod error;
pub(crate) mod external_change;
pub(crate) mod heap;
pub(crate) mod hit;
pub(crate) mod host_operation;
pub(crate) mod index_info;
pub(crate) mod inference;
pub(crate) mod markers;
pub(crate) mod number;
pub(crate) mod program;
pub(crate) mod range_effects;
pub(crate) mod reason;
pub(crate) mod register_file;
pub(crate) mod slice;
pub(crate) mod slice_sight;
pub(crate) mod step_record;
pub(crate) mod thread;
pub(crate) mod translation;
pub(crate) mod value;
