//! Totals of a trace: instructions, accesses and markers per thread, the CPUs that ran the threads,
//! and the memory pages with the most accesses.

use std::cmp::Reverse;
use std::collections::BTreeSet;

use anyhow::Result;
use stepback_index::query::{FindMarkers, HeatMap, HotPage, MemoryOf, PageHeat};
use stepback_index::{Cancel, Index, Query as _, QueryError};
use stepback_machine::{AccessKind, Address};
use stepback_parsers::drmemtrace::Counts;
use stepback_parsers::{
    DistinctAddresses, DistinctCount, EventSink, Flow, MarkerEvent, MarkerKind, MemoryAccess,
    ParseScratch, Position, StepEvent, ThreadNumber,
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
    let mut tally = Tally {
        cancel,
        counts: TraceCounts::default(),
        addresses: DistinctAddresses::default(),
    };
    index.source().parse(
        0..index.text_end(),
        &mut ParseScratch::default(),
        &mut tally,
    )?;
    cancel.check()?;
    for (number, thread) in tally.counts.threads.iter_mut().enumerate() {
        note_distinct(&mut thread.counts, tally.addresses.of_thread(number));
    }
    let mut counts = tally.counts;
    for thread in &counts.threads {
        let (total, counts) = (&mut counts.total, &thread.counts);
        total.instructions += counts.instructions;
        total.loads += counts.loads;
        total.stores += counts.stores;
        total.bytes_read += counts.bytes_read;
        total.bytes_written += counts.bytes_written;
        for (kind, count) in &counts.markers {
            *total.markers.entry(*kind).or_default() += count;
        }
    }
    note_distinct(&mut counts.total, tally.addresses.of_all());
    Ok(counts)
}

fn note_distinct(counts: &mut Counts, found: DistinctCount) {
    (counts.unique_instructions, counts.unique_is_at_least) = (found.count, found.is_at_least);
}

/// Event sink that counts.
struct Tally<'a> {
    cancel: &'a Cancel,
    counts: TraceCounts,
    addresses: DistinctAddresses,
}

impl Tally<'_> {
    fn thread(&mut self, number: ThreadNumber) -> Option<&mut Counts> {
        self.counts
            .threads
            .get_mut(usize::from(number.0))
            .map(|thread| &mut thread.counts)
    }
}

impl EventSink for Tally<'_> {
    fn thread_named(&mut self, _thread: ThreadNumber, name: &str) {
        // Thread numbers ascend in order of appearance.
        self.counts.threads.push(ThreadCounts {
            name: name.to_owned(),
            is_thread: true,
            ..ThreadCounts::default()
        });
    }

    fn begin_step(&mut self, step: &StepEvent<'_>) {
        if let Some(counts) = self.thread(step.thread) {
            counts.instructions += 1;
        }
        self.addresses.insert(usize::from(step.thread.0), step.pc.0);
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

    fn progress(&mut self, _offset: u64) -> Flow {
        if self.cancel.is_cancelled() {
            Flow::Stop
        } else {
            Flow::Continue
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
