//! Advanced SIMD and scalar floating point: registers that each form reads, and parts of the
//! destination that it keeps.
//!
//! A row describes an encoding class, or the part of a class that treats its registers in the same
//! way.
//! Classes and fields follow DDI 0487, C4.1.96 "Data Processing -- Scalar Floating-Point and
//! Advanced SIMD".

use A64OperandSpan::{
    Bytes, DoubleInteger, DoubleShifted, Float, FloatPair, Half, HighHalf, Integer, LowHalf,
    Shifted, Type, Vector, Whole,
};
use A64VectorDestination::{Flags, Immediate, InsertLeft, InsertRight, Narrow, Replaced};
use A64VectorField::{A, D, Element, General, M, N, Table};

use crate::arm::a64::bits::{A64Describer, Register31};
use crate::expression::Expression;
use crate::view::RegisterView;

/// A register field of an encoding.
#[derive(Clone, Copy)]
enum A64VectorField {
    /// Bits 0 to 4: the destination, when its old value is an operand.
    D,
    /// Bits 5 to 9.
    N,
    /// Bits 16 to 20.
    M,
    /// Bits 10 to 14.
    A,
    /// Bits 16 to 19 or 16 to 20: the register that contains an indexed element.
    Element,
    /// Bits 5 to 9: the first of the one to four registers of a lookup table.
    Table,
    /// Bits 5 to 9: a general register.
    General,
}

/// Bytes of a vector register that form an operand.
#[derive(Clone, Copy)]
enum A64OperandSpan {
    /// All 16 bytes.
    Whole,
    /// 8 or 16 bytes, by the Q bit.
    Vector,
    /// Lower or upper 8 bytes, by the Q bit.
    Half,
    /// The lower half of a vector.
    LowHalf,
    /// The upper half of a vector.
    HighHalf,
    /// A scalar whose size is in bits 22 and 23.
    Integer,
    /// A scalar of twice the `Integer` size.
    DoubleInteger,
    /// A scalar of 4 or 8 bytes, by bit 22.
    Float,
    /// Two scalars of the `Float` size.
    FloatPair,
    /// A scalar whose type is in bits 22 and 23.
    Type,
    /// A scalar whose size is given by the highest set bit of `immh`.
    Shifted,
    /// A scalar of twice the `Shifted` size.
    DoubleShifted,
    /// This number of bytes.
    Bytes(u16),
}

/// Effect on the destination register.
#[derive(Clone, Copy)]
enum A64VectorDestination {
    /// The result replaces the entire register.
    Replaced,
    /// Narrowing: the first form replaces the register; the second form (Q bit set) writes the
    /// upper half and keeps the lower one.
    Narrow,
    /// Shift left and insert: each lane keeps the bits below the shift.
    InsertLeft,
    /// Shift right and insert: each lane keeps the bits above the shifted source.
    InsertRight,
    /// A constant sets or clears bits.
    Immediate,
    /// The result goes to a general register.
    General,
    /// Only the condition flags are written.
    Flags,
}

/// An encoding class: mask, value, operands and destination.
type A64VectorClass = (
    u32,
    u32,
    &'static [(A64VectorField, A64OperandSpan)],
    A64VectorDestination,
);

const ADD_TO_VECTOR: &[(A64VectorField, A64OperandSpan)] = &[(D, Vector), (N, Vector), (M, Vector)];
const ADD_TO_WHOLE: &[(A64VectorField, A64OperandSpan)] = &[(D, Whole), (N, Whole), (M, Whole)];
const ADD_TO_LONG: &[(A64VectorField, A64OperandSpan)] = &[(D, Whole), (N, Half), (M, Half)];
const VECTORS: &[(A64VectorField, A64OperandSpan)] = &[(N, Vector), (M, Vector)];
const VECTOR_BY_ELEMENT: &[(A64VectorField, A64OperandSpan)] = &[(N, Vector), (Element, Whole)];
const ADD_TO_VECTOR_BY_ELEMENT: &[(A64VectorField, A64OperandSpan)] =
    &[(D, Vector), (N, Vector), (Element, Whole)];
