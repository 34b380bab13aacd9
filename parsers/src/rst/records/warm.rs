//! Records that warm the caches and branch predictors of a simulator before a snap begins (RFS).

use crate::rst::fields::{RFS_DMA_SIZE, rfs_bt, rfs_cw, rfs_section};
use crate::rst::raw_record::RawRecord;

/// RFS_SECTION_HEADER: type of the next records.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct RfsSection {
    /// 31 caches, 32 branches, 33 all other records up to the end.
    pub section_type: u8,
    /// Number of records; none if unknown.
    pub records: Option<u64>,
}

/// RFS_CW: an access that warms caches.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct CacheWarmth {
    /// Number of the processor; 0 for a device.
    pub cpu: u16,
    /// 1 instruction, 2 read, 3 write, 4 and 5 prefetch of data and instructions, 6 and 7 read and
    /// write by a device.
    pub reference: u8,
    /// Virtual address; none if unknown.
    pub virtual_address: Option<u64>,
    /// Physical address.
    pub physical: u64,
    /// Further data, depending on the origin.
    pub content: CacheContent,
}

/// Further data of an access that warms caches.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum CacheContent {
    /// Access by a device.
    Device {
        /// Number of bytes.
        size_bytes: u32,
    },
    /// Access by a processor.
    Processor {
        /// Address space.
        asi: u8,
        /// Prefetch function.
        function: u8,
    },
}

/// RFS_BT: a branch that warms predictors.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct BranchWarmth {
    /// Number of the processor.
    pub cpu: u16,
    /// True if the branch was taken.
    pub is_taken: bool,
    /// Encoding.
    pub word: u32,
    /// Virtual address.
    pub pc: u64,
    /// Address of the next instruction.
    pub npc: u64,
}

/// Count of a section that ends with the file.
const UNKNOWN_COUNT: u64 = i64::MAX.cast_unsigned();

impl RfsSection {
    /// Decodes a record of type 30.
    pub fn of(record: &RawRecord) -> Self {
        let records = record.get(rfs_section::N_RECORDS);
        Self {
            section_type: record.get(rfs_section::SECTION_TYPE) as u8,
            records: (records < UNKNOWN_COUNT).then_some(records),
        }
    }
}

impl CacheWarmth {
    /// Decodes a record of type 31.
    pub fn of(record: &RawRecord) -> Self {
        let reference = record.get(rfs_cw::REFTYPE) as u8;
        let is_device = matches!(reference, 6 | 7);
        let content = match is_device {
            true => CacheContent::Device {
                size_bytes: record.get(RFS_DMA_SIZE) as u32,
            },
            false => CacheContent::Processor {
                asi: record.get(rfs_cw::ASI) as u8,
                function: record.get(rfs_cw::FCN) as u8,
            },
        };
        Self {
            cpu: rfs_cw::CPU.get(record),
            reference,
            virtual_address: (!is_device && record.flag(rfs_cw::VA_VALID))
                .then(|| record.get(rfs_cw::VA)),
            physical: record.get(rfs_cw::PA),
            content,
        }
    }
}

impl BranchWarmth {
    /// Decodes a record of type 32.
    pub fn of(record: &RawRecord) -> Self {
        Self {
            cpu: rfs_bt::CPU.get(record),
            is_taken: record.flag(rfs_bt::TAKEN),
            word: record.get(rfs_bt::INSTR) as u32,
            pc: record.get(rfs_bt::PC_VA),
            npc: record.get(rfs_bt::NPC_VA),
        }
    }
}
