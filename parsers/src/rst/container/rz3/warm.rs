//! Decodes records that warm caches and branch predictors before a snap begins.

use stepback_machine::Endian;

use crate::rst::container::batch::UnpackFault;
use crate::rst::container::code::{InstructionClass, target_of};
use crate::rst::container::paged::TableBudget;
use crate::rst::container::rz3::bits::{SectionArray, SectionBits};
use crate::rst::container::rz3::cpu::{CachedInstruction, Rz3CpuState, Rz3CpuTable};
use crate::rst::container::rz3::instruction::{UnpredictedSite, learn};
use crate::rst::container::rz3::section::{RecordDraft, SectionOutput};
use crate::rst::fields::{RFS_DMA_SIZE, rfs_bt, rfs_cw, rfs_section};
use crate::rst::kind;

/// Record count of a section without a known count.
const UNTIL_ANOTHER: u64 = i64::MAX.cast_unsigned();

/// A run of records of one type.
#[derive(Clone, Copy, Debug, Default)]
pub struct WarmingPhase {
    /// None outside a run.
    kind: Option<u8>,
    records: u64,
    seen: u64,
}

impl WarmingPhase {
    /// Returns the type of the next record, if a run is active.
    #[inline]
    pub fn next(&mut self, bits: &mut SectionBits) -> Option<u8> {
        let kind = self.kind?;
        if bits.flag(SectionArray::IsRfsTypePredicted) {
            self.seen = self.seen.saturating_add(1);
            self.kind = (self.seen != self.records).then_some(kind);
            return Some(kind);
        }
        self.kind = None;
        Some(bits.next(SectionArray::Type) as u8)
    }

    /// Starts a run if `words` are the header of a section of cache or branch records.
    pub fn begin(&mut self, words: [u64; 3], endian: Endian) {
        let section = match endian {
            Endian::Big => words[0] >> 48,
            Endian::Little => words[0] >> 8,
        } as u8;
        if matches!(section, kind::RFS_CACHE | kind::RFS_BRANCH) {
            *self = Self {
                kind: Some(section),
                records: words[rfs_section::N_RECORDS.word()],
                seen: 0,
            };
        }
    }

    /// Starts a run at a record without a section header before it.
    pub fn note(&mut self, kind: u8) {
        if self.kind.is_none() && self.seen == 0 {
            *self = Self {
                kind: Some(kind),
                records: UNTIL_ANOTHER,
                seen: 1,
            };
        }
    }
}

/// Decodes a cache warming record (RFS_CW).
pub fn decode_cache(cpus: &mut Rz3CpuTable, bits: &mut SectionBits, out: &mut SectionOutput<'_>) {
    let reference = bits.next(SectionArray::CacheReference);
    let mut draft = RecordDraft::of(kind::RFS_CACHE).with(rfs_cw::REFTYPE, reference);
    if matches!(reference, 6 | 7) {
        draft = draft
            .with(rfs_cw::PA, bits.next(SectionArray::Raw))
            .with(RFS_DMA_SIZE, bits.next(SectionArray::CacheDmaBytes));
        return out.push(draft);
    }
    let number = bits.next(SectionArray::RfsCpu);
    let Some((cpu, _)) = cpus.touch(number as u16, bits) else {
        return;
    };
    draft = draft
        .with(rfs_cw::CPUID_LO, number)
        .with(rfs_cw::ASI, bits.next(SectionArray::CacheAsi));
    if reference == 4 {
        draft = draft.with(rfs_cw::FCN, bits.next(SectionArray::CacheFunction));
    }
    let has_address = bits.flag(SectionArray::HasCacheAddress);
    draft = draft.with(rfs_cw::VA_VALID, u64::from(has_address));
    let physical = match has_address {
        true => {
            let address = cpu.values.next(bits);
            draft = draft.with(rfs_cw::VA, address);
            cpu.physical(bits, reference, address)
        }
        false => bits.next(SectionArray::Raw),
    };
    out.push(draft.with(rfs_cw::PA, physical));
}

/// Decodes a branch warming record (RFS_BT).
pub fn decode_branch(
    cpus: &mut Rz3CpuTable,
    bits: &mut SectionBits,
    out: &mut SectionOutput<'_>,
    minor: u8,
) {
    let number = bits.next(SectionArray::RfsCpu);
    let Some((cpu, budget)) = cpus.touch(number as u16, bits) else {
        return;
    };
    let Some(branch) = cpu.warm_branch(bits, budget, minor) else {
        return bits.fail(UnpackFault::Memory);
    };
    let WarmingBranch {
        pc,
        line,
        is_taken,
        npc,
    } = branch;
    let draft = RecordDraft::of(kind::RFS_BRANCH)
        .with(rfs_bt::CPUID_LO, number)
        .with(rfs_bt::TAKEN, u64::from(is_taken))
        .with(rfs_bt::INSTR, u64::from(line.word))
        .with(rfs_bt::PC_VA, pc)
        .with(rfs_bt::NPC_VA, npc);
    out.push(draft);
}

struct WarmingBranch {
    pc: u64,
    line: CachedInstruction,
    is_taken: bool,
    npc: u64,
}

impl Rz3CpuState {
    /// Returns the physical address of a virtual one.
    fn physical(&mut self, bits: &mut SectionBits, reference: u64, address: u64) -> u64 {
        if bits.flag(SectionArray::IsCachePhysicalPredicted) {
            return self.pages.get(address >> 13) << 13 | address & 0x1fff;
        }
        let physical = bits.next(SectionArray::Raw);
        match reference {
            1 => self.pages.set(address >> 13, physical >> 13),
            _ => self.data_pages.set(address >> 13, physical >> 13),
        }
        physical
    }

    /// Decodes a branch. Returns none if the memory is exceeded.
    fn warm_branch(
        &mut self,
        bits: &mut SectionBits,
        budget: &mut TableBudget,
        minor: u8,
    ) -> Option<WarmingBranch> {
        let known = self
            .warm_pcs
            .place(self.warm_npc as usize & 0xffff, budget)?;
        if !bits.flag(SectionArray::IsRfsPcPredicted) {
            *known = bits.next(SectionArray::Raw) << 2;
        }
        let pc = *known;
        let set = self.instructions.set(pc, budget)?;
        let line = match (
            bits.flag(SectionArray::IsRfsInstructionPredicted),
            set.find(pc),
        ) {
            (true, Some(line)) => line,
            (true, None) => {
                bits.fail(UnpackFault::Contradiction);
                CachedInstruction::default()
            }
            (false, _) => learn(
                set,
                bits,
                UnpredictedSite {
                    pc,
                    is_annulled: false,
                    minor,
                },
            ),
        };
        let is_right = bits.flag(SectionArray::IsRfsBranchPredicted);
        let is_taken = match line.class {
            InstructionClass::Conditional => self.branches.outcome(pc, is_right.into()),
            InstructionClass::Never => !is_right,
            _ => is_right,
        };
        let npc = match (bits.flag(SectionArray::IsTargetPredicted), is_taken) {
            (false, _) => bits.next(SectionArray::Raw),
            (true, true) => target_of(line.word, line.class, pc),
            (true, false) => pc.wrapping_add(8),
        };
        self.warm_npc = npc;
        self.predicted_pc = *self.warm_pcs.place(npc as usize & 0xffff, budget)?;
        Some(WarmingBranch {
            pc,
            line,
            is_taken,
            npc,
        })
    }
}
