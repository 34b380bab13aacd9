//! Measures all calls in a part of the trace and sums them up by function, by caller and callee,
//! and by stack.
//!
//! The frames of each stack are visited in order of entry. A [`StackClock`] counts the steps that a
//! thread ran on one of its stacks, so that a switch of stacks charges no frame for the steps of
//! another. The pass runs on a worker; its memory is bounded.

use std::ops::Range;
use std::sync::atomic::{AtomicU64, Ordering};

use stepback_index::answer::{Call, CallId, CallTable, FramesWithin, StackUse, ThreadId};
use stepback_index::in_order::{in_parts, map_in_order};
use stepback_index::read::StepCounter;
use stepback_index::{Cancel, Index, QueryError};
use stepback_machine::Address;
use stepback_parsers::{Position, Step};

use crate::analysis::call_profile::collector::{Collector, MeasuredFrame};
use crate::analysis::sites::Sites;

/// Number of frames that a thread measures at once, between two checks for cancellation.
const PART: usize = 256;

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
    let calls = ProfiledCalls {
        index,
        calls: index.calls(),
        unit: ProfileUnit::StepsAndTime,
    };
    profile_of(&calls, part, progress, cancel)
}

/// Calls to be measured.
pub struct ProfiledCalls<'a> {
    pub index: &'a Index,
    /// Table of the calls, with or without tail calls.
    pub calls: &'a CallTable,
    pub unit: ProfileUnit,
}

/// Units in which calls are measured.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ProfileUnit {
    /// Only steps, from the index alone.
    Steps,
    /// Times, too, which cost the text of the last step of each call.
    StepsAndTime,
}

/// Measures all calls of a table in a part of a trace.
///
/// # Errors
/// See [`QueryError`].
pub fn profile_of(
    profiled: &ProfiledCalls<'_>,
    part: &PositionRange,
    progress: &Progress,
    cancel: &Cancel,
) -> Result<CallProfile, QueryError> {
    let ProfiledCalls { index, calls, unit } = *profiled;
    let end = index.end();
    let part = part.start.min(end)..part.end.min(end).max(part.start.min(end));
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
    let sites = Sites::new(index, cancel);
    let pass = ProfilePass {
        index,
        calls,
        part: &part,
        cancel,
        times: match unit {
            ProfileUnit::Steps => None,
            ProfileUnit::StepsAndTime => part_times(&sites, &part)?,
        },
        sites,
    };
    let mut collector = Collector::new(&part, index.threads().len());
    let mut done = 0;
    for (stack, within) in &stacks {
        collector.begin_stack(stack.thread);
        pass.each_frame(stack, within, |frames| {
            done += frames.len() as u64;
            progress.set(done);
            frames.iter().for_each(|frame| collector.enter(frame));
        })?;
        collector.end_stack();
    }
    Ok(collector.finish(part.end.0 - part.start.0))
}

struct ProfilePass<'a> {
    index: &'a Index,
    calls: &'a CallTable,
    part: &'a PositionRange,
    cancel: &'a Cancel,
    sites: Sites<'a>,
    /// First and last time of the part; `None` if times are too coarse to measure calls, or not
    /// wanted.
    times: Option<Range<u64>>,
}

