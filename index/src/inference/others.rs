//! Memory writes that may be concurrent with the steps of a run: by other threads, and by the
//! kernel for them ([`OtherWriters`]). [`BreakReader`] finds the last event besides the steps, such
//! as a system call or a gap, that may have written memory.

use std::cell::RefCell;
use std::collections::HashMap;
use std::fmt;
use std::ops::Range;

use stepback_machine::Address;
use stepback_parsers::{MarkerKind, Position};

use crate::answers::cell::ThreadId;
use crate::answers::error::{Cancel, QueryError};
use crate::index::Index;
use crate::index::memories::MemoryId;
use crate::inference::kernel_writes::{self, KernelWrites};
use crate::inference::run::{MemoryUse, ThreadRun, run_alone};
use crate::inference::run_slots::RunSlots;
use crate::inference::shared::{self, SharedRanges, StoreStatus};
use crate::read::concurrent;
use crate::read::doubts::{self, BREAKS};
use crate::read::markers::{MarkerReader, WantedMarkers};
use crate::read::slots::SlotReader;
use crate::read::touches::TouchReader;
use crate::store::granules::granules_of;

/// Returns the run of a thread in some slots.
pub(super) fn run_of<'i>(
    index: &'i Index,
    thread: ThreadId,
    slots: &RunSlots,
) -> Result<ThreadRun<'i>, QueryError> {
    let end = slots.pieces.last().map_or(0, |piece| piece.end);
    let shared = shared::shared_before(index, end)?;
    run_beside(index, thread, slots, shared)
}

/// Returns the run of a thread in some slots, for known shared memory.
pub(super) fn run_beside<'i>(
    index: &'i Index,
    thread: ThreadId,
    slots: &RunSlots,
    shared: SharedRanges,
) -> Result<ThreadRun<'i>, QueryError> {
    let run = run_alone(index, thread, slots)?;
    let ends = run
        .steps
        .first()
        .zip(run.steps.last())
        .map(|(first, last)| (first.slot, last.slot));
    let Some((first, last)) = ends else {
        return Ok(run);
    };
    if index.threads().len() == 1 {
        // Traces of whole systems also contain devices, whose values change on their own.
        let has_devices = index.instruction_set(thread).has_windows();
        if shared.is_empty() && !has_devices {
            return Ok(run);
        }
        let reach = move |address, size_bytes, memory_use| {
            has_devices && memory_use == MemoryUse::Loaded
                || is_shared(&shared, address, size_bytes, memory_use)
        };
        return Ok(run.with_others(Box::new(reach)));
    }
    let others = OtherWriters::of(index, thread, first..last.saturating_add(1))?;
    // Without recorded system calls of the other threads, only the stack is known to be private.
    let are_calls_recorded = has_system_calls(index, Position(last), &Cancel::default())?;
    let reach = move |address, size_bytes, memory_use| {
        memory_use != MemoryUse::Stack && !are_calls_recorded
            || is_shared(&shared, address, size_bytes, memory_use)
            || others.reach(address, size_bytes)
    };
    Ok(run.with_others(Box::new(reach)))
}

fn is_shared(shared: &SharedRanges, address: u64, size_bytes: u64, memory_use: MemoryUse) -> bool {
    match memory_use {
        MemoryUse::Stack => shared.reach_stack(address, size_bytes),
        MemoryUse::Stored => shared.reach(address, size_bytes, StoreStatus::Yes),
        MemoryUse::Loaded => shared.reach(address, size_bytes, StoreStatus::No),
    }
}

/// Writes that may be concurrent with a run.
pub(super) struct OtherWriters<'i> {
    /// Returns true if a block of 64 bytes is written in these steps.
    is_written: Box<dyn Fn(u64) -> bool + 'i>,
    known: RefCell<HashMap<u64, bool, foldhash::fast::RandomState>>,
    kernel: KernelWrites,
}

