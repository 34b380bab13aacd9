//! Search runner: blocks of steps in parallel, their hits in order.

use std::ops::{ControlFlow, Range};

use rayon::prelude::*;
use stepback_parsers::{EventSink, Flow, MemoryAccess, Position, RegisterWrite, StepEvent};

use crate::answers::cell::ThreadId;
use crate::answers::error::{Cancel, QueryError};
use crate::answers::step_record::Hit;
use crate::index::Index;
use crate::query::question::Query;
use crate::read::slots::SlotReader;

/// Partial result of a running search.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SearchBatch {
    /// Next hits in trace order, possibly none.
    pub hits: Vec<Hit>,
    /// Position up to which all hits were reported.
    pub to: Position,
}

/// A search from a position on, in trace order. Cost: the trace is parsed once on all cores; see
/// each kind of target.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Find<W> {
    /// Search target.
    pub what: W,
    /// Thread of the steps; all threads without one.
    pub thread: Option<ThreadId>,
    /// First position.
    pub from: Position,
    /// Maximum number of hits.
    pub limit: usize,
}

/// A search target that is matched slot by slot.
pub trait SearchTarget: Sized + Sync {
    /// Prefilter for text traces.
    type InText: Sync;

    /// Creates the prefilter, once per search.
    fn in_text(&self) -> Self::InText;

    /// Returns the slots of a range that may have hits, ascending.
    ///
    /// # Errors
    /// See [`QueryError`].
    fn slots(
        &self,
        in_text: &Self::InText,
        index: &Index,
        range: Range<u64>,
        cancel: &Cancel,
    ) -> Result<Vec<u64>, QueryError>;

    /// Returns the hits in some of these slots, in order.
    ///
    /// # Errors
    /// See [`QueryError`].
    fn hits(
        find: &Find<Self>,
        index: &Index,
        slots: &[u64],
        cancel: &Cancel,
    ) -> Result<Vec<Hit>, QueryError>;
}

impl<W: SearchTarget> Query for Find<W> {
    type Answer = Vec<Hit>;

    fn run(&self, index: &Index, cancel: &Cancel) -> Result<Vec<Hit>, QueryError> {
        let mut hits = Vec::new();
        self.stream(index, cancel, |found| {
            hits.extend(found.hits);
            ControlFlow::Continue(())
        })?;
        Ok(hits)
    }
}

impl<W: SearchTarget> Find<W> {
    /// Reports the hits as they are found, until `each` breaks. Memory is bounded for any number of
    /// hits.
    ///
    /// # Errors
    /// See [`QueryError`].
    pub fn stream(
        &self,
        index: &Index,
        cancel: &Cancel,
        mut each: impl FnMut(SearchBatch) -> ControlFlow<()>,
    ) -> Result<(), QueryError> {
        let in_text = self.what.in_text();
        SlotReader(index).check_position(self.from)?;
        let after = index.step_count() + 1;
        let (mut first, mut count, mut limit) = (self.from.0 + 1, FIRST_ROUND, self.limit);
        while first < after && limit > 0 {
            let end = first.saturating_add(count).min(after);
            let found = self.slots_of_round(&in_text, index, first..end, cancel)?;
            let mut rest = found.as_slice();
            while limit > 0 {
                // Most slots have one hit.
                let (batch, later) = rest.split_at(rest.len().min(BATCH).min(limit));
                let mut hits = self.hits_of_batch(index, batch, cancel)?;
                hits.truncate(limit);
                limit -= hits.len();
                let to = Position(later.first().map_or(end, |next| *next) - 1);
                if each(SearchBatch { hits, to }).is_break() {
                    return Ok(());
                }
                rest = later;
                if rest.is_empty() {
                    break;
                }
            }
            (first, count) = (end, (2 * count).min(LAST_ROUND));
        }
        Ok(())
    }

    fn slots_of_round(
        &self,
        in_text: &W::InText,
        index: &Index,
        round: Range<u64>,
        cancel: &Cancel,
    ) -> Result<Vec<u64>, QueryError> {
        let blocks: Vec<u64> = round.clone().step_by(BLOCK as usize).collect();
        let found = blocks.into_par_iter().map(|first| {
            cancel.check()?;
            self.what.slots(
                in_text,
                index,
                first..(first + BLOCK).min(round.end),
                cancel,
            )
        });
        Ok(found.collect::<Result<Vec<_>, _>>()?.concat())
    }

    fn hits_of_batch(
        &self,
        index: &Index,
        slots: &[u64],
        cancel: &Cancel,
    ) -> Result<Vec<Hit>, QueryError> {
        let hits = slots.par_chunks(SLOTS).map(|slots| {
            cancel.check()?;
            W::hits(self, index, slots, cancel)
        });
        let mut hits = hits.collect::<Result<Vec<_>, _>>()?;
        Ok(if hits.len() == 1 {
            hits.remove(0)
        } else {
            hits.into_iter().flatten().collect()
        })
    }
}

/// Number of steps in the first round. Each round has twice as many as the one before, so that the
/// first hit shows soon.
const FIRST_ROUND: u64 = 1 << 10;
const LAST_ROUND: u64 = 1 << 18;
/// Number of steps that one thread searches at once: about a megabyte of text.
const BLOCK: u64 = 1 << 13;
/// Number of slots that one thread converts to hits at once.
const SLOTS: usize = 128;
/// Number of slots reported together. It bounds memory, since a hit takes some hundred bytes.
const BATCH: usize = 32 * SLOTS;

/// Returns the slots of a range with a matching access or register write.
pub(super) fn slots_where(
    index: &Index,
    range: Range<u64>,
    cancel: &Cancel,
    is_access: impl Fn(&MemoryAccess) -> bool,
    is_write: impl Fn(&RegisterWrite<'_>) -> bool,
) -> Result<Vec<u64>, QueryError> {
    let mut sink = MatchingSlots {
        slot: range.start.saturating_sub(1),
        cancel,
        is_access,
        is_write,
        found: Vec::new(),
    };
    SlotReader(index).parse_slots(range, &mut sink)?;
    cancel.check()?;
    Ok(sink.found)
}

/// Collects the slots of matching events.
struct MatchingSlots<'a, A, W> {
    slot: u64,
    cancel: &'a Cancel,
    is_access: A,
    is_write: W,
    found: Vec<u64>,
}

impl<A, W> MatchingSlots<'_, A, W> {
    fn is_open(&self) -> bool {
        self.found.last() != Some(&self.slot)
    }
}

impl<A: Fn(&MemoryAccess) -> bool, W: Fn(&RegisterWrite<'_>) -> bool> EventSink
    for MatchingSlots<'_, A, W>
{
    fn begin_step(&mut self, _step: &StepEvent<'_>) {
        self.slot += 1;
    }

    fn register_write(&mut self, write: &RegisterWrite<'_>) {
        if self.is_open() && (self.is_write)(write) {
            self.found.push(self.slot);
        }
    }

    fn access(&mut self, access: &MemoryAccess) {
        if self.is_open() && (self.is_access)(access) {
            self.found.push(self.slot);
        }
    }

    fn progress(&mut self, _offset: u64) -> Flow {
        if self.cancel.is_cancelled() {
            Flow::Stop
        } else {
            Flow::Continue
        }
    }
}
