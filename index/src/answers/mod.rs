//! What questions answer with: plain data, which knows no index.

pub(crate) mod cancel;
pub(crate) mod error;
pub(crate) mod record;
