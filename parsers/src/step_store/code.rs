//! Distinct instructions of a trace.

use serde::{Deserialize, Serialize};
use stepback_machine::{
    AccessKind, Address, Encoding, InstructionSet, RecordedBranch, RegisterId, RegisterView,
};

use crate::known_instruction::KnownInstruction;
use crate::step_store::record::StepStatus;

/// Instruction as the records state it: address, branch and encoding. Each is stored once.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Code {
    /// Address as recorded.
    pub pc: u64,
    /// Bytes of the instruction; `None` if the trace does not record them.
    pub encoding: Option<Encoding>,
    /// Effect on control.
    pub branch: RecordedBranch,
    /// Instruction set that decodes it.
    pub set: InstructionSet,
    /// Length in bytes.
    pub length_bytes: u16,
    /// Way in which it was reached. An instruction that is sometimes annulled has two codes.
    pub reached: StepStatus,
    /// Effects of the first execution.
    pub shape: EffectShape,
}

impl Code {
    /// Returns the address without a Thumb bit.
    pub fn address(&self) -> Address {
        Address(self.set.code_address(self.pc))
    }

    /// Returns the length as step events state it.
    pub fn event_length(&self) -> u8 {
        u8::try_from(self.length_bytes).unwrap_or(u8::MAX)
    }

    /// Returns the instruction that is executed.
    pub fn instruction(&self) -> KnownInstruction {
        KnownInstruction {
            pc: self.address(),
            instruction_set: self.set,
            length_bytes: self.event_length(),
            encoding: self.encoding,
        }
    }
}

/// Access to memory in a [`EffectShape`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ShapeAccess {
    /// Load or store.
    pub kind: AccessKind,
    /// Size in bytes, less than 2^14.
    pub size_bytes: u16,
    /// True when the trace states the value that was loaded or stored.
    pub has_value: bool,
}

/// Usual effects of an instruction: up to four accesses to memory and three register writes. Also
/// the usual number of trace records.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct EffectShape {
    accesses: [u16; Self::ACCESSES],
    registers: [u32; Self::REGISTERS],
    /// [`Self::UNSET`] until the first execution.
    access_count: u8,
    register_count: u8,
    /// Number of trace records from the step up to the next one; 0 in formats that do not number
    /// all records. Ignored by [`Self::is_like`].
    pub records: u8,
}

impl EffectShape {
    /// Maximum number of accesses.
    pub const ACCESSES: usize = 4;
    /// Maximum number of register writes.
    pub const REGISTERS: usize = 3;
    /// Shape of an instruction that was not executed yet.
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

    /// Adds an access; returns false if there is no room for it.
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

    /// Adds a register write; returns false if there is no room for it.
    #[inline(always)]
    pub fn push_register(&mut self, register: ShapeRegister) -> bool {
        let Some(place) = self.registers.get_mut(usize::from(self.register_count)) else {
            return false;
        };
        *place = register.number();
        self.register_count += 1;
        true
    }

    /// Returns whether the instruction was not executed yet.
    #[inline(always)]
    pub fn is_unset(&self) -> bool {
        self.access_count == u8::MAX
    }

    /// Returns the shape with another number of trace records.
    pub fn told_by(self, records: u8) -> Self {
        Self { records, ..self }
    }

    /// Returns whether values are stored with it: of registers, or of loads and stores.
    #[inline(always)]
    pub fn has_values(&self) -> bool {
        self.register_count > 0 || self.accesses.iter().any(|access| access & Self::VALUE != 0)
    }

    /// Returns whether both have the same effects.
    #[inline(always)]
    pub fn is_like(&self, other: &Self) -> bool {
        let counts = |shape: &Self| (shape.access_count, shape.register_count);
        counts(self) == counts(other)
            && self.accesses == other.accesses
            && (self.register_count == 0 || self.registers == other.registers)
    }

    /// Returns the accesses.
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

    /// Returns the register writes; at most 16 bytes each.
    #[inline(always)]
    pub fn registers(&self) -> impl Iterator<Item = ShapeRegister> + '_ {
        self.registers
            .iter()
            .take(usize::from(self.register_count))
            .map(|number| ShapeRegister::of_number(*number))
    }
}

/// Register write in a [`EffectShape`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ShapeRegister {
    /// Register and range of bytes.
    pub view: RegisterView,
    /// True when the trace states the value.
    pub has_value: bool,
}

impl ShapeRegister {
    const UNKNOWN: u32 = 1 << 31;

    /// Returns the number that is stored for it.
    #[inline(always)]
    pub fn number(self) -> u32 {
        number_of_view(self.view) + if self.has_value { 0 } else { Self::UNKNOWN }
    }

    /// Returns the register write of a stored number.
    #[inline(always)]
    pub fn of_number(number: u32) -> Self {
        Self {
            view: view_of_number(number & !Self::UNKNOWN),
            has_value: number & Self::UNKNOWN == 0,
        }
    }
}

/// Returns the number that is stored for a part of a register: 13 bits for the register, 9 for the
/// first byte, 9 for the length.
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

/// Returns the part of a register of a stored number.
#[inline(always)]
pub fn view_of_number(number: u32) -> RegisterView {
    RegisterView::new(
        RegisterId((number >> 18) as u16),
        (number >> 9 & 0x1ff) as u16,
        (number & 0x1ff) as u16,
    )
}

/// All branches, indexed by their stored numbers.
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

/// Returns the number that is stored for a branch.
pub fn number_of_branch(branch: RecordedBranch) -> u8 {
    BRANCHES
        .iter()
        .position(|known| *known == branch)
        .unwrap_or_default() as u8
}

/// Returns the branch of a stored number.
pub fn branch_of_number(number: u8) -> Option<RecordedBranch> {
    BRANCHES.get(usize::from(number)).copied()
}
