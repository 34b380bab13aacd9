//! Memory tagging (DDI 0487, C6.2, FEAT_MTE): address tags and memory tags.
//!
//! Traces do not show memory tags as bytes, so instructions that only load or store tags access no
//! memory here.

use crate::access_kind::AccessKind;
use crate::arm::a64::bits::{A64Describer, GeneralWidth, Register31};
use crate::arm::a64::memory::A64Address;
use crate::expression::Expression;

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
            let at = place.behind(number * GRANULE_BYTES);
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
