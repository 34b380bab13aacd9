//! Accesses of memory pages over time.

use std::collections::BTreeMap;

use stepback_machine::Address;
use stepback_parsers::Position;

use crate::answers::cell::ThreadId;
use crate::answers::error::{Cancel, QueryError};
use crate::index::Index;
use crate::index::memories::MemoryId;
use crate::query::question::{InMemory, Query};
use crate::read::slots::SlotReader;
use crate::store::granules::{GRANULE_BITS, Granule, TouchShape};
use crate::store::segment::meta::Section;
use crate::store::segment::reader::damaged;

/// Counts the reads and writes of each page of memory between two positions, in equal intervals.
/// Cost: the lists of all accesses between them. Memory is bounded: if there are too many pages,
/// neighbours are counted together.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct PageHeat {
    /// First position. The start of the trace includes records before the first step.
    pub from: Position,
    /// Last position.
    pub to: Position,
    /// Number of intervals, at least 1 and at most [`BUCKETS`].
    pub buckets: usize,
}

/// Maximum number of intervals; more than the columns of a screen.
pub const BUCKETS: usize = 4096;
/// log2 of the bytes of a page, unless there are too many pages.
const PAGE_BITS: u32 = 12;
/// Maximum number of counts kept.
const COUNTS: usize = 1 << 21;

/// Accesses of memory by page and interval.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct HeatMap {
    /// Bytes of a page: 4096 or, if there are many pages, a larger power of two.
    pub page_bytes: u64,
    /// Accessed pages, ascending.
    pub pages: Vec<HotPage>,
}

/// Accesses of a page.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct HotPage {
    /// Lowest address of the page.
    pub first: Address,
    /// Number of reads in each interval.
    pub reads: Vec<u32>,
    /// Number of writes in each interval. An access of two pages counts in each.
    pub writes: Vec<u32>,
}

impl Query for PageHeat {
    type Answer = HeatMap;

    fn run(&self, index: &Index, cancel: &Cancel) -> Result<HeatMap, QueryError> {
        self.of(index, None, cancel)
    }
}

impl InMemory for PageHeat {
    fn in_memory(
        &self,
        index: &Index,
        seen_by: Option<ThreadId>,
        cancel: &Cancel,
    ) -> Result<HeatMap, QueryError> {
        self.of(
            index,
            SlotReader(index).memory_at(seen_by, self.to)?,
            cancel,
        )
    }
}

impl PageHeat {
    /// Counts the accesses of one address space; without one, those of all threads.
    fn of(
        &self,
        index: &Index,
        memory: Option<MemoryId>,
        cancel: &Cancel,
    ) -> Result<HeatMap, QueryError> {
        SlotReader(index).check_position(self.from.max(self.to))?;
        let mut counts = PageHeatCounts::new(self);
        let (first, last) = (self.first_slot(), self.to.0);
        let numbers = index.segments_with(first..last.saturating_add(1));
        for segment in numbers.filter_map(|number| index.segment(number)) {
            let (from, to) = (segment.local_slot(first), segment.local_slot(last));
            let mut is_bad = false;
            let walked = segment
                .granules()?
                .for_each_from(0, |key, list: Granule<'_>| {
                    let each = |touch: crate::store::granules::Touch, _| {
                        let slot = segment.trace_slot(touch.slot);
                        // Touches of slots that cannot be read are counted.
                        let is_in =
                            |memory| SlotReader(index).is_in_memory(slot, memory).unwrap_or(true);
                        if touch.slot <= to && memory.is_none_or(is_in) {
                            counts.add(key, slot, touch.shape);
                        }
                        touch.slot <= to
                    };
                    is_bad |= list.walk_forward(from, |_| true, each).is_err();
                    counts.bound();
                    !is_bad && cancel.check().is_ok()
                });
            cancel.check()?;
            walked
                .ok()
                .filter(|()| !is_bad)
                .ok_or_else(|| damaged(Section::Granules))?;
        }
        Ok(counts.finish())
    }
}

