//! Checks translations: the differences between physical and virtual addresses (clause 3c of the
//! specification).

use foldhash::HashMap;

use crate::rst::check::instruction::{InstructionWord, InstructionWordKind};
use crate::rst::check::out::FindingSink;
use crate::rst::check::rules;
use crate::rst::record::is_fake_address;
use crate::rst::records::{Instruction, PaVaDiff};

/// Bytes of the smallest page.
const PAGE: u64 = 8 << 10;
/// Maximum number of remembered page translations; at the limit all are dropped.
const REMEMBERED: usize = 1 << 12;

/// The recorded address translations of a processor.
#[derive(Debug, Default)]
pub struct TranslationCheck {
    /// Of instructions (0) and of data (1).
    sides: [CheckedSide; 2],
    /// Recorded differences, by context and page number.
    known: HashMap<ContextPageKey, u64>,
    has_begun: bool,
    /// The last PAVADIFF, until its instruction comes.
    told: Option<PendingTranslation>,
    /// The primary data context, and a flag that it changed since data was last translated.
    primary: Option<u16>,
    is_context_new: bool,
}

#[derive(Debug, Default)]
struct CheckedSide {
    context: u16,
    page: Option<u64>,
    difference: Option<u64>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
struct ContextPageKey {
    context: u16,
    page: u64,
}

#[derive(Clone, Copy, Debug)]
struct PendingTranslation {
    record: u64,
    difference: PaVaDiff,
    is_news: bool,
}

/// An access to an address on the side of instructions (0) or data (1), possibly on another page
/// than the one before.
struct PageCrossing {
    place: usize,
    address: u64,
    /// True if a PAVADIFF directly before the instruction translates the address.
    is_told: bool,
}

impl TranslationCheck {
    /// Forgets the recorded pages, which may no longer hold.
    pub fn forget(&mut self) {
        self.known.clear();
    }

    /// Sets the primary data context.
    pub fn context(&mut self, primary: u16) {
        self.is_context_new |= self.primary.is_some_and(|before| before != primary);
        self.primary = Some(primary);
    }

    /// Takes a PAVADIFF.
    pub fn take(&mut self, difference: PaVaDiff, out: &mut FindingSink) {
        let differences = [
            Some(difference.pc_difference),
            difference.data.map(|data| data.difference),
        ];
        for odd in differences
            .into_iter()
            .flatten()
            .filter(|difference| !difference.is_multiple_of(PAGE))
        {
            out.found(&rules::V03, || {
                format!("cpu{}: a difference of {odd:#x}", difference.cpu)
            });
        }
        let is_new =
            |(side, told): (&CheckedSide, Option<u64>)| told.is_some() && side.difference != told;
        let is_news = self.has_begun && self.sides.iter().zip(differences).any(is_new);
        self.is_context_new &= difference.data.is_none();
        self.told = Some(PendingTranslation {
            record: out.number,
            difference,
            is_news,
        });
    }

    /// Reports a changed translation if another record comes between it and its instruction.
    pub fn is_interrupted(&mut self, out: &mut FindingSink) {
        if let Some(PendingTranslation {
            record,
            difference,
            is_news: true,
        }) = self.told
        {
            let cpu = difference.cpu;
            let words = format!(
                "the translation of cpu{cpu} changes, and its instruction is not the next record"
            );
            out.found_at(&rules::V01, record, || words);
        }
    }

    /// Checks the pages of an instruction that a processor executes at trap level `level`.
    pub fn check(
        &mut self,
        word: &InstructionWord,
        found: &Instruction,
        level: Option<u8>,
        out: &mut FindingSink,
    ) {
        self.has_begun = true;
        let told = self.told.take();
        if let Some(PendingTranslation {
            record, difference, ..
        }) = told
        {
            self.check_data(found, record, &difference, out);
            self.sides[0] = CheckedSide {
                context: difference.context,
                page: None,
                difference: Some(difference.pc_difference),
            };
            if let Some(data) = difference.data {
                self.sides[1] = CheckedSide {
                    context: data.context,
                    page: None,
                    difference: Some(data.difference),
                };
            }
        }
        let is_access =
            word.kind == InstructionWordKind::Access && !found.is_annulled && !found.has_trap;
        let data = found.ea.filter(|_| is_access);
        let is_told = [
            told.is_some(),
            told.is_some_and(|told| told.difference.data.is_some()),
        ];
        for (place, address) in [Some(found.pc), data].into_iter().enumerate() {
            let Some(address) = address.filter(|address| !is_fake_address(*address)) else {
                continue;
            };
            self.cross(
                PageCrossing {
                    place,
                    address,
                    is_told: is_told[place],
                },
                found,
                out,
            );
        }
        if data.is_some() && level == Some(0) && std::mem::take(&mut self.is_context_new) {
            let cpu = found.cpu;
            out.found(&rules::V04, || {
                format!("cpu{cpu} at {:#x}: the data context changed, and no PAVADIFF tells the translation", found.pc)
            });
        }
    }

    fn check_data(
        &self,
        found: &Instruction,
        record: u64,
        difference: &PaVaDiff,
        out: &mut FindingSink,
    ) {
        let is_same_context = difference
            .data
            .is_some_and(|data| data.context == self.sides[1].context);
        // A change of the context must be recorded with its data translation in any case.
        if record + 1 == out.number && found.ea.is_none() && is_same_context {
            let words = format!(
                "cpu{}: it translates data, and its instruction has no effective address",
                found.cpu
            );
            out.found_at(&rules::V02, record, || words);
        }
    }

    /// Checks the translation if an address is on a new page.
    fn cross(&mut self, to: PageCrossing, found: &Instruction, out: &mut FindingSink) {
        let PageCrossing {
            place,
            address,
            is_told,
        } = to;
        let Some(side) = self.sides.get_mut(place) else {
            return;
        };
        let page = address / PAGE;
        let (context, difference) = (side.context, side.difference);
        if side.page.replace(page) == Some(page) {
            return;
        }
        let key = ContextPageKey { context, page };
        let Some(difference) = difference else { return };
        if is_told {
            if self.known.len() >= REMEMBERED {
                self.known.clear();
            }
            self.known.insert(key, difference);
            return;
        }
        if let Some(known) = self.known.get(&key).filter(|known| **known != difference) {
            let what = if place == 0 { "instructions" } else { "data" };
            let cpu = found.cpu;
            out.found(&rules::V01, || {
                format!(
                    "cpu{cpu} goes to the page {:#x} of {what}, which was at a difference of {known:#x}, \
                     and no PAVADIFF tells it",
                    page * PAGE
                )
            });
        }
    }
}