const ADD_TO_LONG_BY_ELEMENT: &[(A64VectorField, A64OperandSpan)] =
    &[(D, Whole), (N, Half), (Element, Whole)];

/// Encoding classes; the first matching row applies.
const ROWS: &[A64VectorClass] = &[
    // Scalar floating point: conversions from and to general registers.
    (0x5f26_0000, 0x1e02_0000, &[(General, Whole)], Replaced),
    (
        0x5f20_0000,
        0x1e00_0000,
        &[(N, Type)],
        A64VectorDestination::General,
    ),
    (0x5f26_fc00, 0x1e22_0000, &[(General, Whole)], Replaced),
    (
        0x5f20_fc00,
        0x1e20_0000,
        &[(N, Type)],
        A64VectorDestination::General,
    ),
    // One source.
    (0xff20_7c00, 0x1e20_4000, &[(N, Type)], Replaced),
    // Comparisons with zero, comparisons.
    (0xff20_3c08, 0x1e20_2008, &[(N, Type)], Flags),
    (0xff20_3c08, 0x1e20_2000, &[(N, Type), (M, Type)], Flags),
    (0xff20_0c00, 0x1e20_0400, &[(N, Type), (M, Type)], Flags),
    // Immediate, two sources, select, three sources.
    (0xff20_1c00, 0x1e20_1000, &[], Replaced),
    (0xff20_0800, 0x1e20_0800, &[(N, Type), (M, Type)], Replaced),
    (
        0xff00_0000,
        0x1f00_0000,
        &[(N, Type), (M, Type), (A, Type)],
        Replaced,
    ),
    // SHA: three registers, two registers.
    (0xffe0_fc00, 0x5e00_3000, ADD_TO_WHOLE, Replaced),
    (
        0xffe0_cc00,
        0x5e00_0000,
        &[(D, Whole), (N, Bytes(4)), (M, Whole)],
        Replaced,
    ),
    (0xffe0_8c00, 0x5e00_0000, ADD_TO_WHOLE, Replaced),
    (0xffff_fc00, 0x5e28_0800, &[(N, Bytes(4))], Replaced),
    (
        0xffff_cc00,
        0x5e28_0800,
        &[(D, Whole), (N, Whole)],
        Replaced,
    ),
    // Scalar: three registers of the same size in half precision, two registers in half precision.
    (
        0xdf60_c400,
        0x5e40_0400,
        &[(N, Bytes(2)), (M, Bytes(2))],
        Replaced,
    ),
    (0xdf7e_0c00, 0x5e78_0800, &[(N, Bytes(2))], Replaced),
    // SQRDMLAH, SQRDMLSH.
    (
        0xdf20_8400,
        0x5e00_8400,
        &[(D, Integer), (N, Integer), (M, Integer)],
        Replaced,
    ),
    // Two registers: SUQADD, the narrowing forms, FCVTXN, floating-point comparisons and others,
    // the rest.
    (
        0xdf3f_fc00,
        0x5e20_3800,
        &[(D, Integer), (N, Integer)],
        Replaced,
    ),
    (0xdf3f_fc00, 0x5e21_2800, &[(N, DoubleInteger)], Replaced),
    (0xdf3f_fc00, 0x5e21_4800, &[(N, DoubleInteger)], Replaced),
    (0xdf3f_fc00, 0x5e21_6800, &[(N, Bytes(8))], Replaced),
    (0xdf3f_cc00, 0x5e20_c800, &[(N, Float)], Replaced),
    (0xdf3f_0c00, 0x5e21_0800, &[(N, Float)], Replaced),
    (0xdf3f_0c00, 0x5e20_0800, &[(N, Integer)], Replaced),
    // Pairwise: ADDP, half precision, the rest.
    (0xff3f_fc00, 0x5e31_b800, &[(N, Whole)], Replaced),
    (0xff3e_0c00, 0x5e30_0800, &[(N, Bytes(4))], Replaced),
    (0xff3e_0c00, 0x7e30_0800, &[(N, FloatPair)], Replaced),
    // Three of different sizes: SQDMULL, and the accumulating forms.
    (
        0xdf20_fc00,
        0x5e20_d000,
        &[(N, Integer), (M, Integer)],
        Replaced,
    ),
    (
        0xdf20_0c00,
        0x5e20_0000,
        &[(D, DoubleInteger), (N, Integer), (M, Integer)],
        Replaced,
    ),
    // Three registers of the same size.
    (
        0xdf20_c400,
        0x5e20_c400,
        &[(N, Float), (M, Float)],
        Replaced,
    ),
    (
        0xdf20_0400,
        0x5e20_0400,
        &[(N, Integer), (M, Integer)],
        Replaced,
    ),
    // Shifts: accumulating or inserting forms, narrowing forms, the rest.
    (
        0xdf80_dc00,
        0x5f00_1400,
        &[(D, Shifted), (N, Shifted)],
        Replaced,
    ),
    (0xff80_fc00, 0x7f00_4400, &[(N, Shifted)], InsertRight),
    (0xff80_fc00, 0x7f00_5400, &[(N, Shifted)], InsertLeft),
    (0xdf80_e400, 0x5f00_8400, &[(N, DoubleShifted)], Replaced),
    (0xdf80_0400, 0x5f00_0400, &[(N, Shifted)], Replaced),
    // By element: FMLA and FMLS, SQDMLAL and SQDMLSL, SQRDMLAH and SQRDMLSH, other floating-point
    // forms, the rest.
    (
        0xff80_b400,
        0x5f00_1000,
        &[(D, Bytes(2)), (N, Bytes(2)), (Element, Whole)],
        Replaced,
    ),
    (
        0xff80_b400,
        0x5f80_1000,
        &[(D, Float), (N, Float), (Element, Whole)],
        Replaced,
    ),
    (
        0xff00_b400,
        0x5f00_3000,
        &[(D, DoubleInteger), (N, Integer), (Element, Whole)],
        Replaced,
    ),
    (
        0xff00_d400,
        0x7f00_d000,
        &[(D, Integer), (N, Integer), (Element, Whole)],
        Replaced,
    ),
    (
        0xdf80_f400,
        0x5f00_9000,
        &[(N, Bytes(2)), (Element, Whole)],
        Replaced,
    ),
    (
        0xdf80_f400,
        0x5f80_9000,
        &[(N, Float), (Element, Whole)],
        Replaced,
    ),
    (
        0xdf00_0400,
        0x5f00_0000,
        &[(N, Integer), (Element, Whole)],
        Replaced,
    ),
    // AES.
    (
        0xffff_ec00,
        0x4e28_4800,
        &[(D, Whole), (N, Whole)],
        Replaced,
    ),
    (0xffff_ec00, 0x4e28_6800, &[(N, Whole)], Replaced),
    // TBX, TBL, permutations, EXT.
    (
        0xbfe0_9c00,
        0x0e00_1000,
        &[(D, Vector), (Table, Whole), (M, Vector)],
        Replaced,
    ),
    (
        0xbfe0_9c00,
        0x0e00_0000,
        &[(Table, Whole), (M, Vector)],
        Replaced,
    ),
    (0xbf20_8c00, 0x0e00_0800, VECTORS, Replaced),
    (0xbfe0_8400, 0x2e00_0000, VECTORS, Replaced),
    // Half precision: FMLA and FMLS, the rest, two registers.
    (0xbf60_fc00, 0x0e40_0c00, ADD_TO_VECTOR, Replaced),
    (0x9f60_c400, 0x0e40_0400, VECTORS, Replaced),
    (0x9f7e_0c00, 0x0e78_0800, &[(N, Vector)], Replaced),
    // The extension of three registers of the same size: FCADD, BFMLAL, dot products and other
    // accumulating forms.
    (0xbf20_ec00, 0x2e00_e400, VECTORS, Replaced),
    (0xbfe0_fc00, 0x2ec0_fc00, ADD_TO_WHOLE, Replaced),
    (0x9f20_8400, 0x0e00_8400, ADD_TO_VECTOR, Replaced),
    // Two registers: SADALP and UADALP, SUQADD and USQADD, the narrowing forms, SHLL, FCVTL, the
    // rest.
    (
        0x9f3f_fc00,
        0x0e20_6800,
        &[(D, Vector), (N, Vector)],
        Replaced,
    ),
    (
        0x9f3f_fc00,
        0x0e20_3800,
        &[(D, Vector), (N, Vector)],
        Replaced,
    ),
    (0xbf3f_fc00, 0x2e21_3800, &[(N, Half)], Replaced),
    (0x9f3f_fc00, 0x0e21_2800, &[(N, Whole)], Narrow),
    (0x9f3f_fc00, 0x0e21_4800, &[(N, Whole)], Narrow),
    (0x9f3f_fc00, 0x0e21_6800, &[(N, Whole)], Narrow),
    (0xbf3f_fc00, 0x0e21_7800, &[(N, Half)], Replaced),
    (0x9f3e_0c00, 0x0e20_0800, &[(N, Vector)], Replaced),
    // Across lanes.
    (0x9f3e_0c00, 0x0e30_0800, &[(N, Vector)], Replaced),
    // Three of different sizes: wide forms, narrowing forms, accumulating forms, the rest.
    (0x9f20_dc00, 0x0e20_1000, &[(N, Whole), (M, Half)], Replaced),
    (0x9f20_dc00, 0x0e20_4000, &[(N, Whole), (M, Whole)], Narrow),
    (0x9f20_fc00, 0x0e20_5000, ADD_TO_LONG, Replaced),
    (0x9f20_dc00, 0x0e20_8000, ADD_TO_LONG, Replaced),
    (0x9f20_dc00, 0x0e20_9000, ADD_TO_LONG, Replaced),
    (0x9f20_0c00, 0x0e20_0000, &[(N, Half), (M, Half)], Replaced),
    // Three of the same size: SABA and UABA, MLA and MLS, FMLAL and FMLSL, FMLAL2 and FMLSL2, FMLA
    // and FMLS.
    (0x9f20_fc00, 0x0e20_7c00, ADD_TO_VECTOR, Replaced),
    (0x9f20_fc00, 0x0e20_9400, ADD_TO_VECTOR, Replaced),
    (
        0xbf60_fc00,
        0x0e20_ec00,
        &[(D, Vector), (N, LowHalf), (M, LowHalf)],
        Replaced,
    ),
    (
        0xbf60_fc00,
        0x2e20_cc00,
        &[(D, Vector), (N, HighHalf), (M, HighHalf)],
        Replaced,
    ),
    (0xbf20_fc00, 0x0e20_cc00, ADD_TO_VECTOR, Replaced),
    // EOR; BSL, BIT and BIF; the rest.
    (0xbfe0_fc00, 0x2e20_1c00, VECTORS, Replaced),
    (0xbf20_fc00, 0x2e20_1c00, ADD_TO_VECTOR, Replaced),
    (0x9f20_0400, 0x0e20_0400, VECTORS, Replaced),
    // Modified immediates: ORR and BIC, half-precision FMOV and others for which the lowest bit of
    // `cmode` adds nothing, MOVI, MVNI.
    (0x9ff8_9c00, 0x0f00_1400, &[], Immediate),
    (0x9ff8_dc00, 0x0f00_9400, &[], Immediate),
    (0x9ff8_0400, 0x0f00_0400, &[], Replaced),
    // Shifts: accumulating or inserting forms, narrowing and long forms, the rest.
    (
        0x9f80_dc00,
        0x0f00_1400,
        &[(D, Vector), (N, Vector)],
        Replaced,
    ),
    (0xbf80_fc00, 0x2f00_4400, &[(N, Vector)], InsertRight),
    (0xbf80_fc00, 0x2f00_5400, &[(N, Vector)], InsertLeft),
    (0x9f80_e400, 0x0f00_8400, &[(N, Whole)], Narrow),
    (0x9f80_fc00, 0x0f00_a400, &[(N, Half)], Replaced),
    (0x9f80_0400, 0x0f00_0400, &[(N, Vector)], Replaced),
    // By element: BFMLAL; FMLAL and FMLSL; FMLAL2 and FMLSL2.
    (
        0xbfc0_f400,
        0x0fc0_f000,
        &[(D, Whole), (N, Whole), (Element, Whole)],
        Replaced,
    ),
    (
        0xbfc0_b400,
        0x0f80_0000,
        &[(D, Vector), (N, LowHalf), (Element, Whole)],
        Replaced,
    ),
    (
        0xbfc0_b400,
        0x2f80_8000,
        &[(D, Vector), (N, HighHalf), (Element, Whole)],
        Replaced,
    ),
    // SMLAL and the like, SQDMLAL and SQDMLSL, SMULL and UMULL, SQDMULL.
    (0x9f00_b400, 0x0f00_2000, ADD_TO_LONG_BY_ELEMENT, Replaced),
    (0xbf00_b400, 0x0f00_3000, ADD_TO_LONG_BY_ELEMENT, Replaced),
    (
        0x9f00_f400,
        0x0f00_a000,
        &[(N, Half), (Element, Whole)],
        Replaced,
    ),
    (
        0xbf00_f400,
        0x0f00_b000,
        &[(N, Half), (Element, Whole)],
        Replaced,
    ),
    // MUL, FMUL and FMULX, SQDMULH, SQRDMULH; all others accumulate.
    (0xbf00_f400, 0x0f00_8000, VECTOR_BY_ELEMENT, Replaced),
    (0x9f00_f400, 0x0f00_9000, VECTOR_BY_ELEMENT, Replaced),
    (0xbf00_e400, 0x0f00_c000, VECTOR_BY_ELEMENT, Replaced),
    (0x9f00_0400, 0x0f00_0000, ADD_TO_VECTOR_BY_ELEMENT, Replaced),
    // EOR3 and BCAX, SM3SS1, XAR, SM3TT.
    (
        0xff80_8000,
        0xce00_0000,
        &[(N, Whole), (M, Whole), (A, Whole)],
        Replaced,
    ),
    (
        0xffe0_0000,
        0xce80_0000,
        &[(N, Whole), (M, Whole)],
        Replaced,
    ),
    (0xffe0_c000, 0xce40_8000, ADD_TO_WHOLE, Replaced),
    // RAX1, SM4EKEY, SHA512 and SM3PARTW, SHA512SU0 and SM4E.
    (
        0xffe0_fc00,
        0xce60_8c00,
        &[(N, Whole), (M, Whole)],
        Replaced,
    ),
    (
        0xffe0_fc00,
        0xce60_c800,
        &[(N, Whole), (M, Whole)],
        Replaced,
    ),
    (0xffe0_b000, 0xce60_8000, ADD_TO_WHOLE, Replaced),
    (
        0xffff_f800,
        0xcec0_8000,
        &[(D, Whole), (N, Whole)],
        Replaced,
    ),
];

