//! Accesses of physical memory: those of every virtual page that was mapped to it, while it was. A
//! virtual page may be mapped to different physical pages at different times and for different
//! threads, so the last record before an access, by the same thread, applies
//! ([`PhysicalPageFilter`]).

use std::collections::HashMap;
use std::sync::Arc;

use stepback_machine::Address;
use stepback_parsers::{Marker, Position};

use crate::answers::cell::{Cell, Direction, MemoryRange, ThreadId};
use crate::answers::error::{Cancel, QueryError};
use crate::answers::step_record::AccessesAt;
use crate::index::Index;
use crate::index::page_mappings::{MappedPage, PageMappings};
use crate::query::access::{Accesses, NearestAccess};
use crate::query::access_search::{AccessQuery, AccessWindow};
use crate::read::pages::{self, PageMarkers, PageUpdate, WantedPages};
use crate::store::granules::last_of;

/// A part of a physical range, as a virtual one.
pub(super) struct VirtualPart {
    /// Virtual range.
    pub range: MemoryRange,
    /// Accesses that went to the physical page.
    pub within: PhysicalPageFilter,
}

impl VirtualPart {
    /// Returns the offset of its first byte in its page.
    pub fn inside(&self) -> u64 {
        self.range.address.0.wrapping_sub(self.within.page())
    }

    /// Returns the physical address of its first byte.
    pub fn physical(&self) -> Address {
        Address(self.within.physical().wrapping_add(self.inside()))
    }

    /// Returns `len_bytes` of its bytes, after the first `behind`.
    pub fn some(&self, after: u64, len_bytes: u64) -> Self {
        let address = Address(self.range.address.0.wrapping_add(after));
        Self {
            range: MemoryRange { address, len_bytes },
            within: self.within.clone(),
        }
    }

    /// Returns all virtual parts that some physical memory ever had, by physical address.
    pub fn all(
        index: &Index,
        requested: MemoryRange,
        cancel: &Cancel,
    ) -> Result<Vec<Self>, QueryError> {
        let MemoryRange { address, len_bytes } = requested;
        let Some(last) = last_of(address, len_bytes) else {
            return Ok(Vec::new());
        };
        let pages = pages::mappings(
            index,
            WantedPages::Physical {
                first: address.0,
                last,
            },
            cancel,
        )?;
        let Some(page_bytes) = pages.page_bytes else {
            return Ok(Vec::new());
        };
        let part = |within: PhysicalPageFilter| {
            let first = address.0.max(within.physical());
            let last = last.min(within.physical() | (page_bytes - 1));
            let virtual_first = Address(within.page() | first & (page_bytes - 1));
            Self {
                range: MemoryRange {
                    address: virtual_first,
                    len_bytes: last - first + 1,
                },
                within,
            }
        };
        let within = PhysicalPageFilter::all(&pages, address.0 & !(page_bytes - 1), last);
        Ok(within.into_iter().map(part).collect())
    }
}

/// A query for physical memory, as one for each virtual part of it.
pub(super) struct PhysicalAccessQuery<'a> {
    parts: Vec<AccessQuery<'a>>,
}

impl<'a> PhysicalAccessQuery<'a> {
    /// Returns the query for each part; none if it is not for physical memory.
    pub fn of(requested: &AccessQuery<'a>) -> Result<Option<Self>, QueryError> {
        let Cell::Physical { address, len_bytes } = requested.cell else {
            return Ok(None);
        };
        let parts = VirtualPart::all(
            requested.index,
            MemoryRange { address, len_bytes },
            requested.cancel,
        )?;
        Ok(Some(Self::among(requested, parts)))
    }

    /// Returns the query for each of these parts.
    pub fn among(requested: &AccessQuery<'a>, parts: Vec<VirtualPart>) -> Self {
        let part = |VirtualPart {
                        range: MemoryRange { address, len_bytes },
                        within,
                    }| AccessQuery {
            index: requested.index,
            cell: Cell::Memory { address, len_bytes },
            homes: None,
            kinds: requested.kinds,
            owners: requested.owners,
            thread: requested.thread,
            memory: None,
            within: Some(within),
            cancel: requested.cancel,
        };
        Self {
            parts: parts.into_iter().map(part).collect(),
        }
    }

