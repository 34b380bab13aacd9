//! Predictor state of each processor ([`Rz3CpuTable`], [`Rz3CpuState`]): two-bit branch counters, a
//! stack of return addresses, and caches of values and instructions. All must predict like those of
//! the packer, so their sizes are fixed by the format. The memory for all processors together is
//! limited.

use crate::rst::container::batch::UnpackFault;
use crate::rst::container::code::InstructionClass;
use crate::rst::container::paged::{PagedTable, TableBudget};
use crate::rst::container::rz3::bits::{SectionArray, SectionBits, VALUE_LEVELS};

/// The predictors of a processor, initially all 0.
#[derive(Debug)]
pub struct Rz3CpuState {
    pub predicted_pc: u64,
    pub predicted_npc: u64,
    /// Address of the last instruction.
    pub pc: u64,
    pub is_annulled: bool,
    pub is_privileged: bool,
    pub is_hyperprivileged: bool,
    /// True if addresses have 32 bits.
    pub masks_addresses: bool,
    /// True if the last instruction was a call.
    pub is_after_call: bool,
    pub context: u64,
    pub data_context: u64,
    pub pending: Option<PendingDifference>,
    pub instructions: InstructionCache,
    pub branches: BranchCounters,
    pub calls: PredictedReturnStack,
    /// Targets of calls through a register.
    pub jumps: PredictionTable<2048>,
    /// Page predictor of instructions: differences of physical and virtual page numbers, or
    /// physical page numbers stored by cache warming records.
    pub pages: PredictionTable<512>,
    /// Page predictor of data, with the same contents.
    pub data_pages: PredictionTable<2048>,
    pub registers: PagedTable<PredictedRegisters, 1024>,
    pub values: ValueCache,
    /// Addresses of the branches in a snap.
    pub warm_pcs: PagedTable<u64, 512>,
    /// Target of the last of these branches.
    pub warm_npc: u64,
}

/// The registers of the value records that last followed an instruction.
#[derive(Clone, Copy, Debug, Default)]
pub struct PredictedRegisters {
    pub kinds: [u8; 2],
    pub ids: [u8; 2],
}

/// An address difference with an instruction that is still to come.
#[derive(Clone, Copy, Debug)]
pub struct PendingDifference {
    /// Number of the record in the section.
    pub record: usize,
    /// True if the difference for the instruction is predicted.
    pub is_pc_predicted: bool,
    /// True if the difference for data is predicted.
    pub is_data_predicted: bool,
    /// True if there is a difference for data.
    pub has_data: bool,
}

/// A small direct-mapped table of numbers.
#[derive(Debug)]
pub struct PredictionTable<const SIZE: usize>(Box<[u64]>);

/// Maximum bytes of the page lists of the paged tables.
const PAGE_LISTS: usize = 16 << 10;
/// Number of entries of the predictor for branches of snaps.
const WARM_PLACES: usize = 1 << 16;
/// Number of entries of the register predictor.
const REGISTER_PLACES: usize = 1 << 16;

impl Rz3CpuState {
    /// Bytes allocated at once. Paged tables allocate more as they are used.
    pub const BYTES: usize = size_of::<Self>()
        + ValueCache::BYTES
        + BranchCounters::BYTES
        + 8 * (2048 + 512 + 2048)
        + PAGE_LISTS;

    pub fn new() -> Self {
        Self {
            predicted_pc: 0,
            predicted_npc: 0,
            pc: 0,
            is_annulled: false,
            is_privileged: false,
            is_hyperprivileged: false,
            masks_addresses: false,
            is_after_call: false,
            context: 0,
            data_context: 0,
            pending: None,
            instructions: InstructionCache::new(),
            branches: BranchCounters::new(),
            calls: PredictedReturnStack::default(),
            jumps: PredictionTable::new(),
            pages: PredictionTable::new(),
            data_pages: PredictionTable::new(),
            registers: PagedTable::new(REGISTER_PLACES),
            values: ValueCache::new(),
            warm_pcs: PagedTable::new(WARM_PLACES),
            warm_npc: 0,
        }
    }
}

