//! Memory that the kernel wrote for other threads while a thread made some steps.

use std::ops::Range;

use stepback_machine::linux::{SystemCallWrite, SystemCallWriteCondition, SystemCallWriteLength};
use stepback_machine::{RegisterId, RegisterView, Registers};
use stepback_parsers::{GapReason, Marker, MarkerKind, Position};

use crate::answers::cell::{MemoryRange, ThreadId};
use crate::answers::error::{Cancel, QueryError};
use crate::answers::index_info::MarkerHit;
use crate::index::Index;
use crate::inference::run_slots::StepRadius;
use crate::inference::shared::SharedReader;
use crate::inference::snapshot::registers_alone;
use crate::read::concurrent::{ConcurrentActivity, ConcurrentReader};
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
/// Steps to follow around a system call, to determine its arguments.
const AROUND: StepRadius = StepRadius {
    before: 96,
    behind: 64,
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

/// Finds memory that the kernel wrote.
pub(super) struct KernelReader<'a>(pub &'a Index);

impl KernelReader<'_> {
    /// Returns the memory that the kernel wrote for other threads at the time of some steps.
    pub fn writes(&self, concurrent: &ConcurrentActivity) -> Result<KernelWrites, QueryError> {
        let mut pieces = Vec::new();
        let mut left = ScanBudget {
            events: EVENTS,
            slots: LOOKED_AT,
        };
        for (thread, slots) in &concurrent.markers {
            let Some(events) = self.events(*thread, slots, &mut left)? else {
                return Ok(KernelWrites::Anywhere);
            };
            for hit in events {
                let Some(written) = self.written_by(&hit)? else {
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
        &self,
        thread: ThreadId,
        slots: &Range<u64>,
        left: &mut ScanBudget,
    ) -> Result<Option<Vec<MarkerHit>>, QueryError> {
        let reader = ConcurrentReader(self.0);
        let is_coarse = self.0.source().is_clock_coarse();
        let mut hits = Vec::new();
        for kind in KINDS {
            let mut from = slots.start;
            while let Some(slot) = reader
                .next(thread, kind, from)?
                .filter(|slot| *slot < slots.end)
            {
                from = slot.saturating_add(1);
                let Some(slots_left) = left.slots.checked_sub(1) else {
                    return Ok(None);
                };
                left.slots = slots_left;
                if is_coarse
                    && slot == slots.start
                    && !reader.is_behind_times(thread, slot, kind)?
                {
                    continue;
                }
                let wanted = WantedMarkers {
                    kinds: &[kind],
                    thread: Some(thread),
                };
                let found = MarkerReader(self.0).markers_in(&[slot], wanted)?;
                for hit in found.into_iter().filter(|hit| !self.is_harmless(hit)) {
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

    fn is_harmless(&self, hit: &MarkerHit) -> bool {
        let set = self.0.instruction_set(hit.thread);
        hit.marker.kind == MarkerKind::SYSTEM_CALL
            && set
                .system_call_writes(hit.marker.value)
                .is_some_and(<[SystemCallWrite]>::is_empty)
    }

    /// Returns whether a system call or a signal may have written some bytes.
    pub fn may_reach(&self, hit: &MarkerHit, range: MemoryRange) -> Result<bool, QueryError> {
        let (address, size_bytes) = (range.address.0, range.len_bytes.max(1));
        let set = self.0.instruction_set(hit.thread);
        if hit.marker.kind == MarkerKind::SYSTEM_CALL
            && set.system_call_changes_files(hit.marker.value)
        {
            let shared = SharedReader(self.0).before(hit.position.0)?;
            if shared.reach_stack(address, size_bytes) {
                return Ok(true);
            }
        }
        let written = self
            .written_by(hit)?
            .map_or(KernelWrites::Anywhere, KernelWrites::Pieces);
        Ok(written.reach(address, size_bytes))
    }

    /// Returns true if a thread ends at a position without another step.
    fn ends_behind(&self, thread: ThreadId, position: Position) -> Result<bool, QueryError> {
        if SlotReader(self.0).next_step_of(thread, position)?.is_some() {
            return Ok(false);
        }
        let wanted = WantedMarkers {
            kinds: &[MarkerKind::THREAD_EXIT],
            thread: Some(thread),
        };
        let exit = MarkerReader(self.0).last_slot(wanted, self.0.end(), &Cancel::default())?;
        Ok(exit.is_some_and(|slot| slot >= position.0))
    }

    /// Returns the first and last addresses that an event may have written; `None` if unknown.
    fn written_by(&self, hit: &MarkerHit) -> Result<Option<Vec<(u64, u64)>>, QueryError> {
        let MarkerHit {
            thread,
            marker: Marker { kind, value },
            position,
            ..
        } = *hit;
        let set = self.0.instruction_set(thread);
        match kind {
            // The signal killed the thread: no handler ran, so there is no signal frame.
            MarkerKind::KERNEL_EVENT if self.ends_behind(thread, position)? => Ok(Some(Vec::new())),
            MarkerKind::KERNEL_EVENT => {
                let stack = RegisterView::new(RegisterId::SP, 0, set.word_bytes());
                let known = registers_alone(self.0, thread, position.0, AROUND, &[stack])?;
                let lowest = known.first().copied().flatten();
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
                let arguments = registers_alone(self.0, thread, step.0, AROUND, &views)?;
                let argument = |number: usize| arguments.get(number).copied().flatten();
                let pieces = parts
                    .iter()
                    .filter(|part| may_happen(part.only_if, &argument));
                Ok(pieces.map(|part| piece(part, &argument)).collect())
            }
            _ => Ok(None),
        }
    }
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
