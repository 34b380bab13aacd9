//! Instructions and traps.

use crate::rst::fields::{instr, trap, trap_exit, trapping};
use crate::rst::raw_record::RawRecord;

/// INSTR: an instruction that the program reached.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Instruction {
    /// Number of the processor.
    pub cpu: u16,
    /// Encoding.
    pub word: u32,
    /// Virtual address.
    pub pc: u64,
    /// Effective address: the virtual address of a load or store, or the next address after a
    /// control transfer. None if the trace does not record it.
    pub ea: Option<u64>,
    /// True in the delay slot of a branch that annulled it: the instruction is not executed.
    pub is_annulled: bool,
    /// True for a control transfer that was taken.
    pub is_taken: bool,
    /// True if it trapped, or is the first of a trap handler.
    pub has_trap: bool,
    /// True in privileged mode.
    pub is_privileged: bool,
    /// True in hyperprivileged mode; never before version 2.12.
    pub is_hyperprivileged: bool,
}

/// TRAP: a trap is about to be taken.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Trap {
    /// Number of the processor.
    pub cpu: u16,
    /// True for an asynchronous trap, which the instruction did not cause.
    pub is_async: bool,
    /// Trap level before the trap.
    pub level: u8,
    /// Trap type: ten bits in the record, of which V9 uses nine.
    pub trap_type: u16,
    /// PSTATE before the trap.
    pub pstate: u16,
    /// Number of the system call; 0 if the trap is none.
    pub system_call: u16,
    /// PC at the trap.
    pub pc: u64,
    /// nPC at the trap.
    pub npc: u64,
}

/// TRAPEXIT: a trap handler is done.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct TrapExit {
    /// Number of the processor.
    pub cpu: u16,
    /// Trap level after the handler.
    pub level: u8,
    /// The lower half of TSTATE: ASI, PSTATE and CWP.
    pub tstate: u32,
}

/// TRAPPING_INSTR: the instruction that the next TRAP stops.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct TrappingInstruction {
    /// Number of the processor.
    pub cpu: u16,
    /// True if the instruction could not be fetched: only its address is known.
    pub is_fetch: bool,
    /// True in hyperprivileged mode.
    pub is_hyperprivileged: bool,
    /// True in privileged mode.
    pub is_privileged: bool,
    /// Encoding.
    pub word: u32,
    /// Virtual address.
    pub pc: u64,
    /// Virtual address of the access; none if the trace does not record it.
    pub ea: Option<u64>,
    /// True if the physical address of the access is valid.
    pub has_physical_ea: bool,
}

impl Instruction {
    /// Decodes a record of type 3.
    #[inline]
    pub fn of(record: &RawRecord) -> Self {
        Self {
            cpu: instr::CPU.get(record),
            word: record.get(instr::INSTR) as u32,
            pc: record.get(instr::PC_VA),
            ea: record
                .flag(instr::EA_VALID)
                .then(|| record.get(instr::EA_VA)),
            is_annulled: record.flag(instr::AN),
            is_taken: record.flag(instr::BT),
            has_trap: record.flag(instr::TR),
            is_privileged: record.flag(instr::PR),
            is_hyperprivileged: record.form().version.has_wide_cpu() && record.flag(instr::HPRIV),
        }
    }
}

impl Trap {
    /// Decodes a record of type 7.
    pub fn of(record: &RawRecord) -> Self {
        Self {
            cpu: trap::CPU.get(record),
            is_async: record.flag(trap::IS_ASYNC),
            level: record.get(trap::TL) as u8,
            trap_type: record.get(trap::TTYPE) as u16,
            pstate: record.get(trap::PSTATE) as u16,
            system_call: record.get(trap::SYSCALL) as u16,
            pc: record.get(trap::PC),
            npc: record.get(trap::NPC),
        }
    }
}

impl TrapExit {
    /// Decodes a record of type 8.
    pub fn of(record: &RawRecord) -> Self {
        Self {
            cpu: trap_exit::CPU.get(record),
            level: record.get(trap_exit::TL) as u8,
            tstate: record.get(trap_exit::TSTATE) as u32,
        }
    }
}

impl TrappingInstruction {
    /// Decodes a record of type 34.
    pub fn of(record: &RawRecord) -> Self {
        Self {
            cpu: trapping::CPU.get(record),
            is_fetch: record.flag(trapping::IFTRAP),
            is_hyperprivileged: record.flag(trapping::HPRIV),
            is_privileged: record.flag(trapping::PRIV),
            word: record.get(trapping::INSTR) as u32,
            pc: record.get(trapping::PC_VA),
            ea: record
                .flag(trapping::EA_VA_VALID)
                .then(|| record.get(trapping::EA_VA)),
            has_physical_ea: record.flag(trapping::EA_PA_VALID),
        }
    }
}
