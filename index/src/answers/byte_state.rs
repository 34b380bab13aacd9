//! A byte of memory at a position.

use stepback_parsers::Position;

use crate::answers::value::ValueSource;

/// A byte at a position.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct ByteState {
    /// None when unknown.
    pub value: Option<u8>,
    /// Where the value comes from.
    pub source: ValueSource,
    /// The position right after the access that gives the value (0: before the first step);
    /// none when unknown, and when a program image gives it.
    pub seen_at: Option<Position>,
}

/// The last accesses of a byte: positions from which they show.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct ByteTouch {
    /// The last store; none when there was none.
    pub written_at: Option<Position>,
    /// The last load; none when there was none.
    pub read_at: Option<Position>,
}
