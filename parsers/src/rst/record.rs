//! A record of any type.

use crate::rst::fields::trace_info_3;
use crate::rst::layout::layout_of;
use crate::rst::raw_record::{RECORD_BYTES, RawRecord};
use crate::rst::records::{
    BranchWarmth, BusTransaction, CacheWarmth, CpuTime, Delimiter, Dma, FileMarker, HardwareInfo, Header, Instruction,
    MemoryValue, PaVaDiff, Patch, PhysicalAddress, Preg, ProcessSwitch, RegisterValues, RfsSection, Snoop, Status,
    TextPart, ThreadSwitch, TlbEntry, TraceDates, TraceInfo, Trap, TrapExit, TrappingInstruction, TsbAccess,
};

/// A record, by its type.
#[derive(Clone, Debug, PartialEq, Eq)]
#[expect(missing_docs, reason = "each is what its content says")]
pub enum Record {
    Header(Header),
    Instruction(Instruction),
    TraceInfo(TraceInfo),
    TraceDates(TraceDates),
    TlbEntry(TlbEntry),
    ThreadSwitch(ThreadSwitch),
    Trap(Trap),
    TrapExit(TrapExit),
    RegisterValues(RegisterValues),
    CpuTime(CpuTime),
    ProcessSwitch(ProcessSwitch),
    Dma(Dma),
    Text(TextPart),
    Delimiter(Delimiter),
    Preg(Preg),
    PhysicalAddress(PhysicalAddress),
    PaVaDiff(PaVaDiff),
    /// NULLREC: nothing.
    Null,
    FileMarker(FileMarker),
    Status(Status),
    Patch(Patch),
    HardwareInfo(HardwareInfo),
    MemoryValue(MemoryValue),
    BusTransaction(BusTransaction),
    Snoop(Snoop),
    TsbAccess(TsbAccess),
    RfsSection(RfsSection),
    CacheWarmth(CacheWarmth),
    BranchWarmth(BranchWarmth),
    TrappingInstruction(TrappingInstruction),
    /// A type that is not known: the bytes.
    Unknown([u8; RECORD_BYTES]),
}

impl Record {
    /// What a record says. Who goes through millions of instructions looks at [`RawRecord::kind`] first.
    pub fn of(record: &RawRecord) -> Self {
        let is_dated = || layout_of(record).is_some_and(|layout| layout.name == trace_info_3::LAYOUT.name);
        match record.kind() {
            2 => Self::Header(Header::of(record)),
            3 => Self::Instruction(Instruction::of(record)),
            4 if is_dated() => Self::TraceDates(TraceDates::of(record)),
            4 => Self::TraceInfo(TraceInfo::of(record)),
            5 => Self::TlbEntry(TlbEntry::of(record)),
            6 => Self::ThreadSwitch(ThreadSwitch::of(record)),
            7 => Self::Trap(Trap::of(record)),
            8 => Self::TrapExit(TrapExit::of(record)),
            9 => Self::RegisterValues(RegisterValues::of(record)),
            11 => Self::CpuTime(CpuTime::of(record)),
            12 => Self::ProcessSwitch(ProcessSwitch::of(record)),
            13 => Self::Dma(Dma::of(record)),
            14 | 21 => Self::Text(TextPart::of(record)),
            15 | 16 => Self::Delimiter(Delimiter::of(record)),
            17 => Self::Preg(Preg::of(record)),
            18 => Self::PhysicalAddress(PhysicalAddress::of(record)),
            19 => Self::PaVaDiff(PaVaDiff::of(record)),
            20 => Self::Null,
            22 => Self::FileMarker(FileMarker::of(record)),
            23 => Self::Status(Status::of(record)),
            24 => Self::Patch(Patch::of(record)),
            25 => Self::HardwareInfo(HardwareInfo::of(record)),
            26 => Self::MemoryValue(MemoryValue::of(record)),
            27 => Self::BusTransaction(BusTransaction::of(record)),
            28 => Self::Snoop(Snoop::of(record)),
            29 => Self::TsbAccess(TsbAccess::of(record)),
            30 => Self::RfsSection(RfsSection::of(record)),
            31 => Self::CacheWarmth(CacheWarmth::of(record)),
            32 => Self::BranchWarmth(BranchWarmth::of(record)),
            34 => Self::TrappingInstruction(TrappingInstruction::of(record)),
            _ => Self::Unknown(record.bytes()),
        }
    }
}

/// True for an address that stands for an unknown one: `0x31415921` no access, `0x31415923` no program counter.
pub fn is_fake_address(address: u64) -> bool {
    address == 0x0031_4159 || address >> 8 == 0x0031_4159 && address & 1 == 1
}
