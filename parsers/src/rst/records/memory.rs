//! Memory values, address translations and DMA.

use crate::rst::fields::{dma, memval64, memval128, pavadiff, physaddr, tlb, tsb_access};
use crate::rst::raw_record::RawRecord;

/// MEMVAL: bytes in memory at this point of the trace.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct MemoryValue {
    /// Number of the processor.
    pub cpu: u16,
    /// True if the address is virtual.
    pub is_virtual: bool,
    /// Address of the first byte. None if the record continues the one of this type before it.
    pub address: Option<u64>,
    /// The bytes.
    pub content: MemoryContent,
}

/// The bytes of memory in a record.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum MemoryContent {
    /// The lowest `size_bytes` bytes of a value, the most significant of them first in memory.
    Short {
        /// Number of bytes, 1 to 8.
        size_bytes: u8,
        /// The bytes, right-aligned.
        value: u64,
    },
    /// Sixteen bytes, the most significant first in memory.
    Long([u64; 2]),
}

/// TLB: a TLB entry is written or removed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct TlbEntry {
    /// Number of the processor.
    pub cpu: u16,
    /// True if the entry is removed.
    pub is_demap: bool,
    /// True for a data TLB, false for an instruction TLB.
    pub is_data: bool,
    /// Number of the entry.
    pub index: u16,
    /// Number of the TLB among several.
    pub unit: u8,
    /// Tag: virtual address in bits 63 to 13, context below.
    pub tag: u64,
    /// Data: physical address, size and rights, in the layout of the processor.
    pub data: u64,
}

/// PAVADIFF: differences of physical and virtual addresses, from the next instruction on.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct PaVaDiff {
    /// Number of the processor.
    pub cpu: u16,
    /// Context of instructions.
    pub context: u16,
    /// Added to the program counter for its physical address, modulo 2^64.
    pub pc_difference: u64,
    /// Context and difference for data; none if the record has none.
    pub data: Option<DataDifference>,
}

/// The data half of a [`PaVaDiff`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct DataDifference {
    /// Context of data.
    pub context: u16,
    /// Added to the address of the access for its physical address, modulo 2^64.
    pub difference: u64,
}

/// PHYSADDR: the physical addresses of the next instruction.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct PhysicalAddress {
    /// Number of the processor.
    pub cpu: u16,
    /// Physical address of the instruction.
    pub pc: u64,
    /// Physical address of its access, if there is one.
    pub ea: Option<u64>,
}

/// DMA: a device reads or writes memory.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Dma {
    /// True if the device writes.
    pub is_write: bool,
    /// Number of bytes.
    pub size_bytes: u32,
    /// Physical address of the first byte.
    pub address: u64,
}

/// TSB_ACCESS: a processor reads the translation storage buffer in memory.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct TsbAccess {
    /// Number of the processor.
    pub cpu: u16,
    /// True for the translation of a data access, false for that of an instruction.
    pub is_data: bool,
    /// Physical address of the entry.
    pub physical: u64,
    /// Virtual address of the entry.
    pub virtual_address: u64,
}

impl MemoryValue {
    /// Decodes a record of type 26.
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

/// Returns the address of the long form. The record has bits 43 to 4; bit 43 is sign-extended.
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
    /// Decodes a record of type 5.
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
    /// Decodes a record of type 19.
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
    /// Decodes a record of type 18.
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
    /// Decodes a record of type 13.
    pub fn of(record: &RawRecord) -> Self {
        Self {
            is_write: record.flag(dma::ISWRITE),
            size_bytes: record.get(dma::NBYTES) as u32,
            address: record.get(dma::START_PA),
        }
    }
}

impl TsbAccess {
    /// Decodes a record of type 29.
    pub fn of(record: &RawRecord) -> Self {
        Self {
            cpu: tsb_access::CPU.get(record),
            is_data: record.flag(tsb_access::ISDATA),
            physical: record.get(tsb_access::PA),
            virtual_address: record.get(tsb_access::VA),
        }
    }
}
