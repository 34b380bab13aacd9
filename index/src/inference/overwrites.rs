//! Reasons why memory may have changed since a step wrote it: system calls and signals that may
//! have written there.
//!
//! A call counts only if it can reach the bytes, judging by the arguments that the surrounding
//! steps show. A call that removes mappings writes nothing: the bytes change when a later call maps
//! them anew, which is possible only if nothing accessed their page in between.

use std::sync::atomic::Ordering;

use stepback_machine::Address;
use stepback_parsers::{MarkerKind, Position};

use crate::answers::cell::{MemoryRange, ThreadId};
use crate::answers::error::{Cancel, QueryError};
use crate::answers::index_info::MarkerHit;
use crate::answers::step_record::Doubt;
use crate::index::Index;
use crate::index::memories::MemoryId;
use crate::inference::kernel_writes::{self, PAGE};
use crate::read::call_gaps::{self, note_harmless};
use crate::read::doubts::{self, GAPS};
use crate::read::markers::{MarkerReader, WantedMarkers};
use crate::read::slots::{SlotReader, ThreadSlot};
use crate::read::touches::{TouchFilter, TouchReader};
use crate::store::granules::granules_of;

/// Maximum number of slots with system calls to examine.
const LOOKED_AT: usize = 4096;
/// Maximum number of calls and signals whose arguments are examined; every further one may have
/// written.
const EXAMINED: usize = 16;

/// Finds events that may have overwritten some bytes.
pub(crate) struct OverwriteReader<'a> {
    index: &'a Index,
    /// The bytes; `None` if their addresses are unknown: then every call that writes at all may
    /// have written them.
    range: Option<MemoryRange>,
    /// Only threads with access to this memory can have written them; `None` if all threads share
    /// it.
    memory: Option<MemoryId>,
    /// Remaining number of calls whose arguments may be examined.
    left: usize,
}

impl<'a> OverwriteReader<'a> {
    pub(crate) fn new(index: &'a Index, range: Option<MemoryRange>) -> Self {
        Self {
            index,
            range,
            memory: None,
            left: EXAMINED,
        }
    }

    /// Returns the reason why memory that a thread wrote in a slot may have changed until a
    /// position. If none of the examined system calls can have changed it, the earliest one counts
    /// as a possible writer.
    pub(crate) fn overtaken(
        mut self,
        done: ThreadSlot,
        until: Position,
        cancel: &Cancel,
    ) -> Result<Option<Doubt>, QueryError> {
        self.memory = self.index.memories().of(done.thread);
        let doubt = match self.last_change(done.slot, until, cancel)? {
            Some(doubt) => Some(doubt),
            None => self.late_call(done, cancel)?,
        };
        Ok(doubt.or(doubts::memory_doubt(self.index, until, cancel)?))
    }

    /// Returns the reason why memory that nothing wrote may have changed until a slot of a thread
    /// with access to it.
    pub(crate) fn untouched(
        mut self,
        seen: ThreadSlot,
        cancel: &Cancel,
    ) -> Result<Option<Doubt>, QueryError> {
        let until = Position(seen.slot);
        self.memory = self.index.memories().of(seen.thread);
        let doubt = self.last_change(0, until, cancel)?;
        Ok(doubt.or(doubts::memory_doubt(self.index, until, cancel)?))
    }

    fn last_change(
        &mut self,
        after: u64,
        until: Position,
        cancel: &Cancel,
    ) -> Result<Option<Doubt>, QueryError> {
        let kinds = &[
            &[MarkerKind::SYSTEM_CALL, MarkerKind::KERNEL_EVENT][..],
            &GAPS,
        ]
        .concat();
        let mut at = until;
        // The first call after the examined ones that maps memory.
        let mut mapping = None;
        for looked_at in 1..=LOOKED_AT {
            let hits = MarkerReader(self.index).last(
                WantedMarkers {
                    kinds,
                    thread: None,
                },
                at,
                cancel,
            )?;
            let Some(first) = hits.first().filter(|hit| hit.position.0 >= after) else {
                return Ok(None);
            };
            let position = first.position;
            for hit in hits.into_iter().rev() {
                if !self.sees(hit.thread) {
                    continue;
                }
                let is_call = hit.marker.kind == MarkerKind::SYSTEM_CALL;
                let set = self.index.instruction_set(hit.thread);
                let writer = match is_call && set.system_call_unmaps(hit.marker.value) {
                    true => mapping.as_ref(),
                    false => Some(&hit),
                };
                if let Some(writer) = writer
                    && (looked_at == LOOKED_AT
                        || self.may_reach(&hit)? && !self.is_kept(&hit, writer)?)
                    && let Some(doubt) = doubt_of(writer)
                {
                    return Ok(Some(doubt));
                }
                if is_call && set.system_call_maps(hit.marker.value) {
                    mapping = Some(hit);
                }
            }
            let Some(before) = position.0.checked_sub(1) else {
                return Ok(None);
            };
            at = Position(before);
        }
        Ok(None)
    }

    /// Returns true if a thread has access to the memory.
    fn sees(&self, thread: ThreadId) -> bool {
        self.memory.is_none() || self.index.memories().of(thread) == self.memory
    }

