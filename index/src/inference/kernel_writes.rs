//! Memory that the kernel wrote for other threads while a thread made some steps.

use std::ops::Range;

use stepback_machine::linux::{SystemCallWrite, SystemCallWriteCondition, SystemCallWriteLength};
use stepback_machine::{RegisterId, RegisterView, Registers};
use stepback_parsers::{GapReason, Marker, MarkerKind, Position};

use crate::answers::cell::{Direction, MemoryRange, ThreadId};
use crate::answers::error::{Cancel, QueryError};
use crate::answers::index_info::MarkerHit;
use crate::index::Index;
use crate::inference::run_slots::StepRadius;
use crate::inference::shared;
use crate::inference::snapshot::registers_alone;
use crate::read::concurrent::{self, ConcurrentActivity};
use crate::read::markers::{MarkerReader, WantedMarkers};
use crate::read::slots::SlotReader;

/// Maximum number of events of other threads to examine; with more, anything may have been written.
const EVENTS: usize = 16;
/// Maximum number of slots of other threads to search for markers, including those of harmless
/// system calls: each slot is read again.
const LOOKED_AT: usize = 512;
/// Maximum size in bytes of a signal frame with the state of all units of a processor, including
/// the gap to the previous stack.
const FRAME_BYTES: u64 = 32 << 10;
/// Smallest page size in bytes.
pub const PAGE: u64 = 4096;
/// Steps to follow around a system call, to determine its arguments.
const AROUND: StepRadius = StepRadius {
    before: 96,
    after: 64,
};

/// Markers after which the memory of other threads may have changed without a step.
const KINDS: [MarkerKind; 6] = [
    MarkerKind::SYSTEM_CALL,
    MarkerKind::KERNEL_EVENT,
    MarkerKind::UNCOMPLETED,
    GapReason::Lost.kind(),
    GapReason::Off.kind(),
    GapReason::Contradiction.kind(),
];

/// Memory that may have been written without a step.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum KernelWrites {
    Anywhere,
    /// First and last address of each piece.
    Pieces(Vec<(u64, u64)>),
}

impl KernelWrites {
    /// Returns true if some of these bytes may have been written.
    pub fn reach(&self, address: u64, size_bytes: u64) -> bool {
        let end = address.saturating_add(size_bytes);
        match self {
            Self::Anywhere => true,
            Self::Pieces(pieces) => pieces
                .iter()
                .any(|(first, last)| *first < end && address <= *last),
        }
    }
}

/// Remaining budget of the search.
struct ScanBudget {
    events: usize,
    slots: usize,
}

/// Returns the memory that the kernel wrote for other threads at the time of some steps.
pub(super) fn writes(
    index: &Index,
    concurrent: &ConcurrentActivity,
) -> Result<KernelWrites, QueryError> {
    let mut pieces = Vec::new();
    let mut left = ScanBudget {
        events: EVENTS,
        slots: LOOKED_AT,
    };
    for (thread, slots) in &concurrent.markers {
        let Some(events) = events(index, *thread, slots, &mut left)? else {
            return Ok(KernelWrites::Anywhere);
        };
        for hit in events {
            let Some(written) = written_by(index, &hit)? else {
                return Ok(KernelWrites::Anywhere);
            };
            pieces.extend(written);
        }
    }
    Ok(KernelWrites::Pieces(pieces))
}

/// Returns the events of a thread in some slots, without those that were over before the first
/// time in the range. `None` if there are too many.
fn events(
    index: &Index,
    thread: ThreadId,
    slots: &Range<u64>,
    left: &mut ScanBudget,
) -> Result<Option<Vec<MarkerHit>>, QueryError> {
    let is_coarse = index.source().is_clock_coarse();
    let mut hits = Vec::new();
    for kind in KINDS {
        let mut from = slots.start;
        while let Some(slot) =
            concurrent::nearest_marker(index, thread, kind, from, Direction::Forward)?
                .filter(|slot| *slot < slots.end)
        {
            from = slot.saturating_add(1);
            let Some(slots_left) = left.slots.checked_sub(1) else {
                return Ok(None);
            };
            left.slots = slots_left;
            if is_coarse
                && slot == slots.start
                && !concurrent::is_after_times(index, thread, slot, kind)?
            {
                continue;
            }
            let wanted = WantedMarkers {
                kinds: &[kind],
                thread: Some(thread),
            };
            let found = MarkerReader(index).markers_in(&[slot], wanted)?;
            for hit in found.into_iter().filter(|hit| !is_harmless(index, hit)) {
                let Some(events_left) = left.events.checked_sub(1) else {
                    return Ok(None);
                };
                left.events = events_left;
                hits.push(hit);
            }
        }
    }
    Ok(Some(hits))
}

fn is_harmless(index: &Index, hit: &MarkerHit) -> bool {
    let set = index.instruction_set(hit.thread);
    hit.marker.kind == MarkerKind::SYSTEM_CALL
        && set
            .system_call_writes(hit.marker.value)
            .is_some_and(<[SystemCallWrite]>::is_empty)
}