impl PageHeat {
    /// Returns the first slot that counts: what shows at a position was accessed before it.
    fn first_slot(&self) -> u64 {
        if self.from == Position(0) {
            0
        } else {
            self.from.0.saturating_add(1)
        }
    }
}

/// Access counts.
struct PageHeatCounts {
    first: u64,
    steps: u64,
    buckets: usize,
    page_bits: u32,
    /// Counts by page: reads and writes of each interval in turn.
    pages: BTreeMap<u64, Vec<u32>>,
    /// Counts, by page, of only the accesses that began in the page before: if the two pages are
    /// counted together, they count once.
    crossing: BTreeMap<u64, Vec<u32>>,
    /// Page that is being counted.
    page: (u64, Vec<u32>),
}

impl PageHeatCounts {
    fn new(question: &PageHeat) -> Self {
        let buckets = question.buckets.clamp(1, BUCKETS);
        let steps = question.to.0.saturating_sub(question.from.0).max(1);
        let page = (u64::MAX, vec![0; 2 * buckets]);
        let (pages, crossing) = (BTreeMap::new(), BTreeMap::new());
        Self {
            first: question.from.0.saturating_add(1),
            steps,
            buckets,
            page_bits: PAGE_BITS,
            pages,
            crossing,
            page,
        }
    }

    fn add(&mut self, granule: u64, slot: u64, shape: TouchShape) {
        let page = granule >> (self.page_bits - GRANULE_BITS);
        let is_second = shape.is_split() && shape.is_second_part();
        if is_second && page << (self.page_bits - GRANULE_BITS) != granule {
            return; // the block before is of the same page
        }
        if page != self.page.0 {
            self.put_away();
            self.page = (
                page,
                self.pages
                    .remove(&page)
                    .unwrap_or_else(|| vec![0; 2 * self.buckets]),
            );
        }
        let part = u128::from(slot.saturating_sub(self.first)) * self.buckets as u128
            / u128::from(self.steps);
        let place = 2 * (part as usize).min(self.buckets - 1) + usize::from(shape.is_write());
        self.page.1[place] = self.page.1[place].saturating_add(1);
        if is_second {
            let crossing = self
                .crossing
                .entry(page)
                .or_insert_with(|| vec![0; 2 * self.buckets]);
            crossing[place] = crossing[place].saturating_add(1);
        }
    }

    fn put_away(&mut self) {
        let (page, counts) = std::mem::replace(&mut self.page, (u64::MAX, Vec::new()));
        if page != u64::MAX {
            self.pages.insert(page, counts);
        }
    }

    /// Merges neighbouring pages, two by two, while there are too many.
    fn bound(&mut self) {
        if (self.pages.len() + self.crossing.len() + 1) * 2 * self.buckets <= COUNTS {
            return;
        }
        self.put_away();
        while (self.pages.len() + self.crossing.len()) * 2 * self.buckets > COUNTS / 2
            && self.page_bits < u64::BITS - 1
        {
            self.page_bits += 1;
            let mut crossing = std::mem::take(&mut self.crossing);
            for (page, counts) in std::mem::take(&mut self.pages) {
                let all = self
                    .pages
                    .entry(page / 2)
                    .or_insert_with(|| vec![0; 2 * self.buckets]);
                all.iter_mut()
                    .zip(counts)
                    .for_each(|(all, count)| *all = all.saturating_add(count));
                match crossing.remove(&page) {
                    Some(twice) if page % 2 == 1 => {
                        all.iter_mut()
                            .zip(twice)
                            .for_each(|(all, count)| *all = all.saturating_sub(count));
                    }
                    Some(counts) => _ = self.crossing.insert(page / 2, counts),
                    None => {}
                }
            }
        }
    }

    fn finish(mut self) -> HeatMap {
        self.put_away();
        let hot_page = |(page, counts): (u64, Vec<u32>)| HotPage {
            first: Address(page << self.page_bits),
            reads: counts.iter().copied().step_by(2).collect(),
            writes: counts.iter().copied().skip(1).step_by(2).collect(),
        };
        HeatMap {
            page_bytes: 1 << self.page_bits,
            pages: self.pages.into_iter().map(hot_page).collect(),
        }
    }
}