    /// Returns whether a call or a signal may have written some of the bytes.
    fn may_reach(&mut self, hit: &MarkerHit) -> Result<bool, QueryError> {
        let set = self.index.instruction_set(hit.thread);
        if hit.marker.kind == MarkerKind::SYSTEM_CALL
            && !set.system_call_may_write(hit.marker.value)
        {
            return Ok(false);
        }
        let Some(range) = self.range.filter(|_| !GAPS.contains(&hit.marker.kind)) else {
            return Ok(true);
        };
        // It writes a word or two of the thread that ends, not the results of other stores.
        if hit.marker.kind == MarkerKind::SYSTEM_CALL
            && set.system_call_ends_thread(hit.marker.value)
        {
            return Ok(false);
        }
        let Some(left) = self.left.checked_sub(1) else {
            return Ok(true);
        };
        self.left = left;
        kernel_writes::may_reach(self.index, hit, range)
    }

    /// Returns true if some bytes were mapped from a call that removes mappings until another one
    /// maps memory: a step accessed their page in between, or they are in the stack of the caller.
    fn is_kept(&self, removal: &MarkerHit, mapping: &MarkerHit) -> Result<bool, QueryError> {
        let Some(range) = self.range.filter(|_| removal.position < mapping.position) else {
            return Ok(false);
        };
        let reader = SlotReader(self.index);
        let Some(returned) = reader.next_step_of(removal.thread, removal.position)? else {
            return Ok(false);
        };
        if kernel_writes::is_in_stack(self.index, removal, range)? {
            return Ok(true);
        }
        let touches = TouchReader::in_memory(self.index, self.memory);
        let page = Address(range.address.0 & !(PAGE - 1));
        let last = range.address.0.saturating_add(range.len_bytes.max(1) - 1);
        if last - page.0 >= PAGE {
            return Ok(false);
        }
        for (granule, mask) in granules_of(page, PAGE) {
            let touch = touches.next_touch(granule, mask, returned.after().0, TouchFilter::All)?;
            if touch.is_some_and(|touch| touch.slot <= mapping.position.0) {
                return Ok(true);
            }
        }
        Ok(false)
    }

    /// Returns a system call that another thread made before a slot and returned from after it.
    fn late_call(
        &mut self,
        done: ThreadSlot,
        cancel: &Cancel,
    ) -> Result<Option<Doubt>, QueryError> {
        let Some(gaps) = call_gaps::calls_around(self.index, done.slot, cancel)? else {
            return self.late_call_of_any(done, cancel);
        };
        for gap in gaps.into_iter().filter(|gap| gap.thread != done.thread) {
            if !self.sees(gap.thread) || gap.is_harmless.load(Ordering::Relaxed) {
                continue;
            }
            match self.late_call_of(gap.thread, gap.call)? {
                Some(hit) if self.may_reach(&hit)? => return self.blocked(&hit),
                Some(_) => {}
                None => note_harmless(gap),
            }
        }
        Ok(None)
    }

    /// Returns such a system call by examining each thread.
    fn late_call_of_any(
        &mut self,
        done: ThreadSlot,
        cancel: &Cancel,
    ) -> Result<Option<Doubt>, QueryError> {
        let ThreadSlot {
            thread,
            slot: after,
        } = done;
        let Some(at) = after.checked_sub(1).map(Position) else {
            return Ok(None);
        };
        for known in &self.index.contents.markers {
            let other = ThreadId(known.thread);
            if known.kind != MarkerKind::SYSTEM_CALL || other == thread || !self.sees(other) {
                continue;
            }
            let wanted = WantedMarkers {
                kinds: &[MarkerKind::SYSTEM_CALL],
                thread: Some(other),
            };
            // Most threads returned long ago, which the lists show without the text of the call.
            let Some(slot) = MarkerReader(self.index).last_slot(wanted, at, cancel)? else {
                continue;
            };
            if SlotReader(self.index).has_step_between(other, Position(slot), Position(after))? {
                continue;
            }
            match self.late_call_of(other, slot)? {
                Some(hit) if self.may_reach(&hit)? => return self.blocked(&hit),
                _ => {}
            }
        }
        Ok(None)
    }

    /// Returns the doubt for a system call that was still running when the memory was written.
    fn blocked(&self, hit: &MarkerHit) -> Result<Option<Doubt>, QueryError> {
        let Some(step) = hit.step else {
            return Ok(None);
        };
        let returned = SlotReader(self.index).next_step_of(hit.thread, hit.position)?;
        Ok(Some(Doubt::BlockedCall {
            step,
            number: hit.marker.value,
            returned,
        }))
    }

    /// Returns the last system call of a thread in a slot, if it may write when it returns.
    fn late_call_of(&self, thread: ThreadId, slot: u64) -> Result<Option<MarkerHit>, QueryError> {
        let wanted = WantedMarkers {
            kinds: &[MarkerKind::SYSTEM_CALL],
            thread: Some(thread),
        };
        let last = MarkerReader(self.index).markers_in(&[slot], wanted)?.pop();
        let set = self.index.instruction_set(thread);
        Ok(last
            .filter(|hit| hit.step.is_some() && set.system_call_may_write_late(hit.marker.value)))
    }
}

/// Returns the doubt for an event; `None` for events before the first step of their thread.
fn doubt_of(hit: &MarkerHit) -> Option<Doubt> {
    let step = hit.step?;
    Some(match hit.marker.kind {
        MarkerKind::KERNEL_EVENT => Doubt::KernelEvent { step },
        kind if GAPS.contains(&kind) => Doubt::Gap { step },
        _ => Doubt::SystemCall {
            step,
            number: hit.marker.value,
        },
    })
}
