//! A read that contradicted what memory was known to hold.

use stepback_machine::Address;

use crate::answers::hit::Hit;

/// A read that contradicted what was known: something that the trace does not show had written there.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ExternalChange {
    /// The read.
    pub hit: Hit,
    /// Its first address.
    pub address: Address,
    /// The bytes that it read, in address order.
    pub bytes: Vec<u8>,
    /// What was known of each just before, by the trace so far.
    pub known_before: Vec<Option<u8>>,
}
