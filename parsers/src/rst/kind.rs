//! The record types: the first byte of a record.

/// RSTHEADER.
pub const HEADER: u8 = 2;
/// INSTR.
pub const INSTRUCTION: u8 = 3;
/// TRACEINFO.
pub const TRACE_INFO: u8 = 4;
/// TLB.
pub const TLB: u8 = 5;
/// THREAD.
pub const THREAD: u8 = 6;
/// TRAP.
pub const TRAP: u8 = 7;
/// TRAPEXIT.
pub const TRAP_EXIT: u8 = 8;
/// REGVAL.
pub const REGISTERS: u8 = 9;
/// CPU, also TIMESTAMP.
pub const CPU: u8 = 11;
/// PROCESS.
pub const PROCESS: u8 = 12;
/// DMA.
pub const DMA: u8 = 13;
/// STRDESC.
pub const TEXT: u8 = 14;
/// LEFTDELIM.
pub const LEFT_DELIMITER: u8 = 15;
/// RIGHTDELIM.
pub const RIGHT_DELIMITER: u8 = 16;
/// PREG, called CONTEXT before version 2.05.
pub const PREG: u8 = 17;
/// PHYSADDR.
pub const PHYSICAL_ADDRESS: u8 = 18;
/// PAVADIFF.
pub const DIFFERENCE: u8 = 19;
/// NULLREC.
pub const NULL: u8 = 20;
/// STRCONT.
pub const TEXT_PART: u8 = 21;
/// FILEMARKER, also RECNUM.
pub const FILE_MARKER: u8 = 22;
/// STATUS.
pub const STATUS: u8 = 23;
/// PATCH.
pub const PATCH: u8 = 24;
/// HWINFO.
pub const HARDWARE: u8 = 25;
/// MEMVAL.
pub const MEMORY: u8 = 26;
/// BUSTRACE.
pub const BUS: u8 = 27;
/// SNOOP.
pub const SNOOP: u8 = 28;
/// TSB_ACCESS.
pub const TSB_ACCESS: u8 = 29;
/// RFS_SECTION_HEADER.
pub const RFS_SECTION: u8 = 30;
/// RFS_CW.
pub const RFS_CACHE: u8 = 31;
/// RFS_BT.
pub const RFS_BRANCH: u8 = 32;
/// RFS_RST: a section type, never a record type.
pub const RFS_RECORDS: u8 = 33;
/// TRAPPING_INSTR.
pub const TRAPPING: u8 = 34;
