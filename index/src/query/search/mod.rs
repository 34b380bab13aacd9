//! Searches that read the trace: for text and for values.

pub(crate) mod made;
mod owned;
pub(crate) mod pattern;
pub(crate) mod run;
pub(crate) mod text;
pub(crate) mod value;
