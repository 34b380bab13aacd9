//! Semihosting: calls by which a program on bare metal makes the host act, and possibly write into
//! memory unseen.
//!
//! A few calls fill a region that their parameter block names. The trace has no line for the host's
//! writes, so the region becomes unknown at the step of the call, and reads after it show its
//! contents.
//!
//! A call with an unknown operation or unknown parameters stays *open*: no memory is inferred
//! across it, unless the program cannot write there. System calls of Linux are not treated this
//! way: a buffer that `read` filled shows as an external change at its first read.

pub(crate) mod call;
pub(crate) mod pass;
