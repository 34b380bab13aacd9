//! Totals of a trace: instructions, accesses and markers per thread, the CPUs that ran the threads,
//! and the memory pages with the most accesses.

use std::cmp::Reverse;
use std::collections::BTreeSet;
use std::ops::Range;

use anyhow::Result;
use foldhash::HashMap;
use stepback_index::in_order::{map_in_order, parse_part};
use stepback_index::query::{FindMarkers, HeatMap, HotPage, MemoryOf, PageHeat};
use stepback_index::read::SlotReader;
use stepback_index::{Cancel, Index, Query as _, QueryError};
use stepback_machine::{AccessKind, Address};
use stepback_parsers::drmemtrace::Counts;
use stepback_parsers::{
    CodePiece, DistinctAddresses, DistinctCount, EventSink, MarkerEvent, MarkerKind, MemoryAccess,
    Position, StepEvent, ThreadNumber,
};

/// Totals of a trace.
#[derive(Debug, Default)]
pub struct TraceCounts {
    /// Totals over all threads.
    pub total: Counts,
    /// Totals by thread number.
    pub threads: Vec<ThreadCounts>,
}

/// Totals of a thread.
#[derive(Debug, Default)]
pub struct ThreadCounts {
    /// Name in the trace.
    pub name: String,
    pub counts: Counts,
    /// False for a core without a thread to run.
    pub is_thread: bool,
}

/// Counts the events of a trace whose source does not provide counts. Cost: one pass over the
/// trace.
///
/// # Errors
/// The trace could not be read, or the count was cancelled.
pub fn count_events(index: &Index, cancel: &Cancel) -> Result<TraceCounts> {
    let parts = SlotReader(index).text_parts(Position(0)..index.end());
    let count = |part: Result<Range<u64>, QueryError>| {
        cancel.check()?;
        let mut tally = PartTally::default();
        parse_part(index.source().as_ref(), part?, &mut tally)?;
        Ok::<_, QueryError>(tally)
    };
    let mut tally = Tally::default();
    map_in_order(parts, count, |part| {
        tally.add(part);
        Ok(())
    })?;
    for (number, thread) in tally.counts.threads.iter_mut().enumerate() {
        note_distinct(&mut thread.counts, tally.addresses.of_thread(number));
    }
    let mut counts = tally.counts;
    for thread in &counts.threads {
        add_events(&mut counts.total, &thread.counts);
    }
    note_distinct(&mut counts.total, tally.addresses.of_all());
    Ok(counts)
}

fn note_distinct(counts: &mut Counts, found: DistinctCount) {
    (counts.unique_instructions, counts.unique_is_at_least) = (found.count, found.is_at_least);
}

/// Totals of the parts until now.
#[derive(Default)]
struct Tally {
    counts: TraceCounts,
    addresses: DistinctAddresses,
}

impl Tally {
    /// Adds the next part of the trace.
    fn add(&mut self, part: PartTally) {
        let threads = &mut self.counts.threads;
        let mut places = Vec::with_capacity(part.threads.len());
        for ThreadCounts { name, counts, .. } in part.threads {
            let known = threads.iter().position(|thread| thread.name == name);
            let place = known.unwrap_or(threads.len());
            if known.is_none() {
                threads.push(ThreadCounts {
                    name,
                    is_thread: true,
                    ..ThreadCounts::default()
                });
            }
            if let Some(thread) = threads.get_mut(place) {
                add_events(&mut thread.counts, &counts);
            }
            places.push(place);
        }
        for (thread, piece) in part.pieces {
            if let Some(place) = places.get(thread) {
                self.addresses.insert_piece(*place, piece);
            }
        }
    }
}

/// Adds the numbers of events.
fn add_events(total: &mut Counts, counts: &Counts) {
    total.instructions += counts.instructions;
    total.loads += counts.loads;
    total.stores += counts.stores;
    total.bytes_read += counts.bytes_read;
    total.bytes_written += counts.bytes_written;
    for (kind, count) in &counts.markers {
        *total.markers.entry(*kind).or_default() += count;
    }
}

/// Event sink that counts in a part of the trace.
#[derive(Default)]
struct PartTally {
    threads: Vec<ThreadCounts>,
    /// Executed code with the number of its thread, in the order of first execution.
    pieces: Vec<(usize, CodePiece)>,
    /// Indices of the pieces by thread and address.
    places: HashMap<(usize, u64), usize>,
}

impl PartTally {
    fn thread(&mut self, number: ThreadNumber) -> Option<&mut Counts> {
        self.threads
            .get_mut(usize::from(number.0))
            .map(|thread| &mut thread.counts)
    }
}

impl EventSink for PartTally {
    fn thread_named(&mut self, _thread: ThreadNumber, name: &str) {
        // Thread numbers ascend in order of appearance.
        self.threads.push(ThreadCounts {
            name: name.to_owned(),
            ..ThreadCounts::default()
        });
    }

