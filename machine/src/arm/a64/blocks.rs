//! 64-byte accesses (DDI 0487, C6.2, FEAT_LS64), and memory copy and set instructions (FEAT_MOPS).

use crate::access_kind::AccessKind;
use crate::arm::a64::bits::{A64Describer, FLAGS, GeneralWidth, Register31};
use crate::expression::Expression;
use crate::view::{RegisterId, RegisterView};

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
            let at = self.base().behind(8 * number);
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
