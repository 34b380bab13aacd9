//! A64 instructions with unusual memory operands: vector loads and stores by lane (LD1 to LD4, ST1
//! to ST4, LD1R to LD4R), 64-byte accesses (DDI 0487, C6.2, FEAT_LS64), memory copy and set
//! (FEAT_MOPS), and memory tagging (FEAT_MTE).
//!
//! Traces do not show memory tags as bytes, so instructions that only load or store tags access no
//! memory here.

use crate::arm::a64::bits::{A64Describer, FLAGS, GeneralWidth, Register31};
use crate::arm::a64::memory::{A64Address, A64TransferRegister};
use crate::expression::{Expression, Operation};
use crate::meaning::AccessKind;
use crate::view::{RegisterId, RegisterView};

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
                    self.base().after(number * size_bytes),
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
            let at = self.base().after(number * size_bytes);
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

impl A64Describer {
    /// Returns true for LD64B, ST64B, ST64BV, ST64BV0.
    pub fn is_of_64_bytes(&self) -> bool {
        self.matches(0xffe0_0c00, 0xf820_0000) && matches!(self.field(12, 4), 9..=11 | 13)
    }

    /// LD64B, ST64B, ST64BV, ST64BV0: eight registers.
    pub fn of_64_bytes(&mut self) -> bool {
        let (kind, first) = (self.field(12, 4), self.field(0, 5));
        if first % 2 == 1 || first > 22 {
            return false;
        }
        for (number, register) in (0u16..8).zip(first..) {
            let at = self.base().after(8 * number);
            let view = RegisterView::new(
                RegisterId(u16::try_from(register).unwrap_or_default()),
                0,
                8,
            );
            if kind == 13 {
                let operand = self.operand(AccessKind::Read, at, 8, Expression::Unknown);
                let loaded = self.description.access(operand);
                self.description.set(view, loaded);
                continue;
            }
            // The low word of the first register comes from a system register.
            let is_mixed = kind == 10 && number == 0;
            let value = if is_mixed {
                Expression::Unknown
            } else {
                Expression::Register(view)
            };
            self.description.read(view);
            let operand = self.operand(AccessKind::Write, at, 8, value);
            self.description.access(operand);
        }
        if matches!(kind, 10 | 11) {
            self.set_general(16, Expression::Unknown, Register31::Zero); // the response of the device
        }
        true
    }

    /// CPYP, CPYM, CPYE, SETP, SETM, SETE and the like. The implementation decides how far each of
    /// them gets.
    pub fn copy_or_fill(&mut self) {
        let is_fill = self.field(22, 2) == 3;
        let phase = if is_fill {
            self.field(14, 2)
        } else {
            self.field(22, 2)
        };
        self.read_general(&[0, 5, 16], GeneralWidth::X);
        let moved: &[u32] = if is_fill { &[0, 5] } else { &[0, 5, 16] };
        for place in moved {
            self.set_general(*place, Expression::Unknown, Register31::Zero);
        }
        // The first instruction reports in the flags how the others continue.
        if phase == 0 {
            self.description.write(FLAGS)
        } else {
            self.description.read(FLAGS)
        }
        self.description.access_unknown();
    }
}

/// Number of bytes of memory that share a tag.
const GRANULE_BYTES: u16 = 16;

impl A64Describer {
    /// ADDG, SUBG: the tag of the result depends on a system register.
    pub fn add_tag(&mut self) {
        self.read_stack_or_general(5);
        self.set_general(0, Expression::Unknown, Register31::Stack);
    }

    /// LDG, STG, ST2G, STZG, STZ2G; for several granules LDGM, STGM, STZGM.
    pub fn tags(&mut self) -> bool {
        let (kind, mode) = (self.field(22, 2), self.field(10, 2));
        if mode == 0 {
            self.tags_alone(kind);
            return true;
        }
        let offset = self.signed(12, 9) * i64::from(GRANULE_BYTES);
        let place = A64Address {
            displacement: if mode == 1 { 0 } else { offset },
            ..self.base()
        };
        self.read_stack_or_general(0);
        let (clears, count) = (kind & 1 == 1, if kind < 2 { 1 } else { 2 });
        if !clears {
            self.read_place(place);
        }
        for number in 0..if clears { count } else { 0 } {
            let at = place.after(number * GRANULE_BYTES);
            let operand = self.operand(
                AccessKind::Write,
                at,
                GRANULE_BYTES,
                Expression::Constant(0),
            );
            self.description.access(operand);
        }
        if mode != 2 {
            self.write_back(offset);
        }
        true
    }

    /// Describes LDG (kind 1), which inserts the tag into an address, LDGM (3), STGM (2) and STZGM
    /// (0).
    fn tags_alone(&mut self, kind: u32) {
        self.read_place(self.base());
        if kind != 3 {
            self.read_general(&[0], GeneralWidth::X);
        }
        match kind {
            1 | 3 => self.set_general(0, Expression::Unknown, Register31::Zero),
            // The trace does not state how many bytes are zeroed.
            0 => self.description.access_unknown(),
            _ => {}
        }
    }

    fn read_stack_or_general(&mut self, place: u32) {
        self.general(place, GeneralWidth::X, Register31::Stack)
            .into_iter()
            .for_each(|view| self.description.read(view));
    }
}

/// Formats STGP the way disassemblers do; none for other instructions.
pub fn text(opcode: u32) -> Option<String> {
    if opcode & 0xfe40_0000 != 0x6800_0000 {
        return None;
    }
    let name = |place: u32, last: &str| match opcode >> place & 31 {
        31 => last.to_owned(),
        number => format!("x{number}"),
    };
    let offset = ((opcode << 10).cast_signed() >> 25) * i32::from(GRANULE_BYTES);
    let sign = if offset < 0 { "-" } else { "" };
    let (base, offset) = (
        name(5, "sp"),
        format!("#{sign}{:#x}", offset.unsigned_abs()),
    );
    let address = match opcode >> 23 & 3 {
        1 => format!("[{base}], {offset}"),
        2 if offset == "#0x0" => format!("[{base}]"),
        2 => format!("[{base}, {offset}]"),
        3 => format!("[{base}, {offset}]!"),
        _ => return None,
    };
    Some(format!(
        "stgp {}, {}, {address}",
        name(0, "xzr"),
        name(10, "xzr")
    ))
}
