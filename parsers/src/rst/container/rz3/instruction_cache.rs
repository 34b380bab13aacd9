//! The words of instructions where they were last seen.

use crate::rst::container::code::InstructionClass;
use crate::rst::container::paged::{PagedTable, TableBudget};

/// An instruction that was seen.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct CachedInstruction {
    pub word: u32,
    pub class: InstructionClass,
    /// False for what was first seen annulled: its target counts as 0.
    pub has_target: bool,
}

/// Two instructions for each set.
#[derive(Clone, Copy, Debug, Default)]
pub struct InstructionCacheSet {
    tags: [u64; 2],
    words: [u32; 2],
    classes: [InstructionClass; 2],
    have_targets: [bool; 2],
    /// Which of the two the next one takes.
    oldest: u8,
}

const SETS: usize = 1 << 17;
const PAGE: usize = 128;

/// The instructions that a processor executed.
#[derive(Debug)]
pub struct InstructionCache(PagedTable<InstructionCacheSet, PAGE>);

impl InstructionCache {
    pub fn new() -> Self {
        Self(PagedTable::new(SETS))
    }

    /// The set of an address; none when there is no memory for it.
    #[inline]
    pub fn set(&mut self, pc: u64, budget: &mut TableBudget) -> Option<&mut InstructionCacheSet> {
        self.0.place((pc >> 2) as usize % SETS, budget)
    }
}

impl InstructionCacheSet {
    /// The instruction at an address of this set, if it is there; the other one is the oldest then.
    #[inline]
    pub fn find(&mut self, pc: u64) -> Option<CachedInstruction> {
        let way = usize::from(self.tags[0] != pc >> 2);
        (self.tags[way] == pc >> 2).then(|| {
            self.oldest = 1 - way as u8;
            CachedInstruction {
                word: self.words[way],
                class: self.classes[way],
                has_target: self.have_targets[way],
            }
        })
    }

    /// Puts an instruction in its place, or in that of the oldest.
    pub fn install(&mut self, pc: u64, line: CachedInstruction) {
        let way = match self.find(pc) {
            Some(_) => 1 - self.oldest,
            None => self.oldest,
        };
        let way = usize::from(way & 1);
        self.tags[way] = pc >> 2;
        (self.words[way], self.classes[way], self.have_targets[way]) =
            (line.word, line.class, line.has_target);
    }
}
