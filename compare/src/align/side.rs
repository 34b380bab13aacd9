//! A thread of one of the two traces, as the alignment reads it ([`Side`]).

use std::ops::Range;

use foldhash::HashMap;
use stepback_index::answer::{CallId, FrameCursor, ThreadId};
use stepback_index::read::{StepAddresses, StepCounter};
use stepback_index::{Index, QueryError};
use stepback_machine::Address;
use stepback_parsers::{Position, Step};

use crate::align::lcs::GapStep;

/// Converts the addresses of a trace to those of the first trace.
pub(crate) type Translate<'a> = Box<dyn Fn(Address) -> u64 + 'a>;

/// Multiplier that mixes the functions of a call stack into one number.
const STACK_FACTOR: u64 = 0xff51_afd7_ed55_8ccd;

/// A thread of a trace.
pub(crate) struct Side<'a> {
    pub index: &'a Index,
    pub thread: ThreadId,
    /// Addresses in terms of the first trace.
    pub addresses: StepAddresses<'a, Translate<'a>>,
    counter: StepCounter<'a>,
    translate: Translate<'a>,
}

impl<'a> Side<'a> {
    pub fn new(
        index: &'a Index,
        thread: ThreadId,
        translate: impl Fn(Address) -> u64 + Copy + 'a,
    ) -> Self {
        Self {
            index,
            thread,
            addresses: StepAddresses::new(index, thread, Box::new(translate)),
            counter: StepCounter::new(index, thread),
            translate: Box::new(translate),
        }
    }

    /// Returns the number of steps.
    pub fn count(&self) -> u64 {
        self.addresses.count()
    }

    /// Returns the position before a step; at the end, that after the last step.
    pub fn position(&mut self, number: u64) -> Result<Position, QueryError> {
        match number.checked_sub(1) {
            Some(last) if number >= self.count() => Ok(self.addresses.step(last)?.after()),
            _ => Ok(self.addresses.step(number)?.before()),
        }
    }

    /// Returns the number of a step of the trace among those of the thread.
    pub fn number_of(&self, step: Step) -> Result<u64, QueryError> {
        self.counter.count_before(step.before())
    }

    /// Returns the calls around a step, innermost first, at most `limit`.
    pub fn calls_around(&mut self, number: u64, limit: usize) -> Result<Vec<CallId>, QueryError> {
        let position = self.position(number)?;
        let calls = self.index.plain_calls();
        let mut around = Vec::new();
        let mut next = calls.innermost_at(self.thread, position);
        while let Some(id) = next.filter(|_| around.len() < limit) {
            around.push(id);
            next = calls.get(id).and_then(|call| call.parent);
        }
        Ok(around)
    }

    /// Returns the steps of a gap with their call stacks.
    pub fn gap(&mut self, numbers: Range<u64>) -> Result<Vec<GapStep>, QueryError> {
        let addresses = self.addresses.range(numbers.clone())?;
        let index = self.index;
        let mut frames = FrameCursor::new(index.plain_calls(), self.thread);
        let mut stacks = HashMap::default();
        let mut steps = Vec::with_capacity(addresses.len());
        for (number, address) in numbers.zip(addresses) {
            let position = self.addresses.step(number)?.before();
            let frame = frames.at(position);
            let stack = frame.map_or(0, |frame| self.stack(frame, &mut stacks));
            steps.push(GapStep { address, stack });
        }
        Ok(steps)
    }

    /// Returns the identity of the functions around and including a call.
    fn stack(&self, innermost: CallId, known: &mut HashMap<CallId, u64>) -> u64 {
        let calls = self.index.plain_calls();
        let mut missing = Vec::new();
        let mut next = Some(innermost);
        let mut stack = 0;
        while let Some(id) = next {
            if let Some(found) = known.get(&id) {
                stack = *found;
                break;
            }
            let Some(call) = calls.get(id) else { break };
            missing.push(id);
            next = call.parent;
        }
        for id in missing.into_iter().rev() {
            let call = calls.get(id);
            // The first frame may begin anywhere in its function.
            let function = call.filter(|call| call.parent.is_some());
            let function = function.map_or(0, |call| (self.translate)(call.function));
            stack = (stack ^ function)
                .wrapping_add(1)
                .wrapping_mul(STACK_FACTOR);
            stack ^= stack >> 31;
            known.insert(id, stack);
        }
        stack
    }
}

/// Converts numbers of a thread's steps, without those of other threads, to steps of the trace.
pub struct StepNumbers<'a>(StepAddresses<'a, fn(Address) -> u64>);

impl<'a> StepNumbers<'a> {
    /// Creates a converter for a thread.
    pub fn new(index: &'a Index, thread: ThreadId) -> Self {
        Self(StepAddresses::new(index, thread, |address| address.0))
    }

    /// Returns the step of the trace that a step of the thread is; at the end, that after the last
    /// one of the trace.
    ///
    /// # Errors
    /// See [`QueryError`].
    pub fn step(&mut self, number: u64) -> Result<Step, QueryError> {
        self.0.step(number)
    }
}
