//! Semihosting: calls by which a program on bare metal asks the host, which then writes into memory unseen.
//!
//! A few calls fill a region that their parameter block names. The trace has no line for what the host writes there,
//! so the region becomes unknown at the step of the call, and reads behind it tell what was written.

pub(crate) mod call;
pub(crate) mod images;
pub(crate) mod parameter_block;
pub(crate) mod pass;
