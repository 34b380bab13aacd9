//! What is remembered of a processor.

use crate::rst::container::paged::PagedTable;
use crate::rst::container::rz2::difference_cache::DifferenceCache;
use crate::rst::container::rz2::history::InstructionHistory;
use crate::rst::fields::{cpu, pavadiff, preg, regval, tlb, trap, trap_exit};
use crate::rst::kind;
use crate::rst::raw_record::{RECORD_BYTES, RawRecord, RecordEncoding};

/// The memory of a processor; all of it is 0 at first.
#[derive(Debug)]
pub struct Rz2CpuState {
    /// Its number.
    pub number: u8,
    pub history: InstructionHistory,
    pub differences: DifferenceCache,
    /// Values of registers, by their remainders.
    pub values: PagedTable<u64, 512>,
    /// Addresses have 32 bits.
    pub masks_addresses: bool,
    /// The last instruction.
    pub word: u32,
    /// Sum over what came since the last sum that the file tells.
    pub sum: u64,
    /// Chunks since then.
    pub chunks: u32,
}

/// The remainders of values are by this.
pub const VALUES: u64 = 65535;
/// A processor's addresses have 32 bits where this bit of PSTATE is set.
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

    /// Puts the processor's number into a record, which no stream tells, and notes what the record says of the processor.
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
