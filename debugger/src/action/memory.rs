//! Actions on a memory panel: presentation, comparison and search.

use serde::{Deserialize, Serialize};

use super::{Direction, Follow};

/// Encoding of the text after the bytes of a row.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub enum MemoryText {
    /// One character per byte.
    #[default]
    Ascii,
    /// Characters of one to four bytes.
    Utf8,
}

/// A change of a panel of memory.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub enum MemoryChange {
    /// Number of bytes per row (8, 16, 32 or 64); none: the maximum that fits.
    Width(Option<u8>),
    /// Toggle between floating point and digits for groups of four and eight bytes.
    Floats,
    /// Encoding of the text after the bytes.
    Text(MemoryText),
    /// Mark differences from another moment; none: from the position before the last move.
    Compare(Option<Follow>),
    /// Compare with the other window, else with the position before the last move, or end the
    /// comparison.
    ToggleCompare,
    /// Go to the next (or last) byte that differs in the comparison.
    GoToChanged(Direction),
    /// Go to the next (or last) occurrence of some bytes, a number or a text in the known memory.
    Find(String, Direction),
    /// Repeat the search.
    FindAgain(Direction),
    /// Cancel the search.
    StopSeeking,
}
