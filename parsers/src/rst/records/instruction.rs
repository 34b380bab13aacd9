//! Typed contents of the records about execution ([`Instruction`], [`Trap`], [`TrapExit`]), and of
//! those about the state of a processor ([`RegisterValues`], [`Preg`]).

use crate::rst::fields::{instr, preg, regval, trap, trap_exit};
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

/// REGVAL: values of up to two registers.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct RegisterValues {
    /// Number of the processor.
    pub cpu: u16,
    /// True if the values hold after the processor's last instruction, false if before its next
    /// one.
    pub is_after: bool,
    /// The registers; some are [`RegisterKind::Unused`].
    pub slots: [RegisterSlot; 2],
}

/// A register and its value.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct RegisterSlot {
    /// Numbering that `id` belongs to.
    pub kind: RegisterKind,
    /// Number of the register; for condition codes, their value.
    pub id: u8,
    /// Value of the register; unused for condition codes.
    pub value: u64,
}

/// Numbering of registers.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum RegisterKind {
    /// Integer registers in the current window: globals, outs, locals, ins.
    Integer,
    /// Floating-point registers: 0 to 31 single, 32 to 63 double, 64 to 95 quad (both slots hold
    /// one register).
    Float,
    /// Privileged registers, numbered as by `rdpr`. 64, 72, 80 and 88 plus the trap level are TPC,
    /// TNPC, TSTATE and TT of that level.
    Privileged,
    /// Ancillary registers, numbered as by `rd`; 8 is FSR.
    Other,
    /// No register.
    Unused,
    /// Integer condition codes: `id` is their value.
    ConditionCodes,
    /// Floating-point condition codes: `id` is their value.
    FloatConditionCodes,
    /// Integer registers by window: `window << 5 | number`. For a global, the window is its set.
    Window,
    /// Registers of the memory management unit.
    Mmu,
    /// An unknown numbering.
    Unknown(u8),
}

/// PREG: state registers at this point of the trace. Called CONTEXT before version 2.05.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Preg {
    /// Number of the processor.
    pub cpu: u16,
    /// ASI.
    pub asi: u8,
    /// TL.
    pub level: u8,
    /// The lower eight bits of TT.
    pub trap_type: u8,
    /// PSTATE.
    pub pstate: u16,
    /// Primary context, first number.
    pub primary_a: u16,
    /// Secondary context, first number.
    pub secondary_a: u16,
    /// Primary context of data.
    pub primary_d: u16,
    /// Secondary context of data.
    pub secondary_d: u16,
}

impl RegisterKind {
    /// Returns the kind for its number in a record.
    pub fn of(number: u8) -> Self {
        match number {
            1 => Self::Integer,
            2 => Self::Float,
            3 => Self::Privileged,
            4 => Self::Other,
            5 => Self::Unused,
            6 => Self::ConditionCodes,
            7 => Self::FloatConditionCodes,
            8 => Self::Window,
            9 => Self::Mmu,
            _ => Self::Unknown(number),
        }
    }
}

impl RegisterValues {
    /// Decodes a record of type 9.
    #[inline]
    pub fn of(record: &RawRecord) -> Self {
        let slot = |kind: u64, id: u64, value: u64| RegisterSlot {
            kind: RegisterKind::of(kind as u8),
            id: id as u8,
            value,
        };
        let first = slot(
            record.get(regval::REGTYPE0),
            record.get(regval::REGID0),
            record.get(regval::REG0),
        );
        let second = slot(
            record.get(regval::REGTYPE1),
            record.get(regval::REGID1),
            record.get(regval::REG1),
        );
        Self {
            cpu: regval::CPU.get(record),
            is_after: record.flag(regval::POST_INSTR),
            slots: [first, second],
        }
    }
}

impl Preg {
    /// Decodes a record of type 17.
    pub fn of(record: &RawRecord) -> Self {
        Self {
            cpu: preg::CPU.get(record),
            asi: record.get(preg::ASI_REG) as u8,
            level: record.get(preg::TRAPLEVEL) as u8,
            trap_type: record.get(preg::TRAPTYPE) as u8,
            pstate: record.get(preg::PSTATE) as u16,
            primary_a: record.get(preg::PRIM_A) as u16,
            secondary_a: record.get(preg::SEC_A) as u16,
            primary_d: record.get(preg::PRIM_D) as u16,
            secondary_d: record.get(preg::SEC_D) as u16,
        }
    }
}

/// Returns true for a placeholder of an unknown address: `0x31415921` no access, `0x31415923`
/// no program counter.
pub fn is_fake_address(address: u64) -> bool {
    address == 0x0031_4159 || address >> 8 == 0x0031_4159 && address & 1 == 1
}
