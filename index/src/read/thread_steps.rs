//! Steps of a thread: those in a segment or at an address ([`SegmentStepFilter`]), their number
//! ([`StepCounter`]), and the time and address of a step without its other data ([`PointReader`]).
//! [`OwnSlots`] finds the slots in which a thread may have accessed memory: if these are always the
//! slots of its steps, accesses of the same address by thousands of other threads need not be read.

use std::ops::Range;

use stepback_machine::{Address, InstructionSet, Mode};
use stepback_parsers::{EventSink, Position, Step, StepEvent, ThreadNumber};

use crate::answers::cell::{Direction, ThreadId};
use crate::answers::error::QueryError;
use crate::index::Index;
use crate::read::slots::{SlotReader, first_step_of, last_step_of, local_thread};
use crate::store::directory::SegmentVisits;
use crate::store::segment::meta::Section;
use crate::store::segment::reader::{SegmentReader, damaged};

/// Filter for the steps of a segment.
pub(crate) struct SegmentStepFilter<'a> {
    /// A missing segment has no steps.
    pub segment: Option<SegmentReader<'a>>,
    /// Thread of the steps; all threads without one.
    pub thread: Option<ThreadId>,
}

impl SegmentStepFilter<'_> {
    /// Returns the place of the first matching visit, from a slot of the segment on. Cost: a lookup
    /// for each turn of the thread without a visit, or each visit of others.
    pub fn first_visit(
        &self,
        visits: &SegmentVisits<'_>,
        from: u32,
    ) -> Result<Option<usize>, QueryError> {
        let malformed = |_| damaged(Section::Pcs);
        let mut place = visits.count_below(from).map_err(malformed)?;
        while place < visits.len() {
            let slot = visits.get(place).map_err(malformed)?;
            match self.first_from(slot)? {
                Some(own) if own == slot => return Ok(Some(place)),
                Some(own) => place = visits.count_below(own).map_err(malformed)?,
                None => return Ok(None),
            }
        }
        Ok(None)
    }

    /// Returns the place of the last matching visit, before a slot of the segment.
    pub fn last_visit(
        &self,
        visits: &SegmentVisits<'_>,
        below: u32,
    ) -> Result<Option<usize>, QueryError> {
        let malformed = |_| damaged(Section::Pcs);
        let mut count = visits.count_below(below).map_err(malformed)?;
        while let Some(place) = count.checked_sub(1) {
            let slot = visits.get(place).map_err(malformed)?;
            match self.last_until(slot)? {
                Some(own) if own == slot => return Ok(Some(place)),
                Some(own) => {
                    count = visits
                        .count_below(own.saturating_add(1))
                        .map_err(malformed)?
                }
                None => return Ok(None),
            }
        }
        Ok(None)
    }

    fn first_from(&self, slot: u32) -> Result<Option<u32>, QueryError> {
        let Some((segment, thread)) = self.segment.as_ref().zip(self.thread) else {
            return Ok(Some(slot));
        };
        first_step_of(segment, thread, slot)
    }

    fn last_until(&self, slot: u32) -> Result<Option<u32>, QueryError> {
        let Some((segment, thread)) = self.segment.as_ref().zip(self.thread) else {
            return Ok(Some(slot));
        };
        last_step_of(segment, thread, slot)
    }
}

/// Finds slots of a thread.
pub(crate) struct OwnSlots<'a> {
    pub index: &'a Index,
    pub thread: ThreadId,
}

impl OwnSlots<'_> {
    /// Returns a slot, or the next one in a direction that may have an access of the thread. Cost:
    /// one lookup; nothing is read again.
    pub fn nearest(&self, slot: u64, direction: Direction) -> Result<u64, QueryError> {
        if self.may_be_late(slot) {
            return Ok(slot);
        }
        let (segment, local) = SlotReader(self.index).locate(slot)?;
        let (base, steps) = (segment.meta.step_base, segment.meta.steps);
        let own = match direction {
            Direction::Back => last_step_of(&segment, self.thread, local)?.unwrap_or(0),
            Direction::Forward => first_step_of(&segment, self.thread, local)?
                // Later segments may have late events of the last slot.
                .unwrap_or_else(|| steps.saturating_add(u32::from(local >= steps))),
        };
        Ok(base + u64::from(own))
    }

    /// Returns true if an access in the slot may be of a thread other than that of the slot's step.
    fn may_be_late(&self, slot: u64) -> bool {
        slot == 0
            || SlotReader(self.index)
                .locate_all(slot)
                .any(|(segment, _)| segment.meta.has_late_accesses)
    }
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

/// Finds the points of steps.
pub struct PointReader<'a>(pub &'a Index);

impl PointReader<'_> {
    /// Returns the time and address of a step. Cost: the text of this one step is read; nothing is
    /// inferred.
    ///
    /// # Errors
    /// See [`QueryError`].
    pub fn point_of(&self, step: Step) -> Result<StepPoint, QueryError> {
        let slots = SlotReader(self.0);
        let slot = step.0.saturating_add(1);
        let mut first = FirstStep::default();
        slots.parse_slots(slot..slot.saturating_add(1), &mut first)?;
        let (pc, instruction_set, mode) = first.0.ok_or(QueryError::TraceChanged)?;
        Ok(StepPoint {
            time: slots.time_of(step)?,
            pc,
            instruction_set,
            mode,
        })
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
        let (first, behind) = (
            steps.start.0.saturating_add(1),
            steps.end.0.saturating_add(1),
        );
        let mut found = ThreadStepAddresses {
            index: self.0,
            thread,
            threads: Vec::new(),
            step: steps.start,
            found: Vec::new(),
        };
        SlotReader(self.0).parse_slots(first..behind, &mut found)?;
        Ok(found.found)
    }
}

/// Collects the addresses of the steps of a thread.
struct ThreadStepAddresses<'a> {
    index: &'a Index,
    thread: ThreadId,
    /// Threads by their numbers in this run of the parser.
    threads: Vec<ThreadId>,
    /// Next step.
    step: Step,
    found: Vec<(Step, Address)>,
}

impl EventSink for ThreadStepAddresses<'_> {
    fn thread_named(&mut self, _thread: ThreadNumber, name: &str) {
        self.threads
            .push(self.index.thread_by_name(name).unwrap_or_default());
    }

    fn begin_step(&mut self, step: &StepEvent<'_>) {
        let thread = self
            .threads
            .get(usize::from(step.thread.0))
            .copied()
            .unwrap_or_default();
        if thread == self.thread {
            self.found.push((self.step, step.pc));
        }
        self.step = Step(self.step.0.saturating_add(1));
    }
}

/// Address, instruction set and mode of the first step.
#[derive(Default)]
struct FirstStep(Option<(Address, InstructionSet, Mode)>);

impl EventSink for FirstStep {
    fn begin_step(&mut self, step: &StepEvent<'_>) {
        self.0
            .get_or_insert((step.pc, step.instruction_set, step.mode));
    }
}
