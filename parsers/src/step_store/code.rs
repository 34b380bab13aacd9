//! Distinct instructions of a trace.

use serde::{Deserialize, Serialize};
use stepback_machine::{
    AccessKind, Address, Encoding, InstructionSet, RecordedBranch, RegisterId, RegisterView,
};

use crate::known_instruction::KnownInstruction;
use crate::step_store::record::StepStatus;

/// An instruction as the records have it: address, branch and encoding. Each is kept once.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Code {
    /// Its address as recorded.
    pub pc: u64,
    /// Its bytes; none when the trace does not record them.
    pub encoding: Option<Encoding>,
    /// What it does to control.
    pub branch: RecordedBranch,
    /// How it decodes.
    pub set: InstructionSet,
    /// Its length in bytes.
    pub length_bytes: u16,
    /// How it is reached: one that is annulled now and then has two codes.
    pub reached: StepStatus,
    /// What it did the first time.
    pub shape: EffectShape,
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

/// What a usual access is like.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ShapeAccess {
    /// Load or store.
    pub kind: AccessKind,
    /// Bytes: a shape has room for less than 2^14.
    pub size_bytes: u16,
    /// True when the trace says what was loaded or stored.
    pub has_value: bool,
}

/// What an instruction usually does: up to four accesses to memory and three writes of registers; and how many records
/// of the trace tell of it.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct EffectShape {
    accesses: [u16; Self::ACCESSES],
    registers: [u32; Self::REGISTERS],
    /// [`Self::UNSET`] until the instruction was executed once.
    access_count: u8,
    register_count: u8,
    /// Records from its step on, up to the next one; 0 where the format does not number them so. No part of what it does.
    pub records: u8,
}

impl EffectShape {
    /// As many accesses as a shape holds.
    pub const ACCESSES: usize = 4;
    /// As many writes of registers as a shape holds.
    pub const REGISTERS: usize = 3;
    /// Of an instruction that was not executed yet.
    pub const UNSET: Self = Self {
        access_count: u8::MAX,
        ..Self::EMPTY
    };
    const EMPTY: Self = Self {
        accesses: [0; Self::ACCESSES],
        registers: [0; Self::REGISTERS],
        access_count: 0,
        register_count: 0,
        records: 0,
    };
    const WRITE: u16 = 1 << 15;
    const VALUE: u16 = 1 << 14;

    /// Adds an access; false when there is no room for it.
    #[inline(always)]
    pub fn push(&mut self, access: ShapeAccess) -> bool {
        let ShapeAccess {
            kind,
            size_bytes,
            has_value,
        } = access;
        let place = self.accesses.get_mut(usize::from(self.access_count));
        let Some(place) = place.filter(|_| size_bytes < Self::VALUE) else {
            return false;
        };
        let (write, value) = (u16::from(kind == AccessKind::Write), u16::from(has_value));
        *place = size_bytes + write * Self::WRITE + value * Self::VALUE;
        self.access_count += 1;
        true
    }

    /// Adds a write of a register; false when there is no room for it.
    #[inline(always)]
    pub fn push_register(&mut self, register: ShapeRegister) -> bool {
        let Some(place) = self.registers.get_mut(usize::from(self.register_count)) else {
            return false;
        };
        *place = register.number();
        self.register_count += 1;
        true
    }

    /// True of an instruction that was not executed yet.
    #[inline(always)]
    pub fn is_unset(&self) -> bool {
        self.access_count == u8::MAX
    }

    /// The same, told by so many records.
    pub fn told_by(self, records: u8) -> Self {
        Self { records, ..self }
    }

    /// Whether values go with it: of registers, or of what it loads or stores.
    #[inline(always)]
    pub fn has_values(&self) -> bool {
        self.register_count > 0 || self.accesses.iter().any(|access| access & Self::VALUE != 0)
    }

    /// Whether the two do the same.
    #[inline(always)]
    pub fn is_like(&self, other: &Self) -> bool {
        let counts = |shape: &Self| (shape.access_count, shape.register_count);
        counts(self) == counts(other)
            && self.accesses == other.accesses
            && (self.register_count == 0 || self.registers == other.registers)
    }

    /// Its accesses.
    #[inline(always)]
    pub fn accesses(&self) -> impl Iterator<Item = ShapeAccess> + '_ {
        let accesses = self
            .accesses
            .iter()
            .take(usize::from(self.access_count) * usize::from(!self.is_unset()));
        accesses.map(|access| ShapeAccess {
            kind: if access & Self::WRITE != 0 {
                AccessKind::Write
            } else {
                AccessKind::Read
            },
            size_bytes: access & !(Self::WRITE | Self::VALUE),
            has_value: access & Self::VALUE != 0,
        })
    }

    /// The registers that it writes, at most 16 bytes of each.
    #[inline(always)]
    pub fn registers(&self) -> impl Iterator<Item = ShapeRegister> + '_ {
        self.registers
            .iter()
            .take(usize::from(self.register_count))
            .map(|number| ShapeRegister::of_number(*number))
    }
}

/// A usual write of a register.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ShapeRegister {
    /// Which bytes of which.
    pub view: RegisterView,
    /// True when the trace says what it gets.
    pub has_value: bool,
}

impl ShapeRegister {
    const UNKNOWN: u32 = 1 << 31;

    /// The number under which it is written.
    #[inline(always)]
    pub fn number(self) -> u32 {
        number_of_view(self.view) + if self.has_value { 0 } else { Self::UNKNOWN }
    }

    /// What such a number stands for.
    #[inline(always)]
    pub fn of_number(number: u32) -> Self {
        Self {
            view: view_of_number(number & !Self::UNKNOWN),
            has_value: number & Self::UNKNOWN == 0,
        }
    }
}

/// The number under which a part of a register is written: 13 bits say which register, 9 its first byte, 9 its length.
#[inline(always)]
pub fn number_of_view(
    RegisterView {
        register,
        offset,
        size_bytes,
    }: RegisterView,
) -> u32 {
    u32::from(register.0 & 0x1fff) << 18
        | u32::from(offset & 0x1ff) << 9
        | u32::from(size_bytes & 0x1ff)
}

/// The part of a register that such a number stands for.
#[inline(always)]
pub fn view_of_number(number: u32) -> RegisterView {
    RegisterView::new(
        RegisterId((number >> 18) as u16),
        (number >> 9 & 0x1ff) as u16,
        (number & 0x1ff) as u16,
    )
}

/// All branches, by the numbers under which they are written.
const BRANCHES: [RecordedBranch; 11] = [
    RecordedBranch::Unsaid,
    RecordedBranch::None,
    RecordedBranch::Jump,
    RecordedBranch::IndirectJump,
    RecordedBranch::Conditional(None),
    RecordedBranch::Conditional(Some(true)),
    RecordedBranch::Conditional(Some(false)),
    RecordedBranch::Call,
    RecordedBranch::IndirectCall,
    RecordedBranch::Return,
    RecordedBranch::SystemEntry,
];

/// The number under which a branch is written.
pub fn number_of_branch(branch: RecordedBranch) -> u8 {
    BRANCHES
        .iter()
        .position(|known| *known == branch)
        .unwrap_or_default() as u8
}

/// The branch of such a number.
pub fn branch_of_number(number: u8) -> Option<RecordedBranch> {
    BRANCHES.get(usize::from(number)).copied()
}
