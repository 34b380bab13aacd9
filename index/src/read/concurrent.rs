//! Steps of other threads that the trace's coarse clock cannot order against some steps.
//!
//! With a coarse clock, the steps of a thread between two of its times form a block. The block is
//! recorded at its first time, but its steps ran at any time up to the second. Steps of others that
//! are recorded before or after it may thus have run meanwhile:
//! ```text
//! time 10 of a    steps of a   <- ran between 10 and 40
//! time 20 of b    steps of b   <- ran between 20 and 30, in the middle of those of a
//! time 30 of b
//! time 40 of a
//! ```

use std::ops::Range;

use stepback_parsers::{MarkerKind, Position};

use crate::answers::cell::{Direction, ThreadId};
use crate::answers::error::QueryError;
use crate::index::Index;
use crate::read::markers::MarkerReader;
use crate::read::segments::nearest_slot;
use crate::read::slots::{SlotEventKind, SlotReader, local_thread};
use crate::store::packed::MalformedEncoding;
use crate::store::segment::meta::{Section, markers_of};
use crate::store::segment::reader::damaged;

/// Maximum number of threads for which concurrent steps are determined: each costs some lookups.
const THREADS: usize = 1024;

/// Activity of other threads during some steps of a thread.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct ConcurrentActivity {
    /// Slots of the others' steps outside the range of the steps themselves.
    pub blocks: Vec<Range<u64>>,
    /// Slots in which markers of the others report activity of that time.
    pub markers: Vec<(ThreadId, Range<u64>)>,
}

/// Returns the activity during a thread's steps of some slots: the first and the last of the
/// range are of the thread. None if it may be anything. Cost: some lookups for each thread.
pub(crate) fn activity_during(
    index: &Index,
    thread: ThreadId,
    slots: &Range<u64>,
) -> Result<Option<ConcurrentActivity>, QueryError> {
    let threads = index.threads().len();
    if threads > THREADS {
        return Ok(None);
    }
    let others = (0..threads)
        .filter_map(|number| u16::try_from(number).ok())
        .map(ThreadId);
    let others: Vec<ThreadId> = others.filter(|other| *other != thread).collect();
    let (first, last) = (slots.start, slots.end.saturating_sub(1).max(slots.start));
    if !index.source().is_clock_coarse() {
        let end = last.saturating_add(1);
        let markers = others
            .into_iter()
            .map(|other| Ok((other, open_call_start(index, other, first)?..end)));
        return Ok(Some(ConcurrentActivity {
            blocks: Vec::new(),
            markers: markers.collect::<Result<_, QueryError>>()?,
        }));
    }
    // A time in the slot of a step comes after the step.
    let start = last_time(index, thread, first.saturating_sub(1))?.unwrap_or(0);
    let end = nearest_marker(
        index,
        thread,
        MarkerKind::TIMESTAMP,
        last,
        Direction::Forward,
    )?
    .unwrap_or_else(|| index.step_count());
    let mut found = ConcurrentActivity {
        blocks: Vec::new(),
        markers: Vec::new(),
    };
    for other in others {
        let begun = last_time(index, other, start)?.unwrap_or(0);
        found.markers.push((other, begun..end.saturating_add(1)));
        let step = SlotReader(index)
            .next_step_of(other, Position(begun))?
            .map(|step| step.after().0);
        if let Some(first_step) = step.filter(|slot| *slot <= start) {
            let block_end = next_time_of_any(index, first_step)?
                .unwrap_or(start)
                .min(start);
            found.blocks.push(first_step..block_end.saturating_add(1));
        }
    }
    // The first time of any thread is another's, unless it is the thread's own: then the range
    // after it is empty.
    let after =
        next_time_of_any(index, last)?.map(|next| next.saturating_add(1)..end.saturating_add(1));
    found.blocks.extend(after.filter(|after| !after.is_empty()));
    found.blocks = joined(found.blocks);
    Ok(Some(found))
}

/// Returns the slot of the time that begins the block of a thread's step.
pub(crate) fn block_of(index: &Index, thread: ThreadId, slot: u64) -> Result<u64, QueryError> {
    if !index.source().is_clock_coarse() {
        return Ok(slot);
    }
    Ok(last_time(index, thread, slot.saturating_sub(1))?.unwrap_or(0))
}

/// Returns true if a marker in a slot comes after the last time of its thread there: the
/// activity that it reports is not over then.
pub(crate) fn is_after_times(
    index: &Index,
    thread: ThreadId,
    slot: u64,
    kind: MarkerKind,
) -> Result<bool, QueryError> {
    let events = SlotReader(index).events(slot..slot.saturating_add(1))?;
    let own = events.iter().filter(|event| event.thread == thread);
    let mut known = own.filter_map(|event| match event.kind {
        SlotEventKind::Marker(marker) => {
            Some(marker.kind).filter(|known| [kind, MarkerKind::TIMESTAMP].contains(known))
        }
        _ => None,
    });
    Ok(known.next_back() == Some(kind))
}

