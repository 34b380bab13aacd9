//! Reads that contradict the known contents of memory.

use stepback_machine::Address;

use crate::answers::hit::Hit;

/// A read that contradicted the known contents of memory: something outside the trace had written
/// there.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ExternalChange {
    /// The read.
    pub hit: Hit,
    /// Address of the first byte.
    pub address: Address,
    /// Bytes that the read returned, in address order.
    pub bytes: Vec<u8>,
    /// Value of each byte just before, as known from the trace up to there.
    pub known_before: Vec<Option<u8>>,
}