impl fmt::Debug for OtherWriters<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Others")
            .field("known", &self.known)
            .field("kernel", &self.kernel)
            .finish_non_exhaustive()
    }
}

impl<'i> OtherWriters<'i> {
    /// Finds the writes concurrent with a run in these slots; the first and the last slot are steps
    /// of the run.
    pub fn of(index: &'i Index, thread: ThreadId, slots: Range<u64>) -> Result<Self, QueryError> {
        let Some(concurrent) = concurrent::activity_during(index, thread, &slots)? else {
            let is_written = Box::new(|_| true);
            return Ok(Self {
                is_written,
                known: RefCell::default(),
                kernel: KernelWrites::Anywhere,
            });
        };
        let kernel = kernel_writes::writes(index, &concurrent)?;
        let reader = TouchReader::in_memory(index, index.memories().of(thread));
        // Unreadable data counts as a write.
        let is_written = move |granule| {
            concurrent
                .blocks
                .iter()
                .any(|slots| reader.is_written(granule, slots).unwrap_or(true))
        };
        Ok(Self {
            is_written: Box::new(is_written),
            known: RefCell::default(),
            kernel,
        })
    }

    /// Returns true if some of these bytes, or others in their blocks, may have been written.
    pub fn reach(&self, address: u64, size_bytes: u64) -> bool {
        let is_written = |granule| {
            *self
                .known
                .borrow_mut()
                .entry(granule)
                .or_insert_with(|| (self.is_written)(granule))
        };
        self.kernel.reach(address, size_bytes)
            || granules_of(Address(address), size_bytes).any(|(granule, _)| is_written(granule))
    }
}

/// Maximum number of threads; with more, memory is not inferred.
const THREADS: usize = 256;
/// Maximum number of system calls to examine per thread.
const SYSTEM_CALLS: usize = 256;

/// Returns true if the trace records system calls.
pub(super) fn has_system_calls(
    index: &Index,
    at: Position,
    cancel: &Cancel,
) -> Result<bool, QueryError> {
    let recordings = doubts::recordings(index, at, cancel)?;
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
    index: &Index,
    memory: Option<MemoryId>,
    at: Position,
    cancel: &Cancel,
) -> Result<Option<u64>, QueryError> {
    let threads = index.threads().len();
    if threads > THREADS {
        return Ok(Some(at.0));
    }
    let mut last = None;
    for number in 0..threads {
        let thread = ThreadId(u16::try_from(number).unwrap_or(u16::MAX));
        if memory.is_some() && index.memories().of(thread) != memory {
            continue;
        }
        last = last.max(last_break_of(index, thread, at, cancel)?);
    }
    Ok(last)
}

fn last_break_of(
    index: &Index,
    thread: ThreadId,
    at: Position,
    cancel: &Cancel,
) -> Result<Option<u64>, QueryError> {
    let wanted = WantedMarkers {
        kinds: &BREAKS,
        thread: Some(thread),
    };
    let event = MarkerReader(index)
        .last(wanted, at, cancel)?
        .last()
        .map(|hit| hit.position);
    let last = event.max(last_writing_call(index, thread, at, cancel)?);
    let Some(position) = last else {
        return Ok(None);
    };
    let next = SlotReader(index).next_step_of(thread, position)?;
    Ok(Some(next.map_or(at.0, |next| next.0.min(at.0))))
}

/// Returns the last system call of a thread that may have written memory.
fn last_writing_call(
    index: &Index,
    thread: ThreadId,
    mut at: Position,
    cancel: &Cancel,
) -> Result<Option<Position>, QueryError> {
    let set = index.instruction_set(thread);
    for _ in 0..SYSTEM_CALLS {
        let wanted = WantedMarkers {
            kinds: &[MarkerKind::SYSTEM_CALL],
            thread: Some(thread),
        };
        let calls = MarkerReader(index).last(wanted, at, cancel)?;
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
