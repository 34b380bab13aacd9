//! Why what a step left may have changed without a step: system calls, signals, what the trace leaves out.

use std::sync::atomic::Ordering;

use stepback_parsers::{MarkerKind, Position, Recording, Source};

use crate::answers::cancel::Cancel;
use crate::answers::error::QueryError;
use crate::answers::hit::Doubt;
use crate::answers::markers::MarkerHit;
use crate::answers::thread::ThreadId;
use crate::index::Index;
use crate::read::call_gaps::{CallGapReader, note_harmless};
use crate::read::markers::{MarkerReader, WantedMarkers};
use crate::read::slots::{SlotReader, ThreadSlot};

/// How many system calls are looked at.
const LOOKED_AT: usize = 4096;

/// Tells why an answer may be wrong.
pub(crate) struct DoubtReader<'a, S>(pub &'a Index<S>);

impl<'a, S: Source> DoubtReader<'a, S> {
    /// Why memory that a thread wrote in a slot may have changed until a position.
    /// Where none of the last system calls can have, the earliest that was looked at counts as one that may have.
    pub(crate) fn overtaken(
        &self,
        done: ThreadSlot,
        until: Position,
        cancel: &Cancel,
    ) -> Result<Option<Doubt>, QueryError> {
        let doubt = match self.last_change(done.slot, until, cancel)? {
            Some(doubt) => Some(doubt),
            None => self.late_call(done, cancel)?,
        };
        Ok(doubt.or(self.doubt_of_all(until, cancel)?))
    }

    /// Why memory that nothing wrote may have changed until a position.
    pub(crate) fn untouched(&self, until: Position, cancel: &Cancel) -> Result<Option<Doubt>, QueryError> {
        let doubt = self.last_change(0, until, cancel)?;
        Ok(doubt.or(self.doubt_of_all(until, cancel)?))
    }

    fn last_change(&self, after: u64, until: Position, cancel: &Cancel) -> Result<Option<Doubt>, QueryError> {
        let kinds = &[MarkerKind::SYSTEM_CALL, MarkerKind::KERNEL_EVENT];
        let mut at = until;
        for looked_at in 1..=LOOKED_AT {
            let hits = MarkerReader(self.0).last(WantedMarkers { kinds, thread: None }, at, cancel)?;
            let Some(first) = hits.first().filter(|hit| hit.position.0 >= after) else { return Ok(None) };
            let position = first.position;
            for MarkerHit { step, thread, marker, .. } in hits.into_iter().rev() {
                let Some(step) = step else { continue };
                if marker.kind == MarkerKind::KERNEL_EVENT {
                    return Ok(Some(Doubt::KernelEvent { step }));
                }
                if looked_at == LOOKED_AT || self.0.instruction_set(thread).system_call_may_write(marker.value) {
                    return Ok(Some(Doubt::SystemCall { step, number: marker.value }));
                }
            }
            let Some(before) = position.0.checked_sub(1) else { return Ok(None) };
            at = Position(before);
        }
        Ok(None)
    }

    /// A system call that another thread made before a slot and returned from after it.
    fn late_call(&self, done: ThreadSlot, cancel: &Cancel) -> Result<Option<Doubt>, QueryError> {
        if let Some(gaps) = CallGapReader(self.0).around(done.slot, cancel)? {
            for gap in gaps.into_iter().filter(|gap| gap.thread != done.thread) {
                if gap.is_harmless.load(Ordering::Relaxed) {
                    continue;
                }
                match self.late_write_of(gap.thread, gap.call)? {
                    Some(doubt) => return Ok(Some(doubt)),
                    None => note_harmless(gap),
                }
            }
            return Ok(None);
        }
        self.late_call_of_any(done, cancel)
    }

    /// The same by looking at each thread.
    fn late_call_of_any(&self, done: ThreadSlot, cancel: &Cancel) -> Result<Option<Doubt>, QueryError> {
        let ThreadSlot { thread, slot: after } = done;
        let Some(at) = after.checked_sub(1).map(Position) else { return Ok(None) };
        for known in &self.0.contents.markers {
            let other = ThreadId(known.thread);
            if known.kind != MarkerKind::SYSTEM_CALL || other == thread {
                continue;
            }
            let wanted = WantedMarkers { kinds: &[MarkerKind::SYSTEM_CALL], thread: Some(other) };
            // Most threads returned long ago, which the lists tell without the text of the call.
            let Some(slot) = MarkerReader(self.0).last_slot(wanted, at, cancel)? else { continue };
            if SlotReader(self.0).has_step_between(other, Position(slot), Position(after))? {
                continue;
            }
            if let Some(doubt) = self.late_write_of(other, slot)? {
                return Ok(Some(doubt));
            }
        }
        Ok(None)
    }

    /// Whether the last system call of a thread in a slot may write when it returns.
    fn late_write_of(&self, thread: ThreadId, slot: u64) -> Result<Option<Doubt>, QueryError> {
        let wanted = WantedMarkers { kinds: &[MarkerKind::SYSTEM_CALL], thread: Some(thread) };
        let last = MarkerReader(self.0).markers_in(&[slot], wanted)?.pop();
        let Some(MarkerHit { step: Some(step), marker, .. }) = last else { return Ok(None) };
        let is_late = self.0.instruction_set(thread).system_call_may_write_late(marker.value);
        Ok(is_late.then_some(Doubt::SystemCall { step, number: marker.value }))
    }

    /// Why a thread's registers may not be what its instruction in a slot left.
    pub(crate) fn restored(
        &self,
        done: ThreadSlot,
        until: Position,
        cancel: &Cancel,
    ) -> Result<Option<Doubt>, QueryError> {
        let kinds = &[MarkerKind::KERNEL_EVENT, MarkerKind::KERNEL_TRANSFER];
        let wanted = WantedMarkers { kinds, thread: Some(done.thread) };
        let last = MarkerReader(self.0).last(wanted, until, cancel)?.pop();
        let step = last.filter(|last| last.position.0 >= done.slot).and_then(|last| last.step);
        Ok(step.map(|step| Doubt::KernelEvent { step }))
    }

    /// What makes every answer about memory doubtful: steps or system calls that the trace leaves out.
    fn doubt_of_all(&self, at: Position, cancel: &Cancel) -> Result<Option<Doubt>, QueryError> {
        if self.is_filtered(at, cancel)? {
            return Ok(Some(Doubt::Filtered));
        }
        let is_unsaid = self.recordings(at, cancel)?.iter().any(|recording| !recording.has_system_calls);
        Ok(is_unsaid.then_some(Doubt::SystemCallsUnsaid))
    }

    /// True when the trace leaves out instructions or accesses: what the steps between did is not known then.
    pub(crate) fn is_filtered(&self, at: Position, cancel: &Cancel) -> Result<bool, QueryError> {
        Ok(self.recordings(at, cancel)?.iter().any(|recording| recording.is_filtered))
    }

    /// What the trace last said before a position about what it records.
    pub(crate) fn recordings(&self, at: Position, cancel: &Cancel) -> Result<Vec<Recording>, QueryError> {
        let wanted = WantedMarkers { kinds: &[MarkerKind::RECORDING], thread: None };
        let last = MarkerReader(self.0).last(wanted, at, cancel)?;
        Ok(last.iter().filter_map(|hit| self.0.source().recording(hit.marker)).collect())
    }
}
