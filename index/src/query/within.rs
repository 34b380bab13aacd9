//! Which accesses of a virtual page went to a physical one.
//!
//! A virtual page may be another physical one at another time, and for another thread. What was told of it last, by the same
//! thread and before the access, is what counts.

use std::sync::Arc;

use stepback_parsers::Marker;

use crate::answers::direction::Direction;
use crate::answers::thread::ThreadId;
use crate::index::told_pages::{MappedPage, PageMappings};
use crate::read::told_pages::{PageMarkers, PageUpdate};

/// Accesses of a virtual page count where it is a physical one.
#[derive(Clone, Debug)]
pub(super) struct PhysicalPageFilter {
    pages: Arc<PageMappings>,
    page: u64,
    physical: u64,
}

impl PhysicalPageFilter {
    /// The virtual pages that some physical ones were told to be at some time, each with the physical one.
    pub fn all(pages: &Arc<PageMappings>, first: u64, last: u64) -> Vec<Self> {
        let mut found: Vec<(u64, u64)> = pages
            .of_physical(first, last)
            .map(|told| (told.physical, told.page))
            .collect();
        found.sort_unstable();
        found.dedup();
        let within = |(physical, page)| Self {
            pages: Arc::clone(pages),
            page,
            physical,
        };
        found.into_iter().map(within).collect()
    }

    /// The first virtual address.
    pub fn page(&self) -> u64 {
        self.page
    }

    /// The first physical address.
    pub fn physical(&self) -> u64 {
        self.physical
    }

    fn told(&self) -> impl DoubleEndedIterator<Item = &MappedPage> {
        self.pages
            .of_page(self.page)
            .filter(|told| told.physical == self.physical)
    }

    /// True when the page was never told to be another one.
    pub fn is_always(&self) -> bool {
        self.pages.is_always(self.page, self.physical)
    }

    /// Returns a slot, or the next one in a direction in which accesses may have gone there.
    pub fn nearest(&self, slot: u64, direction: Direction) -> Option<u64> {
        match direction {
            Direction::Back => self
                .told()
                .filter(|told| told.from <= slot)
                .map(|told| told.used_until.min(slot))
                .max(),
            Direction::Forward => self
                .told()
                .filter(|told| slot <= told.used_until)
                .map(|told| told.from.max(slot))
                .min(),
        }
    }

    /// True when all accesses of a slot by a thread went there.
    pub fn has_all_of(&self, thread: ThreadId, slot: u64) -> bool {
        self.told()
            .any(|told| told.thread == thread && told.from < slot && slot < told.used_until)
    }

    /// What holds within a slot.
    pub fn in_slot(&self, slot: u64) -> SlotPageFilter<'_> {
        SlotPageFilter {
            within: self,
            slot,
            threads: Vec::new(),
        }
    }
}

/// Goes along the events of a slot.
pub(super) struct SlotPageFilter<'a> {
    within: &'a PhysicalPageFilter,
    slot: u64,
    threads: Vec<ThreadPageFilter>,
}

struct ThreadPageFilter {
    thread: ThreadId,
    markers: PageMarkers,
    /// Where the page lies.
    physical: Option<u64>,
}

impl SlotPageFilter<'_> {
    /// Takes a marker of the slot.
    pub fn marker(&mut self, thread: ThreadId, marker: Marker) {
        let Some(page_bytes) = self.within.pages.page_bytes else {
            return;
        };
        let page = self.within.page;
        let of_thread = self.of_thread(thread);
        match of_thread
            .markers
            .take(marker.kind, marker.value, page_bytes)
        {
            Some(PageUpdate::Told {
                page: told,
                physical,
                ..
            }) if told == page => of_thread.physical = Some(physical),
            Some(PageUpdate::Over { page: over }) if over == page => of_thread.physical = None,
            Some(PageUpdate::AllOver) => of_thread.physical = None,
            _ => {}
        }
    }

    /// Whether an access by a thread goes to the physical page.
    pub fn holds(&mut self, thread: ThreadId) -> bool {
        let physical = self.within.physical;
        self.of_thread(thread).physical == Some(physical)
    }

    fn of_thread(&mut self, thread: ThreadId) -> &mut ThreadPageFilter {
        let place = self
            .threads
            .iter()
            .position(|known| known.thread == thread)
            .unwrap_or_else(|| {
                let told = self.within.pages.of_page(self.within.page).rev();
                let last = told
                    .filter(|told| told.thread == thread)
                    .find(|told| told.from < self.slot);
                let physical = last
                    .filter(|last| self.slot <= last.used_until)
                    .map(|last| last.physical);
                self.threads.push(ThreadPageFilter {
                    thread,
                    markers: PageMarkers::default(),
                    physical,
                });
                self.threads.len() - 1
            });
        &mut self.threads[place]
    }
}
