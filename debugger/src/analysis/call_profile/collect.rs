//! Visits the frames of a part of the trace, stack by stack.

use std::ops::Range;

use stepback_index::{
    Call, CallId, Cancel, FramesWithin, Index, QueryError, StackUse, StepCounter,
};
use stepback_parsers::{Position, Step};

use super::answer::CallProfile;
use super::clock::StackClock;
use super::collector::{Collector, FrameUse};
use super::progress::Progress;
use crate::analysis::sites::Sites;

/// Frames between two checks for cancellation.
const STRIDE: u64 = 4096;

/// The steps between two positions of a trace.
pub type PositionRange = Range<Position>;

/// Measures all calls in a part of a trace.
///
/// Cost: proportional to the calls in the part and the frames around its start, a few lookups each;
/// memory is bounded.
///
/// # Errors
/// See [`QueryError`].
pub fn call_profile(
    index: &Index,
    part: &PositionRange,
    progress: &Progress,
    cancel: &Cancel,
) -> Result<CallProfile, QueryError> {
    let end = index.end();
    let part = part.start.min(end)..part.end.min(end).max(part.start.min(end));
    let calls = index.calls();
    let stacks: Vec<(StackUse, FramesWithin)> = calls
        .stacks()
        .into_iter()
        .map(|stack| {
            let within = calls.frames_within(&stack, &part);
            (stack, within)
        })
        .collect();
    let count = |within: &FramesWithin| {
        within.around.len() as u64 + (within.called.end - within.called.start)
    };
    progress.begin(stacks.iter().map(|(_, within)| count(within)).sum());
    let mut pass = ProfilePass {
        index,
        part: &part,
        cancel,
        progress,
        done: 0,
        times: FrameTimes::new(index, &part, cancel)?,
    };
    let mut collector = Collector::new(&part, index.threads().len());
    for (stack, within) in &stacks {
        pass.stack(stack, within, &mut collector)?;
    }
    Ok(collector.finish(part.end.0 - part.start.0))
}

struct ProfilePass<'a> {
    index: &'a Index,
    part: &'a PositionRange,
    cancel: &'a Cancel,
    progress: &'a Progress,
    done: u64,
    times: FrameTimes<'a>,
}

impl ProfilePass<'_> {
    fn stack(
        &mut self,
        stack: &StackUse,
        within: &FramesWithin,
        collector: &mut Collector,
    ) -> Result<(), QueryError> {
        let calls = self.index.calls();
        let counter = StepCounter::new(self.index, stack.thread);
        let clock = StackClock::new(&counter, stack, self.index.end())?;
        collector.begin_stack(stack.thread);
        for id in within
            .around
            .iter()
            .copied()
            .chain(within.called.clone().map(CallId))
        {
            if self.done.is_multiple_of(STRIDE) {
                self.cancel.check()?;
                self.progress.set(self.done);
            }
            self.done += 1;
            let Some(call) = calls.get(id) else { continue };
            let stay = collector.nested(self.stay(id, &call));
            let cut = stay.start..stay.end.min(self.part.end);
            let ran = clock.ran_before(cut.start)?..clock.ran_before(cut.end)?;
            let times = self.times.of(&call, &cut)?;
            collector.enter(&FrameUse {
                id,
                call,
                stay,
                ran,
                times,
            });
        }
        collector.end_stack();
        Ok(())
    }

    /// Returns the positions between which a frame is on its stack, from the start of the part on.
    fn stay(&self, id: CallId, call: &Call) -> PositionRange {
        let begin = self
            .index
            .calls()
            .begin_of(id)
            .unwrap_or_default()
            .max(self.part.start);
        begin
            ..call
                .exit_step
                .map_or(Position(u64::MAX), Step::after)
                .max(begin)
    }
}

/// Entry and exit times of frames.
struct FrameTimes<'a> {
    sites: Sites<'a>,
    part: PositionRange,
    /// First and last time of the part; `None` if times are too coarse to measure calls.
    whole: Option<Range<u64>>,
}

impl<'a> FrameTimes<'a> {
    fn new(index: &'a Index, part: &PositionRange, cancel: &'a Cancel) -> Result<Self, QueryError> {
        let sites = Sites::new(index, cancel);
        let has_clock = !sites.counts_steps();
        let whole = match part
            .end
            .0
            .checked_sub(1)
            .filter(|last| has_clock && *last >= part.start.0)
        {
            Some(last) => Some(sites.time_of(Step(part.start.0))?..sites.end_time_of(Step(last))?),
            None => None,
        };
        Ok(Self {
            sites,
            part: part.clone(),
            whole,
        })
    }

    /// Returns the time range of a frame within the part, last moment included; empty if unknown.
    fn of(&self, call: &Call, cut: &PositionRange) -> Result<Range<u64>, QueryError> {
        let Some(whole) = self.whole.as_ref().filter(|_| cut.start < cut.end) else {
            return Ok(0..0);
        };
        let begin = match call
            .entry_step
            .filter(|entry| entry.before() > self.part.start)
        {
            Some(entry) => self.sites.time_of(entry)?,
            None => whole.start,
        };
        let end = match call.exit_step.filter(|exit| exit.after() < self.part.end) {
            Some(exit) => self.sites.end_time_of(exit)?,
            None => whole.end,
        };
        Ok(begin..end.max(begin).saturating_add(1))
    }
}
