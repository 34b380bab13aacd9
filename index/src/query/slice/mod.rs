//! Why a cell has its value: a slice, backward from a cell at a position.
//!
//! Nothing of it is stored. What a step takes in and gives out its decoded operands and recorded accesses say;
//! who wrote an input last the posting lists say.
//! ```text
//! a cell at a position -> its last writer -> what that took in -> their last writers -> …
//! ```
//! The steps that are still to be gone into wait in their order (`frontier`), and the newest is next:
//! so each step comes once, with all that want it.
//!
//! Forward it is the other way round: what holds the value (`live`) waits for who touches it next (`touches`; `late` knows
//! loads that show behind their steps), and what that step makes of it (`outputs`) holds it too, until it is overwritten (`fates`).
//! Whether what a step takes in is what is followed is looked up backward (`givers`), so both directions agree.

mod accesses;
mod beside;
mod control;
mod copies;
mod definers;
mod exceptions;
mod fates;
mod flow;
mod frontier;
pub(crate) mod given;
mod givers;
mod graph;
pub(crate) mod influence;
mod initial;
mod late;
mod late_slots;
mod live;
mod memory;
pub(crate) mod onward;
mod outputs;
mod physical;
mod physical_writers;
mod pieces;
mod region;
mod regions;
mod step_events;
mod stored;
mod system;
mod touches;
mod undecided;
pub(crate) mod walk;
pub(crate) mod why;
mod written;
