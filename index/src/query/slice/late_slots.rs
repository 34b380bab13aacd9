//! Later slots with effects of a step: its lines may come after steps of other threads.

use std::ops::Range;

use stepback_parsers::{Position, Step};

use crate::answers::error::QueryError;
use crate::answers::step_record::LATE_STEPS;
use crate::answers::thread::ThreadId;
use crate::index::Index;
use crate::read::slots::SlotReader;
use crate::read::views::ViewReader;

/// Returns the slots after its own in which a step of a thread may have accessed memory: before the
/// thread's next step.
///
/// No list shows which of them contain an access of the thread, since those of memory do not record
/// threads, so all are read. That is bounded: at most [`LATE_STEPS`] slots, some 0.2 ms of text,
/// and none if no access of the segment is in the slot of another step.
pub(super) fn late_slots(
    index: &Index,
    thread: ThreadId,
    step: Step,
) -> Result<Range<u64>, QueryError> {
    let own = step.0.saturating_add(1);
    let nothing = own..own;
    if index.threads().len() == 1 {
        return Ok(nothing);
    }
    let next = SlotReader(index)
        .next_step_of(thread, Position(own))?
        .map_or(index.step_count(), |next| next.0);
    let last = next.min(own.saturating_add(LATE_STEPS));
    let has_late = [own, last].into_iter().any(|slot| {
        SlotReader(index)
            .locate_all(slot)
            .any(|(segment, _)| segment.meta.has_late_accesses)
    });
    let is_within = SlotReader(index).locate(own)?.0.meta.step_base
        == SlotReader(index).locate(last)?.0.meta.step_base;
    Ok(if has_late || !is_within {
        own.saturating_add(1)..last.saturating_add(1)
    } else {
        nothing
    })
}

/// Returns the slots after its own in which a step of a thread wrote registers, up to the same
/// distance as for accesses.
pub(super) fn late_writes(
    index: &Index,
    thread: ThreadId,
    step: Step,
) -> Result<Vec<u64>, QueryError> {
    let own = step.0.saturating_add(1);
    let mut slots = Vec::new();
    if index.threads().len() == 1 {
        return Ok(slots);
    }
    let next = SlotReader(index)
        .next_step_of(thread, Position(own))?
        .map_or(index.step_count(), |next| next.0);
    let last = next.min(own.saturating_add(LATE_STEPS));
    let views = if last == own {
        &[]
    } else {
        ViewReader(index).views_of(thread)
    };
    for known in views {
        let mut first = own.saturating_add(1);
        while let Some(slot) = ViewReader(index)
            .next_write_slot(known, first)?
            .filter(|slot| *slot <= last)
        {
            slots.push(slot);
            first = slot.saturating_add(1);
        }
    }
    Ok(slots)
}
