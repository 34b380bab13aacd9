//! Cache of instruction words by address.

use crate::rst::container::code::InstructionClass;
use crate::rst::container::paged::{PagedTable, TableBudget};

/// A cached instruction.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct CachedInstruction {
    pub word: u32,
    pub class: InstructionClass,
    /// False for an instruction that was first seen annulled: its target counts as 0.
    pub has_target: bool,
}

/// A set of two instructions.
#[derive(Clone, Copy, Debug, Default)]
pub struct InstructionCacheSet {
    tags: [u64; 2],
    words: [u32; 2],
    classes: [InstructionClass; 2],
    have_targets: [bool; 2],
    /// Index of the one that is replaced next.
    oldest: u8,
}

const SETS: usize = 1 << 17;
const PAGE: usize = 128;

/// Two-way set-associative cache of the instructions that a processor executed.
#[derive(Debug)]
pub struct InstructionCache(PagedTable<InstructionCacheSet, PAGE>);

impl InstructionCache {
    pub fn new() -> Self {
        Self(PagedTable::new(SETS))
    }

    /// Returns the set of an address, or none if the memory is exceeded.
    #[inline]
    pub fn set(&mut self, pc: u64, budget: &mut TableBudget) -> Option<&mut InstructionCacheSet> {
        self.0.place((pc >> 2) as usize % SETS, budget)
    }
}

impl InstructionCacheSet {
    /// Returns the instruction at an address of this set, if it is cached. The other one is
    /// replaced next then.
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

    /// Stores an instruction in place of the same address, or of the oldest.
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
