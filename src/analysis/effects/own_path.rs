//! The steps of a frame without those of the calls inside it.

use stepback_index::{CallId, Cancel, NextStepOf, PointReader, Query as _, QueryError, ThreadId};
use stepback_machine::Address;
use stepback_parsers::Step;

use crate::analysis::trace_index::TraceIndex;

/// A step of a frame's own.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct PathStep {
    /// Its number.
    pub step: Step,
    /// Its address.
    pub pc: Address,
}

/// Goes through the steps of a frame; calls inside it are passed over. Cost: the text of each of these steps.
pub struct OwnPath<'a> {
    index: &'a TraceIndex,
    cancel: &'a Cancel,
    frame: CallId,
    thread: ThreadId,
    next: Option<Step>,
    last: Step,
}

impl<'a> OwnPath<'a> {
    /// From the first step of a frame on; none of a frame without steps.
    pub fn of(frame: CallId, index: &'a TraceIndex, cancel: &'a Cancel) -> Option<Self> {
        let (first, last) = index.calls().steps_inside(frame)?;
        let thread = index.calls().get(frame)?.thread;
        Some(Self { index, cancel, frame, thread, next: Some(first), last })
    }

    /// The same from a later step of the frame on.
    #[must_use]
    pub fn from(self, step: Step) -> Self {
        Self { next: Some(step), ..self }
    }

    /// The next step of the frame's own; none at its end.
    ///
    /// # Errors
    /// See [`QueryError`].
    pub fn next_step(&mut self) -> Result<Option<PathStep>, QueryError> {
        self.cancel.check()?;
        let Some(step) = self.next.take().filter(|step| *step <= self.last) else { return Ok(None) };
        let pc = PointReader(self.index).point_of(step)?.pc;
        if let Some(behind) = self.behind(step) {
            self.next = NextStepOf { thread: self.thread, from: behind.after() }.run(self.index, self.cancel)?;
        }
        Ok(Some(PathStep { step, pc }))
    }

    /// Nothing more comes.
    pub(super) fn end(&mut self) {
        self.next = None;
    }

    /// The last step of what a step called, itself where it called nothing; none where that never ends.
    fn behind(&self, step: Step) -> Option<Step> {
        let calls = self.index.calls();
        let called = calls.called_by(self.thread, step).and_then(|id| calls.get(id));
        match called.filter(|call| call.parent == Some(self.frame)) {
            // A call into which the trace shows no step is over at once.
            Some(call) if call.entry_step.is_none() => Some(step),
            Some(call) => call.exit_step,
            None => Some(step),
        }
    }
}
