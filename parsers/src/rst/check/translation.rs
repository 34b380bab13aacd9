//! Checks translations: the differences between physical and virtual addresses (clause 3c of the
//! specification).

use foldhash::HashMap;

use crate::rst::check::instruction::{InstructionWord, InstructionWordKind};
use crate::rst::check::out::FindingSink;
use crate::rst::check::rules;
use crate::rst::records::{ContextDifference, ContextPage, Instruction, PaVaDiff, is_fake_address};

/// Maximum number of remembered page translations; at the limit all are dropped.
const REMEMBERED: usize = 1 << 12;

/// The recorded address translations of a processor.
#[derive(Debug, Default)]
pub struct TranslationCheck {
    /// Of instructions (0) and of data (1).
    sides: [CheckedSide; 2],
    /// Recorded differences.
    known: HashMap<ContextPage, u64>,
    has_begun: bool,
    /// The last PAVADIFF, until its instruction comes.
    stated: Option<PendingTranslation>,
    /// The primary data context, and a flag that it changed since data was last translated.
    primary: Option<u16>,
    is_context_new: bool,
}

#[derive(Debug, Default)]
struct CheckedSide {
    in_force: Option<ContextDifference>,
    /// Address of the last page.
    page: Option<u64>,
}

#[derive(Clone, Copy, Debug)]
struct PendingTranslation {
    record: u64,
    difference: PaVaDiff,
    is_news: bool,
}

impl CheckedSide {
    /// Returns the context; 0 before the first PAVADIFF.
    fn context(&self) -> u16 {
        self.in_force.map_or(0, |known| known.context)
    }

    /// Returns the page of an address and its difference, if it is another page than the last one.
    fn enter(&mut self, address: u64) -> Option<(ContextPage, u64)> {
        let page = ContextPage::of(self.context(), address);
        let is_new = self.page.replace(page.address) != Some(page.address);
        Some((page, self.in_force.filter(|_| is_new)?.difference))
    }
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
            Some(difference.code.difference),
            difference.data.map(|data| data.difference),
        ];
        for odd in differences
            .into_iter()
            .flatten()
            .filter(|difference| !difference.is_multiple_of(ContextPage::BYTES))
        {
            out.found(&rules::V03, || {
                format!("cpu{}: a difference of {odd:#x}", difference.cpu)
            });
        }
        let is_new = |(side, stated): (&CheckedSide, Option<u64>)| {
            stated.is_some() && side.in_force.map(|known| known.difference) != stated
        };
        let is_news = self.has_begun && self.sides.iter().zip(differences).any(is_new);
        self.is_context_new &= difference.data.is_none();
        self.stated = Some(PendingTranslation {
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
        }) = self.stated
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
        let stated = self.stated.take();
        if let Some(PendingTranslation {
            record, difference, ..
        }) = stated
        {
            self.check_data(found, record, &difference, out);
            for (side, stated) in self
                .sides
                .iter_mut()
                .zip([Some(difference.code), difference.data])
            {
                if stated.is_some() {
                    *side = CheckedSide {
                        in_force: stated,
                        page: None,
                    };
                }
            }
        }
        let is_access =
            word.kind == InstructionWordKind::Access && !found.is_annulled && !found.has_trap;
        let data = found.ea.filter(|_| is_access);
        let is_stated = [
            stated.is_some(),
            stated.is_some_and(|stated| stated.difference.data.is_some()),
        ];
        for (place, address) in [Some(found.pc), data].into_iter().enumerate() {
            let address = address.filter(|address| !is_fake_address(*address));
            let side = &mut self.sides[place];
            let Some((page, difference)) = address.and_then(|address| side.enter(address)) else {
                continue;
            };
            if is_stated[place] {
                self.learn(page, difference);
                continue;
            }
            if let Some(known) = self.known.get(&page).filter(|known| **known != difference) {
                let what = if place == 0 { "instructions" } else { "data" };
                let (cpu, address) = (found.cpu, page.address);
                out.found(&rules::V01, || {
                    format!(
                        "cpu{cpu} goes to the page {address:#x} of {what}, which was at a difference of {known:#x}, \
                         and no PAVADIFF records it"
                    )
                });
            }
        }
        if data.is_some() && level == Some(0) && std::mem::take(&mut self.is_context_new) {
            let cpu = found.cpu;
            out.found(&rules::V04, || {
                format!("cpu{cpu} at {:#x}: the data context changed, and no PAVADIFF records the translation", found.pc)
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
            .is_some_and(|data| data.context == self.sides[1].context());
        // A change of the context must be recorded with its data translation in any case.
        if record + 1 == out.number && found.ea.is_none() && is_same_context {
            let words = format!(
                "cpu{}: it translates data, and its instruction has no effective address",
                found.cpu
            );
            out.found_at(&rules::V02, record, || words);
        }
    }

    fn learn(&mut self, page: ContextPage, difference: u64) {
        if self.known.len() >= REMEMBERED {
            self.known.clear();
        }
        self.known.insert(page, difference);
    }
}
