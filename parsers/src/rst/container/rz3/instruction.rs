//! Decodes instructions.

use crate::rst::container::batch::UnpackFault;
use crate::rst::container::code::{
    ANNUL, InstructionClass, destination, is_leaving, is_return, target_of,
};
use crate::rst::container::rz3::bits::{SectionArray, SectionBits, has_wide_cpu};
use crate::rst::container::rz3::cpu::{
    CachedInstruction, InstructionCacheSet, PendingDifference, Rz3CpuState, Rz3CpuTable,
};
use crate::rst::container::rz3::section::{RecordDraft, SectionOutput};
use crate::rst::fields::instr;
use crate::rst::kind;

/// Bit set of the predictions that were correct.
#[derive(Clone, Copy)]
struct CorrectPredictions(u64);

impl CorrectPredictions {
    const PC: u64 = 1;
    const WORD: u64 = 2;
    const TAKEN: u64 = 4;
    const ANNULLED: u64 = 8;
    const TRAP: u64 = 0x10;
    const PRIVILEGED: u64 = 0x20;
    const EA: u64 = 0x40;
    const HYPERPRIVILEGED: u64 = 0x80;

    #[inline]
    fn has(self, what: u64) -> bool {
        self.0 & what != 0
    }
}

/// Result of an instruction.
#[derive(Clone, Copy, Default)]
struct InstructionOutcome {
    is_taken: bool,
    ea: Option<u64>,
}

/// An instruction at its address, with the results of the predictions.
#[derive(Clone, Copy)]
struct InstructionSite {
    pc: u64,
    line: CachedInstruction,
    right: CorrectPredictions,
    has_trap: bool,
}

/// Decodes the next instruction.
#[inline]
pub fn decode(
    cpus: &mut Rz3CpuTable,
    bits: &mut SectionBits,
    out: &mut SectionOutput<'_>,
    minor: u8,
) {
    let number = Rz3CpuTable::number(bits, cpus.predicted);
    cpus.predicted = if cpus.is_known(number + 1) {
        number + 1
    } else {
        0
    };
    cpus.last = number;
    let Some((cpu, budget)) = cpus.touch(number, bits) else {
        return;
    };
    let right = CorrectPredictions(bits.predicted_or(
        SectionArray::IsAllPredicted,
        0xff,
        SectionArray::Predicted,
    ));
    let pc = cpu.next_pc(bits, right);
    let is_annulled = right.has(CorrectPredictions::ANNULLED) == cpu.is_annulled;
    let Some(set) = cpu.instructions.set(pc, budget) else {
        return bits.fail(UnpackFault::Memory);
    };
    let line = match right.has(CorrectPredictions::WORD) {
        true => set.find(pc).unwrap_or_else(|| {
            bits.fail(UnpackFault::Contradiction);
            CachedInstruction::default()
        }),
        false => learn(
            set,
            bits,
            UnpredictedSite {
                pc,
                is_annulled,
                minor,
            },
        ),
    };
    if std::mem::take(&mut cpu.is_after_call) && is_leaving(line.word) {
        cpu.calls.pop();
    }
    let has_trap = !right.has(CorrectPredictions::TRAP);
    if has_wide_cpu(minor) {
        cpu.is_hyperprivileged ^= !right.has(CorrectPredictions::HYPERPRIVILEGED);
        cpu.is_privileged &= !cpu.is_hyperprivileged;
    }
    cpu.is_privileged ^= !right.has(CorrectPredictions::PRIVILEGED);
    let site = InstructionSite {
        pc,
        line,
        right,
        has_trap,
    };
    let effect = match line.class {
        _ if is_annulled => InstructionOutcome::default(),
        class if class.is_transfer() => cpu.transfer(bits, site),
        _ => cpu.other(bits, site),
    };
    if let Some(pending) = cpu.pending.take() {
        cpu.finish(
            pending,
            DifferenceSite {
                pc,
                ea: effect.ea,
                minor,
            },
            out,
        );
    }
    let draft = RecordDraft::of(kind::INSTRUCTION)
        .with(instr::EA_VALID, u64::from(effect.ea.is_some()))
        .with(instr::TR, u64::from(has_trap))
        .with(instr::HPRIV, u64::from(cpu.is_hyperprivileged))
        .with(instr::PR, u64::from(cpu.is_privileged))
        .with(instr::BT, u64::from(effect.is_taken))
        .with(instr::AN, u64::from(is_annulled))
        .with(instr::CPUID_LO, u64::from(number))
        .with(instr::CPUID_HI, u64::from(number) >> 6)
        .with(instr::INSTR, u64::from(line.word))
        .with(instr::PC_VA, pc)
        .with(instr::EA_VA, effect.ea.unwrap_or_default());
    out.push(draft);
}

/// Address where a word was not predicted.
#[derive(Clone, Copy)]
pub struct UnpredictedSite {
    pub pc: u64,
    pub is_annulled: bool,
    pub minor: u8,
}

/// Reads a word that was not predicted, and stores it for the next time.
#[cold]
pub fn learn(
    set: &mut InstructionCacheSet,
    bits: &mut SectionBits,
    at: UnpredictedSite,
) -> CachedInstruction {
    let word = bits.next(SectionArray::Instruction) as u32;
    let line = CachedInstruction {
        word,
        class: InstructionClass::of(word, at.minor),
        has_target: !at.is_annulled,
    };
    set.find(at.pc);
    set.install(at.pc, line);
    line
}