impl ProfilePass<'_> {
    /// Measures the frames of a stack on all threads, and passes them on in order of entry.
    fn each_frame(
        &self,
        stack: &StackUse,
        within: &FramesWithin,
        mut take: impl FnMut(&[MeasuredFrame]),
    ) -> Result<(), QueryError> {
        let counter = StepCounter::new(self.index, stack.thread);
        let clock = StackClock::new(&counter, stack, self.index.end())?;
        let measure = |ids: Vec<CallId>| {
            self.cancel.check()?;
            let measured = ids.into_iter().map(|id| self.measured(id, &clock));
            measured
                .filter_map(Result::transpose)
                .collect::<Result<Vec<_>, _>>()
        };
        let called = within.called.clone().map(CallId);
        let ids = within.around.iter().copied().chain(called);
        let mut ends: Vec<Position> = Vec::new();
        map_in_order(in_parts(ids, PART), measure, |mut frames| {
            for frame in &mut frames {
                self.nest(frame, &mut ends, &clock)?;
            }
            take(&frames);
            Ok(())
        })
    }

    /// Returns a frame with its cost, as if it were the outermost one.
    fn measured(
        &self,
        id: CallId,
        clock: &StackClock<'_>,
    ) -> Result<Option<MeasuredFrame>, QueryError> {
        let Some(call) = self.calls.get(id) else {
            return Ok(None);
        };
        let stay = self.stay(id, &call);
        let mut frame = MeasuredFrame {
            id,
            call,
            stay,
            steps: 0,
            time: 0,
        };
        self.measure(&mut frame, clock)?;
        Ok(Some(frame))
    }

    /// Ends a frame with the enclosing one if it outlives that. `ends` has the ends of the frames
    /// around the one before.
    fn nest(
        &self,
        frame: &mut MeasuredFrame,
        ends: &mut Vec<Position>,
        clock: &StackClock<'_>,
    ) -> Result<(), QueryError> {
        while ends.pop_if(|end| *end <= frame.stay.start).is_some() {}
        let end = match ends.last() {
            Some(around) if *around < frame.stay.end => (*around).max(frame.stay.start),
            _ => frame.stay.end,
        };
        ends.push(end);
        if end < frame.stay.end {
            frame.stay.end = end;
            self.measure(frame, clock)?;
        }
        Ok(())
    }

    /// Sets the cost of a frame while it is on its stack.
    fn measure(&self, frame: &mut MeasuredFrame, clock: &StackClock<'_>) -> Result<(), QueryError> {
        let cut = frame.stay.start..frame.stay.end.min(self.part.end);
        let ran = clock.ran_before(cut.start)?..clock.ran_before(cut.end)?;
        frame.steps = ran.end.saturating_sub(ran.start);
        frame.time = self.time_of(&frame.call, &cut)?;
        Ok(())
    }

    /// Returns the positions between which a frame is on its stack, from the start of the part on.
    fn stay(&self, id: CallId, call: &Call) -> PositionRange {
        let begin = self.calls.begin_of(id).unwrap_or_default();
        let begin = begin.max(self.part.start);
        begin
            ..call
                .exit_step
                .map_or(Position(u64::MAX), Step::after)
                .max(begin)
    }
}

/// Returns the first and last time of a part; `None` if times are too coarse to measure calls.
fn part_times(sites: &Sites<'_>, part: &PositionRange) -> Result<Option<Range<u64>>, QueryError> {
    let last = part.end.0.checked_sub(1);
    let last = last.filter(|last| *last >= part.start.0 && !sites.counts_steps());
    last.map(|last| Ok(sites.time_of(Step(part.start.0))?..sites.end_time_of(Step(last))?))
        .transpose()
}

impl ProfilePass<'_> {
    /// Returns the time of a frame within the part, last moment included; 0 if unknown.
    fn time_of(&self, call: &Call, cut: &PositionRange) -> Result<u64, QueryError> {
        let Some(whole) = self.times.as_ref().filter(|_| cut.start < cut.end) else {
            return Ok(0);
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
        Ok(end.max(begin).saturating_add(1) - begin)
    }
}

/// The cost of the calls in a part of a trace.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct CallProfile {
    /// Number of steps in the part, over all threads.
    pub steps: u64,
    /// True if the trace has times that are fine enough to measure calls.
    pub has_clock: bool,
    /// The functions; other tables refer to them by index.
    pub functions: Vec<FunctionUsage>,
    /// Sorted by caller, then callee.
    pub links: Vec<CallEdge>,
    /// Merged call stacks, as a tree. A stack precedes the stacks that grow from it. The first is
    /// the whole part.
    pub stacks: Vec<StackNode>,
    /// Number of calls whose function or stack was not distinguished because of the limits. Their
    /// cost counts for the enclosing frame.
    pub merged_calls: u64,
}

/// A function with all its calls in the part.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct FunctionUsage {
    /// Address of its first step.
    pub address: Address,
    /// One of its calls: the first in stack order.
    pub example: CallId,
    /// Entry position of the first call that is made in the part. If there is none, that of the
    /// first call that continues into it.
    pub first: Position,
    /// Cost of its calls; a call nested inside another of the same function counts once.
    pub totals: CallTotals,
}

