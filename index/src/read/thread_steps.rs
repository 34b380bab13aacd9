//! Steps of one thread: nearest visits and slots, counts, times and addresses.

use std::ops::Range;

use stepback_machine::{Address, InstructionSet, Mode};
use stepback_parsers::{Flow, Position, Step};

use crate::answers::cell::{Direction, ThreadId};
use crate::answers::error::QueryError;
use crate::index::Index;
use crate::read::slots::{SlotReader, first_step_of, last_step_of, local_thread};
use crate::store::segment::meta::Section;
use crate::store::segment::reader::{SegmentReader, damaged};
use crate::store::visits::SegmentVisits;

/// Returns the place of the visit nearest to a slot of a segment, itself included; of a thread if
/// given. Cost: a lookup for each turn of the thread without a visit, or each visit of others.
pub(crate) fn nearest_visit(
    segment: &SegmentReader<'_>,
    visits: &SegmentVisits<'_>,
    thread: Option<ThreadId>,
    mut bound: u32,
    direction: Direction,
) -> Result<Option<usize>, QueryError> {
    let malformed = |_| damaged(Section::Pcs);
    loop {
        let place = match direction {
            Direction::Back => visits
                .count_below(bound.saturating_add(1))
                .map_err(malformed)?
                .checked_sub(1),
            Direction::Forward => Some(visits.count_below(bound).map_err(malformed)?),
        };
        let Some(place) = place.filter(|place| *place < visits.len()) else {
            return Ok(None);
        };
        let slot = visits.get(place).map_err(malformed)?;
        let own = match (thread, direction) {
            (None, _) => Some(slot),
            (Some(thread), Direction::Back) => last_step_of(segment, thread, slot)?,
            (Some(thread), Direction::Forward) => first_step_of(segment, thread, slot)?,
        };
        match own {
            Some(own) if own == slot => return Ok(Some(place)),
            Some(own) => bound = own,
            None => return Ok(None),
        }
    }
}

/// Returns a slot, or the next one in a direction that may have an access to memory by a thread. If
/// all accesses are in the slots of their steps, these are the thread's own steps: accesses of the
/// same address by thousands of other threads need not be read. Cost: one lookup; nothing is read
/// again.
pub(crate) fn nearest_own_slot(
    index: &Index,
    thread: ThreadId,
    slot: u64,
    direction: Direction,
) -> Result<u64, QueryError> {
    // An access in the slot may be of a thread other than that of the slot's step.
    let may_be_late = slot == 0
        || SlotReader(index)
            .locate_all(slot)
            .any(|(segment, _)| segment.meta.has_late_accesses);
    if may_be_late {
        return Ok(slot);
    }
    let (segment, local) = SlotReader(index).locate(slot)?;
    let (base, steps) = (segment.meta.step_base, segment.meta.steps);
    let own = match direction {
        Direction::Back => last_step_of(&segment, thread, local)?.unwrap_or(0),
        Direction::Forward => first_step_of(&segment, thread, local)?
            // Later segments may have late events of the last slot.
            .unwrap_or_else(|| steps.saturating_add(u32::from(local >= steps))),
    };
    Ok(base + u64::from(own))
}

/// Returns the number of a thread's steps before each segment, then the number of all. O(segments),
/// each a lookup.
pub(crate) fn steps_before_segments(index: &Index, thread: ThreadId) -> Vec<u64> {
    let is_alone = index.threads().len() <= 1;
    let mut count = 0u64;
    let mut before = vec![count];
    for segment in &index.contents.segments {
        let own = segment.local_threads(thread.0).iter();
        let own = own.filter_map(|local| segment.threads.get(usize::from(*local)));
        let steps = match is_alone {
            true => u64::from(segment.steps),
            false => own.map(|known| u64::from(known.steps)).sum(),
        };
        count = count.saturating_add(steps);
        before.push(count);
    }
    before
}

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
        let before = match index.threads().len() {
            0 | 1 => Vec::new(),
            _ => steps_before_segments(index, thread),
        };
        Self {
            index,
            thread,
            before,
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

/// Time and address of a step.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct StepPoint {
    /// Time, as [`SlotReader::time_of`] returns it.
    pub time: Option<u64>,
    /// Address.
    pub pc: Address,
    /// Instruction set.
    pub instruction_set: InstructionSet,
    /// Mode, which resolves its plain register names.
    pub mode: Mode,
}

impl SlotReader<'_> {
    /// Returns the time and address of a step. Cost: the text of this one step is read; nothing is
    /// inferred.
    ///
    /// # Errors
    /// See [`QueryError`].
    pub fn point_of(&self, step: Step) -> Result<StepPoint, QueryError> {
        let slot = step.0.saturating_add(1);
        let time = self.time_of(step)?;
        let mut point = None;
        self.each_step(slot..slot.saturating_add(1), |_, step| {
            point = Some(StepPoint {
                time,
                pc: step.pc,
                instruction_set: step.instruction_set,
                mode: step.mode,
            });
            Flow::Stop
        })?;
        point.ok_or(QueryError::TraceChanged)
    }

    /// Returns the addresses of a thread's steps in a range of steps. Cost: the text of all of
    /// these is read once, which is ten times quicker than a query for each.
    ///
    /// # Errors
    /// See [`QueryError`].
    pub fn addresses_of(
        &self,
        thread: ThreadId,
        steps: Range<Step>,
    ) -> Result<Vec<(Step, Address)>, QueryError> {
        let slots = steps.start.0.saturating_add(1)..steps.end.0.saturating_add(1);
        let mut found = Vec::new();
        self.each_step(slots, |here, step| {
            if here.thread == thread {
                found.push((Step(here.slot.saturating_sub(1)), step.pc));
            }
            Flow::Continue
        })?;
        Ok(found)
    }
}
