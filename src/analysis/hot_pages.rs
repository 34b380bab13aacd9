//! The pages of memory by how often they are accessed.

use std::cmp::Reverse;

use stepback_index::{Cancel, PageHeat, Query as _, QueryError};
use stepback_machine::Address;
use stepback_parsers::Position;

use super::trace_index::TraceIndex;

/// How often a page is accessed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct PageTotals {
    /// Its first byte.
    pub first: Address,
    /// Loads from it.
    pub reads: u64,
    /// Stores to it.
    pub writes: u64,
}

/// All pages that are accessed.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct HotPages {
    /// How large a page is.
    pub page_bytes: u64,
    /// The busiest first, equal ones by address.
    pub pages: Vec<PageTotals>,
}

/// The pages that are accessed between two positions.
///
/// # Errors
/// See [`QueryError`].
pub fn hot_pages(index: &TraceIndex, from: Position, to: Position, cancel: &Cancel) -> Result<HotPages, QueryError> {
    let heat = PageHeat { from, to, buckets: 1 }.run(index, cancel)?;
    let sum = |counts: &[u32]| counts.iter().map(|count| u64::from(*count)).sum();
    let pages = heat.pages.iter();
    let totals = pages.map(|page| PageTotals { first: page.first, reads: sum(&page.reads), writes: sum(&page.writes) });
    let mut pages: Vec<PageTotals> = totals.collect();
    pages.sort_by_key(|page| (Reverse(page.reads + page.writes), page.first));
    Ok(HotPages { page_bytes: heat.page_bytes, pages })
}
