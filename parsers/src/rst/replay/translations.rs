//! Physical pages of virtual pages, according to the records.
//!
//! A PAVADIFF states the differences for the addresses of the next instruction and of its access.
//! They hold on other pages too, until the next PAVADIFF: the specification requires one wherever a
//! difference changes. So a page is reported when it is first touched, with its context, and again
//! if it was touched in another context since: its accesses go to the last reported physical page.
//! TLB entries report pages, too, if their layout is known. Translations that a trap, a change of
//! contexts or an invalidated page may have changed are unknown until the next record.

use foldhash::HashMap;

use crate::marker::{Marker, MarkerKind};
use crate::rst::records::{
    ContextDifference, ContextPage, Instruction, PaVaDiff, TlbEntry, is_fake_address,
};

/// Bytes of the smallest page.
const PAGE: u64 = ContextPage::BYTES;
/// Bytes of the largest page. An invalidated entry may be for one.
const LARGE_PAGE: u64 = 4 << 20;
/// Maximum number of pages remembered, so that each translation is reported once.
const REMEMBERED: usize = 1 << 12;
/// Physical address in the data of a TLB entry, and its valid flag (UltraSPARC III).
const ENTRY_PHYSICAL: u64 = 0x7ff_ffff_e000;
const ENTRY_VALID: u64 = 1 << 63;

/// Bytes of the second smallest page. Each page of an entry up to this size is reported. Larger
/// entries would be hundreds of pages, most of them never touched; for those the PAVADIFF records
/// suffice.
const MEDIUM_PAGE: u64 = 64 << 10;

/// Returns the mask of the physical address in the data of a TLB entry of a sun4u MMU (UltraSPARC
/// User's Manual, 6.2 "Translation Table Entry": valid 63, size 62:61, physical address from bit 13
/// on), by the name of the MMU in a text of the trace (`mmutype=spitfire`).
///
/// Entries of sun4v have sizes and addresses elsewhere, and no record distinguishes the two. Unless
/// the trace names a known MMU, an entry only ends the translation of its page.
pub fn physical_mask(name: &str) -> Option<u64> {
    let is_of = |family: &[&str]| family.iter().any(|known| name.starts_with(known));
    // Bits 40:13. UltraSPARC I and II have diagnostic bits above.
    if is_of(&["spitfire", "blackbird", "sabre", "hummingbird"]) {
        return Some(0x1ff_ffff_e000);
    }
    // Bits 42:13.
    let is_third = is_of(&["cheetah", "jaguar", "jalapeno", "serrano", "panther"]);
    is_third.then_some(ENTRY_PHYSICAL)
}

/// Returns the pages of a valid entry, each with its virtual address and difference. Returns none
/// for larger pages.
fn pages_of(entry: &TlbEntry, physical_mask: u64) -> impl Iterator<Item = (u64, u64)> + use<> {
    let size_bytes = PAGE << (3 * (entry.data >> 61 & 3));
    let is_stated = entry.data & ENTRY_VALID != 0 && size_bytes <= MEDIUM_PAGE;
    let first = entry.tag & !(size_bytes - 1);
    let physical = entry.data & physical_mask & !(size_bytes - 1);
    let pages = if is_stated { size_bytes / PAGE } else { 0 };
    (0..pages).map(move |number| {
        (
            first.wrapping_add(number * PAGE),
            physical.wrapping_sub(first),
        )
    })
}

/// Known translations of a processor.
#[derive(Debug, Default)]
pub struct Translations {
    /// Current translations for instructions, and for loads and stores in the current address
    /// space.
    code: TranslationSide,
    data: TranslationSide,
    /// Reported differences.
    stated: HashMap<ContextPage, u64>,
    /// Context of the last report of each virtual page.
    newest: HashMap<u64, u16>,
    has_begun: bool,
}

#[derive(Debug, Default)]
struct TranslationSide {
    in_force: Option<ContextDifference>,
    /// The page that was touched last.
    page: Option<u64>,
}

impl TranslationSide {
    /// Returns the page of an address and its difference, if it is another page than the last one.
    fn touch(&mut self, address: u64) -> Option<(ContextPage, u64)> {
        let known = self.in_force?;
        let page = ContextPage::of(known.context, address);
        let is_new = self.page.replace(page.address) != Some(page.address);
        is_new.then_some((page, known.difference))
    }
}

