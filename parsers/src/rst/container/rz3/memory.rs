//! Decodes records about memory: address differences, values, TLB entries, DMA.

use crate::rst::container::rz3::array::{SectionArray, has_wide_cpu};
use crate::rst::container::rz3::bits::SectionBits;
use crate::rst::container::rz3::cpu::PendingDifference;
use crate::rst::container::rz3::cpus::Rz3CpuTable;
use crate::rst::container::rz3::output::{RecordDraft, SectionOutput};
use crate::rst::fields::{dma, memval64, memval128, pavadiff, tlb};
use crate::rst::kind;

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
