//! Accesses of physical memory: those of every virtual page that was mapped to it, while it was.

use stepback_machine::Address;
use stepback_parsers::Position;

use crate::answers::accesses_at::AccessesAt;
use crate::answers::cancel::Cancel;
use crate::answers::cell::{Cell, MemoryRange};
use crate::answers::error::QueryError;
use crate::index::Index;
use crate::query::access::{Accesses, NearestAccess};
use crate::query::asked::{AccessQuery, AccessWindow};
use crate::query::within::PhysicalPageFilter;
use crate::read::told_pages::{PageReader, WantedPages};
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
    pub fn some(&self, behind: u64, len_bytes: u64) -> Self {
        let address = Address(self.range.address.0.wrapping_add(behind));
        Self {
            range: MemoryRange { address, len_bytes },
            within: self.within.clone(),
        }
    }

    /// Returns all virtual parts that some physical memory ever had, by physical address.
    pub fn all(
        index: &Index,
        asked: MemoryRange,
        cancel: &Cancel,
    ) -> Result<Vec<Self>, QueryError> {
        let MemoryRange { address, len_bytes } = asked;
        let Some(last) = last_of(address, len_bytes) else {
            return Ok(Vec::new());
        };
        let pages = PageReader(index).pages(
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
    pub fn of(asked: &AccessQuery<'a>) -> Result<Option<Self>, QueryError> {
        let Cell::Physical { address, len_bytes } = asked.cell else {
            return Ok(None);
        };
        let parts = VirtualPart::all(
            asked.index,
            MemoryRange { address, len_bytes },
            asked.cancel,
        )?;
        Ok(Some(Self::among(asked, parts)))
    }

    /// Returns the query for each of these parts.
    pub fn among(asked: &AccessQuery<'a>, parts: Vec<VirtualPart>) -> Self {
        let part = |VirtualPart {
                        range: MemoryRange { address, len_bytes },
                        within,
                    }| AccessQuery {
            index: asked.index,
            cell: Cell::Memory { address, len_bytes },
            homes: None,
            kinds: asked.kinds,
            owners: asked.owners,
            thread: asked.thread,
            memory: None,
            within: Some(within),
            cancel: asked.cancel,
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
