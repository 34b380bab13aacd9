//! Collects the page translations that the markers of a trace record.

use std::collections::HashMap;
use std::sync::Arc;

use stepback_parsers::{MarkerKind, Position};

use crate::answers::cell::ThreadId;
use crate::answers::error::{Cancel, QueryError};
use crate::answers::index_info::MarkerHit;
use crate::index::Index;
use crate::index::page_mappings::{MappedPage, PageMappings};
use crate::read::markers::{MarkerReader, WantedMarkers};

/// Markers about pages.
pub(crate) const KINDS: [MarkerKind; 6] = [
    MarkerKind::PAGE_SIZE,
    MarkerKind::PHYSICAL_ADDRESS,
    MarkerKind::ADDRESS_CONTEXT,
    MarkerKind::VIRTUAL_ADDRESS,
    MarkerKind::PHYSICAL_ADDRESS_NOT_AVAILABLE,
    MarkerKind::TRANSLATIONS_FORGOTTEN,
];
/// Maximum number of translations kept, some 20 MB; with more, each query collects its own.
const KEPT: u64 = 1 << 18;

/// Maximum number of translations collected for one query.
const MOST: usize = 1 << 20;

/// Requested pages: all, or those with some addresses.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) enum WantedPages {
    #[default]
    All,
    /// Page of a virtual address.
    Virtual(u64),
    /// Physical pages between two addresses.
    Physical { first: u64, last: u64 },
}

/// Effect of a marker on the translations, with those before it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum PageUpdate {
    /// A virtual page is mapped to a physical one.
    Mapped {
        page: u64,
        physical: u64,
        context: Option<u64>,
    },
    /// The mapping of a page ends.
    Unmapped { page: u64 },
    /// The mappings of all pages end.
    AllUnmapped,
}

/// Combines the markers of a thread.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct PageMarkers {
    physical: Option<u64>,
    context: Option<u64>,
}

impl PageMarkers {
    /// Takes the next marker of the thread, by its kind and value.
    pub fn take(&mut self, kind: MarkerKind, value: u64, page_bytes: u64) -> Option<PageUpdate> {
        let page = value & !(page_bytes - 1);
        match kind {
            MarkerKind::PHYSICAL_ADDRESS => (self.physical, self.context) = (Some(page), None),
            MarkerKind::ADDRESS_CONTEXT => self.context = Some(value),
            MarkerKind::VIRTUAL_ADDRESS => {
                let (physical, context) = (self.physical.take()?, self.context.take());
                return Some(PageUpdate::Mapped {
                    page,
                    physical,
                    context,
                });
            }
            MarkerKind::PHYSICAL_ADDRESS_NOT_AVAILABLE => {
                return Some(PageUpdate::Unmapped { page });
            }
            MarkerKind::TRANSLATIONS_FORGOTTEN => return Some(PageUpdate::AllUnmapped),
            _ => {}
        }
        None
    }
}

/// Returns the recorded translations, at least of the requested pages. Cost: the slots with
/// page markers, once for an index; in a trace with more than 262,144 translations, for each
/// query.
pub fn mappings(
    index: &Index,
    wanted: WantedPages,
    cancel: &Cancel,
) -> Result<Arc<PageMappings>, QueryError> {
    if let Some(known) = index.caches.pages.get() {
        return Ok(Arc::clone(known));
    }
    let is_kept = translation_count(index) <= KEPT;
    let pages = Arc::new(collect(
        index,
        if is_kept { WantedPages::All } else { wanted },
        cancel,
    )?);
    Ok(if is_kept {
        Arc::clone(index.caches.pages.get_or_init(|| pages))
    } else {
        pages
    })
}

/// Returns all recorded translations, if they are few enough to be kept.
pub fn all_mappings(
    index: &Index,
    cancel: &Cancel,
) -> Result<Option<Arc<PageMappings>>, QueryError> {
    if index.caches.pages.get().is_none() && translation_count(index) > KEPT {
        return Ok(None);
    }
    mappings(index, WantedPages::All, cancel).map(Some)
}

/// Returns the number of recorded translations.
pub fn translation_count(index: &Index) -> u64 {
    let reader = MarkerReader(index);
    reader
        .marker_counts()
        .filter(|of| of.kind == MarkerKind::VIRTUAL_ADDRESS)
        .map(|of| of.count)
        .sum()
}

