//! Distinct instructions of a trace ([`Code`]), with the usual effects of each ([`EffectShape`]),
//! so that a step with these effects needs no more than its number. [`Codes`] shares them with the
//! readers of a store while more are added.

use std::sync::Arc;

use serde::{Deserialize, Serialize};
use stepback_machine::flow::RecordedBranch;
use stepback_machine::{AccessKind, Address, Encoding, InstructionSet, RegisterId, RegisterView};

use crate::source::KnownInstruction;
use crate::step_store::numbers::{NumberReader, NumberWriter, PADDING};
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
    pub fn stated_by(self, records: u8) -> Self {
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

/// Number of codes in a piece.
const PIECE: usize = 4096;

/// All codes until now, in shared pieces: a clone is cheap while more codes are added.
#[derive(Clone, Debug, Default)]
pub struct Codes {
    pieces: Vec<Arc<Vec<Code>>>,
}

impl Codes {
    /// Returns a code by its number.
    #[inline(always)]
    pub fn get(&self, number: u32) -> Option<&Code> {
        self.pieces
            .get(number as usize / PIECE)?
            .get(number as usize % PIECE)
    }

    /// Returns the number of codes.
    pub fn len(&self) -> usize {
        self.pieces
            .last()
            .map_or(0, |last| (self.pieces.len() - 1) * PIECE + last.len())
    }

    /// Returns all codes, by number.
    pub fn iter(&self) -> impl Iterator<Item = &Code> {
        self.pieces.iter().flat_map(|piece| piece.iter())
    }

    /// Appends the codes of `all` that are new.
    pub fn extend(&mut self, all: &[Code]) {
        while self.len() < all.len() {
            if self.pieces.last().is_none_or(|last| last.len() == PIECE) {
                self.pieces.push(Arc::default());
            }
            let (known, Some(last)) = (self.len(), self.pieces.last_mut()) else {
                return;
            };
            let room = PIECE - last.len();
            let added = all
                .get(known..all.len().min(known + room))
                .unwrap_or_default();
            Arc::make_mut(last).extend_from_slice(added);
        }
    }

    /// Encodes the codes for the footer of the store.
    pub fn encode(&self) -> Vec<u8> {
        let mut out = NumberWriter::default();
        let mut pc = 0;
        for code in self.iter() {
            out.difference(code.pc, pc);
            pc = code.pc;
            out.byte(number_of_branch(code.branch));
            out.byte(code.set as u8);
            out.number(u64::from(code.length_bytes));
            let encoding = code.encoding.unwrap_or_default();
            out.byte(encoding.bytes().len() as u8);
            out.bytes.extend_from_slice(encoding.bytes());
            out.byte(code.reached.number());
            encode_shape(&code.shape, &mut out);
        }
        out.bytes
    }

    /// Decodes the codes of a footer; `None` if they are damaged.
    pub fn decode(bytes: &[u8]) -> Option<Self> {
        let padded = [bytes, &[0; PADDING]].concat();
        let mut reader = NumberReader::new(&padded);
        let mut codes = Vec::new();
        let mut pc = 0;
        while !reader.is_at_end() {
            pc = reader.difference(pc);
            let (branch, set) = (
                branch_of_number(reader.byte())?,
                InstructionSet::of_number(reader.byte())?,
            );
            let length_bytes = reader.number() as u16;
            let count = usize::from(reader.byte()).min(Encoding::LIMIT);
            let bytes: Vec<u8> = (0..count).map(|_| reader.byte()).collect();
            let reached = StepStatus::of_number(reader.byte())?;
            let shape = decode_shape(&mut reader);
            codes.push(Code {
                pc,
                encoding: Encoding::new(&bytes),
                branch,
                set,
                length_bytes,
                reached,
                shape,
            });
        }
        let mut all = Self::default();
        all.extend(&codes);
        reader.is_sound().then_some(all)
    }
}

fn encode_shape(shape: &EffectShape, out: &mut NumberWriter) {
    if shape.is_unset() {
        out.byte(u8::MAX);
        return;
    }
    out.byte(shape.accesses().count() as u8);
    for ShapeAccess {
        kind,
        size_bytes,
        has_value,
    } in shape.accesses()
    {
        out.number(
            u64::from(size_bytes) << 2
                | u64::from(has_value) << 1
                | u64::from(kind == AccessKind::Write),
        );
    }
    out.byte(shape.registers().count() as u8);
    shape
        .registers()
        .for_each(|register| out.number(u64::from(register.number())));
    out.byte(shape.records);
}

fn decode_shape(reader: &mut NumberReader<'_>) -> EffectShape {
    let accesses = reader.byte();
    if accesses == u8::MAX {
        return EffectShape::UNSET;
    }
    let mut shape = EffectShape::default();
    for _ in 0..accesses.min(EffectShape::ACCESSES as u8) {
        let access = reader.number();
        let kind = if access & 1 != 0 {
            AccessKind::Write
        } else {
            AccessKind::Read
        };
        shape.push(ShapeAccess {
            kind,
            size_bytes: (access >> 2) as u16,
            has_value: access & 2 != 0,
        });
    }
    for _ in 0..reader.byte().min(EffectShape::REGISTERS as u8) {
        shape.push_register(ShapeRegister::of_number(reader.number() as u32));
    }
    shape.records = reader.byte();
    shape
}
