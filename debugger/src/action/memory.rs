//! How a panel of memory shows it, and what is looked for in it.

use serde::{Deserialize, Serialize};

use super::{Direction, Follow};

/// What stands behind the bytes of a row.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub enum MemoryText {
    /// A character a byte.
    #[default]
    Ascii,
    /// Characters of one to four bytes.
    Utf8,
}

/// A change of a panel of memory.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub enum MemoryChange {
    /// Rows of so many bytes (8, 16, 32 or 64); none: as many as there is room for.
    Width(Option<u8>),
    /// Groups of four and eight bytes are read as floating point, or as digits again.
    Floats,
    /// What stands behind the bytes.
    Text(MemoryText),
    /// Marks what differs from another moment; none: from the position before the last move.
    Compare(Option<Follow>),
    /// Compares with the other window, else with the position before the last move, or ends that.
    ToggleCompare,
    /// To the next (or last) byte that differs from the position that is compared with.
    GoToChanged(Direction),
    /// To the next (or last) place that holds some bytes, a number or a text, in what is known here.
    Find(String, Direction),
    /// The same once more.
    FindAgain(Direction),
    /// Gives up looking for something.
    StopSeeking,
}