impl<const SIZE: usize> PredictionTable<SIZE> {
    fn new() -> Self {
        Self(vec![0; SIZE].into_boxed_slice())
    }

    /// Returns the number for a key. The lower bits of the key select the entry.
    #[inline]
    pub fn get(&self, key: u64) -> u64 {
        self.0.get(key as usize % SIZE).copied().unwrap_or_default()
    }

    #[inline]
    pub fn set(&mut self, key: u64, number: u64) {
        if let Some(place) = self.0.get_mut(key as usize % SIZE) {
            *place = number;
        }
    }
}

/// Maximum number of processors.
const CPUS: usize = 1 << 10;
/// Maximum bytes for the predictors of all processors together, enough for some two hundred
/// processors that execute all code.
const MEMORY: usize = 1 << 30;

/// The processors, created when they first occur.
#[derive(Debug)]
pub struct Rz3CpuTable {
    cpus: Vec<Option<Box<Rz3CpuState>>>,
    budget: TableBudget,
    /// Predicted processor of the next instruction.
    pub predicted: u16,
    /// Processor of the last instruction.
    pub last: u16,
}

impl Rz3CpuTable {
    pub fn new() -> Self {
        let cpus = (0..CPUS).map(|_| None).collect();
        Self {
            cpus,
            budget: TableBudget::new(MEMORY),
            predicted: 0,
            last: 0,
        }
    }

    /// Reads the processor number of a record, given its prediction.
    #[inline]
    pub fn number(bits: &mut SectionBits, predicted: u16) -> u16 {
        bits.predicted_or(
            SectionArray::IsCpuPredicted,
            u64::from(predicted),
            SectionArray::Cpu,
        ) as u16 // ten bits
    }

    pub fn is_known(&self, number: u16) -> bool {
        self.cpus
            .get(usize::from(number))
            .is_some_and(Option::is_some)
    }

    /// Returns the predictors of a processor and the remaining memory. Returns none and sets a
    /// fault if the memory is exceeded.
    #[inline]
    pub fn touch(
        &mut self,
        number: u16,
        bits: &mut SectionBits,
    ) -> Option<(&mut Rz3CpuState, &mut TableBudget)> {
        let place = self.cpus.get_mut(usize::from(number))?;
        if place.is_none() {
            begin(place, &mut self.budget, bits);
        }
        Some((place.as_mut()?, &mut self.budget))
    }

    /// Drops pending differences, since none waits for an instruction of another section. Returns
    /// the first record that is incomplete without its instruction.
    pub fn end_section(&mut self) -> Option<usize> {
        let pending = self
            .cpus
            .iter_mut()
            .flatten()
            .filter_map(|cpu| cpu.pending.take());
        let needed = pending.filter(|pending| pending.is_pc_predicted || pending.is_data_predicted);
        needed.map(|pending| pending.record).min()
    }
}

#[cold]
fn begin(place: &mut Option<Box<Rz3CpuState>>, budget: &mut TableBudget, bits: &mut SectionBits) {
    if budget.take(Rz3CpuState::BYTES) {
        *place = Some(Box::new(Rz3CpuState::new()));
    } else {
        bits.fail(UnpackFault::Memory);
    }
}

/// Result of a prediction.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum PredictionResult {
    Right,
    Wrong,
}

const COUNTERS: usize = 1 << 14;

/// A counter from 0 to 3 for each branch. Above 1 predicts that the branch is taken.
#[derive(Debug)]
pub struct BranchCounters(Box<[u8]>);

impl From<bool> for PredictionResult {
    #[inline]
    fn from(is_right: bool) -> Self {
        if is_right { Self::Right } else { Self::Wrong }
    }
}

impl BranchCounters {
    /// Memory of the counters in bytes.
    pub const BYTES: usize = COUNTERS;

    pub fn new() -> Self {
        Self(vec![0; COUNTERS].into_boxed_slice())
    }

