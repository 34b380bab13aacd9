//! Predictor state of a processor.

use crate::rst::container::paged::PagedTable;
use crate::rst::container::rz3::branch_counters::BranchCounters;
use crate::rst::container::rz3::instruction_cache::InstructionCache;
use crate::rst::container::rz3::return_stack::PredictedReturnStack;
use crate::rst::container::rz3::value_cache::ValueCache;

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
    pub is_behind_call: bool,
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
            is_behind_call: false,
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
