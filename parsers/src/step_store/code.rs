//! Distinct instructions of a trace.

use serde::{Deserialize, Serialize};
use stepback_machine::{AccessKind, Address, Branch, Encoding, InstructionSet};

use crate::known_instruction::KnownInstruction;

/// An instruction as the records have it: address, branch and encoding. Each is kept once.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Code {
    /// Its address as recorded.
    pub pc: u64,
    /// Its bytes; none when the trace does not record them.
    pub encoding: Option<Encoding>,
    /// What it does to control.
    pub branch: Branch,
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
        Address(self.set.code_address(self.pc))
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
}

/// Direction and size of an access.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ShapeAccess {
    /// Load or store.
    pub kind: AccessKind,
    /// Bytes: a shape has room for less than 2^15.
    pub size_bytes: u16,
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
    pub fn push(&mut self, access: ShapeAccess) -> bool {
        let ShapeAccess { kind, size_bytes } = access;
        let Some(place) = self.accesses.get_mut(usize::from(self.count)).filter(|_| size_bytes < Self::WRITE) else {
            return false;
        };
        *place = size_bytes | (u16::from(kind == AccessKind::Write) * Self::WRITE);
        self.count += 1;
        true
    }

    /// Its accesses.
    #[inline(always)]
    pub fn accesses(&self) -> impl Iterator<Item = ShapeAccess> + '_ {
        let accesses = self.accesses.iter().take(usize::from(self.count) * usize::from(*self != Self::UNSET));
        accesses.map(|access| {
            let kind = if access & Self::WRITE != 0 { AccessKind::Write } else { AccessKind::Read };
            ShapeAccess { kind, size_bytes: access & !Self::WRITE }
        })
    }
}

/// All branches, by the numbers under which they are written.
const BRANCHES: [Branch; 11] = [
    Branch::Unsaid,
    Branch::None,
    Branch::Jump,
    Branch::IndirectJump,
    Branch::Conditional(None),
    Branch::Conditional(Some(true)),
    Branch::Conditional(Some(false)),
    Branch::Call,
    Branch::IndirectCall,
    Branch::Return,
    Branch::SystemEntry,
];

/// The number under which a branch is written.
pub fn number_of_branch(branch: Branch) -> u8 {
    BRANCHES.iter().position(|known| *known == branch).unwrap_or_default() as u8
}

/// The branch of such a number.
pub fn branch_of_number(number: u8) -> Option<Branch> {
    BRANCHES.get(usize::from(number)).copied()
}
