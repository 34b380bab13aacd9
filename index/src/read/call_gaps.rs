//! Threads inside a system call: computed for a segment on first use, since a look at each thread
//! costs milliseconds if there are thousands.

use std::collections::BTreeMap;
use std::sync::atomic::{AtomicBool, Ordering};

use stepback_parsers::{MarkerKind, Position};

use crate::answers::cell::ThreadId;
use crate::answers::error::{Cancel, QueryError};
use crate::index::Index;
use crate::index::system_call_gaps::{CallGap, CallGaps};
use crate::read::markers::{MarkerReader, WantedMarkers};
use crate::read::slots::SlotReader;
use crate::store::packed::{FRAME, PackedList};
use crate::store::segment::meta::{Section, markers_of};
use crate::store::segment::reader::{SegmentReader, damaged};

/// Maximum size in bytes of the cached gaps of all segments: for further segments each thread is
/// examined.
const REMEMBERED_BYTES: usize = 64 << 20;

/// Returns the last system calls of threads before a slot that had not returned by then, by
/// thread. None when the cache is full. Cost: for the first query of a segment some lookups for
/// each thread and its lists, for others the returned calls.
pub(crate) fn calls_around<'a>(
    index: &'a Index,
    slot: u64,
    cancel: &Cancel,
) -> Result<Option<Vec<&'a CallGap>>, QueryError> {
    let wanted = WantedMarkers {
        kinds: &[MarkerKind::SYSTEM_CALL],
        thread: None,
    };
    if MarkerReader(index).segments_with_markers(wanted).is_empty() {
        return Ok(Some(Vec::new()));
    }
    let number = index.segments_with(slot..slot).start;
    let Some(known) = index.caches.call_gaps.get(number) else {
        return Ok(None);
    };
    let gaps = match known.get() {
        Some(gaps) => gaps,
        None => {
            let found = gaps_of_segment(index, number, cancel)?;
            let is_kept = index
                .caches
                .reserve_call_gaps(found.len_bytes(), REMEMBERED_BYTES);
            known.get_or_init(|| is_kept.then_some(found))
        }
    };
    Ok(gaps.as_ref().map(|gaps| {
        let mut around = gaps.around(slot);
        around.sort_unstable_by_key(|gap| gap.thread);
        around
    }))
}

fn gaps_of_segment(index: &Index, number: usize, cancel: &Cancel) -> Result<CallGaps, QueryError> {
    let segment = index.segment(number).ok_or(QueryError::TraceChanged)?;
    let base = segment.meta.step_base;
    // Threads beyond the maximum number share a number.
    let mut threads: BTreeMap<u16, (Vec<u64>, Vec<u64>)> = BTreeMap::new();
    for (local, known) in (0u16..).zip(&segment.meta.threads) {
        let (calls, steps) = threads.entry(known.thread).or_default();
        let of_calls = segment.list(local, markers_of(MarkerKind::SYSTEM_CALL))?;
        // Calls in slot 0 count as made before the segment.
        calls.extend(
            numbers(of_calls)?
                .into_iter()
                .filter(|slot| *slot > 0)
                .map(|slot| base + u64::from(slot)),
        );
        steps.extend(
            steps_of(&segment, local)?
                .into_iter()
                .map(|slot| base + u64::from(slot)),
        );
    }
    let mut found = Vec::new();
    for known in index
        .contents
        .markers
        .iter()
        .filter(|known| known.kind == MarkerKind::SYSTEM_CALL)
    {
        cancel.check()?;
        let thread = ThreadId(known.thread);
        let nothing = Default::default();
        let (calls, steps) = threads.get(&known.thread).unwrap_or(&nothing);
        let before = open_at(index, thread, base, cancel)?;
        let calls: Vec<u64> = before.into_iter().chain(calls.iter().copied()).collect();
        found.extend(gaps_of(thread, &calls, steps));
    }
    Ok(CallGaps::new(found))
}

