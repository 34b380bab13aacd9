//! State of a memory byte at a position.

use stepback_parsers::Position;

use crate::answers::value::ValueSource;

/// State of a memory byte at a position.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct ByteState {
    /// The value; `None` if unknown.
    pub value: Option<u8>,
    /// Source of the value.
    pub source: ValueSource,
    /// Position right after the access that shows the value (0: before the first step). `None` if
    /// the value is unknown or comes from a program image.
    pub seen_at: Option<Position>,
}

/// Last accesses of a byte, as the positions from which they are visible.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct ByteTouch {
    /// Position of the last store; `None` without one.
    pub written_at: Option<Position>,
    /// Position of the last load; `None` without one.
    pub read_at: Option<Position>,
}