fn collect(
    index: &Index,
    wanted: WantedPages,
    cancel: &Cancel,
) -> Result<PageMappings, QueryError> {
    let mut collected = PageCollector {
        wanted,
        ..PageCollector::default()
    };
    let wanted = WantedMarkers {
        kinds: &KINDS,
        thread: None,
    };
    MarkerReader(index).each_in(wanted, 0..u64::MAX, cancel, |hits| {
        hits.iter().for_each(|hit| collected.take(hit));
        if collected.pages.len() > MOST {
            0
        } else {
            usize::MAX
        }
    })?;
    if collected.pages.len() > MOST {
        return Err(QueryError::TooManyPages(MOST));
    }
    let stated = PageMappings::new(collected.page_bytes, collected.pages);
    Ok(if matches!(collected.wanted, WantedPages::All) {
        stated
    } else {
        stated.in_part()
    })
}

/// Translations collected until now.
#[derive(Debug, Default)]
struct PageCollector {
    wanted: WantedPages,
    page_bytes: Option<u64>,
    pages: Vec<MappedPage>,
    markers: HashMap<ThreadId, PageMarkers>,
    /// Current translations by thread and page.
    open: HashMap<ThreadId, HashMap<u64, Vec<u32>>>,
}

impl PageCollector {
    fn take(&mut self, hit: &MarkerHit) {
        let MarkerHit {
            position: Position(slot),
            thread,
            marker,
            ..
        } = *hit;
        if marker.kind == MarkerKind::PAGE_SIZE {
            self.page_bytes = self
                .page_bytes
                .or(Some(marker.value).filter(|bytes| bytes.is_power_of_two()));
            return;
        }
        let Some(page_bytes) = self.page_bytes else {
            return;
        };
        let news =
            self.markers
                .entry(thread)
                .or_default()
                .take(marker.kind, marker.value, page_bytes);
        match news {
            Some(PageUpdate::Mapped {
                page,
                physical,
                context,
            }) => {
                self.end(thread, page, slot, |stated| stated.context == context);
                if self.is_wanted(page, physical, page_bytes) {
                    let place = self.pages.len() as u32;
                    self.open
                        .entry(thread)
                        .or_default()
                        .entry(page)
                        .or_default()
                        .push(place);
                    let (from, until, used_until) = (slot, u64::MAX, u64::MAX);
                    self.pages.push(MappedPage {
                        thread,
                        context,
                        page,
                        physical,
                        from,
                        until,
                        used_until,
                    });
                }
            }
            Some(PageUpdate::Unmapped { page }) => self.end(thread, page, slot, |_| true),
            Some(PageUpdate::AllUnmapped) => {
                let pages: Vec<u64> = self
                    .open
                    .get(&thread)
                    .into_iter()
                    .flat_map(HashMap::keys)
                    .copied()
                    .collect();
                pages
                    .into_iter()
                    .for_each(|page| self.end(thread, page, slot, |_| true));
            }
            None => {}
        }
    }

    /// Ends the use of a page's translations at a slot, because of a new record; those for which
    /// `is_over` is true also end.
    fn end(
        &mut self,
        thread: ThreadId,
        page: u64,
        slot: u64,
        is_over: impl Fn(&MappedPage) -> bool,
    ) {
        let Self { pages, open, .. } = self;
        let Some(of_thread) = open.get_mut(&thread) else {
            return;
        };
        let Some(places) = of_thread.get_mut(&page) else {
            return;
        };
        places.retain(|place| {
            let Some(stated) = pages.get_mut(*place as usize) else {
                return false;
            };
            stated.used_until = stated.used_until.min(slot);
            let is_over = is_over(stated);
            if is_over {
                stated.until = slot;
            }
            !is_over
        });
        if places.is_empty() {
            of_thread.remove(&page);
        }
    }

    fn is_wanted(&self, page: u64, physical: u64, page_bytes: u64) -> bool {
        let inside = page_bytes - 1;
        match self.wanted {
            WantedPages::All => true,
            WantedPages::Virtual(address) => page == address & !inside,
            WantedPages::Physical { first, last } => (first & !inside..=last).contains(&physical),
        }
    }
}