impl A64Describer {
    /// Describes Advanced SIMD and scalar floating point.
    pub fn vector(&mut self) -> bool {
        if self.move_of_lanes() {
            return true;
        }
        let Some((_, _, operands, destination)) = ROWS
            .iter()
            .find(|(mask, bits, ..)| self.matches(*mask, *bits))
        else {
            return false;
        };
        for (field, span) in *operands {
            self.read_operand(*field, *span);
        }
        self.write_vector(*destination);
        true
    }

    fn read_operand(&mut self, field: A64VectorField, span: A64OperandSpan) {
        if matches!(field, General) {
            return self.read_general(&[5], self.width());
        }
        let count = if matches!(field, Table) {
            self.field(13, 2) + 1
        } else {
            1
        };
        let first = match field {
            D => self.field(0, 5),
            N | Table | General => self.field(5, 5),
            M => self.field(16, 5),
            A => self.field(10, 5),
            Element => self.element_register(),
        };
        for number in first..first + count {
            let view = self.span(number, span);
            self.description.read(view);
        }
    }

    /// Returns the bytes of a register that form an operand.
    fn span(&self, number: u32, span: A64OperandSpan) -> RegisterView {
        let size = 1 << self.field(22, 2);
        let shift_size = 1 << self.field(19, 4).checked_ilog2().unwrap_or_default();
        let vector = self.vector_bytes();
        let (offset, size_bytes) = match span {
            Whole => (0, 16),
            Vector => (0, vector),
            Half => (vector - 8, 8),
            LowHalf => (0, vector / 2),
            HighHalf => (vector / 2, vector / 2),
            Integer => (0, size),
            DoubleInteger => (0, 2 * size),
            Float => (0, 4 << self.field(22, 1)),
            FloatPair => (0, 8 << self.field(22, 1)),
            Type => (
                0,
                match self.field(22, 2) {
                    0 => 4,
                    1 => 8,
                    _ => 2,
                },
            ),
            Shifted => (0, shift_size),
            DoubleShifted => (0, 2 * shift_size),
            Bytes(count) => (0, count),
        };
        RegisterView {
            offset,
            ..self.vector_view(number, size_bytes)
        }
    }

