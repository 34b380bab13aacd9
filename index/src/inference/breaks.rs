//! When memory was last written by others than the instructions of the trace.

use stepback_parsers::{MarkerKind, Position, Source};

use crate::answers::cancel::Cancel;
use crate::answers::error::QueryError;
use crate::answers::thread::ThreadId;
use crate::index::{Index, Query as _};
use crate::inference::run::BREAKS;
use crate::query::markers::LastMarkers;
use crate::read::overtaken::may_write;

/// So many threads are looked at; in a trace of more nothing is told.
const THREADS: usize = 256;
/// So many system calls of each.
const SYSTEM_CALLS: usize = 256;

impl<S: Source> Index<S> {
    /// True when the trace says which system calls were made.
    pub(super) fn has_system_calls(&self, at: Position, cancel: &Cancel) -> Result<bool, QueryError> {
        let recordings = self.recordings(at, cancel)?;
        Ok(!recordings.is_empty() && recordings.iter().all(|recording| recording.has_system_calls))
    }

    /// The last slot up to one behind which something besides the trace's steps may have written memory:
    /// a system call, a signal, what ran before a gap. It did so until the thread went on.
    pub(super) fn last_break(&self, at: Position, cancel: &Cancel) -> Result<Option<u64>, QueryError> {
        let threads = self.threads().len();
        if threads > THREADS {
            return Ok(Some(at.0));
        }
        let mut last = None;
        for number in 0..threads {
            let thread = ThreadId(u16::try_from(number).unwrap_or(u16::MAX));
            last = last.max(self.last_break_of(thread, at, cancel)?);
        }
        Ok(last)
    }

    fn last_break_of(&self, thread: ThreadId, at: Position, cancel: &Cancel) -> Result<Option<u64>, QueryError> {
        let question = LastMarkers { kinds: BREAKS.to_vec(), thread: Some(thread), at };
        let event = question.run(self, cancel)?.last().map(|hit| hit.position);
        let last = event.max(self.last_writing_call(thread, at, cancel)?);
        let Some(position) = last else { return Ok(None) };
        let next = self.next_step_of(thread, position)?;
        Ok(Some(next.map_or(at.0, |next| next.0.min(at.0))))
    }

    /// The last system call of a thread that may have written memory.
    fn last_writing_call(
        &self,
        thread: ThreadId,
        mut at: Position,
        cancel: &Cancel,
    ) -> Result<Option<Position>, QueryError> {
        for _ in 0..SYSTEM_CALLS {
            let question = LastMarkers { kinds: vec![MarkerKind::SYSTEM_CALL], thread: Some(thread), at };
            let calls = question.run(self, cancel)?;
            let Some(position) = calls.first().map(|call| call.position) else { return Ok(None) };
            if calls.iter().any(|call| may_write(self.instruction_set(thread), call.marker.value)) {
                return Ok(Some(position));
            }
            let Some(before) = position.0.checked_sub(1) else { return Ok(None) };
            at = Position(before);
        }
        // Of very many that all cannot, one that was not looked at may have.
        Ok(Some(at))
    }
}
