//! How threads ended.

use stepback_index::{Index, ThreadId};
use stepback_parsers::Step;

use super::schedule::ThreadLane;

/// How a thread ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum ThreadEnding {
    /// The trace does not say that it ended.
    Open,
    /// It asked the kernel to end it.
    Exit,
    /// It asked the kernel to end the whole process.
    ExitGroup,
    /// Another thread of its process did.
    WithProcess,
    /// It ended; how, the trace does not say, since it has no system calls.
    Ended,
    /// It ended without having asked: a signal, or the end of the recording. Guessed.
    Killed,
}

/// What tells of the end of a thread.
#[derive(Clone, Copy, Debug)]
pub struct EndingEvidence<'a> {
    /// Whose.
    pub thread: ThreadId,
    /// Its last step.
    pub last_step: Option<Step>,
    /// What its markers say.
    pub lane: Option<&'a ThreadLane>,
}

impl EndingEvidence<'_> {
    /// How the thread ended as far as it says so itself.
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

    /// The system call behind which the thread did nothing.
    fn last_call(&self, lane: &ThreadLane, index: &Index) -> Option<&'static str> {
        let (at, number) = lane.last_call?;
        let is_last = self.last_step.is_none_or(|last| last.after() <= at);
        index
            .instruction_set(self.thread)
            .system_call_name(number)
            .filter(|_| is_last)
    }
}
