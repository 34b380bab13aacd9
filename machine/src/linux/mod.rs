//! Linux and Solaris system calls, errors and signals.

pub(crate) mod names;
pub(crate) mod written;

pub use crate::linux::written::{MemorySharing, is_fixed_mapping, is_own_mapping, may_be_written};
pub use names::{LARGEST_ERROR, SystemCallNumbering, error_name, signal_name};
pub use written::{SystemCallWrite, SystemCallWriteCondition, SystemCallWriteLength};
