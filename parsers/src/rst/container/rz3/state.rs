//! Decodes records other than instructions: register values, traps and privileged registers,
//! address differences, memory values, TLB entries and DMA. Most fields are predicted from the
//! state of the processor, or else stored in an array.

use crate::rst::container::batch::UnpackFault;
use crate::rst::container::rz3::bits::{SectionArray, SectionBits, has_wide_cpu};
use crate::rst::container::rz3::cpu::{PendingDifference, Rz3CpuTable};
use crate::rst::container::rz3::section::{RecordDraft, SectionOutput};
use crate::rst::fields::{dma, memval64, memval128, pavadiff, preg, regval, tlb, trap};
use crate::rst::kind;

/// Kind of a slot without a register.
const UNUSED: u64 = 5;

/// Decodes values of registers (REGVAL). The type of the previous record improves the prediction.
pub fn decode_registers(
    cpus: &mut Rz3CpuTable,
    bits: &mut SectionBits,
    out: &mut SectionOutput<'_>,
    previous_kind: u8,
) {
    let number = Rz3CpuTable::number(bits, cpus.last);
    let Some((cpu, budget)) = cpus.touch(number, bits) else {
        return;
    };
    let is_after = bits.flag(SectionArray::IsAfter);
    let Some(names) = cpu.registers.place((cpu.pc >> 2) as usize & 0xffff, budget) else {
        return bits.fail(UnpackFault::Memory);
    };
    // After SAVE and RESTORE whole windows are recorded, two registers a record.
    let step = if previous_kind == kind::REGISTERS {
        2
    } else {
        0
    };
    let mut slots = [(0, 0, 0); 2];
    for ((kind, id), slot) in names.kinds.iter_mut().zip(&mut names.ids).zip(&mut slots) {
        let likely = u64::from(*kind);
        slot.0 = bits.predicted_or(
            SectionArray::IsRegisterKindPredicted,
            likely,
            SectionArray::RegisterKind,
        );
        *kind = slot.0 as u8;
        if slot.0 != UNUSED {
            let likely = u64::from(id.wrapping_add(step));
            slot.1 = bits.predicted_or(
                SectionArray::IsRegisterPredicted,
                likely,
                SectionArray::Register,
            );
            *id = slot.1 as u8;
            slot.2 = if bits.flag(SectionArray::IsZero) {
                0
            } else {
                cpu.values.next(bits)
            };
        }
    }
    let [first, second] = slots;
    let draft = RecordDraft::of(kind::REGISTERS)
        .with(regval::POST_INSTR, u64::from(is_after))
        .with(regval::CPUID_LO, u64::from(number))
        .with(regval::CPUID_HI, u64::from(number) >> 7)
        .with(regval::REGTYPE0, first.0)
        .with(regval::REGTYPE1, second.0)
        .with(regval::REGID0, first.1)
        .with(regval::REGID1, second.1)
        .with(regval::REG0, first.2)
        .with(regval::REG1, second.2);
    out.push(draft);
}

/// Decodes a TRAP record.
pub fn decode_trap(cpus: &mut Rz3CpuTable, bits: &mut SectionBits, out: &mut SectionOutput<'_>) {
    let number = Rz3CpuTable::number(bits, cpus.predicted);
    let Some((cpu, _)) = cpus.touch(number, bits) else {
        return;
    };
    let packed = bits.next(SectionArray::Trap);
    let (is_pc_predicted, is_npc_predicted) = (packed & 2 != 0, packed & 1 != 0);
    let pc = if is_pc_predicted {
        cpu.predicted_pc
    } else {
        bits.next(SectionArray::Raw)
    };
    let npc = match (is_npc_predicted, is_pc_predicted) {
        (true, true) => cpu.predicted_npc,
        (true, false) => pc.wrapping_add(4),
        (false, _) => bits.next(SectionArray::Raw),
    };
    let draft = RecordDraft::of(kind::TRAP)
        .with(trap::IS_ASYNC, packed >> 48)
        .with(trap::TL, packed >> 44)
        .with(trap::TTYPE, packed >> 34)
        .with(trap::PSTATE, packed >> 18)
        .with(trap::SYSCALL, packed >> 2 & 0xfff)
        .with(trap::CPUID_LO, u64::from(number))
        .with(trap::CPUID_HI, u64::from(number) >> 6)
        .with(trap::PC, pc)
        .with(trap::NPC, npc);
    out.push(draft);
}

/// Decodes a PREG record.
pub fn decode_preg(cpus: &Rz3CpuTable, bits: &mut SectionBits, out: &mut SectionOutput<'_>) {
    let packed = bits.next(SectionArray::Raw);
    let number = if packed >> 61 & 1 != 0 {
        u64::from(cpus.predicted)
    } else {
        bits.next(SectionArray::Cpu)
    };
    let (primary, secondary) = (packed >> 48 & 0x1fff, packed >> 35 & 0x1fff);
    let draft = RecordDraft::of(kind::PREG)
        .with(preg::ASI_REG, packed >> 27)
        .with(preg::TRAPLEVEL, packed >> 24 & 7)
        .with(preg::TRAPTYPE, packed >> 16)
        .with(preg::PSTATE, packed)
        .with(preg::CPUID_LO, number)
        .with(preg::CPUID_HI, number >> 8)
        .with(preg::PRIM_A, primary)
        .with(preg::SEC_A, secondary)
        .with(preg::PRIM_D, primary)
        .with(preg::SEC_D, secondary);
    out.push(draft);
}

