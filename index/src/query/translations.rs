//! Queries for physical addresses, as the markers of a trace record them, and for the virtual
//! addresses that map to one. [`PlainAddress`] removes the tag in the top bits of a pointer, which
//! processors ignore.

use std::collections::BTreeSet;

use stepback_machine::Address;
use stepback_parsers::Position;

use crate::answers::cell::ThreadId;
use crate::answers::error::{Cancel, QueryError};
use crate::answers::index_info::{PageCounts, Translation, TranslationCounts, VirtualMapping};
use crate::index::Index;
use crate::index::page_mappings::MappedPage;
use crate::query::question::Query;
use crate::read::key_maps;
use crate::read::pages::{self, WantedPages};
use crate::read::slots::SlotReader;
use crate::store::granules::GRANULE_BITS;

/// Finds the physical addresses recorded for a virtual one of a thread, up to a position: the last
/// of each context, the newest first. Without records, or after a recorded end, there is none.
/// Cost: the records of the page; for the first query, all slots with page markers.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct TranslationsAt {
    /// Thread of the virtual address.
    pub thread: ThreadId,
    /// Virtual address.
    pub address: Address,
    /// Position of the query.
    pub position: Position,
}

/// Finds the virtual addresses recorded for a physical one at a position, of all threads and
/// contexts, the newest first. Cost: the records of the page; for the first query, all slots with
/// page markers.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct MappingsAt {
    /// Physical address.
    pub physical: Address,
    /// Position of the query.
    pub position: Position,
}

/// Counts the recorded translations. Cost: all slots with page markers, once.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct CountTranslations;

/// Finds the physical address of a virtual one at a position: the last record of its page, of any
/// thread and context; none without one, or after its recorded end. [`crate::query::MemoryAt`] reads
/// there. Cost: the records of the page; for the first query, all slots with page markers.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct PlaceAt {
    /// Virtual address.
    pub address: Address,
    /// Position of the query.
    pub position: Position,
}

impl Query for PlaceAt {
    type Answer = Option<Address>;

    fn run(&self, index: &Index, cancel: &Cancel) -> Result<Option<Address>, QueryError> {
        SlotReader(index).check_position(self.position)?;
        let pages = pages::mappings(index, WantedPages::Virtual(self.address.0), cancel)?;
        let Some(page_bytes) = pages.page_bytes else {
            return Ok(None);
        };
        let inside = page_bytes - 1;
        let newest = pages.newest(self.address.0 & !inside, self.position.0);
        Ok(newest.map(|stated| Address(stated.physical | self.address.0 & inside)))
    }
}

impl Query for TranslationsAt {
    type Answer = Vec<Translation>;

    fn run(&self, index: &Index, cancel: &Cancel) -> Result<Vec<Translation>, QueryError> {
        SlotReader(index).check_position(self.position)?;
        let pages = pages::mappings(index, WantedPages::Virtual(self.address.0), cancel)?;
        let Some(page_bytes) = pages.page_bytes else {
            return Ok(Vec::new());
        };
        let inside = page_bytes - 1;
        let stated = pages.of_page(self.address.0 & !inside).rev();
        let held = stated
            .filter(|stated| stated.thread == self.thread && stated.holds_at(self.position.0));
        let translation = |stated: &MappedPage| Translation {
            context: stated.context,
            physical: Address(stated.physical | self.address.0 & inside),
            page: Address(stated.page),
            page_bytes,
            stated_at: Position(stated.from),
        };
        Ok(held.map(translation).collect())
    }
}

impl Query for MappingsAt {
    type Answer = Vec<VirtualMapping>;

    fn run(&self, index: &Index, cancel: &Cancel) -> Result<Vec<VirtualMapping>, QueryError> {
        SlotReader(index).check_position(self.position)?;
        let wanted = WantedPages::Physical {
            first: self.physical.0,
            last: self.physical.0,
        };
        let pages = pages::mappings(index, wanted, cancel)?;
        let Some(page_bytes) = pages.page_bytes else {
            return Ok(Vec::new());
        };
        let inside = page_bytes - 1;
        let physical = self.physical.0 & !inside;
        let stated = pages
            .of_physical(physical, physical)
            .rev()
            .filter(|stated| stated.holds_at(self.position.0));
        let mapping = |stated: &MappedPage| VirtualMapping {
            thread: stated.thread,
            address: Address(stated.page | self.physical.0 & inside),
            translation: Translation {
                context: stated.context,
                physical: self.physical,
                page: Address(stated.page),
                page_bytes,
                stated_at: Position(stated.from),
            },
        };
        Ok(stated.map(mapping).collect())
    }
}

impl Query for CountTranslations {
    type Answer = TranslationCounts;

    fn run(&self, index: &Index, cancel: &Cancel) -> Result<TranslationCounts, QueryError> {
        let counts = pages::all_mappings(index, cancel)?.map(|pages| {
            let count = |key: fn(&MappedPage) -> u64| {
                pages.all().iter().map(key).collect::<BTreeSet<_>>().len() as u64
            };
            let contexts: BTreeSet<u64> = pages
                .all()
                .iter()
                .filter_map(|stated| stated.context)
                .collect();
            PageCounts {
                contexts: contexts.into_iter().collect(),
                pages: count(|stated| stated.page),
                physical_pages: count(|stated| stated.physical),
            }
        });
        Ok(TranslationCounts {
            stated: pages::translation_count(index),
            counts,
        })
    }
}

/// Finds the address under which the trace shows the memory of a pointer: without the tag that
/// processors ignore (TBI and MTE of Arm, LAM and UAI of x86), unless the trace itself shows
/// accesses of the tagged address.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct PlainAddress {
    /// Thread with the pointer in its registers.
    pub thread: ThreadId,
    /// Pointer as the register holds it.
    pub pointer: Address,
}

impl Query for PlainAddress {
    type Answer = Address;

    fn run(&self, index: &Index, _cancel: &Cancel) -> Result<Address, QueryError> {
        let plain = Address(
            index
                .instruction_set(self.thread)
                .plain_address(self.pointer.0),
        );
        let granule = self.pointer.0 >> GRANULE_BITS;
        let is_shown = || key_maps::next_granule(index, granule).map(|next| next == Some(granule));
        Ok(if plain == self.pointer || is_shown()? {
            self.pointer
        } else {
            plain
        })
    }
}