/// Number and cost of some calls.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct CallTotals {
    /// Number of calls.
    pub calls: u64,
    /// Steps of the calls' threads, callees included.
    pub steps: u64,
    /// Steps without those of callees.
    pub own_steps: u64,
    /// Time from the first to the last moment of each call, callees included; 0 if unknown.
    pub time: u64,
    /// Time without that of callees.
    pub own_time: u64,
}

/// Edge of the call graph: the calls of one function by another.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct CallEdge {
    /// Index of the calling function.
    pub caller: u32,
    /// Index of the called function.
    pub callee: u32,
    /// Entry position of the first such call that is made in the part, else of the first that
    /// continues into it.
    pub first: Position,
    /// Cost of the calls; one nested inside another of the same pair counts once. Own steps and
    /// times are 0.
    pub totals: CallTotals,
}

/// All stacks with the same functions in the same order.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct StackNode {
    /// Innermost element of the stack.
    pub who: StackNodeKind,
    /// Index of the parent stack; the root's is its own.
    pub parent: u32,
    /// Number of ancestors.
    pub depth: u32,
    /// Entry position of the first such call that is made in the part, else of the first that
    /// continues into it.
    pub first: Position,
    pub totals: CallTotals,
}

/// Innermost element of a stack.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum StackNodeKind {
    /// The whole part.
    Part,
    /// A thread; used if the trace has several.
    Thread(ThreadId),
    /// A function, by its index.
    Function(u32),
}

/// Counter of the steps of a thread while it used one of its stacks.
pub struct StackClock<'a> {
    counter: &'a StepCounter<'a>,
    /// Intervals in which the stack was used; empty if it is the thread's only stack.
    stretches: Vec<StackInterval>,
}

/// An interval of the trace in which a stack was used.
struct StackInterval {
    from: Position,
    until: Position,
    /// Steps of the thread before the interval.
    begin: u64,
    /// Steps among them that ran on this stack.
    ran: u64,
}

impl<'a> StackClock<'a> {
    /// Creates a clock for a stack of the counter's thread. O(intervals).
    ///
    /// # Errors
    /// See [`QueryError`].
    pub fn new(
        counter: &'a StepCounter<'a>,
        stack: &StackUse,
        end: Position,
    ) -> Result<Self, QueryError> {
        let is_alone = matches!(&*stack.used, [only] if only.start.0 == 0 && only.end >= end);
        let (mut stretches, mut ran) = (Vec::new(), 0u64);
        for used in stack.used.iter().filter(|_| !is_alone) {
            let (from, until) = (used.start.min(end), used.end.min(end));
            let begin = counter.count_before(from)?;
            stretches.push(StackInterval {
                from,
                until,
                begin,
                ran,
            });
            ran = ran.saturating_add(counter.count_before(until)?.saturating_sub(begin));
        }
        Ok(Self { counter, stretches })
    }

    /// Returns the number of steps that ran on the stack before a position. O(log n).
    ///
    /// # Errors
    /// See [`QueryError`].
    pub fn ran_before(&self, position: Position) -> Result<u64, QueryError> {
        if self.stretches.is_empty() {
            return self.counter.count_before(position);
        }
        let begun = self
            .stretches
            .partition_point(|stretch| stretch.from <= position);
        let Some(stretch) = begun
            .checked_sub(1)
            .and_then(|place| self.stretches.get(place))
        else {
            return Ok(0);
        };
        let inside = self
            .counter
            .count_before(position.min(stretch.until))?
            .saturating_sub(stretch.begin);
        Ok(stretch.ran.saturating_add(inside))
    }
}

/// Progress counter shared between threads.
#[derive(Debug, Default)]
pub struct Progress {
    done: AtomicU64,
    all: AtomicU64,
}

impl Progress {
    /// Sets the amount of work.
    pub fn begin(&self, all: u64) {
        self.all.store(all, Ordering::Relaxed);
    }

    /// Sets the amount of work done.
    pub fn set(&self, done: u64) {
        self.done.store(done, Ordering::Relaxed);
    }

    /// Returns the share of the work that is done, from 0 to 1.
    pub fn share(&self) -> f32 {
        let (done, all) = (
            self.done.load(Ordering::Relaxed),
            self.all.load(Ordering::Relaxed),
        );
        if all == 0 {
            0.0
        } else {
            (done as f32 / all as f32).min(1.0)
        }
    }
}
