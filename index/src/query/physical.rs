//! Accesses of physical memory: those of every virtual page that lay there, while it did.

use stepback_machine::Address;
use stepback_parsers::{Position, Step};

use crate::answers::accesses_at::AccessesAt;
use crate::answers::cancel::Cancel;
use crate::answers::cell::{Cell, MemoryRange};
use crate::answers::error::QueryError;
use crate::answers::hit::Hit;
use crate::index::Index;
use crate::query::access::{LastAccesses, NextAccesses};
use crate::query::asked::{Asked, Part};
use crate::query::within::Within;
use crate::read::told_pages::{PageReader, WantedPages};
use crate::store::granules::last_of;

/// A part of a physical range, as a virtual one.
pub(super) struct VirtualPart {
    /// Where it lies.
    pub range: MemoryRange,
    /// When it lay there.
    pub within: Within,
}

impl VirtualPart {
    /// Bytes of the page before it.
    pub fn inside(&self) -> u64 {
        self.range.address.0.wrapping_sub(self.within.page())
    }

    /// Where its first byte lies in physical memory.
    pub fn physical(&self) -> Address {
        Address(self.within.physical().wrapping_add(self.inside()))
    }

    /// So many of its bytes, behind some.
    pub fn some(&self, behind: u64, len_bytes: u64) -> Self {
        let address = Address(self.range.address.0.wrapping_add(behind));
        Self {
            range: MemoryRange { address, len_bytes },
            within: self.within.clone(),
        }
    }

    /// All parts that some physical memory ever had, by physical address.
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
        let part = |within: Within| {
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
        let within = Within::all(&pages, address.0 & !(page_bytes - 1), last);
        Ok(within.into_iter().map(part).collect())
    }
}

/// A question about physical memory, as one about each part of it.
pub(super) struct PhysicalAsked<'a> {
    parts: Vec<Asked<'a>>,
}

impl<'a> PhysicalAsked<'a> {
    /// The parts of a question; none where it is not about physical memory.
    pub fn of(asked: &Asked<'a>) -> Result<Option<Self>, QueryError> {
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

    /// The same of parts that are known.
    pub fn among(asked: &Asked<'a>, parts: Vec<VirtualPart>) -> Self {
        let part = |VirtualPart {
                        range: MemoryRange { address, len_bytes },
                        within,
                    }| Asked {
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

    /// The answer to a question for the last ones.
    pub fn last(&self, asked: &LastAccesses) -> Result<Option<AccessesAt>, QueryError> {
        let LastAccesses {
            before,
            mut skip,
            limit,
            ..
        } = *asked;
        let mut last = Some(before.0).filter(|_| limit > 0);
        while let Some(until) = last {
            let mut slot = None;
            for part in &self.parts {
                slot = slot.max(part.last_slot(until)?);
            }
            let Some(slot) = slot else { return Ok(None) };
            let mut accesses = Vec::new();
            for part in &self.parts {
                let mut all = Part {
                    skip: 0,
                    limit: skip.saturating_add(limit),
                };
                let done = part.done_backwards_in(slot, &mut all)?;
                if !done.is_empty() {
                    accesses.extend(part.accessed(slot, &done, before)?);
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
            last = slot.checked_sub(1);
        }
        Ok(None)
    }

    /// The answer to a question for the next ones.
    pub fn next(&self, asked: &NextAccesses) -> Result<Vec<Hit>, QueryError> {
        let NextAccesses {
            from,
            mut skip,
            limit,
            ..
        } = *asked;
        let mut first = Some(from.0.saturating_add(1)).filter(|_| limit > 0);
        while let Some(start) = first {
            let mut slot: Option<u64> = None;
            for part in &self.parts {
                slot = slot.into_iter().chain(part.next_slot(start)?).min();
            }
            let Some(slot) = slot else { break };
            let mut hits = Vec::new();
            for part in &self.parts {
                let mut all = Part {
                    skip: 0,
                    limit: skip.saturating_add(limit),
                };
                let done = part.done_in(slot, &mut all)?;
                hits.extend(part.hits(done.iter())?);
            }
            let is_any = !hits.is_empty();
            let hits: Vec<_> = hits.into_iter().skip(skip).take(limit).collect();
            if !hits.is_empty() {
                return Ok(hits);
            }
            skip = if is_any { 0 } else { skip };
            first = slot.checked_add(1);
        }
        Ok(Vec::new())
    }

    /// Whether a step is among those who accessed it in a slot.
    pub fn is_done_by(&self, step: Step, slot: u64) -> Result<bool, QueryError> {
        for part in &self.parts {
            if part.is_done_by(step, slot)? {
                return Ok(true);
            }
        }
        Ok(false)
    }
}
