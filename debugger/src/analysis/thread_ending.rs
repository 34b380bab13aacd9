//! The ends of threads.

use stepback_index::{Index, ThreadId};
use stepback_parsers::Step;

use super::schedule::ThreadLane;

/// The end of a thread.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum ThreadEnding {
    /// The trace does not record an end.
    Open,
    /// It called `exit`.
    Exit,
    /// It called `exit_group`.
    ExitGroup,
    /// Another thread of its process called `exit_group`.
    WithProcess,
    /// It ended. The trace has no system calls that say how.
    Ended,
    /// It ended without an exit call: by a signal, or at the end of the recording. This is a guess.
    Killed,
}

/// Evidence for the end of a thread.
#[derive(Clone, Copy, Debug)]
pub struct EndingEvidence<'a> {
    pub thread: ThreadId,
    pub last_step: Option<Step>,
    /// Lane with the facts from its markers.
    pub lane: Option<&'a ThreadLane>,
}

impl EndingEvidence<'_> {
    /// Returns how the thread ended, judging from its own records only.
    pub fn ending(&self, index: &Index) -> ThreadEnding {
        let Some(lane) = self.lane.filter(|lane| lane.has_ended) else {
            return ThreadEnding::Open;
        };
        if lane.last_call.is_none() {
            return ThreadEnding::Ended;
        }
        match self.last_call(lane, index) {
            Some("exit") => ThreadEnding::Exit,
            Some("exit_group") => ThreadEnding::ExitGroup,
            _ => ThreadEnding::Killed,
        }
    }

    /// Returns the system call after which the thread did nothing.
    fn last_call(&self, lane: &ThreadLane, index: &Index) -> Option<&'static str> {
        let (at, number) = lane.last_call?;
        let is_last = self.last_step.is_none_or(|last| last.after() <= at);
        index
            .instruction_set(self.thread)
            .system_call_name(number)
            .filter(|_| is_last)
    }
}
