//! Memory pages by number of accesses.

use std::cmp::Reverse;

use stepback_index::{Cancel, HeatMap, HotPage, Index, MemoryOf, PageHeat, Query as _, QueryError};
use stepback_machine::Address;
use stepback_parsers::Position;

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

/// All pages that are accessed.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct HotPages {
    /// Page size in bytes.
    pub page_bytes: u64,
    /// Sorted by number of accesses, descending, then by address.
    pub pages: Vec<PageTotals>,
}

/// Returns the pages that are accessed between two positions.
///
/// # Errors
/// See [`QueryError`].
pub fn hot_pages(
    index: &Index,
    from: Position,
    to: Position,
    cancel: &Cancel,
) -> Result<HotPages, QueryError> {
    let question = PageHeat {
        from,
        to,
        buckets: 1,
    };
    let threads = index.process_threads();
    if threads.is_empty() {
        let heat = question.run(index, cancel)?;
        return Ok(HotPages {
            page_bytes: heat.page_bytes,
            pages: sorted(totals(&heat, None)),
        });
    }
    let mut all = HotPages::default();
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
        all.page_bytes = all.page_bytes.max(heat.page_bytes);
        all.pages
            .extend(totals(&heat, index.source().memory_of(name)));
    }
    all.pages = sorted(all.pages);
    Ok(all)
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
