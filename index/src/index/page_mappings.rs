//! Recorded mappings from virtual to physical pages, with their lifetimes.
//!
//! If a trace maps page `0x2000` to `0x9000` at slot 5 and to `0xb000` at slot 9, and unmaps it at
//! slot 12, there are two entries: `0x9000` from 5 until 9, `0xb000` from 9 until 12.

use std::ops::RangeInclusive;

use crate::answers::cell::ThreadId;

/// A recorded mapping of a virtual page of a thread.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct MappedPage {
    /// Thread of the mapping.
    pub thread: ThreadId,
    /// Address space; `None` if the trace records none.
    pub context: Option<u64>,
    /// First virtual address.
    pub page: u64,
    /// First physical address.
    pub physical: u64,
    /// Slot of the record.
    pub from: u64,
    /// Slot at which the page is mapped again in this context, or unmapped.
    pub until: u64,
    /// Slot of the next record of any kind for the page: from there on accesses go elsewhere, or
    /// occur in another context.
    pub used_until: u64,
}

impl MappedPage {
    /// Returns true if the mapping is valid at a position.
    pub fn holds_at(&self, slot: u64) -> bool {
        self.from <= slot && slot < self.until
    }
}

/// All recorded mappings, in trace order.
#[derive(Debug, Default)]
pub(crate) struct PageMappings {
    /// Page size in bytes; `None` without mappings.
    pub page_bytes: Option<u64>,
    pages: Vec<MappedPage>,
    /// Indices into `pages`, sorted by virtual page.
    by_page: Vec<u32>,
    /// Indices into `pages`, sorted by physical page.
    by_physical: Vec<u32>,
    /// Virtual addresses of pages that move or share a physical page, ascending.
    moving: Vec<RangeInclusive<u64>>,
    /// True if only the requested pages were collected.
    is_partial: bool,
}

impl PageMappings {
    /// Creates the table from mappings in trace order, at most `u32::MAX`.
    pub fn new(page_bytes: Option<u64>, pages: Vec<MappedPage>) -> Self {
        let places = 0..u32::try_from(pages.len()).unwrap_or(u32::MAX);
        let (mut by_page, mut by_physical): (Vec<u32>, Vec<u32>) =
            (places.clone().collect(), places.collect());
        by_page.sort_by_key(|place| pages[*place as usize].page);
        by_physical.sort_by_key(|place| pages[*place as usize].physical);
        let mut stated = Self {
            page_bytes,
            pages,
            by_page,
            by_physical,
            moving: Vec::new(),
            is_partial: false,
        };
        stated.moving = stated.find_moving();
        stated
    }

    /// Marks the table as partial: mappings of other pages were left out.
    #[must_use]
    pub fn in_part(self) -> Self {
        Self {
            is_partial: true,
            ..self
        }
    }

    /// Returns true if a virtual page is known to have always been mapped to this physical page. In
    /// a partial table, another mapping may have been left out.
    pub fn is_always(&self, page: u64, physical: u64) -> bool {
        self.of_page(page).all(|stated| {
            stated.physical == physical && (!self.is_partial || stated.used_until == u64::MAX)
        })
    }

    /// Returns the newest mapping of a virtual page at a slot, of any thread; `None` if it has
    /// ended by then.
    pub fn newest(&self, page: u64, slot: u64) -> Option<&MappedPage> {
        self.of_page(page)
            .rev()
            .find(|stated| stated.from <= slot)
            .filter(|stated| stated.holds_at(slot))
    }

    /// Returns the virtual addresses of pages that were mapped to several physical pages, or that
    /// share one, ascending.
    pub fn moving(&self) -> &[RangeInclusive<u64>] {
        &self.moving
    }

    fn find_moving(&self) -> Vec<RangeInclusive<u64>> {
        let Some(page_bytes) = self.page_bytes else {
            return Vec::new();
        };
        let mut pairs: Vec<(u64, u64)> = self
            .pages
            .iter()
            .map(|stated| (stated.page, stated.physical))
            .collect();
        pairs.sort_unstable();
        pairs.dedup();
        let several = pairs
            .chunk_by(|one, next| one.0 == next.0)
            .filter(|same| same.len() > 1)
            .flatten()
            .map(|pair| pair.0);
        let mut moving: Vec<u64> = several.collect();
        pairs.sort_unstable_by_key(|(page, physical)| (*physical, *page));
        let same = pairs
            .chunk_by(|one, next| one.1 == next.1)
            .filter(|same| same.len() > 1)
            .flatten();
        moving.extend(same.map(|pair| pair.0));
        moving.sort_unstable();
        moving.dedup();
        let runs = moving.chunk_by(|one, next| one.checked_add(page_bytes) == Some(*next));
        let range = |run: &[u64]| Some(*run.first()?..=run.last()?.saturating_add(page_bytes - 1));
        runs.filter_map(range).collect()
    }

    /// Returns all mappings.
    pub fn all(&self) -> &[MappedPage] {
        &self.pages
    }

    /// Returns the mappings of a virtual page, in trace order. O(log n).
    pub fn of_page(&self, page: u64) -> impl DoubleEndedIterator<Item = &MappedPage> {
        self.among(&self.by_page, page..=page, |stated| stated.page)
    }

    /// Returns the mappings to the physical pages from `first` to `last`. O(log n).
    pub fn of_physical(
        &self,
        first: u64,
        last: u64,
    ) -> impl DoubleEndedIterator<Item = &MappedPage> {
        self.among(&self.by_physical, first..=last, |stated| stated.physical)
    }

    fn among<'a>(
        &'a self,
        places: &'a [u32],
        wanted: RangeInclusive<u64>,
        key: fn(&MappedPage) -> u64,
    ) -> impl DoubleEndedIterator<Item = &'a MappedPage> {
        let of = move |place: &u32| self.pages.get(*place as usize);
        let key_of = move |place: &u32| of(place).map_or(0, key);
        let first = places.partition_point(|place| key_of(place) < *wanted.start());
        let end = places
            .partition_point(|place| key_of(place) <= *wanted.end())
            .max(first);
        places
            .get(first..end)
            .unwrap_or_default()
            .iter()
            .filter_map(of)
    }
}