    /// Returns the length of a vector, by the Q bit.
    fn vector_bytes(&self) -> u16 {
        if self.flag(30) { 16 } else { 8 }
    }

    /// Returns the register of an indexed element. Its number has four bits if the index needs the
    /// fifth.
    fn element_register(&self) -> u32 {
        let (size, opcode, is_unsigned) = (self.field(22, 2), self.field(12, 4), self.flag(29));
        let is_complex = is_unsigned && opcode & 0b1001 == 1;
        let is_dot_product = opcode == 0b1111 && !is_unsigned;
        let is_long_float = size == 2 && opcode & 0b1011 == if is_unsigned { 0b1000 } else { 0 };
        let is_narrow = match size {
            0 => !is_dot_product,
            1 => !is_dot_product && !is_complex,
            2 => is_long_float && !self.flag(28),
            _ => is_dot_product,
        };
        self.field(16, if is_narrow { 4 } else { 5 })
    }

    fn write_vector(&mut self, destination: A64VectorDestination) {
        let view = self.vector_view(self.field(0, 5), 16);
        let kept = match destination {
            A64VectorDestination::General => {
                return self.set_result(Expression::Unknown, Register31::Zero);
            }
            Flags => return,
            Narrow if self.flag(30) => u128::from(u64::MAX),
            Replaced | Narrow => 0,
            InsertLeft | InsertRight => self.kept_by_insertion(destination),
            Immediate => self.kept_beside_immediate(),
        };
        self.description.write_keeping(view, kept);
    }

