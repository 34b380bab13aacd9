//! What is remembered of a processor.

use crate::rst::container::paged::PagedTable;
use crate::rst::container::rz3::branch_counters::BranchCounters;
use crate::rst::container::rz3::instruction_cache::InstructionCache;
use crate::rst::container::rz3::return_stack::PredictedReturnStack;
use crate::rst::container::rz3::value_cache::ValueCache;

/// The predictors of a processor; all are 0 at first.
#[derive(Debug)]
pub struct Rz3CpuState {
    pub predicted_pc: u64,
    pub predicted_npc: u64,
    /// Where the last instruction lies.
    pub pc: u64,
    pub is_annulled: bool,
    pub is_privileged: bool,
    pub is_hyperprivileged: bool,
    /// Addresses have 32 bits.
    pub masks_addresses: bool,
    /// The last instruction was a call.
    pub is_behind_call: bool,
    pub context: u64,
    pub data_context: u64,
    pub pending: Option<PendingDifference>,
    pub instructions: InstructionCache,
    pub branches: BranchCounters,
    pub calls: PredictedReturnStack,
    /// Where calls through a register went.
    pub jumps: PredictionTable<2048>,
    /// Pages of instructions and their distance to physical ones.
    pub pages: PredictionTable<512>,
    /// The same of data.
    pub data_pages: PredictionTable<2048>,
    pub registers: PagedTable<PredictedRegisters, 1024>,
    pub values: ValueCache,
    /// Where the branches of a snap lie.
    pub warm_pcs: PagedTable<u64, 512>,
    /// Where the last one of them went.
    pub warm_npc: u64,
}

/// The registers of the value records that last followed an instruction.
#[derive(Clone, Copy, Debug, Default)]
pub struct PredictedRegisters {
    pub kinds: [u8; 2],
    pub ids: [u8; 2],
}

/// A difference of addresses whose instruction is still to come.
#[derive(Clone, Copy, Debug)]
pub struct PendingDifference {
    /// Its number in the section.
    pub record: usize,
    /// That of the instruction is predicted.
    pub is_pc_predicted: bool,
    /// That of the data is predicted.
    pub is_data_predicted: bool,
    /// It has one of data.
    pub has_data: bool,
}

/// A small table of numbers.
#[derive(Debug)]
pub struct PredictionTable<const SIZE: usize>(Box<[u64]>);

/// Bytes of the lists of pages, at most.
const PAGE_LISTS: usize = 16 << 10;
/// Places that the predictors of branches of snaps have.
const WARM_PLACES: usize = 1 << 16;
/// Places of the names of registers.
const REGISTER_PLACES: usize = 1 << 16;

impl Rz3CpuState {
    /// Bytes that it takes at once; tables in pages take more as they are used.
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

    /// The number for a key; its lower bits choose.
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