/// Returns the system call that a thread is inside of in a slot.
fn open_at(
    index: &Index,
    thread: ThreadId,
    slot: u64,
    cancel: &Cancel,
) -> Result<Option<u64>, QueryError> {
    let wanted = WantedMarkers {
        kinds: &[MarkerKind::SYSTEM_CALL],
        thread: Some(thread),
    };
    let Some(call) = MarkerReader(index).last_slot(wanted, Position(slot), cancel)? else {
        return Ok(None);
    };
    let has_returned =
        SlotReader(index).has_step_between(thread, Position(call), Position(slot))?;
    Ok(Some(call).filter(|_| !has_returned))
}

/// Returns the gaps after some calls of a thread, given its steps: both ascend.
fn gaps_of(thread: ThreadId, calls: &[u64], steps: &[u64]) -> Vec<CallGap> {
    let (mut gaps, mut steps) = (Vec::new(), steps.iter().copied().peekable());
    for (place, call) in calls.iter().copied().enumerate() {
        while steps.next_if(|step| *step <= call).is_some() {}
        // From the next call on, that one counts.
        let next_call = calls
            .get(place + 1)
            .map_or(u64::MAX, |next| next.saturating_add(1));
        let until = steps.peek().copied().unwrap_or(u64::MAX).min(next_call);
        if until > call.saturating_add(1) {
            gaps.push(CallGap {
                call,
                until,
                thread,
                is_harmless: AtomicBool::new(false),
            });
        }
    }
    gaps
}

fn steps_of(segment: &SegmentReader<'_>, local: u16) -> Result<Vec<u32>, QueryError> {
    match segment.steps_of_thread(local)? {
        Some(steps) => numbers(Some(steps)),
        // All steps are those of its only thread.
        None if segment.meta.threads.len() <= 1 => Ok((1..=segment.meta.steps).collect()),
        None => Ok(Vec::new()),
    }
}

fn numbers(list: Option<PackedList<'_>>) -> Result<Vec<u32>, QueryError> {
    let Some(list) = list else {
        return Ok(Vec::new());
    };
    let mut numbers = Vec::new();
    for frame in 0..list.len().div_ceil(FRAME) {
        numbers.extend_from_slice(
            list.frame(frame)
                .map_err(|_| damaged(Section::Registers))?
                .numbers(),
        );
    }
    Ok(numbers)
}

/// Records that a call writes nothing late, so that its record is read once.
pub(crate) fn note_harmless(gap: &CallGap) {
    gap.is_harmless.store(true, Ordering::Relaxed);
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(calls: &[u64], steps: &[u64], expected: &[(u64, u64)]) {
        let gaps = gaps_of(ThreadId(0), calls, steps);
        assert_eq!(
            gaps.iter()
                .map(|gap| (gap.call, gap.until))
                .collect::<Vec<_>>(),
            expected
        );
    }

    #[test]
    fn a_gap_reaches_from_a_call_to_the_next_step_or_call() {
        check(&[5], &[3, 5, 6], &[]);
        check(&[5], &[3, 5, 9], &[(5, 9)]);
        check(&[5, 7], &[5, 20], &[(5, 8), (7, 20)]);
        check(&[5], &[5], &[(5, u64::MAX)]);
    }

    #[test]
    fn the_gaps_around_a_slot_are_those_that_began_before_and_end_after_it() {
        let calls = [(0, 1, u64::MAX), (1, 10, 14), (2, 11, 30), (3, 20, 25)];
        let gap = |(thread, call, until)| CallGap {
            call,
            until,
            thread: ThreadId(thread),
            is_harmless: false.into(),
        };
        let gaps = CallGaps::new(calls.map(gap).into());
        let around = |slot| {
            gaps.around(slot)
                .iter()
                .map(|gap| gap.call)
                .collect::<Vec<_>>()
        };
        assert_eq!(around(1), []);
        assert_eq!(around(10), [1]);
        assert_eq!(around(13), [11, 10, 1]);
        assert_eq!(around(14), [11, 1]);
        assert_eq!(around(24), [20, 11, 1]);
        assert_eq!(around(99), [1]);
    }
}
