//! Floating-point instructions of RISC-V.

use crate::expression::{Expression, Operation};
use crate::meaning::AccessKind;
use crate::riscv::bits::RiscvDescriber;
use crate::view::RegisterView;

/// Returns the bits above a narrow number, which make the register a NaN (NaN boxing).
const fn box_of(size_bytes: u16) -> Expression {
    Expression::Constant(match size_bytes {
        2 => 0xffff_ffff_ffff_0000,
        4 => 0xffff_ffff_0000_0000,
        _ => 0,
    })
}

impl RiscvDescriber {
    /// FLH, FLW, FLD, FSH, FSW and FSD.
    pub fn float_memory(&mut self) -> bool {
        let size_bytes = match self.field(12, 3) {
            1 => 2,
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
        self.description
            .set(view, loaded.with(Operation::Or, box_of(size_bytes)));
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
            0x16 => {
                self.read(&[15, 20]);
                self.description.write(self.float_view(7)); // FMVP.D.X
            }
            0x1e if self.is_double() && self.field(20, 5) == 0 && !self.is_wide() => return false,
            0x1e => {
                // FMV.D.X and its narrow forms; FLI names a constant instead of a register.
                let value = match (self.field(20, 5), self.size_bytes()) {
                    (0, 8) => self.value(15),
                    (0, size_bytes) => self.low(size_bytes).with(Operation::Or, box_of(size_bytes)),
                    _ => Expression::Unknown,
                };
                let view = self.float_view(7);
                self.description.set(view, value);
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

    /// Returns the width of the numbers of an operation.
    fn size_bytes(&self) -> u16 {
        match self.field(25, 2) {
            0 => 4,
            1 => 8,
            2 => 2,
            _ => 16,
        }
    }

    /// Returns true for the double-precision form of an operation.
    fn is_double(&self) -> bool {
        self.field(25, 2) == 1
    }

    /// Returns the low part of the general register at bit 15.
    fn low(&self, size_bytes: u16) -> Expression {
        match self.value(15) {
            Expression::Register(view) if size_bytes < view.size_bytes => {
                Expression::Register(RegisterView { size_bytes, ..view })
            }
            value => value,
        }
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
        let part = |offset, size_bytes| {
            Expression::Register(RegisterView {
                offset,
                size_bytes,
                ..view
            })
        };
        let value = match (self.field(12, 3), self.field(20, 5), self.size_bytes()) {
            (0, 1, 8) => part(4, 4), // FMVH.X.D
            (0, _, 8) if !self.is_wide() => return false,
            (0, _, 8) => Expression::Register(view),
            (0, _, 4) if !self.is_wide() => part(0, 4),
            (0, _, 4) => part(0, 4).sign_extended(32),
            (0, _, 2) => part(0, 2).sign_extended(16),
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
