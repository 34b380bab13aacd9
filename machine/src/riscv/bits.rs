//! A RISC-V encoding and its fields.

use crate::access_kind::AccessKind;
use crate::address::Address;
use crate::bytes::Encoding;
use crate::description::MeaningBuilder;
use crate::expression::Expression;
use crate::meaning::MemoryOperand;
use crate::site::CodeSite;
use crate::view::{RegisterId, RegisterView};

use crate::riscv::compressed::expanded;
use crate::riscv::registers::general;

/// Describes an instruction; none for instructions that are not modelled.
pub fn describe(site: &CodeSite) -> Option<MeaningBuilder> {
    let opcode = long_form(&site.encoding)?;
    let mut bits = RiscvDescriber {
        opcode,
        pc: site.pc,
        behind: site.behind(),
        description: MeaningBuilder::default(),
    };
    bits.dispatch().then_some(bits.description)
}

/// Returns an encoding as a number, with compressed instructions expanded; none for other lengths
/// and reserved encodings.
pub fn long_form(encoding: &Encoding) -> Option<u32> {
    match *encoding.bytes() {
        [low, high] => expanded(u16::from_le_bytes([low, high])),
        [a, b, c, d] => Some(u32::from_le_bytes([a, b, c, d])),
        _ => None,
    }
}

/// An instruction while its description is built; a compressed one is expanded first.
pub(super) struct RiscvDescriber {
    pub opcode: u32,
    pub pc: Address,
    /// Address of the next instruction.
    pub behind: u64,
    pub description: MeaningBuilder,
}

impl RiscvDescriber {
    fn dispatch(&mut self) -> bool {
        match self.field(0, 7) {
            0x03 => return self.load(),
            0x07 | 0x27 => return self.float_memory(),
            0x0f => return self.field(12, 3) < 2, // FENCE
            0x13 => return self.immediate(),
            0x17 => self.set(Expression::Constant(
                self.pc.0.wrapping_add_signed(self.upper_immediate()),
            )), // AUIPC
            0x1b => return self.immediate_word(),
            0x23 => return self.store(),
            0x2f => return self.atomic(),
            0x33 => return self.register(),
            0x37 => self.set(Expression::Constant(self.upper_immediate().cast_unsigned())), // LUI
            0x3b => return self.register_word(),
            0x43 | 0x47 | 0x4b | 0x4f | 0x53 => return self.float(),
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
        Some(general(number))
    }

    /// Returns the floating-point register whose number is at this bit position.
    pub fn float_view(&self, place: u32) -> RegisterView {
        let number = u16::try_from(self.field(place, 5)).unwrap_or_default();
        RegisterView::new(RegisterId(RegisterId::V0.0 + number), 0, 8)
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
        self.description.read_all(&value);
        if let Some(view) = self.view(7) {
            self.description.set(view, value);
        }
    }

    fn link(&mut self) {
        self.set(Expression::Constant(self.behind));
    }

    /// Returns the offset of a store, which the encoding splits into two fields.
    pub fn store_offset(&self) -> i64 {
        i64::from(self.opcode.cast_signed() >> 25) << 5 | i64::from(self.field(7, 5))
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
            address_bytes: 8,
            size_bytes: Some(size_bytes),
            value,
        })
    }

    /// ECALL, EBREAK, and accesses to control registers.
    fn system(&mut self) -> bool {
        let kind = self.field(12, 3);
        if kind == 0 {
            if self.opcode == 0x73 {
                // Kernels return a result in this register.
                self.description
                    .write(RegisterView::new(RegisterId(10), 0, 8));
            }
            return true;
        }
        if kind == 4 {
            return false;
        }
        if kind < 4 {
            self.read(&[15]);
        }
        let status = RegisterView::new(RegisterId::FPSCR, 0, 4);
        if matches!(self.field(20, 12), 1..=3) {
            self.description.read(status);
            self.description.write(status);
        }
        self.set(Expression::Unknown);
        true
    }
}
