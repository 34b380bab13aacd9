//! Iterates over a frame's own steps, without its callees, and compares the paths of two calls of a
//! function.
//!
//! The comparison finds each place where the paths diverge and the next address at which they meet
//! again. Both iterators read ahead, in bounded memory.

use std::collections::{HashMap, VecDeque};

use stepback_index::answer::{CallId, ThreadId};
use stepback_index::query::NearestStepOf;
use stepback_index::read::SlotReader;
use stepback_index::{Cancel, Index, Query as _, QueryError};
use stepback_machine::Address;
use stepback_parsers::Step;

/// A step of a frame, outside its callees.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct PathStep {
    pub step: Step,
    pub pc: Address,
}

/// Number of steps of the trace read first at the entry of the frame, and at most after a call. The
/// number doubles if most of the steps read were of the thread, and halves otherwise: if many threads
/// take turns, a stretch has few steps of one.
const FEW: u64 = 8;
/// Maximum number of steps read at once.
const MANY: u64 = 1024;

/// Iterator over the steps of a frame that skips its callees.
///
/// Cost: the text of these steps, and of a few after each call. If threads take turns: that of
/// about as many steps of other threads, or of single steps.
pub struct FramePath<'a> {
    index: &'a Index,
    cancel: &'a Cancel,
    frame: CallId,
    thread: ThreadId,
    next: Option<Step>,
    last: Step,
    /// Steps of the thread that were read ahead, in order.
    ahead: VecDeque<PathStep>,
    /// Number of steps of the trace to read next.
    portion: u64,
}

impl<'a> FramePath<'a> {
    /// Starts at the first step of a frame; `None` for a frame without steps.
    pub fn of(frame: CallId, index: &'a Index, cancel: &'a Cancel) -> Option<Self> {
        let (first, last) = index.calls().steps_inside(frame)?;
        let thread = index.calls().get(frame)?.thread;
        Some(Self {
            index,
            cancel,
            frame,
            thread,
            next: Some(first),
            last,
            ahead: VecDeque::new(),
            portion: FEW,
        })
    }

    /// Starts at a later step of the frame.
    #[must_use]
    pub fn from(self, step: Step) -> Self {
        Self {
            next: Some(step),
            ..self
        }
    }

    /// Returns the next step of the frame itself; `None` at its end.
    ///
    /// # Errors
    /// See [`QueryError`].
    pub fn next_step(&mut self) -> Result<Option<PathStep>, QueryError> {
        self.cancel.check()?;
        let Some(step) = self.next.take().filter(|step| *step <= self.last) else {
            return Ok(None);
        };
        let at = self.read(step)?;
        if let Some(after) = self.after(step) {
            if after > step {
                self.skip_call(after);
            }
            self.next = match self.ahead.front() {
                Some(next) => Some(next.step),
                None => {
                    NearestStepOf::next(self.thread, after.after()).run(self.index, self.cancel)?
                }
            };
        }
        Ok(Some(at))
    }

    /// Removes the steps of a call, up to its last one, from the read-ahead buffer. If the call is
    /// longer, the number of steps from there up to the next call is unknown, so few are read.
    fn skip_call(&mut self, last: Step) {
        while self
            .ahead
            .pop_front_if(|ahead| ahead.step <= last)
            .is_some()
        {}
        if self.ahead.is_empty() {
            self.portion = self.portion.min(FEW);
        }
    }

    /// Reads a step of the thread. It and earlier steps leave the read-ahead buffer.
    fn read(&mut self, step: Step) -> Result<PathStep, QueryError> {
        while self.ahead.pop_front_if(|ahead| ahead.step < step).is_some() {}
        if let Some(at) = self.ahead.pop_front_if(|ahead| ahead.step == step) {
            return Ok(at);
        }
        let after = Step(
            step.0
                .saturating_add(self.portion)
                .min(self.last.0.saturating_add(1)),
        );
        let read = SlotReader(self.index).addresses_of(self.thread, step..after)?;
        self.portion = next_portion(after.0.saturating_sub(step.0), read.len() as u64);
        self.ahead = read
            .into_iter()
            .map(|(step, pc)| PathStep { step, pc })
            .collect();
        // The step belongs to another thread: the trace file was changed.
        self.ahead
            .pop_front_if(|ahead| ahead.step == step)
            .ok_or(QueryError::TraceChanged)
    }

    /// Ends the iteration.
    pub(super) fn end(&mut self) {
        self.next = None;
    }

    /// Returns the last step of the call that a step makes, or the step itself if it calls nothing.
    /// `None` if the call never ends.
    fn after(&self, step: Step) -> Option<Step> {
        let calls = self.index.calls();
        let called = calls
            .called_by(self.thread, step)
            .and_then(|id| calls.get(id));
        match called.filter(|call| call.parent == Some(self.frame)) {
            // A call without a step in the trace ends immediately.
            Some(call) if call.entry_step.is_none() => Some(step),
            Some(call) => call.exit_step,
            None => Some(step),
        }
    }
}

/// Returns the number of steps to read after reading `read`, of which `own` were of the thread.
fn next_portion(read: u64, own: u64) -> u64 {
    let next = if 2 * own > read {
        read.saturating_mul(2)
    } else {
        read / 2
    };
    next.clamp(1, MANY)
}

