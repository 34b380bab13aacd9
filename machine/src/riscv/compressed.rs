//! Expansion of compressed instructions.

use crate::riscv::xlen::Xlen;

/// Returns the equivalent 4-byte instruction; none for reserved encodings.
pub fn expanded(half: u16, xlen: Xlen) -> Option<u32> {
    let bits = CompressedInstruction {
        half: u32::from(half),
        xlen,
    };
    match (half & 3, half >> 13) {
        (0, kind) => bits.small(kind),
        (1, kind) => bits.arithmetic(kind),
        (2, kind) => bits.stack(kind),
        _ => None,
    }
}

const STACK: u32 = 2;

/// A compressed instruction.
#[derive(Clone, Copy)]
struct CompressedInstruction {
    half: u32,
    xlen: Xlen,
}

impl CompressedInstruction {
    /// Returns true for 64-bit registers.
    fn is_wide(self) -> bool {
        self.xlen == Xlen::Bits64
    }

    fn field(self, first: u32, width: u32) -> u32 {
        self.half >> first & ((1 << width) - 1)
    }

    /// Returns one of the eight registers that three-bit fields name.
    fn short(self, first: u32) -> u32 {
        8 + self.field(first, 3)
    }

    /// Returns the sign-extended six-bit immediate, truncated to 12 bits.
    fn immediate(self) -> u32 {
        let sign = if self.field(12, 1) == 1 { 0xfe0 } else { 0 };
        sign | self.field(2, 5)
    }

    fn small(self, kind: u16) -> Option<u32> {
        let (base, data) = (self.short(7), self.short(2));
        let words = self.field(10, 3) << 3 | self.field(6, 1) << 2 | self.field(5, 1) << 6;
        let doubles = self.field(10, 3) << 3 | self.field(5, 2) << 6;
        Some(match kind {
            0 => {
                let number = self.field(11, 2) << 4
                    | self.field(7, 4) << 6
                    | self.field(6, 1) << 2
                    | self.field(5, 1) << 3;
                if number == 0 {
                    return None;
                }
                with_immediate(0x13, 0, data, STACK, number) // C.ADDI4SPN
            }
            1 => with_immediate(0x07, 3, data, base, doubles), // C.FLD
            2 => with_immediate(0x03, 2, data, base, words),   // C.LW
            3 if self.is_wide() => with_immediate(0x03, 3, data, base, doubles), // C.LD
            3 => with_immediate(0x07, 2, data, base, words),   // C.FLW
            4 => self.narrow_access()?,
            5 => store(0x27, 3, base, data, doubles), // C.FSD
            6 => store(0x23, 2, base, data, words),   // C.SW
            7 if self.is_wide() => store(0x23, 3, base, data, doubles), // C.SD
            7 => store(0x27, 2, base, data, words),   // C.FSW
            _ => return None,
        })
    }

    /// C.LBU, C.LHU, C.LH, C.SB and C.SH (Zcb).
    fn narrow_access(self) -> Option<u32> {
        let (base, data) = (self.short(7), self.short(2));
        let bytes = self.field(6, 1) | self.field(5, 1) << 1;
        let halves = self.field(5, 1) << 1;
        match (self.field(10, 3), self.field(6, 1)) {
            (0, _) => Some(with_immediate(0x03, 4, data, base, bytes)),
            (1, 0) => Some(with_immediate(0x03, 5, data, base, halves)),
            (1, _) => Some(with_immediate(0x03, 1, data, base, halves)),
            (2, _) => Some(store(0x23, 0, base, data, bytes)),
            (3, 0) => Some(store(0x23, 1, base, data, halves)),
            _ => None,
        }
    }

    fn arithmetic(self, kind: u16) -> Option<u32> {
        let register = self.field(7, 5);
        Some(match kind {
            0 => with_immediate(0x13, 0, register, register, self.immediate()), // C.ADDI
            1 if !self.is_wide() => jump(1, self.jump_offset()),                // C.JAL
            1 if register > 0 => with_immediate(0x1b, 0, register, register, self.immediate()), // C.ADDIW
            2 => with_immediate(0x13, 0, register, 0, self.immediate()), // C.LI
            // Without an immediate, odd registers below 16 mark operations that do nothing (Zcmop).
            3 if self.immediate() == 0 => {
                let is_operation = register < 16 && register & 1 == 1;
                return is_operation.then_some(0x0000_0013);
            }
            3 if register == STACK => {
                let low = self.field(6, 1) << 4
                    | self.field(2, 1) << 5
                    | self.field(5, 1) << 6
                    | self.field(3, 2) << 7;
                let sign = if self.field(12, 1) == 1 { 0xe00 } else { 0 };
                with_immediate(0x13, 0, STACK, STACK, sign | low) // C.ADDI16SP
            }
            3 => {
                let sign = if self.field(12, 1) == 1 {
                    0xfffe_0000
                } else {
                    0
                };
                sign | self.field(2, 5) << 12 | register << 7 | 0x37 // C.LUI
            }
            4 => self.register_arithmetic()?,
            5 => jump(0, self.jump_offset()), // C.J
            6 | 7 => branch(u32::from(kind) & 1, self.short(7), self.branch_offset()), // C.BEQZ, C.BNEZ
            _ => return None,
        })
    }

    /// Returns the offset of C.J: bits 11, 4, 9 to 8, 10, 6, 7, 3 to 1 and 5.
    fn jump_offset(self) -> u32 {
        let low = self.field(3, 3) << 1
            | self.field(11, 1) << 4
            | self.field(2, 1) << 5
            | self.field(7, 1) << 6;
        let high = self.field(6, 1) << 7 | self.field(9, 2) << 8 | self.field(8, 1) << 10;
        low | high
            | if self.field(12, 1) == 1 {
                0xffff_f800
            } else {
                0
            }
    }

