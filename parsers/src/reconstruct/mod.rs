//! Reconstructs the path of each thread from recorded decisions and the files of a program.
//!
//! Some recorders write only what cannot be known otherwise: the direction of control at each
//! branch.
//! The instructions between two branches follow from the program.
//! A [`Walk`] follows a [`Program`], takes a [`Decision`] at each fork that needs one, and emits
//! the path to a [`PathSink`].
//! If the two contradict each other, it stops and returns the reason.
//! This module knows no format and no architecture: a format defines its forks and reads its
//! decisions.
//!
//! A walk presents nothing as certain that another path could explain. Guessed steps have the
//! origin [`Inferred`](crate::events::StepOrigin::Inferred).

mod program;
mod returns;
#[cfg(test)]
mod tests;
mod walk;

pub use crate::reconstruct::program::{
    Decision, Outcome, PassedStep, PassedStretch, PathSink, SuccessorSet,
};
pub use program::{DecisionPresence, Fork, InstructionLookup, Program, Stretch, StretchEnd};
pub use walk::{NextDecision, NullPathSink, Walk, WalkStop};