/// Maximum number of steps searched after a divergence for the point where the paths meet.
const AHEAD: usize = 4096;

/// A stretch in which two calls take different paths.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct PathDivergence {
    /// Last step that both calls do, in each of them; `None` if they differ from the first step on.
    pub parts: Option<(PathStep, PathStep)>,
    /// First step of each call after that; `None` if the call is over.
    pub ways: (Option<PathStep>, Option<PathStep>),
    /// Steps at one address where the paths meet again; `None` if none was found.
    pub meets: Option<(PathStep, PathStep)>,
}

/// Iterator over the divergences of two calls, without their callees. Memory is bounded.
pub struct DivergenceFinder<'a> {
    one: LookaheadPath<'a>,
    other: LookaheadPath<'a>,
    last: Option<(PathStep, PathStep)>,
    /// Number of steps that both calls have in common.
    pub alike: u64,
}

impl<'a> DivergenceFinder<'a> {
    /// Compares two paths.
    pub fn new(one: FramePath<'a>, other: FramePath<'a>) -> Self {
        let ahead = |path| LookaheadPath {
            path,
            steps: VecDeque::new(),
        };
        Self {
            one: ahead(one),
            other: ahead(other),
            last: None,
            alike: 0,
        }
    }

    /// Returns the next divergence. `None` when both paths end alike, and after a divergence from
    /// which they do not meet again.
    ///
    /// # Errors
    /// See [`QueryError`].
    pub fn next_parting(&mut self) -> Result<Option<PathDivergence>, QueryError> {
        loop {
            let ways = (self.one.peek()?, self.other.peek()?);
            match ways {
                (None, None) => return Ok(None),
                (Some(one), Some(other)) if one.pc == other.pc => {
                    self.one.steps.pop_front();
                    self.other.steps.pop_front();
                    (self.last, self.alike) = (Some((one, other)), self.alike + 1);
                }
                _ => {
                    let parts = self.last;
                    let meets = self.meet()?;
                    return Ok(Some(PathDivergence { parts, ways, meets }));
                }
            }
        }
    }

    /// Advances both paths to the nearest common step, or to their ends if there is none.
    fn meet(&mut self) -> Result<Option<(PathStep, PathStep)>, QueryError> {
        self.one.fill()?;
        self.other.fill()?;
        let mut places: HashMap<Address, usize> = HashMap::new();
        for (place, step) in self.other.steps.iter().enumerate() {
            places.entry(step.pc).or_insert(place);
        }
        let both = self.one.steps.iter().enumerate();
        let both = both.filter_map(|(place, step)| Some((place, *places.get(&step.pc)?)));
        let Some((one, other)) = both.min_by_key(|(one, other)| one + other) else {
            self.one.end();
            self.other.end();
            return Ok(None);
        };
        self.one.steps.drain(..one);
        self.other.steps.drain(..other);
        Ok(self.one.peek()?.zip(self.other.peek()?))
    }
}

/// A path with a look-ahead buffer.
struct LookaheadPath<'a> {
    path: FramePath<'a>,
    steps: VecDeque<PathStep>,
}

impl LookaheadPath<'_> {
    fn peek(&mut self) -> Result<Option<PathStep>, QueryError> {
        if self.steps.is_empty() {
            self.steps.extend(self.path.next_step()?);
        }
        Ok(self.steps.front().copied())
    }

    fn fill(&mut self) -> Result<(), QueryError> {
        while self.steps.len() < AHEAD
            && let Some(step) = self.path.next_step()?
        {
            self.steps.push_back(step);
        }
        Ok(())
    }

    fn end(&mut self) {
        self.steps.clear();
        self.path.end();
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::session::test_session::overflow;

    #[test]
    fn few_steps_are_read_after_a_call_that_is_longer_than_the_steps_read() {
        let (session, cancel) = (overflow(), Cancel::default());
        let mut path = FramePath::of(CallId(0), &session.index, &cancel).unwrap();
        let ahead = |steps: std::ops::Range<u64>| {
            let pc = Address(0);
            steps
                .map(|step| PathStep {
                    step: Step(step),
                    pc,
                })
                .collect()
        };
        (path.portion, path.ahead) = (MANY, ahead(1..9));
        path.skip_call(Step(4));
        assert_eq!((path.portion, path.ahead.len()), (MANY, 4));
        path.skip_call(Step(100));
        assert_eq!((path.portion, path.ahead.len()), (FEW, 0));
        // The call was the last step that was read.
        path.portion = MANY;
        path.skip_call(Step(200));
        assert_eq!(path.portion, FEW);
    }

    #[test]
    fn portions_grow_only_where_most_steps_are_of_the_thread() {
        let portions = |share: u64, mut portion: u64| {
            (0..12).for_each(|_| portion = next_portion(portion, portion.div_ceil(share)));
            portion
        };
        assert_eq!(portions(1, FEW), MANY);
        // With one step in a thousand, single steps are soon read instead.
        assert!(portions(1000, MANY) <= 2 && portions(4, MANY) <= 2);
    }
}
