//! Last time that something other than the instructions of the trace may have written memory.

use stepback_parsers::{MarkerKind, Position};

use crate::answers::cancel::Cancel;
use crate::answers::error::QueryError;
use crate::answers::thread::ThreadId;
use crate::index::Index;
use crate::index::memories::MemoryId;
use crate::read::diversions::BREAKS;
use crate::read::markers::{MarkerReader, WantedMarkers};
use crate::read::overtaken::DoubtReader;
use crate::read::slots::SlotReader;

/// Maximum number of threads; with more, memory is not inferred.
const THREADS: usize = 256;
/// Maximum number of system calls to examine per thread.
const SYSTEM_CALLS: usize = 256;

/// Finds events that may have written memory besides the steps.
pub(super) struct BreakReader<'a>(pub &'a Index);

impl<'a> BreakReader<'a> {
    /// Returns true if the trace records system calls.
    pub(super) fn has_system_calls(
        &self,
        at: Position,
        cancel: &Cancel,
    ) -> Result<bool, QueryError> {
        let recordings = DoubtReader(self.0).recordings(at, cancel)?;
        Ok(!recordings.is_empty()
            && recordings
                .iter()
                .all(|recording| recording.has_system_calls))
    }

    /// Returns the last slot, up to `at`, after which something besides the trace's steps may have
    /// written memory: a system call, a signal, or unrecorded execution before a gap. Its effects
    /// last until the thread continues. Considers only threads with access to `memory`; `None`
    /// means that all threads share it.
    pub(super) fn last_break(
        &self,
        memory: Option<MemoryId>,
        at: Position,
        cancel: &Cancel,
    ) -> Result<Option<u64>, QueryError> {
        let threads = self.0.threads().len();
        if threads > THREADS {
            return Ok(Some(at.0));
        }
        let mut last = None;
        for number in 0..threads {
            let thread = ThreadId(u16::try_from(number).unwrap_or(u16::MAX));
            if memory.is_some() && self.0.memories().of(thread) != memory {
                continue;
            }
            last = last.max(self.last_break_of(thread, at, cancel)?);
        }
        Ok(last)
    }

    fn last_break_of(
        &self,
        thread: ThreadId,
        at: Position,
        cancel: &Cancel,
    ) -> Result<Option<u64>, QueryError> {
        let wanted = WantedMarkers {
            kinds: &BREAKS,
            thread: Some(thread),
        };
        let event = MarkerReader(self.0)
            .last(wanted, at, cancel)?
            .last()
            .map(|hit| hit.position);
        let last = event.max(self.last_writing_call(thread, at, cancel)?);
        let Some(position) = last else {
            return Ok(None);
        };
        let next = SlotReader(self.0).next_step_of(thread, position)?;
        Ok(Some(next.map_or(at.0, |next| next.0.min(at.0))))
    }

    /// Returns the last system call of a thread that may have written memory.
    fn last_writing_call(
        &self,
        thread: ThreadId,
        mut at: Position,
        cancel: &Cancel,
    ) -> Result<Option<Position>, QueryError> {
        let set = self.0.instruction_set(thread);
        for _ in 0..SYSTEM_CALLS {
            let wanted = WantedMarkers {
                kinds: &[MarkerKind::SYSTEM_CALL],
                thread: Some(thread),
            };
            let calls = MarkerReader(self.0).last(wanted, at, cancel)?;
            let Some(position) = calls.first().map(|call| call.position) else {
                return Ok(None);
            };
            if calls
                .iter()
                .any(|call| set.system_call_may_write(call.marker.value))
            {
                return Ok(Some(position));
            }
            let Some(before) = position.0.checked_sub(1) else {
                return Ok(None);
            };
            at = Position(before);
        }
        // None of the examined calls can have written, but an earlier one may have.
        Ok(Some(at))
    }
}
