//! What is typed into the field of addresses.

/// What an address expression says at a position: an address, or what is wrong with it.
pub(super) type Evaluated = Result<u64, String>;