/// The instruction that a pending difference waits for.
#[derive(Clone, Copy)]
struct DifferenceSite {
    pc: u64,
    ea: Option<u64>,
    minor: u8,
}

impl Rz3CpuState {
    #[inline]
    fn next_pc(&mut self, bits: &mut SectionBits, right: CorrectPredictions) -> u64 {
        let pc = if right.has(CorrectPredictions::PC) {
            self.predicted_pc
        } else {
            self.jump(bits)
        };
        self.predicted_pc = self.predicted_npc;
        self.predicted_npc = self.predicted_npc.wrapping_add(4);
        self.pc = pc;
        pc
    }

    /// Reads the address of an instruction that is not at the predicted address.
    #[cold]
    fn jump(&mut self, bits: &mut SectionBits) -> u64 {
        let pc = bits.next(SectionArray::Raw);
        if pc as u32 == self.predicted_pc as u32 {
            self.masks_addresses = pc >> 32 == 0;
        }
        self.predicted_npc = pc.wrapping_add(4);
        pc
    }

    /// Decodes a branch, call, jump or return.
    #[inline]
    fn transfer(
        &mut self,
        bits: &mut SectionBits,
        InstructionSite {
            pc, line, right, ..
        }: InstructionSite,
    ) -> InstructionOutcome {
        let has_ea = right.has(CorrectPredictions::EA);
        let stated = if bits.flag(SectionArray::IsTargetPredicted) {
            None
        } else {
            Some(bits.next(SectionArray::Raw))
        };
        let mask = if self.masks_addresses {
            u64::from(u32::MAX)
        } else {
            u64::MAX
        };
        let target = || {
            if line.has_target {
                target_of(line.word, line.class, pc) & mask
            } else {
                0
            }
        };
        let mut is_taken = right.has(CorrectPredictions::TAKEN);
        match line.class {
            InstructionClass::Conditional => {
                is_taken = self.branches.outcome(pc, is_taken.into());
                if is_taken {
                    self.predicted_npc = target();
                }
            }
            InstructionClass::Always => self.predicted_npc = target(),
            InstructionClass::Never => is_taken = !is_taken,
            InstructionClass::Call => {
                self.predicted_npc = target();
                self.call(pc);
            }
            _ if is_return(line.word) => {
                self.predicted_npc = self.calls.pop().wrapping_add(8) & mask;
                if stated.is_some() {
                    self.calls.clear();
                }
            }
            _ if destination(line.word) == 15 => {
                self.call(pc);
                self.predicted_npc = self.jumps.get(pc >> 2) & mask;
                if let Some(target) = stated {
                    self.jumps.set(pc >> 2, target);
                }
            }
            _ => {}
        }
        let ea = stated.unwrap_or(self.predicted_npc);
        self.predicted_npc = ea;
        let is_fallen_through = line.class == InstructionClass::Conditional && is_taken;
        if line.class.is_branch() && line.word & ANNUL != 0 && !is_fallen_through {
            self.is_annulled = true;
        }
        InstructionOutcome {
            is_taken,
            ea: has_ea.then_some(ea),
        }
    }

    fn call(&mut self, pc: u64) {
        self.calls.push(pc);
        self.is_after_call = true;
    }

    /// Decodes an instruction that is no control transfer.
    #[inline]
    fn other(
        &mut self,
        bits: &mut SectionBits,
        InstructionSite {
            line,
            right,
            has_trap,
            ..
        }: InstructionSite,
    ) -> InstructionOutcome {
        let is_taken =
            (line.class == InstructionClass::DoneRetry) == right.has(CorrectPredictions::TAKEN);
        let is_ea_likely = has_trap || line.class != InstructionClass::Plain;
        let has_ea = is_ea_likely == right.has(CorrectPredictions::EA);
        self.is_annulled = false;
        InstructionOutcome {
            is_taken,
            ea: has_ea.then(|| self.values.next(bits)),
        }
    }

    /// Completes an address difference with those of its instruction, and updates the page tables.
    fn finish(
        &mut self,
        pending: PendingDifference,
        at: DifferenceSite,
        out: &mut SectionOutput<'_>,
    ) {
        let DifferenceSite { pc, ea, minor } = at;
        let is_oldest = minor < 16;
        let [mut pc_difference, mut ea_difference] = out.last_words(pending.record);
        if pending.is_pc_predicted {
            pc_difference = self.pages.get(pc >> 13) << 13;
        } else if !is_oldest || pc != 0 {
            self.pages.set(pc >> 13, pc_difference >> 13);
        }
        let address = ea.unwrap_or_default();
        if pending.is_data_predicted {
            let is_nowhere = is_oldest && address == 0;
            ea_difference = if is_nowhere {
                42 << 13
            } else {
                self.data_pages.get(address >> 13) << 13
            };
        } else if pending.has_data
            && (if is_oldest {
                address != 0
            } else {
                ea.is_some()
            })
        {
            self.data_pages.set(address >> 13, ea_difference >> 13);
        }
        out.set_last_words(pending.record, pc_difference, ea_difference);
    }
}
