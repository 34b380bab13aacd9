//! Memory that changes without steps of the trace: shared with other programs or other addresses,
//! or written by the kernel at any time.

use std::ops::{Range, RangeInclusive};
use std::sync::PoisonError;

use stepback_machine::linux::{
    LARGEST_ERROR, MemorySharing, is_fixed_mapping, is_own_mapping, may_be_written,
};
use stepback_machine::{RegisterView, Registers};
use stepback_parsers::{MarkerKind, Step};

use crate::answers::cell::ThreadId;
use crate::answers::error::{Cancel, QueryError};
use crate::answers::index_info::MarkerHit;
use crate::index::Index;
use crate::index::shared_memory::{SharedKind, SharedMemory, SharedPiece};
use crate::inference::engine::{Circumstances, Engine};
use crate::inference::others::run_beside;
use crate::inference::run::run_alone;
use crate::inference::run_slots::{RunSlots, StepRadius};
use crate::inference::snapshot::{circumstances, numbers_at, registers_alone};
use crate::read::markers::{MarkerReader, WantedMarkers};
use crate::read::pages;
use crate::read::slots::SlotReader;
use crate::store::segment::meta::{SHARING_CALLS, Section};
use crate::store::segment::reader::damaged;

/// Maximum number of system calls to examine; after more, any memory may be shared.
const CALLS: usize = 4096;
/// Maximum number of pieces; after more, any memory may be shared.
const PIECES: usize = 1024;
/// Steps to follow around a system call, to determine its arguments and its result.
const ARGUMENTS: StepRadius = StepRadius {
    before: 96,
    after: 64,
};
/// Steps to follow after one to determine its result, if those do not suffice.
const RESULT: StepRadius = StepRadius {
    before: 0,
    after: 2048,
};
/// Steps to follow before one in which its arguments may have been saved and restored.
const SAVED: StepRadius = StepRadius {
    before: 2048,
    after: 0,
};
/// Steps to follow around one to determine the base of the thread's segment.
const AREA: StepRadius = StepRadius {
    before: 256,
    after: 1024,
};
/// Number of arguments that matter.
const LAST_ARGUMENT: usize = 4;

/// Assumed length in bytes of the area of a thread that the kernel writes, if unknown (`struct
/// rseq`).
const AREA_BYTES: u64 = 256;
/// Maximum distance in bytes of that area from the base of the thread's segment (`__rseq_offset`).
const AREA_DISTANCE: u64 = 4096;
/// Page size in bytes: mappings are whole pages.
const PAGE: u64 = 4096;

/// Memory that may be shared at some time.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct SharedRanges(Vec<SharedPiece>);

impl SharedRanges {
    /// Returns true if memory may change without a step. `is_stored` states whether steps store
    /// there.
    pub fn reach(&self, address: u64, size_bytes: u64, is_stored: StoreStatus) -> bool {
        let last = address.saturating_add(size_bytes.saturating_sub(1));
        let may_be = |piece: &SharedPiece| {
            piece.kind == SharedKind::Writable || is_stored == StoreStatus::No
        };
        self.0
            .iter()
            .any(|piece| piece.reaches(address, last) && may_be(piece))
    }

    /// Returns true if memory near the stack pointer may change without a step. A read-only piece
    /// at an unknown address is no stack.
    pub fn reach_stack(&self, address: u64, size_bytes: u64) -> bool {
        let last = address.saturating_add(size_bytes.saturating_sub(1));
        let may_be =
            |piece: &SharedPiece| piece.kind == SharedKind::Writable || !piece.is_anywhere();
        self.0
            .iter()
            .any(|piece| piece.reaches(address, last) && may_be(piece))
    }

    /// Returns true if nothing is shared.
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }
}

/// Distinguishes bytes that steps store into from others.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum StoreStatus {
    Yes,
    No,
}

/// A system call that shares memory.
#[derive(Clone, Copy, Debug)]
struct SharingCall {
    /// Slot of its marker.
    slot: u64,
    thread: ThreadId,
    /// The calling step.
    step: Step,
    /// Kind of sharing.
    sharing: MemorySharing,
}

/// A mapping as described by the known arguments of its call.
#[derive(Clone, Copy, Debug)]
struct MappingRequest {
    /// First address, if the program chose it.
    first: Option<u64>,
    length: Option<u64>,
    kind: SharedKind,
}

/// Returns the memory that was shared before a slot. Cost: follows the steps around each
/// sharing system call, once.
pub(super) fn shared_before(index: &Index, slot: u64) -> Result<SharedRanges, QueryError> {
    let wanted = WantedMarkers {
        kinds: &[SHARING_CALLS],
        thread: None,
    };
    let segments = MarkerReader(index).segments_with_markers(wanted);
    let mut shared = kernel_pages(index);
    shared.0.extend(moving_pages(index)?);
    if segments.is_empty() {
        return Ok(shared);
    }
    let mut known = index
        .caches
        .shared
        .lock()
        .unwrap_or_else(PoisonError::into_inner);
    go_on(index, slot, &segments, &mut known)?;
    shared
        .0
        .extend(known.pieces.iter().take_while(|piece| piece.slot < slot));
    Ok(shared)
}

