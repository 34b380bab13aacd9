//! A segment while it is parsed and encoded.

pub(crate) mod builder;
pub(crate) mod collectors;
pub(crate) mod encode;
pub(crate) mod sealed;
pub(crate) mod transfers;
pub(crate) mod turns;