    /// Returns the nearest accesses of any part.
    pub fn nearest(&self, query: &Accesses) -> Result<Option<AccessesAt>, QueryError> {
        let NearestAccess { at, direction, .. } = query.nearest;
        let (mut skip, limit) = (query.skip, query.limit);
        let mut next = direction.first_slot(at.0).filter(|_| limit > 0);
        while let Some(bound) = next {
            let mut slot = None;
            for part in &self.parts {
                slot = direction.nearer(slot, part.nearest_slot(bound, direction)?);
            }
            let Some(slot) = slot else { break };
            let mut accesses = Vec::new();
            for part in &self.parts {
                let mut all = AccessWindow {
                    skip: 0,
                    limit: skip.saturating_add(limit),
                };
                let done = part.accesses_towards(slot, direction, &mut all)?;
                if !done.is_empty() {
                    accesses.extend(part.accessed(slot, &done, query.nearest)?);
                }
            }
            let is_any = !accesses.is_empty();
            let accesses: Vec<_> = accesses.into_iter().skip(skip).take(limit).collect();
            if !accesses.is_empty() {
                return Ok(Some(AccessesAt {
                    position: Position(slot),
                    accesses,
                }));
            }
            skip = if is_any { 0 } else { skip };
            next = direction.beyond(slot);
        }
        Ok(None)
    }
}

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
            .map(|stated| (stated.physical, stated.page))
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

    fn stated(&self) -> impl DoubleEndedIterator<Item = &MappedPage> {
        self.pages
            .of_page(self.page)
            .filter(|stated| stated.physical == self.physical)
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
                .stated()
                .filter(|stated| stated.from <= slot)
                .map(|stated| stated.used_until.min(slot))
                .max(),
            Direction::Forward => self
                .stated()
                .filter(|stated| slot <= stated.used_until)
                .map(|stated| stated.from.max(slot))
                .min(),
        }
    }

    /// Returns true if all accesses of a slot by a thread went to the physical page.
    pub fn has_all_of(&self, thread: ThreadId, slot: u64) -> bool {
        self.stated()
            .any(|stated| stated.thread == thread && stated.from < slot && slot < stated.used_until)
    }

    /// Creates a filter for the events of a slot.
    pub fn in_slot(&self, slot: u64) -> SlotPageFilter<'_> {
        SlotPageFilter {
            within: self,
            slot,
            threads: HashMap::new(),
        }
    }
}

/// Tracks the mapping along the events of a slot.
pub(super) struct SlotPageFilter<'a> {
    within: &'a PhysicalPageFilter,
    slot: u64,
    /// Pending markers, and the physical page of the virtual page.
    threads: HashMap<ThreadId, (PageMarkers, Option<u64>)>,
}

impl SlotPageFilter<'_> {
    /// Takes a marker of the slot.
    pub fn marker(&mut self, thread: ThreadId, marker: Marker) {
        let Some(page_bytes) = self.within.pages.page_bytes else {
            return;
        };
        let page = self.within.page;
        let (markers, mapped) = self.of_thread(thread);
        match markers.take(marker.kind, marker.value, page_bytes) {
            Some(PageUpdate::Mapped {
                page: stated,
                physical,
                ..
            }) if stated == page => *mapped = Some(physical),
            Some(PageUpdate::Unmapped { page: over }) if over == page => *mapped = None,
            Some(PageUpdate::AllUnmapped) => *mapped = None,
            _ => {}
        }
    }

    /// Returns true if an access by a thread goes to the physical page.
    pub fn holds(&mut self, thread: ThreadId) -> bool {
        let physical = self.within.physical;
        self.of_thread(thread).1 == Some(physical)
    }

    fn of_thread(&mut self, thread: ThreadId) -> &mut (PageMarkers, Option<u64>) {
        self.threads.entry(thread).or_insert_with(|| {
            let stated = self.within.pages.of_page(self.within.page).rev();
            let last = stated
                .filter(|stated| stated.thread == thread)
                .find(|stated| stated.from < self.slot);
            let physical = last
                .filter(|last| self.slot <= last.used_until)
                .map(|last| last.physical);
            (PageMarkers::default(), physical)
        })
    }
}
