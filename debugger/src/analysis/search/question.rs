//! What a search looks for.

use stepback_index::{AccessKinds, Cell, Number, TextPattern};
use stepback_machine::Address;

/// What is looked for, whatever it was typed as.
#[derive(Clone, Debug)]
pub enum Search {
    /// Steps whose disassembly or lines match.
    Text(TextPattern),
    /// Accesses of exactly this value.
    Value(Number),
    /// Accesses of memory that holds these bytes.
    Bytes(Vec<u8>),
    /// Accesses of a cell, those of a value alone where one is given.
    Accesses(Cell, AccessKinds, Option<Number>),
    /// Steps at any of these addresses.
    Visits(Vec<Address>),
}
