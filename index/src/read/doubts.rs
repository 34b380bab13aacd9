//! Reasons to doubt that the result of a step still holds at a later position: signals, gaps, and
//! steps or accesses that the trace leaves out or that are unreadable. After a marker of [`BREAKS`],
//! a thread does not continue as its last instruction says.

use std::ops::RangeInclusive;

use stepback_parsers::{GapReason, MarkerKind, Position, RecordingScope, Step};

use crate::answers::error::{Cancel, QueryError};
use crate::answers::step_record::Doubt;
use crate::index::Index;
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

/// Returns the doubt that a thread's registers are still those after its instruction in a slot.
pub(crate) fn register_doubt(
    index: &Index,
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
    let last = MarkerReader(index).last(wanted, until, cancel)?.pop();
    let last = last.filter(|last| last.position.0 >= done.slot);
    Ok(last.and_then(|last| doubt_of(last.marker.kind, last.step?)))
}

/// Returns the doubt about every answer for memory: steps or system calls that the trace leaves
/// out.
pub(crate) fn memory_doubt(
    index: &Index,
    at: Position,
    cancel: &Cancel,
) -> Result<Option<Doubt>, QueryError> {
    if is_filtered(index, at, cancel)? {
        return Ok(Some(Doubt::Filtered));
    }
    let is_unsaid = recordings(index, at, cancel)?
        .iter()
        .any(|recording| !recording.has_system_calls);
    Ok(is_unsaid.then_some(Doubt::SystemCallsUnsaid))
}

/// Returns true if the trace leaves out instructions or accesses: the effects of the omitted
/// steps are unknown.
pub(crate) fn is_filtered(
    index: &Index,
    at: Position,
    cancel: &Cancel,
) -> Result<bool, QueryError> {
    Ok(recordings(index, at, cancel)?
        .iter()
        .any(|recording| recording.is_filtered))
}

/// Returns the trace's last statements before a position about what it records.
pub(crate) fn recordings(
    index: &Index,
    at: Position,
    cancel: &Cancel,
) -> Result<Vec<RecordingScope>, QueryError> {
    let wanted = WantedMarkers {
        kinds: &[MarkerKind::RECORDING],
        thread: None,
    };
    let last = MarkerReader(index).last(wanted, at, cancel)?;
    Ok(last
        .iter()
        .filter_map(|hit| index.source().recording(hit.marker))
        .collect())
}

/// Activity before these is not recorded: steps of the thread may be missing.
pub(crate) const GAPS: [MarkerKind; 5] = [
    MarkerKind::WINDOW,
    GapReason::Lost.kind(),
    GapReason::Off.kind(),
    GapReason::Unmapped.kind(),
    GapReason::Contradiction.kind(),
];

/// After these, the registers and the program counter may differ from the results of the
/// instruction before.
pub(crate) const BREAKS: [MarkerKind; 15] = [
    MarkerKind::KERNEL_EVENT,
    MarkerKind::KERNEL_TRANSFER,
    MarkerKind::RSEQ_ABORT,
    MarkerKind::WINDOW,
    MarkerKind::SYSTEM_CALL_START,
    MarkerKind::SYSTEM_CALL_END,
    MarkerKind::CONTEXT_SWITCH_START,
    MarkerKind::CONTEXT_SWITCH_END,
    MarkerKind::UNCOMPLETED,
    MarkerKind::HARDWARE_EVENT,
    MarkerKind::HARDWARE_RETURN,
    GapReason::Lost.kind(),
    GapReason::Off.kind(),
    GapReason::Unmapped.kind(),
    GapReason::Contradiction.kind(),
];

/// Returns true if records of some slots, or of adjacent ones, may be missing. Cost: a lookup
/// for each segment of the slots.
pub(crate) fn may_miss_records(index: &Index, slots: &RangeInclusive<u64>) -> bool {
    let (start, end) = (
        slots.start().saturating_sub(1),
        slots.end().saturating_add(1),
    );
    let numbers = index.segments_with(start..end.saturating_add(1));
    let reached = index.contents.segments.get(numbers).unwrap_or_default();
    reached.iter().any(|segment| {
        let at = |slot: u32| segment.step_base.saturating_add(u64::from(slot));
        let place = segment
            .damaged
            .partition_point(|known| at(known.last) < start);
        segment
            .damaged
            .get(place)
            .is_some_and(|known| at(known.first) <= end)
    })
}
