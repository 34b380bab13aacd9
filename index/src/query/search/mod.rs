//! Searches that read the trace: for text, for values and for bytes.

pub(crate) mod bytes;
mod owned;
pub(crate) mod pattern;
pub(crate) mod run;
pub(crate) mod text;
pub(crate) mod value;
