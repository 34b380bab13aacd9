//! A segment: some megabytes of the trace, parsed and encoded by themselves.
//!
//! Inside a segment steps have local *slots* 1, 2, …; slot 0 is what comes before its first step.
//! Slot `s` of a segment whose steps begin at `b` holds what shows from position `b + s` on:
//! the effects of step `b + s - 1`, and what other threads did before the next step.

mod builder;
mod encode;
mod markers;
mod meta;
mod reader;
mod shadow;
mod transfers;
mod turns;

pub use builder::{SealedSegment, SegmentBuilder};
pub use markers::{MarkersOfKind, markers_of};
pub use meta::{SECTIONS, Section, SegmentMeta, SegmentThread};
pub use reader::{SegmentReader, damaged};
pub use shadow::{GranuleState, SeamExternal};
pub use transfers::{AGE_LIMIT, CORE, LastStep, SP, SpSet, ThreadEnd, Transfer, link_register};
pub use turns::{Turn, TurnKind, TurningBranch};
