//! Semihosting: calls by which a program on bare metal asks the host, which then writes into memory unseen.
//!
//! A few calls fill a region that their parameter block names. The trace has no line for what the host writes there,
//! so the region becomes unknown at the step of the call, and reads behind it tell what was written.

mod call;
mod pass;
mod ranges;
mod regions;

pub use call::HostOperation;
pub(crate) use call::{HostCall, is_host_call};
pub(crate) use pass::{HostPass, HostWrites};
pub(crate) use regions::{HostRegion, HostRegions};