    /// Returns the offset of C.BEQZ: bits 8, 4 to 3, 7 to 6, 2 to 1 and 5.
    fn branch_offset(self) -> u32 {
        let low = self.field(3, 2) << 1
            | self.field(10, 2) << 3
            | self.field(2, 1) << 5
            | self.field(5, 2) << 6;
        low | if self.field(12, 1) == 1 {
            0xffff_ff00
        } else {
            0
        }
    }

    /// Returns the amount of a shift; with 32-bit registers, larger ones are reserved.
    fn shift_amount(self) -> Option<u32> {
        let amount = self.field(12, 1) << 5 | self.field(2, 5);
        (self.is_wide() || amount < 32).then_some(amount)
    }

    fn register_arithmetic(self) -> Option<u32> {
        let (left, right) = (self.short(7), self.short(2));
        let amount = self.shift_amount();
        let registers = |opcode: u32, top: u32, kind: u32| {
            top << 25 | right << 20 | left << 15 | kind << 12 | left << 7 | opcode
        };
        Some(
            match (self.field(10, 2), self.field(12, 1), self.field(5, 2)) {
                (0, ..) => with_immediate(0x13, 5, left, left, amount?),
                (1, ..) => with_immediate(0x13, 5, left, left, 0x400 | amount?),
                (2, ..) => with_immediate(0x13, 7, left, left, self.immediate()),
                (_, 0, 0) => registers(0x33, 0x20, 0),
                (_, 0, 1) => registers(0x33, 0, 4),
                (_, 0, 2) => registers(0x33, 0, 6),
                (_, 0, _) => registers(0x33, 0, 7),
                (_, _, 0) if self.is_wide() => registers(0x3b, 0x20, 0),
                (_, _, 1) if self.is_wide() => registers(0x3b, 0, 0),
                (_, 1, 2) => registers(0x33, 1, 0), // C.MUL
                (_, _, 3) => self.extension(left)?,
                _ => return None,
            },
        )
    }

    /// C.ZEXT.B, C.SEXT.B, C.ZEXT.H, C.SEXT.H, C.ZEXT.W and C.NOT (Zcb).
    fn extension(self, register: u32) -> Option<u32> {
        let of = |opcode: u32| opcode | register << 15 | register << 7;
        match self.field(2, 3) {
            0 => Some(of(0x0ff0_7013)),
            1 => Some(of(0x6040_1013)),
            2 if self.is_wide() => Some(of(0x0800_403b)),
            2 => Some(of(0x0800_4033)),
            3 => Some(of(0x6050_1013)),
            4 if self.is_wide() => Some(of(0x0800_003b)),
            5 => Some(of(0xfff0_4013)),
            _ => None,
        }
    }

    fn stack(self, kind: u16) -> Option<u32> {
        let (register, second) = (self.field(7, 5), self.field(2, 5));
        let load_words = self.field(12, 1) << 5 | self.field(4, 3) << 2 | self.field(2, 2) << 6;
        let load_doubles = self.field(12, 1) << 5 | self.field(5, 2) << 3 | self.field(2, 3) << 6;
        let store_words = self.field(9, 4) << 2 | self.field(7, 2) << 6;
        let store_doubles = self.field(10, 3) << 3 | self.field(7, 3) << 6;
        Some(match kind {
            0 => with_immediate(0x13, 1, register, register, self.shift_amount()?), // C.SLLI
            1 => with_immediate(0x07, 3, register, STACK, load_doubles),
            2 if register > 0 => with_immediate(0x03, 2, register, STACK, load_words),
            3 if !self.is_wide() => with_immediate(0x07, 2, register, STACK, load_words), // C.FLWSP
            3 if register > 0 => with_immediate(0x03, 3, register, STACK, load_doubles),
            4 => match (self.field(12, 1), register, second) {
                (0, 0, 0) => return None,
                (0, _, 0) => with_immediate(0x67, 0, 0, register, 0), // C.JR
                (0, ..) => second << 15 | register << 7 | 0x13,       // C.MV
                (_, 0, 0) => 0x0010_0073,                             // C.EBREAK
                (_, _, 0) => with_immediate(0x67, 0, 1, register, 0), // C.JALR
                _ => second << 20 | register << 15 | register << 7 | 0x33, // C.ADD
            },
            5 => store(0x27, 3, STACK, second, store_doubles),
            6 => store(0x23, 2, STACK, second, store_words),
            7 if !self.is_wide() => store(0x27, 2, STACK, second, store_words), // C.FSWSP
            7 => store(0x23, 3, STACK, second, store_doubles),
            _ => return None,
        })
    }
}

fn with_immediate(opcode: u32, kind: u32, to: u32, from: u32, number: u32) -> u32 {
    number << 20 | from << 15 | kind << 12 | to << 7 | opcode
}

fn store(opcode: u32, kind: u32, base: u32, data: u32, offset: u32) -> u32 {
    (offset >> 5) << 25 | data << 20 | base << 15 | kind << 12 | (offset & 31) << 7 | opcode
}

fn jump(to: u32, offset: u32) -> u32 {
    let low = (offset >> 1 & 0x3ff) << 21 | (offset >> 11 & 1) << 20 | offset & 0xf_f000;
    low | offset >> 20 << 31 | to << 7 | 0x6f
}

fn branch(kind: u32, register: u32, offset: u32) -> u32 {
    let low = (offset >> 5 & 0x3f) << 25 | (offset >> 1 & 0xf) << 8 | (offset >> 11 & 1) << 7;
    low | offset >> 12 << 31 | register << 15 | kind << 12 | 0x63
}
