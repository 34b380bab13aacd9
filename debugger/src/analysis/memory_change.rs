//! Effect of a store on watched memory ([`MemoryChange`]).

use std::ops::Range;

use stepback_index::answer::{ByteState, MemoryRange, ThreadId};
use stepback_index::query::{MemoryAt, MemoryOf, TouchesAt};
use stepback_index::{Cancel, Index, Query as _, QueryError};
use stepback_parsers::Position;

/// Maximum length of a range whose bytes are compared.
const COMPARED_BYTES: u64 = 4096;

/// Bytes of a range before and after a step.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct MemoryChange {
    /// Bytes before the step, in address order; none for an unknown one.
    pub before: Vec<Option<u8>>,
    /// Bytes after the step.
    pub after: Vec<Option<u8>>,
    /// Places from the first byte that changed to the last one; none if the step changed nothing. A
    /// store to an unknown byte counts as a change.
    pub changed: Option<Range<usize>>,
}

impl MemoryChange {
    /// Compares the bytes that a thread sees before and after the step that shows at a position;
    /// none for a range that is too long. Cost: that of two [`MemoryAt`].
    ///
    /// # Errors
    /// See [`QueryError`].
    pub fn read(
        index: &Index,
        range: MemoryRange,
        shown_at: Position,
        seen_by: ThreadId,
        cancel: &Cancel,
    ) -> Result<Option<Self>, QueryError> {
        let MemoryRange { address, len_bytes } = range;
        if len_bytes > COMPARED_BYTES {
            return Ok(None);
        }
        let values = |position| {
            let question = MemoryAt {
                position,
                address,
                len_bytes,
            };
            let thread = Some(seen_by);
            let bytes = MemoryOf { thread, question }.run(index, cancel)?;
            let values = |byte: &ByteState| byte.value;
            Ok::<Vec<Option<u8>>, QueryError>(bytes.iter().map(values).collect())
        };
        let before = values(Position(shown_at.0.saturating_sub(1)))?;
        let after = values(shown_at)?;
        let touches = match before.iter().all(Option::is_some) {
            true => Vec::new(),
            false => TouchesAt {
                position: shown_at,
                address,
                len_bytes,
            }
            .run(index, cancel)?,
        };
        let is_changed = |place: usize| match before.get(place).copied().flatten() {
            known @ Some(_) => after.get(place) != Some(&known),
            None => touches
                .get(place)
                .is_some_and(|touch| touch.written_at == Some(shown_at)),
        };
        let mut places = (0..before.len()).filter(|place| is_changed(*place));
        let first = places.next();
        let last = places.next_back().or(first);
        let changed = first.zip(last).map(|(first, last)| first..last + 1);
        Ok(Some(Self {
            before,
            after,
            changed,
        }))
    }
}