/// Returns the memory that the kernel shares with every program.
fn kernel_pages(index: &Index) -> SharedRanges {
    let piece = |pages: &Range<u64>| {
        let last = pages
            .end
            .checked_sub(1)
            .filter(|last| *last >= pages.start)?;
        Some(SharedPiece {
            slot: 0,
            first: pages.start,
            last,
            kind: SharedKind::ReadOnly,
        })
    };
    SharedRanges(
        index
            .program()
            .kernel_pages()
            .iter()
            .filter_map(piece)
            .collect(),
    )
}

/// Returns virtual pages that change their physical page, and those that share one: their
/// contents change without a store to their addresses.
fn moving_pages(index: &Index) -> Result<Vec<SharedPiece>, QueryError> {
    if pages::translation_count(index) == 0 {
        return Ok(Vec::new());
    }
    let pages = pages::all_mappings(index, &Cancel::default())?;
    let Some(pages) = pages.filter(|pages| pages.moving().len() <= PIECES) else {
        return Ok(vec![SharedPiece::anywhere(0)]);
    };
    let piece = |range: &RangeInclusive<u64>| {
        let (first, last) = (*range.start(), *range.end());
        SharedPiece {
            slot: 0,
            first,
            last,
            kind: SharedKind::Writable,
        }
    };
    Ok(pages.moving().iter().map(piece).collect())
}

/// Examines the system calls before a slot that were not examined yet.
fn go_on(
    index: &Index,
    slot: u64,
    segments: &[u32],
    known: &mut SharedMemory,
) -> Result<(), QueryError> {
    let wanted = WantedMarkers {
        kinds: &[SHARING_CALLS],
        thread: None,
    };
    let first = segments.partition_point(|number| *number < known.segment);
    for number in segments.iter().skip(first) {
        let Some(segment) = index.segment(*number as usize) else {
            return Ok(());
        };
        if *number != known.segment {
            (known.segment, known.from) = (*number, 0);
        }
        for list in MarkerReader(index).marker_lists(&segment, wanted)? {
            while let Some(next) = list
                .first_from(known.from)
                .map_err(|_| damaged(Section::Registers))?
            {
                let found = segment.meta.step_base.saturating_add(u64::from(next));
                if found >= slot {
                    return Ok(());
                }
                look_at(index, found, known)?;
                known.from = next.saturating_add(1);
            }
        }
    }
    Ok(())
}

/// Examines the system calls of a slot.
fn look_at(index: &Index, slot: u64, known: &mut SharedMemory) -> Result<(), QueryError> {
    let wanted = WantedMarkers {
        kinds: &[MarkerKind::SYSTEM_CALL],
        thread: None,
    };
    for hit in MarkerReader(index).markers_in(&[slot], wanted)? {
        let MarkerHit {
            thread,
            step,
            marker,
            ..
        } = hit;
        let Some(sharing) = index
            .instruction_set(thread)
            .system_call_shares(marker.value)
        else {
            continue;
        };
        known.calls += 1;
        let is_too_much = known.calls > CALLS || known.pieces.len() >= PIECES;
        let found = match step.filter(|_| !is_too_much) {
            Some(step) => shared_by(
                index,
                SharingCall {
                    slot,
                    thread,
                    step,
                    sharing,
                },
                known,
            )?,
            None => Some(SharedPiece::anywhere(slot)),
        };
        let is_new = |found: &SharedPiece| known.pieces.iter().all(|known| !known.covers(found));
        known.pieces.extend(found.filter(is_new));
    }
    Ok(())
}

/// Returns the memory that a system call shares; `None` if it shares none.
fn shared_by(
    index: &Index,
    call: SharingCall,
    known: &SharedMemory,
) -> Result<Option<SharedPiece>, QueryError> {
    let arguments = arguments(index, call, known)?;
    let argument = |number: usize| arguments.get(number).copied().flatten();
    let (slot, kind) = (call.slot, SharedKind::Writable);
    match call.sharing {
        MemorySharing::Anywhere => Ok(Some(SharedPiece::anywhere(slot))),
        MemorySharing::Area { address, length } => {
            let length = argument(length).unwrap_or(AREA_BYTES);
            let whole = |first: u64| {
                Some(SharedPiece {
                    slot,
                    first,
                    last: end_of(first, length),
                    kind,
                })
            };
            argument(address).map_or_else(|| area(index, call), |first| Ok(whole(first)))
        }
        MemorySharing::Mapped { flags, .. } if argument(flags).is_some_and(is_own_mapping) => {
            Ok(None)
        }
        MemorySharing::Mapped {
            length,
            protection,
            flags,
        } => {
            let is_fixed = argument(flags).is_some_and(is_fixed_mapping);
            let fixed = argument(0).filter(|_| is_fixed);
            let is_written = argument(protection).is_none_or(may_be_written);
            let kind = if is_written {
                SharedKind::Writable
            } else {
                SharedKind::ReadOnly
            };
            mapping(
                index,
                call,
                MappingRequest {
                    first: fixed,
                    length: argument(length),
                    kind,
                },
            )
        }
        MemorySharing::Moved {
            from,
            length,
            new_length,
        } => {
            let old = argument(from)
                .map(|first| (first, end_of(first, argument(length).unwrap_or(u64::MAX))));
            let is_in =
                |piece: &SharedPiece| old.is_none_or(|(first, last)| piece.reaches(first, last));
            if !known
                .pieces
                .iter()
                .filter(|piece| piece.is_mapping())
                .any(is_in)
            {
                return Ok(None);
            }
            mapping(
                index,
                call,
                MappingRequest {
                    first: None,
                    length: argument(new_length),
                    kind,
                },
            )
        }
        MemorySharing::Attached => mapping(
            index,
            call,
            MappingRequest {
                first: None,
                length: None,
                kind,
            },
        ),
    }
}