    fn begin_step(&mut self, step: &StepEvent<'_>) {
        if let Some(counts) = self.thread(step.thread) {
            counts.instructions += 1;
        }
        let (thread, piece) = (usize::from(step.thread.0), CodePiece::of(step.pc.0));
        let next = self.pieces.len();
        let place = *self.places.entry((thread, piece.address)).or_insert(next);
        match self.pieces.get_mut(place) {
            Some((_, known)) => known.bits |= piece.bits,
            None => self.pieces.push((thread, piece)),
        }
    }

    fn access(&mut self, access: &MemoryAccess) {
        let Some(counts) = self.thread(access.thread) else {
            return;
        };
        let (count, bytes) = match access.kind {
            AccessKind::Read => (&mut counts.loads, &mut counts.bytes_read),
            AccessKind::Write => (&mut counts.stores, &mut counts.bytes_written),
        };
        *count += 1;
        *bytes += u64::from(access.size_bytes);
    }

    fn marker(&mut self, event: &MarkerEvent) {
        if let Some(counts) = self.thread(event.thread) {
            *counts.markers.entry(event.marker.kind).or_default() += 1;
        }
    }
}

/// Maximum number of CPU changes that are examined.
const CPU_CHANGES: usize = 200_000;

/// Returns the number of CPUs that ran the threads; `None` if there are too many CPU changes.
///
/// # Errors
/// See [`QueryError`].
pub fn cpu_count(index: &Index, cancel: &Cancel) -> Result<Option<usize>, QueryError> {
    let kinds = vec![MarkerKind::CPU];
    let query = FindMarkers {
        kinds,
        thread: None,
        from: Position(0),
        to: index.end(),
        limit: CPU_CHANGES,
    };
    let hits = query.run(index, cancel)?;
    let cpus: BTreeSet<u64> = hits
        .iter()
        .map(|hit| hit.marker.value)
        .filter(|cpu| *cpu != u64::MAX)
        .collect();
    Ok((hits.len() < CPU_CHANGES).then_some(cpus.len()))
}

/// Access counts of a page.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PageTotals {
    /// Process that the memory belongs to, in a trace of several processes.
    pub process: Option<String>,
    /// Address of the first byte.
    pub first: Address,
    /// Number of loads.
    pub reads: u64,
    /// Number of stores.
    pub writes: u64,
}

/// Returns the page size in bytes and the pages that are accessed between two positions, sorted by
/// number of accesses, descending, then by address.
///
/// # Errors
/// See [`QueryError`].
pub fn hot_pages(
    index: &Index,
    from: Position,
    to: Position,
    cancel: &Cancel,
) -> Result<(u64, Vec<PageTotals>), QueryError> {
    let question = PageHeat {
        from,
        to,
        buckets: 1,
    };
    let threads = index.process_threads();
    if threads.is_empty() {
        let heat = question.run(index, cancel)?;
        return Ok((heat.page_bytes, sorted(totals(&heat, None))));
    }
    let (mut page_bytes, mut pages) = (0, Vec::new());
    for thread in threads {
        let heat = MemoryOf {
            thread: Some(thread),
            question,
        }
        .run(index, cancel)?;
        let name = index
            .threads()
            .get(usize::from(thread.0))
            .map_or("", |known| &known.name);
        page_bytes = heat.page_bytes.max(page_bytes);
        pages.extend(totals(&heat, index.source().memory_of(name)));
    }
    Ok((page_bytes, sorted(pages)))
}

fn totals(heat: &HeatMap, process: Option<String>) -> Vec<PageTotals> {
    let sum = |counts: &[u32]| counts.iter().map(|count| u64::from(*count)).sum();
    let total = |page: &HotPage| {
        let (reads, writes) = (sum(&page.reads), sum(&page.writes));
        PageTotals {
            process: process.clone(),
            first: page.first,
            reads,
            writes,
        }
    };
    heat.pages.iter().map(total).collect()
}

fn sorted(mut pages: Vec<PageTotals>) -> Vec<PageTotals> {
    pages.sort_by(|one, other| {
        let key = |page: &PageTotals| (Reverse(page.reads + page.writes), page.first);
        key(one)
            .cmp(&key(other))
            .then_with(|| one.process.cmp(&other.process))
    });
    pages
}

#[cfg(test)]
mod tests {
    use stepback_generator::drmemtrace::Sample;

    use super::*;
    use crate::session::test_session::sample;

    #[test]
    fn totals_are_the_sums_of_the_threads() {
        let (session, _place) = sample(Sample::Threads);
        let counted = count_events(&session.index, &Cancel::default()).unwrap();
        assert!(counted.threads.len() > 1 && !counted.total.markers.is_empty());
        for (kind, total) in &counted.total.markers {
            let of_threads = counted
                .threads
                .iter()
                .filter_map(|thread| thread.counts.markers.get(kind));
            assert_eq!(of_threads.sum::<u64>(), *total, "{kind:?}");
        }
    }
}
