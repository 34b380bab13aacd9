//! Distinct instructions of a trace.

use serde::{Deserialize, Serialize};
use stepback_machine::{Address, Branch, Encoding, InstructionSet};

use crate::known_instruction::KnownInstruction;

/// An instruction as the records have it: address, type and encoding. Each is kept once.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Code {
    /// Its address as recorded.
    pub pc: u64,
    /// Its bytes; none when the trace does not record them.
    pub encoding: Option<Encoding>,
    /// The record's type (`trace_type_t`).
    pub kind: u8,
    /// How it decodes.
    pub set: InstructionSet,
    /// Its length in bytes.
    pub length_bytes: u16,
    /// The accesses that it made the first time.
    pub shape: Shape,
}

impl Code {
    /// Its address without a Thumb bit.
    pub fn address(&self) -> Address {
        Address(self.pc & !u64::from(self.set == InstructionSet::T32))
    }

    /// Its length as a step has it.
    pub fn event_length(&self) -> u8 {
        u8::try_from(self.length_bytes).unwrap_or(u8::MAX)
    }

    /// What is executed.
    pub fn instruction(&self) -> KnownInstruction {
        KnownInstruction {
            pc: self.address(),
            instruction_set: self.set,
            length_bytes: self.event_length(),
            encoding: self.encoding,
        }
    }

    /// What it does to control.
    pub fn branch(&self) -> Branch {
        match self.kind {
            11 => Branch::Jump,
            12 => Branch::IndirectJump,
            13 => Branch::Conditional(None),
            14 => Branch::Call,
            15 => Branch::IndirectCall,
            16 => Branch::Return,
            31 => Branch::SystemEntry,
            48 => Branch::Conditional(Some(true)),
            49 => Branch::Conditional(Some(false)),
            _ => Branch::None,
        }
    }
}

/// Size and direction of up to four accesses: those that an instruction usually makes.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct Shape {
    accesses: [u16; Self::LIMIT],
    /// [`Self::UNSET`] until the instruction was executed once.
    count: u8,
}

impl Shape {
    /// As many accesses as a shape holds.
    pub const LIMIT: usize = 4;
    /// Of an instruction that was not executed yet.
    pub const UNSET: Self = Self { accesses: [0; Self::LIMIT], count: u8::MAX };
    const WRITE: u16 = 1 << 15;

    /// Adds an access; false when there is no room for it.
    #[inline(always)]
    pub fn push(&mut self, is_write: bool, size_bytes: u16) -> bool {
        let Some(place) = self.accesses.get_mut(usize::from(self.count)).filter(|_| size_bytes < Self::WRITE) else {
            return false;
        };
        *place = size_bytes | (u16::from(is_write) * Self::WRITE);
        self.count += 1;
        true
    }

    /// Its accesses: whether each writes, and its bytes.
    #[inline(always)]
    pub fn accesses(&self) -> impl Iterator<Item = (bool, u16)> + '_ {
        let accesses = self.accesses.iter().take(usize::from(self.count) * usize::from(*self != Self::UNSET));
        accesses.map(|access| (access & Self::WRITE != 0, access & !Self::WRITE))
    }
}

/// The instruction set of a number that was made by `set as u8`.
pub fn instruction_set(number: u8) -> Option<InstructionSet> {
    use InstructionSet::{A32, A64, Regdeps, Riscv64, T32, X86_32, X86_64};
    [A64, A32, T32, X86_64, X86_32, Riscv64, Regdeps].into_iter().find(|set| *set as u8 == number)
}
