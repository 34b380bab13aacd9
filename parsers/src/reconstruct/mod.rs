//! From the decisions of a recording and the files of a program back to the path that each thread took.
//!
//! Some recorders write down only what could not be known otherwise: where control went at each branch. What lies between two
//! branches follows from the program. A [`Walk`] goes along a [`Program`], takes a [`Decision`] at each fork that asks for
//! one, and hands the path to a [`PathSink`]; where both do not fit together it stops and says why.
//! Nothing here knows a format or an architecture: a format says what its forks are and reads its decisions.

mod behind;
mod decision;
mod path;
mod program;
mod returns;
#[cfg(test)]
mod tests;
mod walk;

pub use behind::SuccessorSet;
pub use decision::{Decision, Outcome};
pub use path::{PassedStep, PassedStretch, PathSink};
pub use program::{DecisionPresence, Fork, InstructionLookup, Program, Stretch, StretchEnd};
pub use walk::{NextDecision, Walk, WalkStop};