/// Returns the location of a mapping that a system call makes.
fn mapping(
    index: &Index,
    call: SharingCall,
    known: MappingRequest,
) -> Result<Option<SharedPiece>, QueryError> {
    let MappingRequest {
        first,
        length,
        kind,
    } = known;
    let first = match first {
        Some(first) => first,
        None => match result(index, call)? {
            // The call failed.
            Some(first) if first.wrapping_neg() <= LARGEST_ERROR => return Ok(None),
            Some(first) => first,
            None => {
                return Ok(Some(SharedPiece {
                    kind,
                    ..SharedPiece::anywhere(call.slot)
                }));
            }
        },
    };
    let piece = match length {
        // If steps store into a read-only mapping, a later call may have permitted it.
        Some(length) => SharedPiece {
            slot: call.slot,
            first,
            last: end_of(first, length),
            kind: SharedKind::Writable,
        },
        None => SharedPiece {
            slot: call.slot,
            first,
            last: room_above(index, call, first)?,
            kind,
        },
    };
    Ok(Some(piece))
}

/// Returns the last address that a mapping at `first` can reach: it does not replace the code
/// of its caller.
fn room_above(index: &Index, call: SharingCall, first: u64) -> Result<u64, QueryError> {
    let pc = SlotReader(index)
        .step_of(call.step.after().0)?
        .map(|(_, step)| step.pc.0);
    let page = pc.map(|pc| pc / PAGE * PAGE).filter(|page| *page > first);
    Ok(page.map_or(u64::MAX, |page| page - 1))
}

/// Returns the area that the kernel writes for a thread, if the address of the registration is
/// unknown: near the base of its segment.
fn area(index: &Index, call: SharingCall) -> Result<Option<SharedPiece>, QueryError> {
    let run = run_alone(
        index,
        call.thread,
        &RunSlots::single(index, AREA.of(index, call.step.0..call.step.0)),
    )?;
    let mut engine = Engine::new(
        &run,
        Circumstances {
            is_memory_followed: false,
            ..circumstances(index)
        },
    );
    (0..run.steps.len()).for_each(|place| engine.step(place));
    Ok(engine.thread_block.map(|block| SharedPiece {
        slot: call.slot,
        first: block.saturating_sub(AREA_DISTANCE),
        last: block.saturating_add(AREA_DISTANCE),
        kind: SharedKind::Writable,
    }))
}

/// Returns the known arguments of a system call.
fn arguments(
    index: &Index,
    call: SharingCall,
    known: &SharedMemory,
) -> Result<Vec<Option<u64>>, QueryError> {
    let set = index.instruction_set(call.thread);
    let kept = set.abi().system_calls.kept_arguments;
    let names = if kept.is_empty() {
        set.abi().arguments
    } else {
        kept
    };
    let views: Vec<RegisterView> = names
        .iter()
        .filter_map(|name| Registers::view(name, set))
        .collect();
    let near = registers_alone(index, call.thread, call.step.0, ARGUMENTS, &views)?;
    if near.iter().take(LAST_ARGUMENT).all(Option::is_some) {
        return Ok(near);
    }
    // They may have been saved on the stack, as when a function is called for the first time.
    let slots = RunSlots::single(index, SAVED.of(index, call.step.0..call.step.0));
    let run = run_beside(
        index,
        call.thread,
        &slots,
        SharedRanges(known.pieces.clone()),
    )?;
    let far = numbers_at(&run, call.step.0, circumstances(index), &views);
    Ok(near
        .into_iter()
        .zip(far)
        .map(|(near, far)| near.or(far))
        .collect())
}

fn result(index: &Index, call: SharingCall) -> Result<Option<u64>, QueryError> {
    let set = index.instruction_set(call.thread);
    let Some(view) = set.abi().result.and_then(|name| Registers::view(name, set)) else {
        return Ok(None);
    };
    for around in [ARGUMENTS, RESULT] {
        let found = registers_alone(index, call.thread, call.step.after().0, around, &[view])?;
        if let Some(result) = found.first().copied().flatten() {
            return Ok(Some(result));
        }
    }
    Ok(None)
}

/// Returns the last address of `length` bytes.
fn end_of(first: u64, length: u64) -> u64 {
    first.saturating_add(length.saturating_sub(1))
}
