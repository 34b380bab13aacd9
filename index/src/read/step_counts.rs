//! Counts of a thread's own steps.

use stepback_parsers::Position;

use crate::answers::error::QueryError;
use crate::answers::thread::ThreadId;
use crate::index::Index;
use crate::read::slots::local_thread;
use crate::store::segment::meta::Section;
use crate::store::segment::reader::damaged;

/// Counts the steps of a thread, without those of others meanwhile.
#[derive(Debug)]
pub struct StepCounter<'a> {
    index: &'a Index,
    thread: ThreadId,
    /// Number of the thread's steps before each segment; empty if it is the only thread.
    before: Vec<u64>,
}

impl<'a> StepCounter<'a> {
    /// Creates a counter for one thread. O(segments), each a lookup.
    pub fn new(index: &'a Index, thread: ThreadId) -> Self {
        let mut count = 0u64;
        let segments = index
            .contents
            .segments
            .iter()
            .filter(|_| index.threads().len() > 1);
        let before = segments.map(|segment| {
            let own = segment.local_threads(thread.0).iter();
            let own = own.filter_map(|local| segment.threads.get(usize::from(*local)));
            let steps: u64 = own.map(|known| u64::from(known.steps)).sum();
            let before = count;
            count = count.saturating_add(steps);
            before
        });
        Self {
            index,
            thread,
            before: before.collect(),
        }
    }

    /// Returns the number of steps before a position. O(log n).
    ///
    /// # Errors
    /// See [`QueryError`].
    pub fn count_before(&self, position: Position) -> Result<u64, QueryError> {
        let segments = &self.index.contents.segments;
        let Some(number) = segments
            .partition_point(|segment| segment.step_base < position.0)
            .checked_sub(1)
        else {
            return Ok(0);
        };
        let (Some(segment), Some(before)) = (self.index.segment(number), self.before.get(number))
        else {
            return Ok(position.0);
        };
        let bound = position.0.saturating_sub(segment.meta.step_base);
        let Some(local) = local_thread(&segment, self.thread) else {
            return Ok(*before);
        };
        let inside = match segment.steps_of_thread(local)? {
            Some(steps) if bound < u64::from(segment.meta.steps) => {
                let bound = u32::try_from(bound.saturating_add(1)).unwrap_or(u32::MAX);
                steps
                    .count_below(bound)
                    .map_err(|_| damaged(Section::Registers))? as u64
            }
            Some(steps) => steps.len() as u64,
            None => bound.min(u64::from(segment.meta.steps)),
        };
        Ok(before.saturating_add(inside))
    }
}
