//! A decoded record of any type.

use crate::rst::fields::trace_info_3;
use crate::rst::kind;
use crate::rst::raw_record::{RECORD_BYTES, RawRecord, layout_of};
use crate::rst::records::{
    BranchWarmth, BusTransaction, CacheWarmth, CpuTime, Delimiter, Dma, FileMarker, HardwareInfo,
    Instruction, MemoryValue, PaVaDiff, Patch, PhysicalAddress, Preg, ProcessSwitch,
    RegisterValues, RfsSection, RstHeader, Snoop, Status, TextRecord, ThreadSwitch, TlbEntry,
    TraceDates, TraceInfo, Trap, TrapExit, TrappingInstruction, TsbAccess,
};

/// A record, decoded by its type.
#[derive(Clone, Debug, PartialEq, Eq)]
#[expect(missing_docs, reason = "each is what its content says")]
pub enum Record {
    Header(RstHeader),
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
    Text(TextRecord),
    Delimiter(Delimiter),
    Preg(Preg),
    PhysicalAddress(PhysicalAddress),
    PaVaDiff(PaVaDiff),
    /// NULLREC: no content.
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
    /// The bytes of an unknown type.
    Unknown([u8; RECORD_BYTES]),
}

impl Record {
    /// Decodes a record. A loop over millions of instructions checks [`RawRecord::kind`] first.
    pub fn of(record: &RawRecord) -> Self {
        let is_dated =
            || layout_of(record).is_some_and(|layout| layout.name == trace_info_3::LAYOUT.name);
        match record.kind() {
            kind::HEADER => Self::Header(RstHeader::of(record)),
            kind::INSTRUCTION => Self::Instruction(Instruction::of(record)),
            kind::TRACE_INFO if is_dated() => Self::TraceDates(TraceDates::of(record)),
            kind::TRACE_INFO => Self::TraceInfo(TraceInfo::of(record)),
            kind::TLB => Self::TlbEntry(TlbEntry::of(record)),
            kind::THREAD => Self::ThreadSwitch(ThreadSwitch::of(record)),
            kind::TRAP => Self::Trap(Trap::of(record)),
            kind::TRAP_EXIT => Self::TrapExit(TrapExit::of(record)),
            kind::REGISTERS => Self::RegisterValues(RegisterValues::of(record)),
            kind::CPU => Self::CpuTime(CpuTime::of(record)),
            kind::PROCESS => Self::ProcessSwitch(ProcessSwitch::of(record)),
            kind::DMA => Self::Dma(Dma::of(record)),
            kind::TEXT | kind::TEXT_PART => Self::Text(TextRecord::of(record)),
            kind::LEFT_DELIMITER | kind::RIGHT_DELIMITER => Self::Delimiter(Delimiter::of(record)),
            kind::PREG => Self::Preg(Preg::of(record)),
            kind::PHYSICAL_ADDRESS => Self::PhysicalAddress(PhysicalAddress::of(record)),
            kind::DIFFERENCE => Self::PaVaDiff(PaVaDiff::of(record)),
            kind::NULL => Self::Null,
            kind::FILE_MARKER => Self::FileMarker(FileMarker::of(record)),
            kind::STATUS => Self::Status(Status::of(record)),
            kind::PATCH => Self::Patch(Patch::of(record)),
            kind::HARDWARE => Self::HardwareInfo(HardwareInfo::of(record)),
            kind::MEMORY => Self::MemoryValue(MemoryValue::of(record)),
            kind::BUS => Self::BusTransaction(BusTransaction::of(record)),
            kind::SNOOP => Self::Snoop(Snoop::of(record)),
            kind::TSB_ACCESS => Self::TsbAccess(TsbAccess::of(record)),
            kind::RFS_SECTION => Self::RfsSection(RfsSection::of(record)),
            kind::RFS_CACHE => Self::CacheWarmth(CacheWarmth::of(record)),
            kind::RFS_BRANCH => Self::BranchWarmth(BranchWarmth::of(record)),
            kind::TRAPPING => Self::TrappingInstruction(TrappingInstruction::of(record)),
            _ => Self::Unknown(record.bytes()),
        }
    }
}

/// Returns true for an address that stands for an unknown one: `0x31415921` no access, `0x31415923`
/// no program counter.
pub fn is_fake_address(address: u64) -> bool {
    address == 0x0031_4159 || address >> 8 == 0x0031_4159 && address & 1 == 1
}
