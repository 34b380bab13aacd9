//! Searches that read the trace: for text and for values.

pub(crate) mod made;
pub(crate) mod pattern;
pub(crate) mod run;
pub(crate) mod text;
pub(crate) mod value;
