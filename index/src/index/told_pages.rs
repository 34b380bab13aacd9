//! Which physical pages the virtual ones of a trace were told to be, and while.
//!
//! A trace that tells of page `0x2000` at slot 5 (it is `0x9000`), at slot 9 (it is `0xb000`) and at slot 12 (nobody knows) has
//! two entries: `0x9000` from 5 until 9, `0xb000` from 9 until 12.

use std::ops::RangeInclusive;

use crate::answers::thread::ThreadId;

/// What was told of a virtual page of a thread.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct MappedPage {
    /// Whose.
    pub thread: ThreadId,
    /// Of which address space; none where the trace tells none.
    pub context: Option<u64>,
    /// Its first virtual address.
    pub page: u64,
    /// Its first physical address.
    pub physical: u64,
    /// The slot in which it was told.
    pub from: u64,
    /// The slot in which it was told again for its context, or that it is over.
    pub until: u64,
    /// The slot in which anything else was told of the page: from there on accesses go elsewhere, or in another context.
    pub used_until: u64,
}

impl MappedPage {
    /// True when it is known at a position.
    pub fn holds_at(&self, slot: u64) -> bool {
        self.from <= slot && slot < self.until
    }
}

/// What was told, in the order of the trace.
#[derive(Debug, Default)]
pub(crate) struct PageMappings {
    /// Bytes of a page; none where nothing was told.
    pub page_bytes: Option<u64>,
    pages: Vec<MappedPage>,
    /// Places in `pages`, by virtual page.
    by_page: Vec<u32>,
    /// The same by physical page.
    by_physical: Vec<u32>,
    /// Virtual addresses, ascending.
    moving: Vec<RangeInclusive<u64>>,
    /// Pages that nobody asked about are left out.
    is_partial: bool,
}

impl PageMappings {
    /// Pages in the order in which they were told, at most `u32::MAX`.
    pub fn new(page_bytes: Option<u64>, pages: Vec<MappedPage>) -> Self {
        let places = 0..u32::try_from(pages.len()).unwrap_or(u32::MAX);
        let (mut by_page, mut by_physical): (Vec<u32>, Vec<u32>) =
            (places.clone().collect(), places.collect());
        by_page.sort_by_key(|place| pages[*place as usize].page);
        by_physical.sort_by_key(|place| pages[*place as usize].physical);
        let mut told = Self {
            page_bytes,
            pages,
            by_page,
            by_physical,
            moving: Vec::new(),
            is_partial: false,
        };
        told.moving = told.find_moving();
        told
    }

    /// The same where what was told of other pages is left out.
    #[must_use]
    pub fn in_part(self) -> Self {
        Self {
            is_partial: true,
            ..self
        }
    }

    /// True when a virtual page was never told to be another physical one than this; what is left out may be another.
    pub fn is_always(&self, page: u64, physical: u64) -> bool {
        self.of_page(page).all(|told| {
            told.physical == physical && (!self.is_partial || told.used_until == u64::MAX)
        })
    }

    /// What was told last of a virtual page up to a slot, of whichever thread; none where that is over by then.
    pub fn newest(&self, page: u64, slot: u64) -> Option<&MappedPage> {
        self.of_page(page)
            .rev()
            .find(|told| told.from <= slot)
            .filter(|told| told.holds_at(slot))
    }

    /// Virtual addresses of pages that were told to be several physical ones, or the same as another, ascending.
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
            .map(|told| (told.page, told.physical))
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

    /// All of them.
    pub fn all(&self) -> &[MappedPage] {
        &self.pages
    }

    /// What was told of a virtual page, in the order of the trace. O(log n).
    pub fn of_page(&self, page: u64) -> impl DoubleEndedIterator<Item = &MappedPage> {
        self.among(&self.by_page, page..=page, |told| told.page)
    }

    /// What was told to lie on the physical pages between two. O(log n).
    pub fn of_physical(
        &self,
        first: u64,
        last: u64,
    ) -> impl DoubleEndedIterator<Item = &MappedPage> {
        self.among(&self.by_physical, first..=last, |told| told.physical)
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
