//! Memory values and address translations.

use crate::rst::fields::{memval64, memval128, pavadiff, tlb};
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
    /// Number of bytes: 16, or 1 to 8 in an undamaged record.
    pub size_bytes: u8,
    /// The bytes, the most significant first in memory. Up to 8 bytes are the lowest of the first
    /// number.
    pub words: [u64; 2],
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
    /// Difference for instructions.
    pub code: ContextDifference,
    /// Difference for data; none if the record has none.
    pub data: Option<ContextDifference>,
}

/// A difference of physical and virtual addresses in a context.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ContextDifference {
    /// The context.
    pub context: u16,
    /// Added to a virtual address for its physical address, modulo 2^64.
    pub difference: u64,
}

/// A virtual page in a context.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct ContextPage {
    /// The context.
    pub context: u16,
    /// Virtual address of the first byte.
    pub address: u64,
}

impl ContextPage {
    /// Bytes of the smallest page.
    pub const BYTES: u64 = 8 << 10;

    /// Returns the page of an address.
    pub fn of(context: u16, address: u64) -> Self {
        Self {
            context,
            address: address & !(Self::BYTES - 1),
        }
    }
}

impl MemoryValue {
    /// Decodes a record of type 26.
    pub fn of(record: &RawRecord) -> Self {
        let is_continued = record.flag(memval64::IS_CONT_REC);
        let (address, size_bytes, words) = if record.flag(memval64::ISMEMVAL128) {
            let words = [record.get(memval128::VAL0), record.get(memval128::VAL1)];
            (long_address(record), 16, words)
        } else {
            let size_bytes = record.get(memval64::SIZE) as u8;
            (
                record.get(memval64::ADDR),
                size_bytes,
                [record.get(memval64::VAL), 0],
            )
        };
        Self {
            cpu: memval64::CPU.get(record),
            is_virtual: record.flag(memval64::ADDRIS_VA),
            address: (!is_continued).then_some(address),
            size_bytes,
            words,
        }
    }
}

/// Returns the address of the long form. The record has bits 43 to 4; bit 43 is sign-extended.
fn long_address(record: &RawRecord) -> u64 {
    let written = record.get(memval128::ADDR36_43) << 36 | record.get(memval128::ADDR04_35) << 4;
    ((written << 20).cast_signed() >> 20).cast_unsigned()
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
        let data = || ContextDifference {
            context: record.get(pavadiff::DCONTEXT) as u16,
            difference: record.get(pavadiff::EA_PA_VA),
        };
        Self {
            cpu: pavadiff::CPU.get(record),
            code: ContextDifference {
                context: record.get(pavadiff::ICONTEXT) as u16,
                difference: record.get(pavadiff::PC_PA_VA),
            },
            data: record.flag(pavadiff::EA_VALID).then(data),
        }
    }
}
