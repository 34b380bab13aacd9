//! Addresses of a thread's steps ([`StepAddresses`]), from the lists of the index: the trace is not
//! read.

use std::ops::Range;

use stepback_machine::Address;
use stepback_parsers::Step;

use crate::answers::cell::ThreadId;
use crate::answers::error::QueryError;
use crate::index::Index;
use crate::read::thread_steps::steps_before_segments;
use crate::store::segment::meta::Section;
use crate::store::segment::reader::{SegmentReader, damaged};
use crate::store::visits::SegmentVisits;

/// The addresses of a thread's steps, which are numbered from 0 without those of other threads.
///
/// Cost: the lists of a segment are decoded once, some nanoseconds per step; the decoded segment is
/// kept until another one is needed.
#[derive(Debug)]
pub struct StepAddresses<'a, F> {
    index: &'a Index,
    thread: ThreadId,
    /// Number of the thread's steps before each segment, then the number of all.
    before: Vec<u64>,
    /// Translation of each address.
    translate: F,
    /// Decoded segment.
    segment: Option<usize>,
    addresses: Vec<u64>,
    /// Slots of the thread's steps in the segment; empty if all steps are of this thread.
    slots: Vec<u32>,
}

impl<'a, F: FnMut(Address) -> u64> StepAddresses<'a, F> {
    /// Creates a reader of a thread's addresses, each converted by `translate`. O(segments).
    pub fn new(index: &'a Index, thread: ThreadId, translate: F) -> Self {
        Self {
            index,
            thread,
            before: steps_before_segments(index, thread),
            translate,
            segment: None,
            addresses: Vec::new(),
            slots: Vec::new(),
        }
    }

    /// Returns the number of the thread's steps.
    pub fn count(&self) -> u64 {
        self.before.last().copied().unwrap_or(0)
    }

    /// Returns the addresses from a step to the end of its segment; empty past the last step.
    ///
    /// # Errors
    /// See [`QueryError`].
    pub fn from(&mut self, number: u64) -> Result<&[u64], QueryError> {
        let Some(first) = self.load(number)? else {
            return Ok(&[]);
        };
        Ok(self
            .addresses
            .get(place(number - first)..)
            .unwrap_or_default())
    }

    /// Returns the addresses before a step, back to the start of the segment of the last of them;
    /// empty at the start.
    ///
    /// # Errors
    /// See [`QueryError`].
    pub fn before(&mut self, number: u64) -> Result<&[u64], QueryError> {
        let Some(last) = number.checked_sub(1) else {
            return Ok(&[]);
        };
        let Some(first) = self.load(last)? else {
            return Ok(&[]);
        };
        Ok(self
            .addresses
            .get(..place(number - first))
            .unwrap_or_default())
    }

    /// Returns the addresses of a range of steps; fewer at the end of the trace.
    ///
    /// # Errors
    /// See [`QueryError`].
    pub fn range(&mut self, numbers: Range<u64>) -> Result<Vec<u64>, QueryError> {
        let mut found = Vec::with_capacity(place(numbers.end.saturating_sub(numbers.start)));
        let mut next = numbers.start;
        while next < numbers.end {
            let part = self.from(next)?;
            let part = part.get(..place(numbers.end - next)).unwrap_or(part);
            if part.is_empty() {
                break;
            }
            found.extend_from_slice(part);
            next += part.len() as u64;
        }
        Ok(found)
    }

    /// Returns the step of the trace that a step of the thread is. At the end, the step after the
    /// last one of the trace.
    ///
    /// # Errors
    /// See [`QueryError`].
    pub fn step(&mut self, number: u64) -> Result<Step, QueryError> {
        if self.index.threads().len() <= 1 {
            return Ok(Step(number));
        }
        let Some(first) = self.load(number)? else {
            return Ok(Step(self.index.step_count()));
        };
        let place = place(number - first);
        let base = self
            .segment
            .map_or(0, |segment| self.index.step_base(segment));
        let local = match self.slots.get(place) {
            Some(slot) => u64::from(*slot).saturating_sub(1),
            None => number - first,
        };
        Ok(Step(base.saturating_add(local)))
    }

    /// Decodes the segment of a step, and returns the number of the segment's first step. `None`
    /// past the end.
    fn load(&mut self, number: u64) -> Result<Option<u64>, QueryError> {
        if number >= self.count() {
            return Ok(None);
        }
        let wanted = self
            .before
            .partition_point(|before| *before <= number)
            .saturating_sub(1);
        let first = self.before.get(wanted).copied().unwrap_or(0);
        if self.segment != Some(wanted) {
            self.segment = None;
            let segment = self
                .index
                .segment(wanted)
                .ok_or_else(|| damaged(Section::Pcs))?;
            self.decode(&segment)?;
            if self.before.get(wanted + 1) != Some(&(first + self.addresses.len() as u64)) {
                return Err(damaged(Section::Pcs));
            }
            self.segment = Some(wanted);
        }
        Ok(Some(first))
    }

    fn decode(&mut self, segment: &SegmentReader<'_>) -> Result<(), QueryError> {
        let malformed = |_| damaged(Section::Pcs);
        let mut all = vec![0; segment.meta.steps as usize];
        let mut is_sound = true;
        let translate = &mut self.translate;
        segment
            .pcs()?
            .for_each_from(0, |pc, visits: SegmentVisits<'_>| {
                let address = translate(Address(pc));
                let place = |slot: u32| {
                    let place = slot.checked_sub(1).map(|place| place as usize);
                    match place.and_then(|place| all.get_mut(place)) {
                        Some(known) => *known = address,
                        None => is_sound = false,
                    }
                };
                visits.for_each(place).is_ok()
            })
            .map_err(malformed)?;
        if !is_sound {
            return Err(damaged(Section::Pcs));
        }
        self.slots.clear();
        if self.index.threads().len() > 1 {
            self.read_slots(segment)?;
        }
        if !self.slots.is_empty() {
            let own = self.slots.iter();
            let own = own.map(|slot| all.get(*slot as usize - 1).copied().unwrap_or(0));
            all = own.collect();
        }
        self.addresses = all;
        Ok(())
    }

    /// Reads the slots of the thread's steps; none if all steps of the segment are of this thread.
    fn read_slots(&mut self, segment: &SegmentReader<'_>) -> Result<(), QueryError> {
        let malformed = |_| damaged(Section::Registers);
        for local in segment.meta.local_threads(self.thread.0) {
            if let Some(steps) = segment.steps_of_thread(*local)? {
                let slots = &mut self.slots;
                steps
                    .for_each(|slot| slots.extend((slot > 0).then_some(slot)))
                    .map_err(malformed)?;
            }
        }
        // Threads beyond the numbering limit share one number, and so several lists.
        self.slots.sort_unstable();
        Ok(())
    }
}

fn place(count: u64) -> usize {
    usize::try_from(count).unwrap_or(usize::MAX)
}
