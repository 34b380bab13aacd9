//! A segment while it is parsed and encoded.

pub(crate) mod builder;
pub(crate) mod codes;
pub(crate) mod damaged_places;
pub(crate) mod encode;
pub(crate) mod limits;
pub(crate) mod markers;
pub(crate) mod sealed;
pub(crate) mod shadow;
pub(crate) mod transfers;
pub(crate) mod turns;
