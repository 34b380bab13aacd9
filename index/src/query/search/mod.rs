//! Searches that read the trace: for text and for values.

pub(crate) mod made;
mod owned;
mod owned_steps;
pub(crate) mod pattern;
pub(crate) mod run;
pub(crate) mod text;
pub(crate) mod value;
