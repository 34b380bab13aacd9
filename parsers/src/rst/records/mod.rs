//! Decoded records, one type for each record type.

mod instruction;
mod memory;
mod system;
mod trace;
mod warm;

pub use crate::rst::records::instruction::{Preg, RegisterKind, RegisterSlot, RegisterValues};
pub use instruction::{Instruction, Trap, TrapExit, TrappingInstruction};
pub use memory::{
    DataDifference, Dma, MemoryContent, MemoryValue, PaVaDiff, PhysicalAddress, TlbEntry, TsbAccess,
};
pub use system::{BusTransaction, CpuTime, HardwareInfo, ProcessSwitch, Snoop, ThreadSwitch};
pub use trace::{
    Delimiter, FileMarker, Patch, RstHeader, Status, TextRecord, TraceDates, TraceInfo,
};
pub use warm::{BranchWarmth, CacheContent, CacheWarmth, RfsSection};
