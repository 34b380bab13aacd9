//! Vector loads and stores by lane: LD1 to LD4, ST1 to ST4, LD1R to LD4R.

use crate::access_kind::AccessKind;

use crate::arm::a64::bits::{A64Describer, GeneralWidth, Register31};
use crate::arm::a64::memory::A64TransferRegister;
use crate::expression::{Expression, Operation};
use crate::view::RegisterView;

impl A64Describer {
    pub fn structures(&mut self) -> bool {
        let total_bytes = if self.flag(24) {
            self.one_lane()
        } else {
            self.all_lanes()
        };
        let Some(total_bytes) = total_bytes else {
            return false;
        };
        if self.flag(23) {
            let by_register = self.general(16, GeneralWidth::X, Register31::Zero);
            let base = self.value_of_width(5, GeneralWidth::X, Register31::Stack);
            let value = match by_register {
                Some(view) => base.with(Operation::Add, Expression::Register(view)),
                None => base.plus(i64::from(total_bytes)),
            };
            self.set_general(5, value, Register31::Stack);
        }
        true
    }

    fn all_lanes(&mut self) -> Option<u16> {
        let size_bytes = if self.flag(30) { 16 } else { 8 };
        let (count, is_interleaved) = match self.field(12, 4) {
            0b0111 => (1, false),
            0b1010 => (2, false),
            0b0110 => (3, false),
            0b0010 => (4, false),
            0b1000 => (2, true),
            0b0100 => (3, true),
            0b0000 => (4, true),
            _ => return None,
        };
        if is_interleaved {
            self.whole(count, count * size_bytes);
        } else {
            let first = self.field(0, 5);
            for number in 0..count {
                let (at, data) = (
                    self.base().behind(number * size_bytes),
                    A64TransferRegister::Vector(first + u32::from(number)),
                );
                if self.flag(22) {
                    self.load(at, size_bytes, data)
                } else {
                    self.store(at, size_bytes, data)
                }
            }
        }
        Some(count * size_bytes)
    }

    fn one_lane(&mut self) -> Option<u16> {
        let kind = self.field(13, 3);
        let count = u16::try_from((kind & 1) << 1 | self.field(21, 1)).ok()? + 1;
        let is_repeated = kind >> 1 == 3;
        let size_bytes: u16 = match kind >> 1 {
            0 => 1,
            1 => 2,
            2 => 4 << self.field(10, 1),
            _ => 1 << self.field(10, 2),
        };
        // The lane number is Q:S:size, of which wider lanes use only the upper bits.
        let place = u16::try_from(self.field(30, 1) << 3 | self.field(10, 3)).ok()? / size_bytes
            * size_bytes;
        for number in 0..count {
            let at = self.base().behind(number * size_bytes);
            let whole = self.vector_view(self.field(0, 5) + u32::from(number), 16);
            let lane = RegisterView {
                offset: place,
                size_bytes,
                ..whole
            };
            if !self.flag(22) {
                let operand = self.operand(
                    AccessKind::Write,
                    at,
                    size_bytes,
                    Expression::Register(lane),
                );
                self.description.access(operand);
                continue;
            }
            let operand = self.operand(AccessKind::Read, at, size_bytes, Expression::Unknown);
            let loaded = self.description.access(operand);
            match is_repeated {
                true => self.repeat_lane(whole, &loaded, size_bytes),
                false => self.insert_lane(lane, loaded),
            }
        }
        Some(count * size_bytes)
    }

    /// Describes one access of registers whose bytes are interleaved in memory.
    fn whole(&mut self, count: u16, total_bytes: u16) {
        let kind = if self.flag(22) {
            AccessKind::Read
        } else {
            AccessKind::Write
        };
        let operand = self.operand(kind, self.base(), total_bytes, Expression::Unknown);
        self.description.access(operand);
        for number in 0..u32::from(count) {
            let view = self.vector_view(self.field(0, 5) + number, 16);
            if kind == AccessKind::Write {
                self.description.read(view);
            }
            if kind == AccessKind::Read {
                self.description.write(view);
            }
        }
    }
}
