//! Dynamic slicing: data and control dependences of recorded steps.
//!
//! A slice is a walk over the dynamic dependence graph (Agrawal, Horgan: Dynamic Program Slicing,
//! 1990), which is not stored. The inputs and outputs of a step follow from its decoded operands
//! and recorded accesses; the reaching definition of an input follows from the posting lists.
//! ```text
//! a cell at a position -> its last writer -> its inputs -> their last writers -> …
//! ```
//! The worklist (`frontier`) holds the steps still to be visited, and the newest is next: each step
//! is visited once, with all its uses.
//!
//! A forward slice works in the other direction. The live locations of the value (`live`) wait for
//! the next slot that touches them (`touches`, which also knows loads recorded after later steps).
//! The outputs that a step computes from them (`outputs`) become live too, until they are
//! overwritten (`fates`). Each input of a step is checked by a backward look-up (`givers`), so both
//! directions agree.

mod accesses;
mod beside;
mod control;
mod copies;
mod definers;
mod exceptions;
mod fates;
mod flow;
mod frontier;
mod givers;
mod graph;
mod initial;
mod live;
mod memory;
pub(crate) mod onward;
mod outputs;
mod physical;
mod pieces;
pub(crate) mod queries;
mod region;
mod system;
mod touches;
pub(crate) mod walk;
mod written;