    /// Returns true if a branch was taken, and updates its counter.
    #[inline]
    pub fn outcome(&mut self, pc: u64, guess: PredictionResult) -> bool {
        let Some(counter) = self.0.get_mut((pc >> 2) as usize % COUNTERS) else {
            return false;
        };
        let is_taken = (*counter > 1) == (guess == PredictionResult::Right);
        *counter = if is_taken {
            (*counter + 1).min(3)
        } else {
            counter.saturating_sub(1)
        };
        is_taken
    }
}

const PLACES: usize = 16;

/// Circular stack of the last sixteen calls of a processor.
#[derive(Debug, Default)]
pub struct PredictedReturnStack {
    calls: [u64; PLACES],
    top: usize,
    count: usize,
}

impl PredictedReturnStack {
    pub fn push(&mut self, pc: u64) {
        self.top = (self.top + 1) % PLACES;
        self.calls[self.top] = pc;
        self.count = (self.count + 1).min(PLACES);
    }

    /// Removes and returns the address of the last call; 0 if the stack is empty.
    pub fn pop(&mut self) -> u64 {
        if self.count == 0 {
            return 0;
        }
        let call = self.calls[self.top];
        self.top = (self.top + PLACES - 1) % PLACES;
        self.count -= 1;
        call
    }

    /// Resets the count to 0. The entries keep their values.
    pub fn clear(&mut self) {
        (self.top, self.count) = (0, 0);
    }
}

const LEVELS: usize = 7;
const SIZES: [u64; LEVELS] = [7, 31, 61, 127, 509, 2039, 8191];
/// Number of low bits of a value at each level, which the file always stores.
const LOW_BITS: [u32; LEVELS] = [4, 6, 7, 8, 9, 10, 12];
/// Start of the table of each level, and the end of the last one.
const STARTS: [usize; LEVELS + 1] = [0, 7, 38, 99, 226, 735, 2774, 10965];

/// The values that a processor used.
#[derive(Debug)]
pub struct ValueCache {
    tags: Box<[u64]>,
}

impl ValueCache {
    /// Memory of the cache in bytes.
    pub const BYTES: usize = 8 * STARTS[LEVELS];

    pub fn new() -> Self {
        Self {
            tags: vec![0; STARTS[LEVELS]].into_boxed_slice(),
        }
    }

    /// Reads the next value and updates the cache.
    #[inline]
    pub fn next(&mut self, bits: &mut SectionBits) -> u64 {
        let level = bits.next(SectionArray::ValueLevel) as usize;
        let value = match VALUE_LEVELS.get(level) {
            None => bits.next(SectionArray::Raw),
            Some(array) => {
                let key = bits.next(*array);
                let (low_bits, size) = (LOW_BITS[level], SIZES[level]);
                let (place, low) = (key >> low_bits, key & ((1 << low_bits) - 1));
                let tag = self
                    .tags
                    .get(STARTS[level] + place as usize)
                    .copied()
                    .unwrap_or_default();
                match place.cmp(&size) {
                    std::cmp::Ordering::Less => tag << low_bits | low,
                    std::cmp::Ordering::Equal => low,
                    std::cmp::Ordering::Greater => {
                        bits.fail(UnpackFault::Contradiction);
                        0
                    }
                }
            }
        };
        // The packer used the first level that holds the value.
        if self.note(value) != level {
            bits.fail(UnpackFault::Contradiction);
        }
        value
    }

    /// Stores a value on all levels before the first one that holds it. Returns that level, or 7.
    #[inline]
    fn note(&mut self, value: u64) -> usize {
        macro_rules! levels {
            ($($level:literal)*) => {$(
                let tag = value >> LOW_BITS[$level];
                let place = self.tags.get_mut(STARTS[$level] + (tag % SIZES[$level]) as usize);
                if let Some(known) = place {
                    if tag == 0 || *known == tag {
                        return $level;
                    }
                    *known = tag;
                }
            )*};
        }
        levels!(0 1 2 3 4 5 6);
        LEVELS
    }
}

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
