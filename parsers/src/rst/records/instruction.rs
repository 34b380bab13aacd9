//! Instructions and traps.

use crate::rst::fields::{instr, trap, trap_exit, trapping};
use crate::rst::raw_record::RawRecord;

/// INSTR: an instruction that the program reached.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Instruction {
    /// On which processor.
    pub cpu: u16,
    /// Its encoding.
    pub word: u32,
    /// Its virtual address.
    pub pc: u64,
    /// Of a load or store its virtual address, of a control transfer where control goes next; none when the trace does not say.
    pub ea: Option<u64>,
    /// In the delay slot of a branch that annulled it: not executed.
    pub is_annulled: bool,
    /// A control transfer that went elsewhere.
    pub is_taken: bool,
    /// It trapped, or it is the first of a trap handler.
    pub has_trap: bool,
    /// In privileged mode.
    pub is_privileged: bool,
    /// In hyperprivileged mode; never before version 2.12.
    pub is_hyperprivileged: bool,
}

/// TRAP: a trap is about to be taken.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Trap {
    /// On which processor.
    pub cpu: u16,
    /// Not caused by the instruction.
    pub is_async: bool,
    /// Trap level before it.
    pub level: u8,
    /// Its type, nine bits.
    pub trap_type: u16,
    /// The processor's state before it.
    pub pstate: u16,
    /// The number of the system call; 0 for traps that are none.
    pub system_call: u16,
    /// Where it happened.
    pub pc: u64,
    /// What would have come next.
    pub npc: u64,
}

/// TRAPEXIT: a trap handler is done.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct TrapExit {
    /// On which processor.
    pub cpu: u16,
    /// Trap level behind it.
    pub level: u8,
    /// The lower half of TSTATE: ASI, PSTATE and CWP.
    pub tstate: u32,
}

/// TRAPPING_INSTR: the instruction that the trap behind this record stops.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct TrappingInstruction {
    /// On which processor.
    pub cpu: u16,
    /// It could not even be fetched: only its address is known.
    pub is_fetch: bool,
    /// In hyperprivileged mode.
    pub is_hyperprivileged: bool,
    /// In privileged mode.
    pub is_privileged: bool,
    /// Its encoding.
    pub word: u32,
    /// Its virtual address.
    pub pc: u64,
    /// The virtual address of its access; none when the trace does not say.
    pub ea: Option<u64>,
    /// Whether the physical address of the access is valid.
    pub has_physical_ea: bool,
}

impl Instruction {
    /// Reads a record of type 3.
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
    /// Reads a record of type 7.
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
    /// Reads a record of type 8.
    pub fn of(record: &RawRecord) -> Self {
        Self {
            cpu: trap_exit::CPU.get(record),
            level: record.get(trap_exit::TL) as u8,
            tstate: record.get(trap_exit::TSTATE) as u32,
        }
    }
}

impl TrappingInstruction {
    /// Reads a record of type 34.
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