/// Returns whether a system call or a signal may have written some bytes.
pub fn may_reach(index: &Index, hit: &MarkerHit, range: MemoryRange) -> Result<bool, QueryError> {
    let (address, size_bytes) = (range.address.0, range.len_bytes.max(1));
    let set = index.instruction_set(hit.thread);
    if hit.marker.kind == MarkerKind::SYSTEM_CALL && set.system_call_changes_files(hit.marker.value)
    {
        let shared = shared::shared_before(index, hit.position.0)?;
        if shared.reach_stack(address, size_bytes) {
            return Ok(true);
        }
    }
    let written = written_by(index, hit)?.map_or(KernelWrites::Anywhere, KernelWrites::Pieces);
    Ok(written.reach(address, size_bytes))
}

/// Returns true if a thread ends at a position without another step.
fn ends_after(index: &Index, thread: ThreadId, position: Position) -> Result<bool, QueryError> {
    if SlotReader(index).next_step_of(thread, position)?.is_some() {
        return Ok(false);
    }
    let wanted = WantedMarkers {
        kinds: &[MarkerKind::THREAD_EXIT],
        thread: Some(thread),
    };
    let exit = MarkerReader(index).last_slot(wanted, index.end(), &Cancel::default())?;
    Ok(exit.is_some_and(|slot| slot >= position.0))
}

/// Returns the first and last addresses that an event may have written; `None` if unknown.
fn written_by(index: &Index, hit: &MarkerHit) -> Result<Option<Vec<(u64, u64)>>, QueryError> {
    let MarkerHit {
        thread,
        marker: Marker { kind, value },
        position,
        ..
    } = *hit;
    let set = index.instruction_set(thread);
    match kind {
        // The signal killed the thread: no handler ran, so there is no signal frame.
        MarkerKind::KERNEL_EVENT if ends_after(index, thread, position)? => Ok(Some(Vec::new())),
        MarkerKind::KERNEL_EVENT => {
            let lowest = stack_pointer(index, thread, position)?;
            Ok(lowest.map(|lowest| vec![(lowest, lowest.saturating_add(FRAME_BYTES))]))
        }
        MarkerKind::SYSTEM_CALL => {
            let Some((step, parts)) = hit.step.zip(set.system_call_writes(value)) else {
                return Ok(None);
            };
            let kept = set.abi().system_calls.kept_arguments;
            let names = if kept.is_empty() {
                set.abi().arguments
            } else {
                kept
            };
            let views: Vec<_> = names
                .iter()
                .filter_map(|name| Registers::view(name, set))
                .collect();
            let arguments = registers_alone(index, thread, step.0, AROUND, &views)?;
            let argument = |number: usize| arguments.get(number).copied().flatten();
            let pieces = parts
                .iter()
                .filter(|part| may_happen(part.only_if, &argument));
            Ok(pieces.map(|part| piece(part, &argument)).collect())
        }
        _ => Ok(None),
    }
}

/// Returns true if some bytes are in the stack of the thread of an event: from its stack pointer to
/// the page where the stack pointer was at first.
pub fn is_in_stack(index: &Index, hit: &MarkerHit, range: MemoryRange) -> Result<bool, QueryError> {
    let first = SlotReader(index).next_step_of(hit.thread, Position(0))?;
    let Some(top) = first
        .map(|first| stack_pointer(index, hit.thread, first.after()))
        .transpose()?
        .flatten()
    else {
        return Ok(false);
    };
    let lowest = stack_pointer(index, hit.thread, hit.position)?;
    let last = range.address.0.saturating_add(range.len_bytes.max(1) - 1);
    Ok(lowest.is_some_and(|lowest| lowest <= range.address.0) && last <= top | (PAGE - 1))
}

/// Returns the stack pointer of a thread at a position, as the surrounding steps show it.
fn stack_pointer(
    index: &Index,
    thread: ThreadId,
    position: Position,
) -> Result<Option<u64>, QueryError> {
    let size_bytes = index.instruction_set(thread).word_bytes();
    let view = RegisterView::new(RegisterId::SP, 0, size_bytes);
    let known = registers_alone(index, thread, position.0, AROUND, &[view])?;
    Ok(known.first().copied().flatten())
}

fn may_happen(
    only_if: Option<SystemCallWriteCondition>,
    argument: &impl Fn(usize) -> Option<u64>,
) -> bool {
    only_if.is_none_or(|only_if| {
        argument(only_if.argument)
            .is_none_or(|value| only_if.values.contains(&(value & only_if.mask)))
    })
}

/// Returns the first and last address of a piece, at least one byte.
fn piece(part: &SystemCallWrite, argument: &impl Fn(usize) -> Option<u64>) -> Option<(u64, u64)> {
    let first = argument(part.address)?;
    let length = match part.length {
        SystemCallWriteLength::Bytes(bytes) => u64::from(bytes),
        SystemCallWriteLength::Items { count, bytes } => {
            argument(count)?.saturating_mul(u64::from(bytes))
        }
    };
    Some((first, first.saturating_add(length.saturating_sub(1))))
}
