//! Decoder state of a processor.

use crate::rst::container::paged::PagedTable;
use crate::rst::container::rz2::difference_cache::DifferenceCache;
use crate::rst::container::rz2::history::InstructionHistory;
use crate::rst::fields::{cpu, pavadiff, preg, regval, tlb, trap, trap_exit};
use crate::rst::kind;
use crate::rst::raw_record::{RECORD_BYTES, RawRecord, RecordEncoding};

/// Decoder state of a processor, initially all 0.
#[derive(Debug)]
pub struct Rz2CpuState {
    /// Number of the processor.
    pub number: u8,
    pub history: InstructionHistory,
    pub differences: DifferenceCache,
    /// Register values, indexed by their remainders modulo [`VALUES`].
    pub values: PagedTable<u64, 512>,
    /// True if addresses have 32 bits.
    pub masks_addresses: bool,
    /// Word of the last instruction.
    pub word: u32,
    /// Checksum over the data since the last checksum in the file.
    pub sum: u64,
    /// Number of chunks since then.
    pub chunks: u32,
}

/// Divisor for the remainders of values.
pub const VALUES: u64 = 65535;
/// PSTATE.AM: the processor's addresses have 32 bits.
const ADDRESS_MASK: u64 = 8;

impl Rz2CpuState {
    pub fn new(number: u8) -> Self {
        Self {
            number,
            history: InstructionHistory::new(),
            differences: DifferenceCache::default(),
            values: PagedTable::new(VALUES as usize + 1),
            masks_addresses: false,
            word: 0,
            sum: 0,
            chunks: 0,
        }
    }

    /// Inserts the processor number, which no stream stores, into a record. Updates the state from
    /// the record.
    pub fn adopt(&mut self, record: &mut [u8; RECORD_BYTES]) {
        let raw = RawRecord::new(record, RecordEncoding::default());
        let field = match raw.kind() {
            kind::TLB => tlb::CPU.low,
            kind::TRAP => trap::CPU.low,
            kind::TRAP_EXIT => trap_exit::CPU.low,
            kind::REGISTERS => regval::CPU.low,
            kind::CPU => cpu::CPU_NUMBER,
            kind::PREG => {
                self.masks_addresses = raw.get(preg::PSTATE) & ADDRESS_MASK != 0;
                preg::CPU.low
            }
            kind::DIFFERENCE => pavadiff::CPU.low,
            _ => return,
        };
        *record = raw.with(field, u64::from(self.number)).bytes();
    }
}
