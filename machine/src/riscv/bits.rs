//! Describes RISC-V instructions from their encodings ([`RiscvDescriber`]). Compressed instructions
//! are expanded first, so that they need no descriptions.

use crate::description::MeaningBuilder;
use crate::expression::Expression;
use crate::instruction::{Address, CodeSite, Encoding};
use crate::meaning::{AccessKind, MemoryOperand};
use crate::riscv::compressed::expanded;
use crate::riscv::registers::{float, general};
use crate::riscv::xlen::Xlen;
use crate::view::RegisterView;

/// Describes an instruction; none for instructions that are not modelled.
pub fn describe(site: &CodeSite, xlen: Xlen) -> Option<MeaningBuilder> {
    let opcode = long_form(&site.encoding, xlen)?;
    let mut bits = RiscvDescriber {
        opcode,
        xlen,
        pc: site.pc,
        after: site.after(),
        description: MeaningBuilder::default(),
    };
    bits.dispatch().then_some(bits.description)
}

/// Returns an encoding as a number, with compressed instructions expanded; none for other lengths
/// and reserved encodings.
pub fn long_form(encoding: &Encoding, xlen: Xlen) -> Option<u32> {
    match *encoding.bytes() {
        [low, high] => expanded(u16::from_le_bytes([low, high]), xlen),
        [a, b, c, d] => Some(u32::from_le_bytes([a, b, c, d])),
        _ => None,
    }
}

/// An instruction while its description is built; a compressed one is expanded first.
pub(super) struct RiscvDescriber {
    pub opcode: u32,
    pub xlen: Xlen,
    pub pc: Address,
    /// Address of the next instruction.
    pub after: u64,
    pub description: MeaningBuilder,
}

impl RiscvDescriber {
    fn dispatch(&mut self) -> bool {
        match self.field(0, 7) {
            0x03 => return self.load(),
            0x07 | 0x27 if matches!(self.field(12, 3), 0 | 5..=7) => return self.vector(),
            0x07 | 0x27 => return self.float_memory(),
            0x0f => return self.fence(),
            0x13 => return self.immediate(),
            0x17 => self.set(Expression::Constant(
                self.pc.0.wrapping_add_signed(self.upper_immediate()),
            )), // AUIPC
            0x1b if self.is_wide() => return self.immediate_word(),
            0x23 => return self.store(),
            0x2f => return self.atomic(),
            0x33 => return self.register(),
            0x37 => self.set(Expression::Constant(self.upper_immediate().cast_unsigned())), // LUI
            0x3b if self.is_wide() => return self.register_word(),
            0x43 | 0x47 | 0x4b | 0x4f | 0x53 => return self.float(),
            0x57 => return self.vector(),
            0x63 => self.read(&[15, 20]), // branches
            0x67 => {
                self.read(&[15]);
                self.link(); // JALR
            }
            0x6f => self.link(), // JAL
            0x73 => return self.system(),
            _ => return false,
        }
        true
    }

    /// Returns true for 64-bit registers.
    pub fn is_wide(&self) -> bool {
        self.xlen == Xlen::Bits64
    }

    pub fn field(&self, first: u32, width: u32) -> u32 {
        self.opcode >> first & ((1 << width) - 1)
    }

    fn upper_immediate(&self) -> i64 {
        i64::from((self.opcode & 0xffff_f000).cast_signed())
    }

    /// Returns the immediate of loads and arithmetic.
    pub fn immediate_number(&self) -> i64 {
        i64::from(self.opcode.cast_signed() >> 20)
    }

    /// Returns the register whose number is at this bit position; none for `zero`.
    fn view(&self, place: u32) -> Option<RegisterView> {
        let number = u16::try_from(self.field(place, 5))
            .ok()
            .filter(|number| *number > 0)?;
        Some(general(number, self.xlen))
    }

    /// Returns the floating-point register whose number is at this bit position.
    pub fn float_view(&self, place: u32) -> RegisterView {
        let number = u16::try_from(self.field(place, 5)).unwrap_or_default();
        float(number)
    }

    pub fn value(&self, place: u32) -> Expression {
        self.view(place)
            .map_or(Expression::Constant(0), Expression::Register)
    }

    /// Returns the low half of a register.
    pub fn word(&self, place: u32) -> Expression {
        let word = |view| {
            Expression::Register(RegisterView {
                size_bytes: 4,
                ..view
            })
        };
        self.view(place).map_or(Expression::Constant(0), word)
    }

    pub fn read(&mut self, places: &[u32]) {
        for place in places {
            if let Some(view) = self.view(*place) {
                self.description.read(view);
            }
        }
    }

    /// Writes a value to the destination.
    pub fn set(&mut self, value: Expression) {
        let value = match value {
            Expression::Constant(number) => Expression::Constant(self.xlen.wrapped(number)),
            value => value,
        };
        self.description.read_all(&value);
        if let Some(view) = self.view(7) {
            self.description.set(view, value);
        }
    }

    fn link(&mut self) {
        self.set(Expression::Constant(self.after));
    }

    /// Returns the offset of a store, which the encoding splits into two fields.
    pub fn store_offset(&self) -> i64 {
        i64::from(self.opcode.cast_signed() >> 25) << 5 | i64::from(self.field(7, 5))
    }

    /// FENCE, FENCE.I, and the cache operations CBO.CLEAN, CBO.FLUSH, CBO.INVAL and CBO.ZERO, whose
    /// block size is implementation-defined.
    fn fence(&mut self) -> bool {
        let kind = self.field(12, 3);
        if kind == 2 {
            self.read(&[15]);
            if self.field(20, 12) == 4 {
                self.description.access_unknown();
            }
        }
        kind <= 2
    }

    pub fn access(
        &mut self,
        kind: AccessKind,
        displacement: i64,
        size_bytes: u16,
        value: Expression,
    ) -> Expression {
        let base = self.view(15);
        self.description.access(MemoryOperand {
            kind,
            segment: None,
            base,
            index: None,
            displacement,
            address_bytes: self.xlen.bits() / 8,
            size_bytes: Some(size_bytes),
            value,
        })
    }
}
