//! What memory holds, and where it lies.

use crate::rst::fields::{dma, memval64, memval128, pavadiff, physaddr, tlb, tsb_access};
use crate::rst::raw_record::RawRecord;

/// MEMVAL: memory holds this here.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct MemoryValue {
    /// Which processor sees it.
    pub cpu: u16,
    /// The address is a virtual one.
    pub is_virtual: bool,
    /// Where; none when it goes on behind the record of this type before it.
    pub address: Option<u64>,
    /// What.
    pub content: MemoryContent,
}

/// The bytes of memory in a record.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum MemoryContent {
    /// The lowest bytes of a value, as many as said, the most significant of them first in memory.
    Short {
        /// 1 to 8.
        size_bytes: u8,
        /// They stand at its right end.
        value: u64,
    },
    /// Sixteen bytes, likewise.
    Long([u64; 2]),
}

/// TLB: an entry of a translation buffer is written or removed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct TlbEntry {
    /// Of which processor.
    pub cpu: u16,
    /// It is removed.
    pub is_demap: bool,
    /// The buffer is that of data, otherwise that of instructions.
    pub is_data: bool,
    /// Which entry.
    pub index: u16,
    /// Which buffer of several.
    pub unit: u8,
    /// Virtual address in bits 63 to 13, context below.
    pub tag: u64,
    /// Physical address, size and rights, as the processor has them.
    pub data: u64,
}

/// PAVADIFF: what to add to virtual addresses for physical ones, from the next instruction on.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct PaVaDiff {
    /// On which processor.
    pub cpu: u16,
    /// The context of instructions.
    pub context: u16,
    /// To be added to the program counter, modulo 2^64.
    pub pc_difference: u64,
    /// The context of data, and what is to be added to the address of the access; none when there is none.
    pub data: Option<DataDifference>,
}

/// The half of a [`PaVaDiff`] that tells of data.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct DataDifference {
    /// The context.
    pub context: u16,
    /// To be added to the address, modulo 2^64.
    pub difference: u64,
}

/// PHYSADDR: the physical addresses of the next instruction.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct PhysicalAddress {
    /// On which processor.
    pub cpu: u16,
    /// Of the instruction.
    pub pc: u64,
    /// Of its access; none when it has none.
    pub ea: Option<u64>,
}

/// DMA: a device reads or writes memory.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Dma {
    /// It writes.
    pub is_write: bool,
    /// Bytes.
    pub size_bytes: u32,
    /// The physical address of the first.
    pub address: u64,
}

/// TSB_ACCESS: a processor looks into the table of translations in memory.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct TsbAccess {
    /// Which processor.
    pub cpu: u16,
    /// For an access to data, otherwise for an instruction.
    pub is_data: bool,
    /// The physical address of the table's entry.
    pub physical: u64,
    /// Its virtual address.
    pub virtual_address: u64,
}

impl MemoryValue {
    /// Reads a record of type 26.
    pub fn of(record: &RawRecord) -> Self {
        let is_continued = record.flag(memval64::IS_CONT_REC);
        let (address, content) = match record.flag(memval64::ISMEMVAL128) {
            true => (long_address(record), long_content(record)),
            false => (record.get(memval64::ADDR), short_content(record)),
        };
        Self {
            cpu: memval64::CPU.get(record),
            is_virtual: record.flag(memval64::ADDRIS_VA),
            address: (!is_continued).then_some(address),
            content,
        }
    }
}

/// Bits 43 to 4 of an address are written; the upper ones are as bit 43 is.
fn long_address(record: &RawRecord) -> u64 {
    let written = record.get(memval128::ADDR36_43) << 36 | record.get(memval128::ADDR04_35) << 4;
    ((written << 20).cast_signed() >> 20).cast_unsigned()
}

fn long_content(record: &RawRecord) -> MemoryContent {
    MemoryContent::Long([record.get(memval128::VAL0), record.get(memval128::VAL1)])
}

fn short_content(record: &RawRecord) -> MemoryContent {
    MemoryContent::Short {
        size_bytes: record.get(memval64::SIZE) as u8,
        value: record.get(memval64::VAL),
    }
}

impl TlbEntry {
    /// Reads a record of type 5.
    pub fn of(record: &RawRecord) -> Self {
        Self {
            cpu: tlb::CPU.get(record),
            is_demap: record.flag(tlb::DEMAP),
            is_data: record.flag(tlb::TLB_TYPE),
            index: record.get(tlb::TLB_INDEX) as u16,
            unit: record.get(tlb::TLB_NO) as u8,
            tag: record.get(tlb::TTE_TAG),
            data: record.get(tlb::TTE_DATA),
        }
    }
}

impl PaVaDiff {
    /// Reads a record of type 19.
    pub fn of(record: &RawRecord) -> Self {
        let data = || DataDifference {
            context: record.get(pavadiff::DCONTEXT) as u16,
            difference: record.get(pavadiff::EA_PA_VA),
        };
        Self {
            cpu: pavadiff::CPU.get(record),
            context: record.get(pavadiff::ICONTEXT) as u16,
            pc_difference: record.get(pavadiff::PC_PA_VA),
            data: record.flag(pavadiff::EA_VALID).then(data),
        }
    }
}

impl PhysicalAddress {
    /// Reads a record of type 18.
    pub fn of(record: &RawRecord) -> Self {
        Self {
            cpu: physaddr::CPU.get(record),
            pc: record.get(physaddr::PC_PA),
            ea: record
                .flag(physaddr::EA_VALID)
                .then(|| record.get(physaddr::EA_PA)),
        }
    }
}

impl Dma {
    /// Reads a record of type 13.
    pub fn of(record: &RawRecord) -> Self {
        Self {
            is_write: record.flag(dma::ISWRITE),
            size_bytes: record.get(dma::NBYTES) as u32,
            address: record.get(dma::START_PA),
        }
    }
}

impl TsbAccess {
    /// Reads a record of type 29.
    pub fn of(record: &RawRecord) -> Self {
        Self {
            cpu: tsb_access::CPU.get(record),
            is_data: record.flag(tsb_access::ISDATA),
            physical: record.get(tsb_access::PA),
            virtual_address: record.get(tsb_access::VA),
        }
    }
}