/// Decodes a difference of physical and virtual addresses (PAVADIFF).
pub fn decode_difference(
    cpus: &mut Rz3CpuTable,
    bits: &mut SectionBits,
    out: &mut SectionOutput<'_>,
) {
    let number = Rz3CpuTable::number(bits, cpus.predicted);
    cpus.predicted = number;
    let Some((cpu, _)) = cpus.touch(number, bits) else {
        return;
    };
    cpu.context = bits.predicted_or(
        SectionArray::IsContextPredicted,
        cpu.context,
        SectionArray::Context,
    );
    cpu.data_context = bits.predicted_or(
        SectionArray::IsDataContextPredicted,
        cpu.data_context,
        SectionArray::DataContext,
    );
    let has_data = bits.flag(SectionArray::HasDataDifference);
    let is_pc_predicted = bits.flag(SectionArray::IsPcDifferencePredicted);
    let pc_difference = if is_pc_predicted {
        0
    } else {
        bits.next(SectionArray::Raw)
    };
    let is_data_predicted = has_data && bits.flag(SectionArray::IsDataDifferencePredicted);
    let ea_difference = if !has_data || is_data_predicted {
        0
    } else {
        bits.next(SectionArray::Raw)
    };
    let is_pending =
        is_pc_predicted || is_data_predicted || bits.flag(SectionArray::IsLookingAhead);
    let pending = PendingDifference {
        record: out.len(),
        is_pc_predicted,
        is_data_predicted,
        has_data,
    };
    cpu.pending = is_pending.then_some(pending);
    let draft = RecordDraft::of(kind::DIFFERENCE)
        .with(pavadiff::EA_VALID, u64::from(has_data))
        .with(pavadiff::CPUID_LO, u64::from(number))
        .with(pavadiff::CPUID_HI, u64::from(number) >> 7)
        .with(pavadiff::ICONTEXT, cpu.context)
        .with(pavadiff::DCONTEXT, cpu.data_context)
        .with(pavadiff::PC_PA_VA, pc_difference)
        .with(pavadiff::EA_PA_VA, ea_difference);
    out.push(draft);
}

/// Decodes a value of memory (MEMVAL).
pub fn decode_value(cpus: &mut Rz3CpuTable, bits: &mut SectionBits, out: &mut SectionOutput<'_>) {
    let is_long = bits.flag(SectionArray::MemoryFlags);
    let is_virtual = !bits.flag(SectionArray::MemoryFlags);
    let number = Rz3CpuTable::number(bits, cpus.predicted);
    let Some((cpu, _)) = cpus.touch(number, bits) else {
        return;
    };
    let mut draft = RecordDraft::of(kind::MEMORY)
        .with(memval64::ISMEMVAL128, u64::from(is_long))
        .with(memval64::ADDRIS_VA, u64::from(is_virtual))
        .with(memval64::CPUID_LO, u64::from(number))
        .with(memval64::CPUID_HI, u64::from(number) >> 8);
    if is_long {
        let is_continued = bits.flag(SectionArray::MemoryFlags);
        draft = draft.with(memval128::IS_CONT_REC, u64::from(is_continued));
        if !is_continued {
            draft = draft
                .with(
                    memval128::ADDR36_43,
                    bits.next(SectionArray::MemoryAddressHigh),
                )
                .with(
                    memval128::ADDR04_35,
                    bits.next(SectionArray::MemoryAddressLow),
                );
        }
        draft = draft
            .with(memval128::VAL0, cpu.values.next(bits))
            .with(memval128::VAL1, cpu.values.next(bits));
    } else {
        draft = draft
            .with(memval64::SIZE, bits.next(SectionArray::MemorySize) + 1)
            .with(memval64::ADDR, cpu.values.next(bits))
            .with(memval64::VAL, cpu.values.next(bits));
    }
    out.push(draft);
}

/// Decodes a TLB entry.
pub fn decode_tlb(bits: &mut SectionBits, out: &mut SectionOutput<'_>, minor: u8) {
    let packed = bits.next(SectionArray::Tlb);
    let cpu_bits = if has_wide_cpu(minor) { 10 } else { 6 };
    let (number, rest) = (packed & ((1 << cpu_bits) - 1), packed >> cpu_bits);
    let draft = RecordDraft::of(kind::TLB)
        .with(tlb::DEMAP, rest >> 19)
        .with(tlb::TLB_INDEX, rest >> 3)
        .with(tlb::TLB_TYPE, rest >> 2)
        .with(tlb::TLB_NO, rest)
        .with(tlb::CPUID_LO, number)
        .with(tlb::CPUID_HI, number >> 6)
        .with(tlb::TTE_TAG, bits.next(SectionArray::Raw))
        .with(tlb::TTE_DATA, bits.next(SectionArray::Raw));
    out.push(draft);
}

/// Decodes a DMA access.
pub fn decode_dma(bits: &mut SectionBits, out: &mut SectionOutput<'_>) {
    let draft = RecordDraft::of(kind::DMA)
        .with(dma::ISWRITE, bits.next(SectionArray::IsDmaWrite))
        .with(dma::NBYTES, bits.next(SectionArray::DmaBytes))
        .with(dma::START_PA, bits.next(SectionArray::Raw));
    out.push(draft);
}
