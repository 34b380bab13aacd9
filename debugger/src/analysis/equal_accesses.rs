//! Stretches of a trace in which a range of memory keeps its bytes ([`EqualAccesses`]).

use stepback_index::answer::{ByteState, Direction, MemoryRange, ThreadId, ValueSource};
use stepback_index::query::{MemoryAt, MemoryOf};
use stepback_index::read::{StepEvents, TraceEvent, TraceEventKind};
use stepback_index::{Cancel, Index, Query as _, QueryError};
use stepback_machine::Address;
use stepback_parsers::{Flow, Position};

/// Number of steps of the first stretch. Reading their text costs about as much as one query of the
/// index.
const FEW_STEPS: u64 = 64;

/// Maximum number of steps of a stretch. It bounds the text that is read past the end of a run.
const MANY_STEPS: u64 = 1 << 16;

/// Passes over accesses that leave a range as it is, in one pass over the text of many steps. It is
/// for loops that store the same value again and again: with distant accesses, it does nothing.
pub(super) struct EqualAccesses<'a> {
    index: &'a Index,
    range: MemoryRange,
    seen_by: ThreadId,
    cancel: &'a Cancel,
    /// Number of steps of the next stretch.
    steps: u64,
}

impl<'a> EqualAccesses<'a> {
    pub fn new(
        index: &'a Index,
        range: MemoryRange,
        seen_by: ThreadId,
        cancel: &'a Cancel,
    ) -> Self {
        Self {
            index,
            range,
            seen_by,
            cancel,
            steps: FEW_STEPS,
        }
    }

    /// Returns a position in a direction up to which no step changes a byte of the range; the given
    /// one if that is not certain. `since` is the position of the previous search.
    ///
    /// # Errors
    /// See [`QueryError`].
    pub fn passed(
        &mut self,
        since: Position,
        from: Position,
        direction: Direction,
    ) -> Result<Position, QueryError> {
        if since.0.abs_diff(from.0) > FEW_STEPS {
            self.steps = FEW_STEPS;
            return Ok(from);
        }
        let Some(bytes) = self.recorded(from)? else {
            return Ok(from);
        };
        let end = self.index.end().0;
        let stretch = match direction {
            Direction::Back => Position(from.0.saturating_sub(self.steps))..from,
            Direction::Forward => from..Position(from.0.saturating_add(self.steps).min(end)),
        };
        let events = StepEvents {
            from: stretch.start,
            to: stretch.end,
        };
        let mut accesses = ComparedAccesses {
            address: self.range.address,
            bytes: &bytes,
            first: None,
            different: None,
            count: 0,
        };
        events.each_recorded(self.index, self.cancel, |event| {
            accesses.take(&event, direction)
        })?;
        let ComparedAccesses {
            first,
            different,
            count,
            ..
        } = accesses;
        let passed = match direction {
            Direction::Forward => different.map_or(stretch.end, |different| {
                Position(different.0.saturating_sub(1)).max(from)
            }),
            // Whether the first of the accesses changed something shows in the bytes after it.
            Direction::Back => match first {
                Some(first) if self.recorded(first)?.as_ref() == Some(&bytes) => first,
                _ => from,
            },
        };
        self.steps = match passed.0.abs_diff(from.0) {
            distance if different.is_some() || passed == from => distance.max(FEW_STEPS),
            // Queries cost less if accesses are rare.
            _ if count < self.steps / FEW_STEPS => FEW_STEPS,
            _ => self.steps.saturating_mul(4).min(MANY_STEPS),
        };
        Ok(passed)
    }

    /// Returns the bytes at a position if accesses up to it state all of them.
    fn recorded(&self, position: Position) -> Result<Option<Vec<u8>>, QueryError> {
        let MemoryRange { address, len_bytes } = self.range;
        let question = MemoryAt {
            position,
            address,
            len_bytes,
        };
        let thread = Some(self.seen_by);
        let states = MemoryOf { thread, question }.run(self.index, self.cancel)?;
        let recorded = |state: &ByteState| match state.source {
            ValueSource::Recorded | ValueSource::External => state.value,
            ValueSource::Inferred | ValueSource::Unknown => None,
        };
        Ok(states.iter().map(recorded).collect())
    }
}

/// Compares accesses with the bytes of a range.
struct ComparedAccesses<'a> {
    address: Address,
    bytes: &'a [u8],
    /// First access since the last difference.
    first: Option<Position>,
    /// Position of the first difference on the way forwards, or of the last one backwards.
    different: Option<Position>,
    /// Number of accesses to the range.
    count: u64,
}

impl ComparedAccesses<'_> {
    fn take(&mut self, event: &TraceEvent<'_>, direction: Direction) -> Flow {
        let is_equal =
            match event.kind {
                TraceEventKind::Access { event: access, .. } => {
                    let size_bytes = u64::from(access.size_bytes);
                    if !self.overlaps(access.address, size_bytes) {
                        return Flow::Continue;
                    }
                    self.count += 1;
                    access
                        .bytes
                        .and_then(|bytes| {
                            Some(self.contains(
                                access.address,
                                bytes.get(..usize::from(access.size_bytes))?,
                            ))
                        })
                        .unwrap_or(false)
                }
                // Executed bytes are evidence of the contents of memory.
                TraceEventKind::Step { event: step, .. } => {
                    if !self.overlaps(step.pc, u64::from(step.length_bytes)) {
                        return Flow::Continue;
                    }
                    false
                }
                TraceEventKind::HostWrite {
                    address,
                    size_bytes,
                    ..
                } => {
                    if !self.overlaps(address, size_bytes) {
                        return Flow::Continue;
                    }
                    false
                }
                TraceEventKind::Marker(_) => false,
                TraceEventKind::Register { .. } | TraceEventKind::Text { .. } => {
                    return Flow::Continue;
                }
            };
        if is_equal {
            self.first.get_or_insert(event.position);
            return Flow::Continue;
        }
        self.first = None;
        self.different = Some(event.position);
        match direction {
            Direction::Forward => Flow::Stop,
            Direction::Back => Flow::Continue,
        }
    }

    fn overlaps(&self, address: Address, size_bytes: u64) -> bool {
        let len_bytes = self.bytes.len() as u64;
        address.0.wrapping_sub(self.address.0) < len_bytes
            || self.address.0.wrapping_sub(address.0) < size_bytes
    }

    /// Returns true if no byte at an address differs from the range. Bytes outside it are ignored.
    fn contains(&self, address: Address, bytes: &[u8]) -> bool {
        (0u64..).zip(bytes).all(|(offset, byte)| {
            let place = address.0.wrapping_add(offset).wrapping_sub(self.address.0);
            let known = usize::try_from(place)
                .ok()
                .and_then(|place| self.bytes.get(place));
            known.is_none_or(|known| known == byte)
        })
    }
}
