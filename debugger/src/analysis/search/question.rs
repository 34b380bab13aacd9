//! The target of a search.

use stepback_index::{AccessKinds, Cell, Number, TextPattern};
use stepback_machine::Address;

/// The target of a search, independent of how it was typed.
#[derive(Clone, Debug)]
pub enum Search {
    /// Steps whose disassembly or lines match.
    Text(TextPattern),
    /// Accesses of exactly this value.
    Value(Number),
    /// Accesses of memory that holds these bytes.
    Bytes(Vec<u8>),
    /// Accesses of a cell, restricted to a value if one is given.
    Accesses(Cell, AccessKinds, Option<Number>),
    /// Steps at any of these addresses.
    Visits(Vec<Address>),
}
