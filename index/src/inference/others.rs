//! Writes by other threads, and by the kernel for them, while a thread made the steps of a run.

use std::cell::RefCell;
use std::collections::HashMap;
use std::fmt;
use std::ops::Range;

use stepback_machine::Address;
use stepback_parsers::Position;

use crate::answers::cancel::Cancel;
use crate::answers::error::QueryError;
use crate::answers::thread::ThreadId;
use crate::index::Index;
use crate::inference::breaks::BreakReader;
use crate::inference::kernel_writes::{KernelReader, KernelWrites};
use crate::inference::run::{MemoryUse, ThreadRun, run_alone};
use crate::inference::run_slots::RunSlots;
use crate::inference::shared::{SharedRanges, SharedReader, StoreStatus};
use crate::read::concurrent::ConcurrentReader;
use crate::read::touches::TouchReader;
use crate::store::granules::granules_of;

/// Returns the run of a thread in some slots.
pub(super) fn run_of<'i>(
    index: &'i Index,
    thread: ThreadId,
    slots: &RunSlots,
) -> Result<ThreadRun<'i>, QueryError> {
    let end = slots.pieces.last().map_or(0, |piece| piece.end);
    let shared = SharedReader(index).before(end)?;
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
    let are_calls_recorded =
        BreakReader(index).has_system_calls(Position(last), &Cancel::default())?;
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
        let Some(concurrent) = ConcurrentReader(index).of(thread, &slots)? else {
            let is_written = Box::new(|_| true);
            return Ok(Self {
                is_written,
                known: RefCell::default(),
                kernel: KernelWrites::Anywhere,
            });
        };
        let kernel = KernelReader(index).writes(&concurrent)?;
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
