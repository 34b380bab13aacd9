//! Records that warm caches and predictors before a snap begins.

use stepback_machine::Endian;

use crate::rst::container::code::{Class, target_of};
use crate::rst::container::paged::Budget;
use crate::rst::container::rz3::array::Array;
use crate::rst::container::rz3::bits::{Bits, Fault};
use crate::rst::container::rz3::cpu::Cpu;
use crate::rst::container::rz3::cpus::Cpus;
use crate::rst::container::rz3::instruction::{LearnedAt, learn};
use crate::rst::container::rz3::instruction_cache::Line;
use crate::rst::container::rz3::output::{Draft, Output};
use crate::rst::fields::{RFS_DMA_SIZE, rfs_bt, rfs_cw, rfs_section};
use crate::rst::kind;

/// How many records a section has that does not say it.
const UNTIL_ANOTHER: u64 = i64::MAX.cast_unsigned();

/// A run of records of one type.
#[derive(Clone, Copy, Debug, Default)]
pub struct Phase {
    /// None outside of one.
    kind: Option<u8>,
    records: u64,
    seen: u64,
}

impl Phase {
    /// The type of the next record, if this tells it.
    #[inline]
    pub fn next(&mut self, bits: &mut Bits) -> Option<u8> {
        let kind = self.kind?;
        if bits.flag(Array::IsRfsTypePredicted) {
            self.seen = self.seen.saturating_add(1);
            self.kind = (self.seen != self.records).then_some(kind);
            return Some(kind);
        }
        self.kind = None;
        Some(bits.next(Array::Type) as u8)
    }

    /// Begins with the header of a section of these records, by its words.
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

    /// Begins with a record that has no header before it.
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

/// An access that caches remember.
pub fn decode_cache(cpus: &mut Cpus, bits: &mut Bits, out: &mut Output<'_>) {
    let reference = bits.next(Array::CacheReference);
    let mut draft = Draft::of(kind::RFS_CACHE).with(rfs_cw::REFTYPE, reference);
    if matches!(reference, 6 | 7) {
        draft = draft
            .with(rfs_cw::PA, bits.next(Array::Raw))
            .with(RFS_DMA_SIZE, bits.next(Array::CacheDmaBytes));
        return out.push(draft);
    }
    let number = bits.next(Array::RfsCpu);
    let Some((cpu, _)) = cpus.touch(number as u16, bits) else {
        return;
    };
    draft = draft
        .with(rfs_cw::CPUID_LO, number)
        .with(rfs_cw::ASI, bits.next(Array::CacheAsi));
    if reference == 4 {
        draft = draft.with(rfs_cw::FCN, bits.next(Array::CacheFunction));
    }
    let has_address = bits.flag(Array::HasCacheAddress);
    draft = draft.with(rfs_cw::VA_VALID, u64::from(has_address));
    let physical = match has_address {
        true => {
            let address = cpu.values.next(bits);
            draft = draft.with(rfs_cw::VA, address);
            cpu.physical(bits, reference, address)
        }
        false => bits.next(Array::Raw),
    };
    out.push(draft.with(rfs_cw::PA, physical));
}

/// A branch that predictors remember.
pub fn decode_branch(cpus: &mut Cpus, bits: &mut Bits, out: &mut Output<'_>, minor: u8) {
    let number = bits.next(Array::RfsCpu);
    let Some((cpu, budget)) = cpus.touch(number as u16, bits) else {
        return;
    };
    let Some(branch) = cpu.warm_branch(bits, budget, minor) else {
        return bits.fail(Fault::Memory);
    };
    let Branch {
        pc,
        line,
        is_taken,
        npc,
    } = branch;
    let draft = Draft::of(kind::RFS_BRANCH)
        .with(rfs_bt::CPUID_LO, number)
        .with(rfs_bt::TAKEN, u64::from(is_taken))
        .with(rfs_bt::INSTR, u64::from(line.word))
        .with(rfs_bt::PC_VA, pc)
        .with(rfs_bt::NPC_VA, npc);
    out.push(draft);
}

struct Branch {
    pc: u64,
    line: Line,
    is_taken: bool,
    npc: u64,
}

impl Cpu {
    /// The physical address of a virtual one.
    fn physical(&mut self, bits: &mut Bits, reference: u64, address: u64) -> u64 {
        if bits.flag(Array::IsCachePhysicalPredicted) {
            return self.pages.get(address >> 13) << 13 | address & 0x1fff;
        }
        let physical = bits.next(Array::Raw);
        match reference {
            1 => self.pages.set(address >> 13, physical >> 13),
            _ => self.data_pages.set(address >> 13, physical >> 13),
        }
        physical
    }

    /// None when there is no memory for what is to be remembered.
    fn warm_branch(&mut self, bits: &mut Bits, budget: &mut Budget, minor: u8) -> Option<Branch> {
        let known = self
            .warm_pcs
            .place(self.warm_npc as usize & 0xffff, budget)?;
        if !bits.flag(Array::IsRfsPcPredicted) {
            *known = bits.next(Array::Raw) << 2;
        }
        let pc = *known;
        let set = self.instructions.set(pc, budget)?;
        let line = match (bits.flag(Array::IsRfsInstructionPredicted), set.find(pc)) {
            (true, Some(line)) => line,
            (true, None) => {
                bits.fail(Fault::Contradiction);
                Line::default()
            }
            (false, _) => learn(
                set,
                bits,
                LearnedAt {
                    pc,
                    is_annulled: false,
                    minor,
                },
            ),
        };
        let is_right = bits.flag(Array::IsRfsBranchPredicted);
        let is_taken = match line.class {
            Class::Conditional => self.branches.outcome(pc, is_right.into()),
            Class::Never => !is_right,
            _ => is_right,
        };
        let npc = match (bits.flag(Array::IsTargetPredicted), is_taken) {
            (false, _) => bits.next(Array::Raw),
            (true, true) => target_of(line.word, line.class, pc),
            (true, false) => pc.wrapping_add(8),
        };
        self.warm_npc = npc;
        self.predicted_pc = *self.warm_pcs.place(npc as usize & 0xffff, budget)?;
        Some(Branch {
            pc,
            line,
            is_taken,
            npc,
        })
    }
}