    /// Returns the bits of the destination that SLI and SRI keep.
    fn kept_by_insertion(&self, destination: A64VectorDestination) -> u128 {
        let lane_bits = 8 << self.field(19, 4).checked_ilog2().unwrap_or_default();
        let ones = !(u128::MAX << lane_bits);
        let above = self.field(16, 7) - lane_bits;
        let lane = match destination {
            InsertLeft => !(u128::MAX << above),
            // The encoded amount of a right shift counts down from twice the lane width.
            _ => ones & !(ones >> (lane_bits - above)),
        };
        let is_scalar = self.flag(28);
        repeated(
            lane,
            lane_bits,
            if is_scalar {
                64
            } else {
                u32::from(8 * self.vector_bytes())
            },
        )
    }

    /// Returns the bits of the destination that ORR and BIC (immediate) keep.
    fn kept_beside_immediate(&self) -> u128 {
        let (constant, kind) = (self.field(16, 3) << 5 | self.field(5, 5), self.field(12, 4));
        let (lane_bits, place) = if kind < 8 {
            (32, kind >> 1)
        } else {
            (16, kind >> 1 & 1)
        };
        let changed = u128::from(constant) << (8 * place);
        repeated(
            !changed & !(u128::MAX << lane_bits),
            lane_bits,
            u32::from(8 * self.vector_bytes()),
        )
    }
}

/// Repeats the bits of a lane in all lanes of a register.
fn repeated(lane: u128, lane_bits: u32, width_bits: u32) -> u128 {
    (0..width_bits / lane_bits).fold(0, |all, number| all | lane << (number * lane_bits))
}
