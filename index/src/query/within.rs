//! Accesses of a virtual page that went to a physical page.
//!
//! A virtual page may be mapped to different physical pages at different times, and for different
//! threads. The last record before the access, by the same thread, applies.

use std::sync::Arc;

use stepback_parsers::Marker;

use crate::answers::direction::Direction;
use crate::answers::thread::ThreadId;
use crate::index::told_pages::{MappedPage, PageMappings};
use crate::read::told_pages::{PageMarkers, PageUpdate};

/// Filter for accesses of a virtual page while it is mapped to a physical page.
#[derive(Clone, Debug)]
pub(super) struct PhysicalPageFilter {
    pages: Arc<PageMappings>,
    page: u64,
    physical: u64,
}

impl PhysicalPageFilter {
    /// Returns the virtual pages recorded for some physical ones at any time, each with its
    /// physical page.
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

    /// Returns the first virtual address.
    pub fn page(&self) -> u64 {
        self.page
    }

    /// Returns the first physical address.
    pub fn physical(&self) -> u64 {
        self.physical
    }

    fn told(&self) -> impl DoubleEndedIterator<Item = &MappedPage> {
        self.pages
            .of_page(self.page)
            .filter(|told| told.physical == self.physical)
    }

    /// Returns true if the page was never recorded as another one.
    pub fn is_always(&self) -> bool {
        self.pages.is_always(self.page, self.physical)
    }

    /// Returns a slot, or the next one in a direction in which accesses may have gone to the
    /// physical page.
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

    /// Returns true if all accesses of a slot by a thread went to the physical page.
    pub fn has_all_of(&self, thread: ThreadId, slot: u64) -> bool {
        self.told()
            .any(|told| told.thread == thread && told.from < slot && slot < told.used_until)
    }

    /// Creates a filter for the events of a slot.
    pub fn in_slot(&self, slot: u64) -> SlotPageFilter<'_> {
        SlotPageFilter {
            within: self,
            slot,
            threads: Vec::new(),
        }
    }
}

/// Tracks the mapping along the events of a slot.
pub(super) struct SlotPageFilter<'a> {
    within: &'a PhysicalPageFilter,
    slot: u64,
    threads: Vec<ThreadPageFilter>,
}

struct ThreadPageFilter {
    thread: ThreadId,
    markers: PageMarkers,
    /// Physical page of the virtual page.
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

    /// Returns true if an access by a thread goes to the physical page.
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
