//! The steps of a frame without those of the calls inside it.

use std::collections::VecDeque;

use stepback_index::{
    CallId, Cancel, Index, NearestStepOf, PointReader, Query as _, QueryError, ThreadId,
};
use stepback_machine::Address;
use stepback_parsers::Step;

/// A step of a frame's own.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct PathStep {
    /// Its number.
    pub step: Step,
    /// Its address.
    pub pc: Address,
}

/// So many steps are read at first at the entry of the frame and behind each call; twice as many where most of the last were
/// used, half as many where not: a thread among many others has few steps in each stretch,
const FEW: u64 = 8;
/// up to so many.
const MANY: u64 = 1024;

/// Goes through the steps of a frame; calls inside it are passed over. Cost: the text of these steps, and of a few behind each
/// call; where threads take turns, of about as many others as of the thread's own, or of each step alone.
pub struct FramePath<'a> {
    index: &'a Index,
    cancel: &'a Cancel,
    frame: CallId,
    thread: ThreadId,
    next: Option<Step>,
    last: Step,
    /// Steps of the thread that were read ahead, one behind the other.
    ahead: VecDeque<PathStep>,
    /// So many are read next.
    portion: u64,
}

impl<'a> FramePath<'a> {
    /// From the first step of a frame on; none of a frame without steps.
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

    /// The same from a later step of the frame on.
    #[must_use]
    pub fn from(self, step: Step) -> Self {
        Self {
            next: Some(step),
            ..self
        }
    }

    /// The next step of the frame's own; none at its end.
    ///
    /// # Errors
    /// See [`QueryError`].
    pub fn next_step(&mut self) -> Result<Option<PathStep>, QueryError> {
        self.cancel.check()?;
        let Some(step) = self.next.take().filter(|step| *step <= self.last) else {
            return Ok(None);
        };
        let at = self.read(step)?;
        self.next = match (self.behind(step), self.ahead.front()) {
            (Some(behind), Some(next)) if behind == step => Some(next.step),
            (Some(behind), _) => {
                NearestStepOf::next(self.thread, behind.after()).run(self.index, self.cancel)?
            }
            (None, _) => None,
        };
        Ok(Some(at))
    }

    /// A step of the thread; it and those before it are no longer ahead then.
    fn read(&mut self, step: Step) -> Result<PathStep, QueryError> {
        let has_gone_on = self.ahead.pop_front_if(|ahead| ahead.step < step).is_none();
        while self.ahead.pop_front_if(|ahead| ahead.step < step).is_some() {}
        if let Some(at) = self.ahead.pop_front_if(|ahead| ahead.step == step) {
            return Ok(at);
        }
        // Behind a call it is not known how many steps there are up to the next one.
        self.portion = if has_gone_on {
            self.portion
        } else {
            self.portion.min(FEW)
        };
        let behind = Step(
            step.0
                .saturating_add(self.portion)
                .min(self.last.0.saturating_add(1)),
        );
        let read = PointReader(self.index).addresses_of(self.thread, step..behind)?;
        self.portion = next_portion(self.portion, read.len() as u64);
        self.ahead = read
            .into_iter()
            .map(|(step, pc)| PathStep { step, pc })
            .collect();
        // Another thread's step: somebody rewrote the trace.
        self.ahead
            .pop_front_if(|ahead| ahead.step == step)
            .ok_or(QueryError::TraceChanged)
    }

    /// Nothing more comes.
    pub(super) fn end(&mut self) {
        self.next = None;
    }

    /// The last step of what a step called, itself where it called nothing; none where that never ends.
    fn behind(&self, step: Step) -> Option<Step> {
        let calls = self.index.calls();
        let called = calls
            .called_by(self.thread, step)
            .and_then(|id| calls.get(id));
        match called.filter(|call| call.parent == Some(self.frame)) {
            // A call into which the trace shows no step is over at once.
            Some(call) if call.entry_step.is_none() => Some(step),
            Some(call) => call.exit_step,
            None => Some(step),
        }
    }
}

/// How many steps are read after so many, of which these were the thread's own.
fn next_portion(read: u64, own: u64) -> u64 {
    let next = if 2 * own > read {
        read.saturating_mul(2)
    } else {
        read / 2
    };
    next.clamp(1, MANY)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn portions_grow_only_where_most_steps_are_of_the_thread() {
        let portions = |share: u64, mut portion: u64| {
            (0..12).for_each(|_| portion = next_portion(portion, portion.div_ceil(share)));
            portion
        };
        assert_eq!(portions(1, FEW), MANY);
        // With one step in a thousand nothing but the steps themselves is read before long.
        assert!(portions(1000, MANY) <= 2 && portions(4, MANY) <= 2);
    }
}
