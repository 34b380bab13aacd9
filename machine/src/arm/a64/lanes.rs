//! Lane moves between vector registers, and between vector and general registers.

use crate::arm::a64::bits::{A64Describer, GeneralWidth, Register31};
use crate::expression::Expression;
use crate::view::RegisterView;

impl A64Describer {
    /// Describes DUP, INS, UMOV, SMOV, FMOV, vector MOV, and forms that zero a vector.
    pub fn move_of_lanes(&mut self) -> bool {
        let whole = self.vector_view(self.field(0, 5), 16);
        match self.opcode & 0xffff_fc00 {
            0x1e26_0000 | 0x9e66_0000 | 0x1ee6_0000 | 0x9ee6_0000 => {
                self.move_to_general(0, self.float_bytes())
            }
            0x9eae_0000 => self.move_to_general(8, 8),
            0x1e27_0000 | 0x9e67_0000 | 0x1ee7_0000 | 0x9ee7_0000 => {
                let value = self.general_bytes(self.float_bytes());
                self.description.set(whole, value);
            }
            0x9eaf_0000 => self.insert_lane(
                RegisterView {
                    offset: 8,
                    size_bytes: 8,
                    ..whole
                },
                self.general_bytes(8),
            ),
            0x1e20_4000 | 0x1e60_4000 | 0x1ee0_4000 => {
                let value = self.lane(self.field(5, 5), 0, self.float_bytes());
                self.description.set(whole, value);
            }
            _ if self.matches(0xbfe0_fc00, 0x0ea0_1c00) && self.is_of_one_register() => {
                let value = self.lane(self.field(5, 5), 0, if self.flag(30) { 16 } else { 8 });
                self.description.set(whole, value);
            }
            _ if self.is_vector_of_zeros() => self.description.set(whole, Expression::Constant(0)),
            _ => return self.copy(),
        }
        true
    }

    /// Describes the class "Advanced SIMD copy" and its scalar form: the lowest bit set in `imm5`
    /// gives the size.
    fn copy(&mut self) -> bool {
        let size = self.field(16, 4).trailing_zeros();
        if size > 3 {
            return false;
        }
        let size_bytes = 1 << size;
        let offset = self.lane_offset(16, 5, size);
        let element = self.lane(self.field(5, 5), offset, size_bytes);
        let whole = self.vector_view(self.field(0, 5), 16);
        let to = RegisterView {
            offset,
            size_bytes,
            ..whole
        };
        match self.opcode & 0xffe0_fc00 {
            0x5e00_0400 => self.description.set(whole, element),
            0x0e00_0400 | 0x4e00_0400 => self.repeat_lane(whole, &element, size_bytes),
            0x0e00_0c00 | 0x4e00_0c00 => {
                self.repeat_lane(whole, &self.general_bytes(size_bytes), size_bytes)
            }
            0x4e00_1c00 => self.insert_lane(to, self.general_bytes(size_bytes)),
            0x0e00_3c00 | 0x4e00_3c00 => self.set_general(0, element, Register31::Zero),
            0x0e00_2c00 | 0x4e00_2c00 => {
                let value = element.sign_extended(8 << size);
                let value = if self.flag(30) {
                    value
                } else {
                    value.zero_extended(32)
                };
                self.set_general(0, value, Register31::Zero);
            }
            _ if self.matches(0xffe0_8400, 0x6e00_0400) => {
                let source = self.lane(self.field(5, 5), self.lane_offset(11, 4, size), size_bytes);
                self.insert_lane(to, source);
            }
            _ => return false,
        }
        true
    }

    /// Returns true for MOVI of zero, and for EOR of a register with itself.
    fn is_vector_of_zeros(&self) -> bool {
        let is_constant = matches!(self.opcode & !31, 0x6f00_e400 | 0x2f00_e400 | 0x4f00_0400);
        is_constant || self.matches(0xbfe0_fc00, 0x2e20_1c00) && self.is_of_one_register()
    }

    fn is_of_one_register(&self) -> bool {
        self.field(5, 5) == self.field(16, 5)
    }

    /// Returns the operand size of FMOV from its type field.
    fn float_bytes(&self) -> u16 {
        match self.field(22, 2) {
            0 => 4,
            1 => 8,
            _ => 2,
        }
    }

    fn lane(&self, number: u32, offset: u16, size_bytes: u16) -> Expression {
        Expression::Register(RegisterView {
            offset,
            ..self.vector_view(number, size_bytes)
        })
    }

    /// Returns the low bytes of the general register in bits 5 to 9.
    fn general_bytes(&self, size_bytes: u16) -> Expression {
        match self.general(5, GeneralWidth::X, Register31::Zero) {
            Some(view) => Expression::Register(RegisterView { size_bytes, ..view }),
            None => Expression::Constant(0),
        }
    }

    /// Returns the byte offset of a lane whose number is in the upper bits of a field.
    fn lane_offset(&self, first: u32, width: u32, size: u32) -> u16 {
        let number = self.field(first, width) >> size;
        // In `imm5`, a bit below the number marks the size.
        let number = if width == 5 { number >> 1 } else { number };
        u16::try_from(number << size).unwrap_or_default()
    }

    fn move_to_general(&mut self, offset: u16, size_bytes: u16) {
        let value = self.lane(self.field(5, 5), offset, size_bytes);
        self.set_result(value, Register31::Zero);
    }

    /// Writes one lane and keeps the others.
    pub fn insert_lane(&mut self, lane: RegisterView, value: Expression) {
        let bits =
            u128::MAX >> (128 - 8 * u32::from(lane.size_bytes)) << (8 * u32::from(lane.offset));
        self.description.write_keeping(
            RegisterView {
                offset: 0,
                size_bytes: 16,
                ..lane
            },
            !bits,
        );
        self.description.set_part(lane, value);
    }

    /// Writes the same value to all lanes of a vector.
    pub fn repeat_lane(&mut self, whole: RegisterView, value: &Expression, size_bytes: u16) {
        let filled = if self.flag(30) { 16 } else { 8 };
        self.description.write(whole);
        for offset in (0..filled).step_by(usize::from(size_bytes)) {
            self.description.set_part(
                RegisterView {
                    offset,
                    size_bytes,
                    ..whole
                },
                value.clone(),
            );
        }
        if filled == 8 {
            self.description.set_part(
                RegisterView {
                    offset: 8,
                    size_bytes: 8,
                    ..whole
                },
                Expression::Constant(0),
            );
        }
    }
}
