//! Text logs in which each step has lines of its own: the engine that the RISC-V, QEMU and
//! register-change formats share.
//!
//! A [`LogFormat`] says which lines begin a chunk and adds each line to a [`LoggedStep`].
//! [`TextLog`] cuts, reads and emits: it is the [`Source`](crate::Source) of all these formats. A
//! format whose steps depend on later lines looks ahead from the end of the chunk
//! ([`AheadText`]), so that a chunk that is read separately gives the same events.

mod branch;
mod format;
mod merge;
mod quick;
mod run;
mod source;
mod step;
#[cfg(test)]
mod tests;

pub(crate) use crate::text_log::branch::{UNSTATED_EXCEPTION, branch_of, can_reach, may_lead_to};
pub(crate) use crate::text_log::format::{AheadText, ChunkStart, LogFormat, LogHead, LogOptions};
pub(crate) use crate::text_log::merge::core_readers;
pub(crate) use crate::text_log::quick::QuickStep;
pub(crate) use crate::text_log::source::TextLog;
pub(crate) use crate::text_log::step::{
    BlockPlace, LateRegister, LoggedAccess, LoggedRegister, LoggedStep, whole_register,
};