impl Translations {
    /// Takes an instruction and the PAVADIFF directly before it. Returns the new translations.
    #[inline]
    pub fn take(&mut self, found: &Instruction, stated: Option<PaVaDiff>) -> Vec<Marker> {
        let mut news = Vec::new();
        if let Some(stated) = stated {
            self.code = TranslationSide {
                in_force: Some(stated.code),
                page: None,
            };
            if stated.data.is_some() {
                self.data = TranslationSide {
                    in_force: stated.data,
                    page: None,
                };
            }
        }
        if !is_fake_address(found.pc)
            && let Some((page, difference)) = self.code.touch(found.pc)
        {
            if self.data.page == Some(page.address) {
                self.data.page = None;
            }
            self.tell(page, difference, &mut news);
        }
        let has_access = found.word >> 30 == 3 && !found.is_annulled;
        let access = found.ea.filter(|ea| has_access && !is_fake_address(*ea));
        let Some(address) = access else { return news };
        // Other address spaces have other contexts: a PAVADIFF holds for this access only.
        let is_elsewhere = found.word >> 19 & 0x10 != 0;
        if is_elsewhere && stated.is_none_or(|stated| stated.data.is_none()) {
            return news;
        }
        if let Some((page, difference)) = self.data.touch(address) {
            self.tell(page, difference, &mut news);
        }
        if is_elsewhere {
            self.data = TranslationSide::default();
        }
        news
    }

    fn tell(&mut self, page: ContextPage, difference: u64, news: &mut Vec<Marker>) {
        if self.stated.len() >= REMEMBERED {
            news.extend(self.forget());
            (self.code.page, self.data.page) = (None, None);
        }
        let is_known = self.stated.insert(page, difference) == Some(difference);
        let is_newest = self.newest.insert(page.address, page.context) == Some(page.context);
        if is_known && is_newest {
            return;
        }
        let mut mark = |kind, value| news.push(Marker { kind, value });
        if !std::mem::replace(&mut self.has_begun, true) {
            mark(MarkerKind::PAGE_SIZE, PAGE);
        }
        let physical = page.address.wrapping_add(difference);
        mark(MarkerKind::PHYSICAL_ADDRESS, physical);
        mark(MarkerKind::ADDRESS_CONTEXT, page.context.into());
        mark(MarkerKind::VIRTUAL_ADDRESS, page.address);
    }

    /// Drops the current translations, since the contexts may change here.
    pub fn turn(&mut self) {
        (self.code, self.data) = Default::default();
    }

    /// Forgets all reported translations, which may no longer hold.
    pub fn forget(&mut self) -> Option<Marker> {
        let had_any = !self.stated.is_empty();
        self.stated.clear();
        self.newest.clear();
        had_any.then_some(Marker {
            kind: MarkerKind::TRANSLATIONS_FORGOTTEN,
            value: 0,
        })
    }

    /// Takes a TLB entry that is written or invalidated. Returns the pages that are unknown from
    /// here on, and the pages of the entry.
    pub fn entry(&mut self, entry: &TlbEntry, physical_mask: Option<u64>) -> Vec<Marker> {
        let mut news = self.end_by(entry);
        let context = (entry.tag & (PAGE - 1)) as u16;
        let pages = physical_mask
            .filter(|_| !entry.is_demap)
            .map(|mask| pages_of(entry, mask));
        for (address, difference) in pages.into_iter().flatten() {
            self.tell(ContextPage { context, address }, difference, &mut news);
            for side in [&mut self.code, &mut self.data] {
                side.page = side.page.filter(|page| *page != address);
            }
        }
        news
    }

    fn end_by(&mut self, entry: &TlbEntry) -> Vec<Marker> {
        let (address, context) = (entry.tag & !(PAGE - 1), (entry.tag & (PAGE - 1)) as u16);
        let mut pages: Vec<u64> = if entry.is_demap {
            // Only the processor knows the size of the page, and global pages belong to every
            // context.
            let is_near = |page: &&ContextPage| {
                page.address & !(LARGE_PAGE - 1) == address & !(LARGE_PAGE - 1)
            };
            self.stated
                .keys()
                .filter(is_near)
                .map(|page| page.address)
                .collect()
        } else {
            let physical = (entry.data & ENTRY_VALID != 0).then_some(entry.data & ENTRY_PHYSICAL);
            let stated = self.stated.get(&ContextPage { context, address });
            let is_other =
                stated.is_some_and(|stated| physical != Some(address.wrapping_add(*stated)));
            if is_other { vec![address] } else { Vec::new() }
        };
        pages.sort_unstable();
        pages.dedup();
        if pages.is_empty() && !entry.is_demap {
            return Vec::new();
        }
        self.turn();
        self.stated
            .retain(|page, _| pages.binary_search(&page.address).is_err());
        self.newest
            .retain(|page, _| pages.binary_search(page).is_err());
        let forgotten = |value| Marker {
            kind: MarkerKind::PHYSICAL_ADDRESS_NOT_AVAILABLE,
            value,
        };
        pages.into_iter().map(forgotten).collect()
    }
}
