//! Reasons why a step's result may have changed without a step: signals, and omissions of the
//! trace.

use stepback_parsers::{MarkerKind, Position, RecordingScope, Step};

use crate::answers::cancel::Cancel;
use crate::answers::error::QueryError;
use crate::answers::hit::Doubt;
use crate::index::Index;
use crate::read::diversions::GAPS;
use crate::read::markers::{MarkerReader, WantedMarkers};
use crate::read::slots::ThreadSlot;

/// Returns the doubt about an answer from before a marker of a kind; none if that depends on the
/// marker's value.
fn doubt_of(kind: MarkerKind, step: Step) -> Option<Doubt> {
    match kind {
        MarkerKind::KERNEL_EVENT | MarkerKind::KERNEL_TRANSFER => Some(Doubt::KernelEvent { step }),
        _ if GAPS.contains(&kind) => Some(Doubt::Gap { step }),
        _ => None,
    }
}

/// Finds doubts about answers.
pub(crate) struct DoubtReader<'a>(pub &'a Index);

impl DoubtReader<'_> {
    /// Returns the doubt that a thread's registers are still those after its instruction in a slot.
    pub(crate) fn restored(
        &self,
        done: ThreadSlot,
        until: Position,
        cancel: &Cancel,
    ) -> Result<Option<Doubt>, QueryError> {
        let kinds = &[
            &[MarkerKind::KERNEL_EVENT, MarkerKind::KERNEL_TRANSFER][..],
            &GAPS,
        ]
        .concat();
        let wanted = WantedMarkers {
            kinds,
            thread: Some(done.thread),
        };
        let last = MarkerReader(self.0).last(wanted, until, cancel)?.pop();
        let last = last.filter(|last| last.position.0 >= done.slot);
        Ok(last.and_then(|last| doubt_of(last.marker.kind, last.step?)))
    }

    /// Returns the doubt about every answer for memory: steps or system calls that the trace leaves
    /// out.
    pub(crate) fn doubt_of_all(
        &self,
        at: Position,
        cancel: &Cancel,
    ) -> Result<Option<Doubt>, QueryError> {
        if self.is_filtered(at, cancel)? {
            return Ok(Some(Doubt::Filtered));
        }
        let is_unsaid = self
            .recordings(at, cancel)?
            .iter()
            .any(|recording| !recording.has_system_calls);
        Ok(is_unsaid.then_some(Doubt::SystemCallsUnsaid))
    }

    /// Returns true if the trace leaves out instructions or accesses: the effects of the omitted
    /// steps are unknown.
    pub(crate) fn is_filtered(&self, at: Position, cancel: &Cancel) -> Result<bool, QueryError> {
        Ok(self
            .recordings(at, cancel)?
            .iter()
            .any(|recording| recording.is_filtered))
    }

    /// Returns the trace's last statements before a position about what it records.
    pub(crate) fn recordings(
        &self,
        at: Position,
        cancel: &Cancel,
    ) -> Result<Vec<RecordingScope>, QueryError> {
        let wanted = WantedMarkers {
            kinds: &[MarkerKind::RECORDING],
            thread: None,
        };
        let last = MarkerReader(self.0).last(wanted, at, cancel)?;
        Ok(last
            .iter()
            .filter_map(|hit| self.0.source().recording(hit.marker))
            .collect())
    }
}