/// Returns the first slot of a thread's markers about activity not over at a slot: its last
/// system call, unless it continued since.
fn open_call_start(index: &Index, thread: ThreadId, slot: u64) -> Result<u64, QueryError> {
    let Some(call) = nearest_marker(
        index,
        thread,
        MarkerKind::SYSTEM_CALL,
        slot,
        Direction::Back,
    )?
    else {
        return Ok(slot);
    };
    let next = SlotReader(index).next_step_of(thread, Position(call))?;
    Ok(if next.is_none_or(|next| next.after().0 > slot) {
        call
    } else {
        slot
    })
}

fn last_time(index: &Index, thread: ThreadId, at: u64) -> Result<Option<u64>, QueryError> {
    nearest_marker(index, thread, MarkerKind::TIMESTAMP, at, Direction::Back)
}

fn next_time_of_any(index: &Index, from: u64) -> Result<Option<u64>, QueryError> {
    MarkerReader(index).next_slot_of_all(MarkerKind::TIMESTAMP, from)
}

/// Returns the nearest slot, from `bound` on, with such a marker of a thread.
pub(crate) fn nearest_marker(
    index: &Index,
    thread: ThreadId,
    kind: MarkerKind,
    bound: u64,
    direction: Direction,
) -> Result<Option<u64>, QueryError> {
    // The table is sorted by thread and kind.
    let markers = &index.contents.markers;
    let place = markers.binary_search_by_key(&(thread.0, kind), |known| (known.thread, known.kind));
    let Some(known) = place.ok().and_then(|place| markers.get(place)) else {
        return Ok(None);
    };
    nearest_slot(
        index,
        &known.segments,
        bound,
        direction,
        |segment, bound| {
            let Some(local) = local_thread(segment, thread) else {
                return Ok(None);
            };
            let Some(list) = segment.list(local, markers_of(kind))? else {
                return Ok(None);
            };
            list.nearest(bound, direction)
                .map_err(|MalformedEncoding| damaged(Section::Registers))
        },
    )
}

/// Sorts slot ranges and merges those that touch.
fn joined(mut blocks: Vec<Range<u64>>) -> Vec<Range<u64>> {
    blocks.sort_unstable_by_key(|block| block.start);
    blocks.dedup_by(|next, block| {
        let touches = next.start <= block.end;
        if touches {
            block.end = block.end.max(next.end);
        }
        touches
    });
    blocks
}

#[cfg(test)]
mod tests {
    use std::time::{Duration, Instant};

    use stepback_machine::InstructionSet;
    use stepback_machine::flow::RecordedBranch;

    use super::*;
    use crate::builder::build_index::BuildOptions;
    use crate::builder::build_index::index_in_memory;
    use crate::read::far_uses::records::{Record, Records};

    /// Threads that take turns, with a time and some steps each, in segments of a few turns.
    fn index_of(threads: u16) -> Index {
        let turn = |thread: u16| {
            let time = Record::marker(thread, MarkerKind::TIMESTAMP, 1);
            [time]
                .into_iter()
                .chain((0..3).map(move |_| Record::step(thread, 0x1000, 1, RecordedBranch::None)))
        };
        let records = (0..4).flat_map(|_| (0..threads).flat_map(turn)).collect();
        let options = BuildOptions {
            segment_bytes: 160,
            threads: 1,
        };
        index_in_memory(Records::new(records, InstructionSet::X86_64), &options).unwrap()
    }

    /// Measures the search for activity concurrent with a step in the middle.
    fn time_of(index: &Index) -> Duration {
        let slot = index.step_count() / 2;
        let thread = SlotReader(index).thread_at(Position(slot)).unwrap();
        let of = || {
            activity_during(index, thread, &(slot..slot + 1))
                .unwrap()
                .unwrap()
        };
        assert_eq!(of().markers.len(), index.threads().len() - 1);
        let runs = (0..5).map(|_| {
            let start = Instant::now();
            of();
            start.elapsed()
        });
        runs.min().unwrap()
    }

    #[test]
    fn what_ran_at_the_same_time_costs_in_proportion_to_the_threads() {
        let (few, many) = (time_of(&index_of(100)), time_of(&index_of(800)));
        // Eight times the threads; the cube of that would be 512.
        assert!(
            many < 40 * few + Duration::from_millis(5),
            "{many:?} for 800 threads, {few:?} for 100"
        );
    }

    #[test]
    fn turns_that_follow_each_other_are_one_range() {
        let index = index_of(20);
        // The last turn of thread 10 with all others, except for the time between.
        let slot = 60 * 2 + 30 + 2;
        let thread = SlotReader(&index).thread_at(Position(slot)).unwrap();
        let found = activity_during(&index, thread, &(slot..slot + 1))
            .unwrap()
            .unwrap();
        assert!(found.blocks.len() <= 2, "{:?}", found.blocks);
        assert_eq!(
            joined(vec![7..9, 1..3, 3..4, 2..3, 11..12, 8..9]),
            [1..4, 7..9, 11..12]
        );
    }
}
