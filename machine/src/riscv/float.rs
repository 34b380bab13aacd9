//! Floating-point instructions of RISC-V.

use crate::expression::{Expression, Operation};
use crate::meaning::AccessKind;
use crate::riscv::bits::RiscvDescriber;
use crate::view::RegisterView;

/// NaN box: the upper half of a register that holds a single-precision number.
const BOX: Expression = Expression::Constant(0xffff_ffff_0000_0000);

impl RiscvDescriber {
    /// FLW, FLD, FSW, FSD; the other widths are vector accesses.
    pub fn float_memory(&mut self) -> bool {
        let size_bytes = match self.field(12, 3) {
            2 => 4,
            3 => 8,
            _ => return false,
        };
        if self.field(0, 7) == 0x27 {
            let value = Expression::Register(RegisterView {
                size_bytes,
                ..self.float_view(20)
            });
            self.access(AccessKind::Write, self.store_offset(), size_bytes, value);
            return true;
        }
        let loaded = self.access(
            AccessKind::Read,
            self.immediate_number(),
            size_bytes,
            Expression::Unknown,
        );
        let view = self.float_view(7);
        self.description.set(
            view,
            if size_bytes == 4 {
                loaded.with(Operation::Or, BOX)
            } else {
                loaded
            },
        );
        true
    }

    pub fn float(&mut self) -> bool {
        if self.field(0, 7) != 0x53 {
            self.read_float(&[15, 20, 27]); // FMADD and the like
            self.description.write(self.float_view(7));
            return true;
        }
        match self.field(27, 5) {
            0x14 => {
                self.read_float(&[15, 20]);
                self.set(Expression::Unknown); // comparisons
            }
            0x18 => {
                self.read_float(&[15]);
                self.set(Expression::Unknown); // to integers
            }
            0x1c => return self.move_to_general(),
            0x1a => {
                self.read(&[15]);
                self.description.write(self.float_view(7)); // from integers
            }
            0x1e if self.is_double() && !self.is_wide() => return false,
            0x1e => {
                let value = if self.is_double() {
                    self.value(15)
                } else {
                    self.word(15).with(Operation::Or, BOX)
                };
                let view = self.float_view(7);
                self.description.set(view, value); // FMV.D.X
            }
            0x04 => self.inject_sign(),
            0x08 | 0x0b => {
                self.read_float(&[15]);
                self.description.write(self.float_view(7));
            }
            0x00..=0x03 | 0x05 => {
                self.read_float(&[15, 20]);
                self.description.write(self.float_view(7));
            }
            _ => return false,
        }
        true
    }

    /// Returns true for the double-precision form of an operation.
    fn is_double(&self) -> bool {
        self.field(25, 2) == 1
    }

    fn low_word(view: RegisterView) -> Expression {
        Expression::Register(RegisterView {
            size_bytes: 4,
            ..view
        })
    }

    fn read_float(&mut self, places: &[u32]) {
        places
            .iter()
            .for_each(|place| self.description.read(self.float_view(*place)));
    }

    /// FMV.X.D, FMV.X.W, FCLASS
    fn move_to_general(&mut self) -> bool {
        self.read_float(&[15]);
        let view = self.float_view(15);
        let value = match (self.field(12, 3), self.is_double()) {
            (0, true) if !self.is_wide() => return false,
            (0, true) => Expression::Register(view),
            (0, false) if self.is_wide() => Self::low_word(view).sign_extended(32),
            (0, false) => Self::low_word(view),
            _ => Expression::Unknown,
        };
        self.set(value);
        true
    }

    /// FSGNJ with two equal sources is a move.
    fn inject_sign(&mut self) {
        self.read_float(&[15, 20]);
        let is_move =
            self.is_double() && self.field(12, 3) == 0 && self.field(15, 5) == self.field(20, 5);
        let value = if is_move {
            Expression::Register(self.float_view(15))
        } else {
            Expression::Unknown
        };
        let view = self.float_view(7);
        self.description.set(view, value);
    }
}
