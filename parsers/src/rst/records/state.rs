//! The state of a processor.

use crate::rst::fields::{preg, regval};
use crate::rst::raw_record::RawRecord;

/// REGVAL: values of up to two registers.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct RegisterValues {
    /// Of which processor.
    pub cpu: u16,
    /// Behind the processor's last instruction, otherwise before its next one.
    pub is_after: bool,
    /// The registers; some are [`RegisterKind::Unused`].
    pub slots: [RegisterSlot; 2],
}

/// A register and its value.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct RegisterSlot {
    /// Which numbers its `id` is one of.
    pub kind: RegisterKind,
    /// Its number; of condition codes their value.
    pub id: u8,
    /// Its value; of condition codes nothing.
    pub value: u64,
}

/// How registers are numbered.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum RegisterKind {
    /// Integer registers in the window in use: globals, outs, locals, ins.
    Integer,
    /// Floating point: 0 to 31 single, 32 to 63 double, 64 to 95 quad (both values are one register's).
    Float,
    /// As `rdpr` numbers them; 64, 72, 80 and 88 plus the trap level are TPC, TNPC, TSTATE and TT of that level.
    Privileged,
    /// As `rd` numbers the ancillary ones; 8 is FSR.
    Other,
    /// No register.
    Unused,
    /// The condition codes of integers: `id` is their value.
    ConditionCodes,
    /// Those of floating point: `id` is their value.
    FloatConditionCodes,
    /// Integer registers by window: `window << 5 | number`; the window of a global is its set.
    Window,
    /// Registers of the memory management unit.
    Mmu,
    /// A number that is not known.
    Unknown(u8),
}

/// PREG: registers of the processor's state, as they are here. (CONTEXT before version 2.05.)
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Preg {
    /// Of which processor.
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
    /// By its number in a record.
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
    /// Reads a record of type 9.
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
    /// Reads a record of type 17.
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
