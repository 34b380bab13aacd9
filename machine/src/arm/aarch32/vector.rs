//! Advanced SIMD and floating point of A32 and T32: registers that each form reads, and parts of
//! the destination that it keeps.
//!
//! A row describes an encoding class, or the part of a class that treats its registers in the same
//! way.
//! Classes and fields follow DDI 0487, F4.1.18 to F4.1.22; T32 encodings are first converted to
//! A32.

use Aarch32VectorDestination::{
    Exchanged, Flags, Half, Immediate, InsertLeft, InsertRight, Replaced, Swapped, UpperHalf,
};
use Aarch32VectorField::{D, Element, FewBits, M, N, Table};
use VectorRegisterWidth::{ByElement, Double, Quad, Scalar, Single, Vector};

use crate::description::MeaningBuilder;
use crate::expression::Expression;
use crate::set::InstructionSet;
use crate::view::{RegisterId, RegisterView};

/// A register field of an encoding: four bits, and a separate fifth one.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Aarch32VectorField {
    /// The destination, when its old value is an operand.
    D,
    /// The first source.
    N,
    /// The second source.
    M,
    /// The register that contains an indexed element, of 16 or 32 bits.
    Element,
    /// The second source, with a four-bit number.
    FewBits,
    /// The first of the one to four registers of a lookup table.
    Table,
}

/// Width of a register operand.
#[derive(Clone, Copy, PartialEq, Eq)]
enum VectorRegisterWidth {
    /// Doubleword or quadword, by the Q bit.
    Vector,
    /// Doubleword or quadword, by bit 24.
    ByElement,
    /// Doubleword.
    Double,
    /// Quadword.
    Quad,
    /// Single or doubleword, by the size field.
    Scalar,
    /// Single, regardless of the size field.
    Single,
}

/// Effect on the destination register.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Aarch32VectorDestination {
    /// The result replaces it.
    Replaced(VectorRegisterWidth),
    /// The second source is also written.
    Exchanged,
    /// Two registers exchange their values.
    Swapped,
    /// Shift left and insert: each lane keeps the bits below the shift.
    InsertLeft,
    /// Shift right and insert: each lane keeps the bits above the shifted source.
    InsertRight,
    /// A constant sets or clears bits.
    Immediate,
    /// Half of a single, selected by bit 7.
    Half,
    /// The upper half of a single.
    UpperHalf,
    /// The flags of FPSCR.
    Flags,
}

/// An encoding class: mask, value, operands and destination.
type Aarch32VectorClass = (
    u32,
    u32,
    &'static [(Aarch32VectorField, VectorRegisterWidth)],
    Aarch32VectorDestination,
);

const VECTORS: &[(Aarch32VectorField, VectorRegisterWidth)] = &[(N, Vector), (M, Vector)];
const ADD_TO_VECTOR: &[(Aarch32VectorField, VectorRegisterWidth)] =
    &[(D, Vector), (N, Vector), (M, Vector)];
const ADD_TO_LONG: &[(Aarch32VectorField, VectorRegisterWidth)] =
    &[(D, Quad), (N, Double), (M, Double)];
const ADD_TO_QUAD: &[(Aarch32VectorField, VectorRegisterWidth)] =
    &[(D, Quad), (N, Quad), (M, Quad)];
const SCALARS: &[(Aarch32VectorField, VectorRegisterWidth)] = &[(N, Scalar), (M, Scalar)];
const ADD_TO_SCALAR: &[(Aarch32VectorField, VectorRegisterWidth)] =
    &[(D, Scalar), (N, Scalar), (M, Scalar)];

/// Advanced SIMD data processing; the first matching row applies.
const SIMD: &[Aarch32VectorClass] = &[
    // Three of the same length: SHA, VABA, VMLA and VMLS, VFMA and VFMS, VQRDMLAH and VQRDMLSH,
    // VEOR, VBSL and the like, the rest.
    (0xfe80_0f10, 0xf200_0c00, ADD_TO_QUAD, Replaced(Quad)),
    (0xfe80_0f10, 0xf200_0710, ADD_TO_VECTOR, Replaced(Vector)),
    (0xfe80_0f10, 0xf200_0900, ADD_TO_VECTOR, Replaced(Vector)),
    (0xff80_0f10, 0xf200_0d10, ADD_TO_VECTOR, Replaced(Vector)),
    (0xff80_0f10, 0xf300_0b10, ADD_TO_VECTOR, Replaced(Vector)),
    (0xfe80_0f10, 0xf200_0c10, ADD_TO_VECTOR, Replaced(Vector)),
    (0xffb0_0f10, 0xf300_0110, VECTORS, Replaced(Vector)),
    (0xff80_0f10, 0xf300_0110, ADD_TO_VECTOR, Replaced(Vector)),
    (0xfe80_0000, 0xf200_0000, VECTORS, Replaced(Vector)),
    // VEXT.
    (0xffb0_0010, 0xf2b0_0000, VECTORS, Replaced(Vector)),
    // Two registers: AESE and AESD, AESMC and AESIMC, VPADAL.
    (
        0xffbf_0f90,
        0xf3b0_0300,
        &[(D, Quad), (M, Quad)],
        Replaced(Quad),
    ),
    (0xffbf_0f90, 0xf3b0_0380, &[(M, Quad)], Replaced(Quad)),
    (
        0xffb3_0f10,
        0xf3b0_0600,
        &[(D, Vector), (M, Vector)],
        Replaced(Vector),
    ),
    // VSWP; VTRN, VUZP, VZIP.
    (0xffb3_0f90, 0xf3b2_0000, &[], Swapped),
    (
        0xffb3_0e10,
        0xf3b2_0000,
        &[(D, Vector), (M, Vector)],
        Exchanged,
    ),
    // The narrowing forms, VSHLL, SHA1SU1 and SHA256SU0, VCVT to and from half precision, the rest.
    (0xffb3_0f90, 0xf3b2_0200, &[(M, Quad)], Replaced(Double)),
    (0xffb3_0f90, 0xf3b2_0280, &[(M, Quad)], Replaced(Double)),
    (0xffb3_0fd0, 0xf3b2_0300, &[(M, Double)], Replaced(Quad)),
    (
        0xffb3_0f90,
        0xf3b2_0380,
        &[(D, Quad), (M, Quad)],
        Replaced(Quad),
    ),
    (0xffb3_0fd0, 0xf3b2_0600, &[(M, Quad)], Replaced(Double)),
    (0xffb3_0fd0, 0xf3b2_0700, &[(M, Double)], Replaced(Quad)),
    (0xffb0_0810, 0xf3b0_0000, &[(M, Vector)], Replaced(Vector)),
    // VTBX, VTBL, VDUP of a lane.
    (
        0xffb0_0c50,
        0xf3b0_0840,
        &[(D, Double), (Table, Double), (M, Double)],
        Replaced(Double),
    ),
    (
        0xffb0_0c50,
        0xf3b0_0800,
        &[(Table, Double), (M, Double)],
        Replaced(Double),
    ),
    (0xffb0_0f90, 0xf3b0_0c00, &[(M, Double)], Replaced(Vector)),
    // Three of different lengths: wide forms, narrowing forms, accumulating forms, the rest.
    (
        0xfe80_0d50,
        0xf280_0100,
        &[(N, Quad), (M, Double)],
        Replaced(Quad),
    ),
    (
        0xfe80_0d50,
        0xf280_0400,
        &[(N, Quad), (M, Quad)],
        Replaced(Double),
    ),
    (0xfe80_0f50, 0xf280_0500, ADD_TO_LONG, Replaced(Quad)),
    (0xfe80_0d50, 0xf280_0800, ADD_TO_LONG, Replaced(Quad)),
    (0xfe80_0d50, 0xf280_0900, ADD_TO_LONG, Replaced(Quad)),
    (
        0xfe80_0050,
        0xf280_0000,
        &[(N, Double), (M, Double)],
        Replaced(Quad),
    ),
    // By element: VMLAL and the like, VMULL and VQDMULL, VMUL, VQDMULH and VQRDMULH; all others
    // accumulate.
    (
        0xfe80_0a50,
        0xf280_0240,
        &[(D, Quad), (N, Double), (Element, Double)],
        Replaced(Quad),
    ),
    (
        0xfe80_0e50,
        0xf280_0a40,
        &[(N, Double), (Element, Double)],
        Replaced(Quad),
    ),
    (
        0xfe80_0a50,
        0xf280_0840,
        &[(N, ByElement), (Element, Double)],
        Replaced(ByElement),
    ),
    (
        0xfe80_0050,
        0xf280_0040,
        &[(D, ByElement), (N, ByElement), (Element, Double)],
        Replaced(ByElement),
    ),
    // Modified immediates: VORR and VBIC, VMOV and VMVN.
    (0xfeb8_0990, 0xf280_0110, &[], Immediate),
    (0xfeb8_0d90, 0xf280_0910, &[], Immediate),
    (0xfeb8_0090, 0xf280_0010, &[], Replaced(Vector)),
    // Shifts: accumulating or inserting forms, narrowing and long forms, the rest.
    (
        0xfe80_0d10,
        0xf280_0110,
        &[(D, Vector), (M, Vector)],
        Replaced(Vector),
    ),
    (0xff80_0f10, 0xf380_0410, &[(M, Vector)], InsertRight),
    (0xff80_0f10, 0xf380_0510, &[(M, Vector)], InsertLeft),
    (0xfe80_0e10, 0xf280_0810, &[(M, Quad)], Replaced(Double)),
    (0xfe80_0f10, 0xf280_0a10, &[(M, Double)], Replaced(Quad)),
    (0xfe80_0010, 0xf280_0010, &[(M, Vector)], Replaced(Vector)),
];

/// Floating-point data processing, without the condition; the first matching row applies.
const FLOAT: &[Aarch32VectorClass] = &[
    // VMLA and the like, VFNMA, VFMA.
    (0x0fa0_0c10, 0x0e00_0800, ADD_TO_SCALAR, Replaced(Scalar)),
    (0x0fb0_0c10, 0x0e10_0800, ADD_TO_SCALAR, Replaced(Scalar)),
    (0x0fb0_0c10, 0x0e90_0800, ADD_TO_SCALAR, Replaced(Scalar)),
    (0x0fb0_0c10, 0x0ea0_0800, ADD_TO_SCALAR, Replaced(Scalar)),
    // VMUL, VADD, VSUB, VDIV.
    (0x0fa0_0c10, 0x0e20_0800, SCALARS, Replaced(Scalar)),
    (0x0fb0_0c50, 0x0e80_0800, SCALARS, Replaced(Scalar)),
    // VMOV of a constant.
    (0x0fb0_0c50, 0x0eb0_0800, &[], Replaced(Scalar)),
    // VCVTB and VCVTT to and from half precision.
    (0x0fbf_0c50, 0x0eb3_0840, &[(M, Scalar)], Half),
    (0x0fbf_0c50, 0x0eb2_0840, &[(M, Single)], Replaced(Scalar)),
    // VCMP with zero, VCMP.
    (0x0fbf_0c50, 0x0eb5_0840, &[(D, Scalar)], Flags),
    (0x0fbf_0c50, 0x0eb4_0840, &[(D, Scalar), (M, Scalar)], Flags),
    // VCVT to integers, from integers; fixed-point numbers are converted in place.
    (0x0fbe_0c50, 0x0ebc_0840, &[(M, Scalar)], Replaced(Single)),
    (0x0fbf_0c50, 0x0eb8_0840, &[(M, Single)], Replaced(Scalar)),
    (0x0fba_0c50, 0x0eba_0840, &[(D, Scalar)], Replaced(Scalar)),
    // VJCVT, VCVT between singles and doubles.
    (0x0fbf_0ed0, 0x0eb9_0ac0, &[(M, Scalar)], Replaced(Single)),
    (0x0fbf_0fd0, 0x0eb7_0ac0, &[(M, Single)], Replaced(Double)),
    (0x0fbf_0fd0, 0x0eb7_0bc0, &[(M, Double)], Replaced(Single)),
    // VMOV, VABS, VNEG, VSQRT, VRINT.
    (0x0fbe_0c50, 0x0eb0_0840, &[(M, Scalar)], Replaced(Scalar)),
    (0x0fbf_0c50, 0x0eb6_0840, &[(M, Scalar)], Replaced(Scalar)),
    (0x0fbf_0cd0, 0x0eb7_0840, &[(M, Scalar)], Replaced(Scalar)),
];

/// The unconditional encoding space: VSEL, VMAXNM and VMINNM, VINS, VMOVX, VRINTA and the like,
/// VCVTA and the like.
const UNCONDITIONAL: &[Aarch32VectorClass] = &[
    // Dot products and by element, VCMLA and by element, VCADD.
    (0xff10_0f00, 0xfc00_0d00, ADD_TO_VECTOR, Replaced(Vector)),
    (
        0xff00_0f00,
        0xfe00_0d00,
        &[(D, Vector), (N, Vector), (FewBits, Double)],
        Replaced(Vector),
    ),
    (0xfe20_0f10, 0xfc20_0800, ADD_TO_VECTOR, Replaced(Vector)),
    (
        0xff80_0f10,
        0xfe00_0800,
        &[(D, Vector), (N, Vector), (FewBits, Double)],
        Replaced(Vector),
    ),
    (
        0xff80_0f10,
        0xfe80_0800,
        &[(D, Vector), (N, Vector), (M, Double)],
        Replaced(Vector),
    ),
    (0xfea0_0f10, 0xfc80_0800, VECTORS, Replaced(Vector)),
    (0xff80_0c50, 0xfe00_0800, SCALARS, Replaced(Scalar)),
    (0xffb0_0c10, 0xfe80_0800, SCALARS, Replaced(Scalar)),
    (0xffbf_0fd0, 0xfeb0_0ac0, &[(M, Single)], UpperHalf),
    (0xffbf_0fd0, 0xfeb0_0a40, &[(M, Single)], Replaced(Single)),
    (0xffbc_0cd0, 0xfeb8_0840, &[(M, Scalar)], Replaced(Scalar)),
    (0xffbc_0c50, 0xfebc_0840, &[(M, Scalar)], Replaced(Single)),
];

/// Describes the registers of an instruction; none for encodings outside the tables.
pub fn describe(bytes: &[u8], set: InstructionSet) -> Option<MeaningBuilder> {
    let word = a32_word(bytes, set)?;
    let rows = match word >> 28 {
        15 if word >> 25 == 0b111_1001 => SIMD,
        15 if word >> 24 == 0xf4 => return None,
        15 => UNCONDITIONAL,
        _ => FLOAT,
    };
    // Without a precision, a floating-point encoding belongs to another coprocessor.
    if word >> 28 != 15 && word >> 8 & 3 == 0 {
        return None;
    }
    let (_, _, operands, destination) =
        rows.iter().find(|(mask, bits, ..)| word & mask == *bits)?;
    let mut vector = Aarch32VectorDescriber {
        word,
        description: MeaningBuilder::default(),
    };
    for (field, kind) in *operands {
        vector.read(*field, *kind);
    }
    vector.write(*destination);
    Some(vector.description)
}

/// Converts an encoding to A32: T32 has other leading bits and moves bit 24.
pub fn a32_word(bytes: &[u8], set: InstructionSet) -> Option<u32> {
    let [a, b, c, d] = *bytes else { return None };
    if set == InstructionSet::A32 {
        return Some(u32::from_le_bytes([a, b, c, d]));
    }
    let word = u32::from_le_bytes([c, d, a, b]);
    match word >> 24 {
        top @ (0xef | 0xff) => Some(word & 0x00ff_ffff | (0xf2 | top >> 4 & 1) << 24),
        0xee | 0xfc..=0xfe => Some(word),
        // Loads and stores of elements and structures.
        0xf9 => Some(word & 0x00ff_ffff | 0xf400_0000),
        _ => None,
    }
}

struct Aarch32VectorDescriber {
    word: u32,
    description: MeaningBuilder,
}

impl Aarch32VectorDescriber {
    fn field(&self, first: u32, width: u32) -> u32 {
        self.word >> first & ((1 << width) - 1)
    }

    fn read(&mut self, field: Aarch32VectorField, kind: VectorRegisterWidth) {
        if field == Table {
            let first = self.number(16, 7, Double);
            for number in first..=(first + self.field(8, 2)).min(31) {
                self.description.read(double(number));
            }
            return;
        }
        let view = match field {
            D => self.register(12, 22, kind),
            M => self.register(0, 5, kind),
            Element if self.field(20, 2) == 1 => double(self.field(0, 3)),
            Element | FewBits => double(self.field(0, 4)),
            N | Table => self.register(16, 7, kind),
        };
        self.description.read(view);
    }

    /// Returns a register number: the fifth bit is the lowest for singles, the highest for others.
    fn number(&self, place: u32, fifth: u32, kind: VectorRegisterWidth) -> u32 {
        let (four, one) = (self.field(place, 4), self.field(fifth, 1));
        if self.size_bytes(kind) == 4 {
            four << 1 | one
        } else {
            one << 4 | four
        }
    }

    fn register(&self, place: u32, fifth: u32, kind: VectorRegisterWidth) -> RegisterView {
        let number = self.number(place, fifth, kind);
        match self.size_bytes(kind) {
            4 => part(number / 4, number % 4 * 4, 4),
            8 => double(number),
            _ => part(number / 2, 0, 16),
        }
    }

    fn size_bytes(&self, kind: VectorRegisterWidth) -> u16 {
        let is_quad = match kind {
            Vector => self.field(6, 1) == 1,
            ByElement => self.field(24, 1) == 1,
            Quad => true,
            Double => false,
            Scalar => return if self.field(8, 2) == 3 { 8 } else { 4 },
            Single => return 4,
        };
        if is_quad { 16 } else { 8 }
    }

    fn write(&mut self, destination: Aarch32VectorDestination) {
        let kind = match destination {
            Replaced(kind) => kind,
            Half | UpperHalf => Single,
            Exchanged | InsertLeft | InsertRight | Immediate => Vector,
            Swapped => return self.swap(),
            Flags => {
                return self
                    .description
                    .write(RegisterView::new(RegisterId::FPSCR, 0, 4));
            }
        };
        let view = self.register(12, 22, kind);
        let kept = match destination {
            Replaced(_) | Swapped | Flags => 0,
            Exchanged => {
                let other = self.register(0, 5, Vector);
                self.description.write(other);
                0
            }
            InsertLeft | InsertRight => self.kept_by_insertion(destination),
            Immediate => self.kept_beside_immediate(),
            Half if self.field(7, 1) == 0 => 0xffff_0000,
            Half | UpperHalf => 0xffff,
        };
        self.description.write_keeping(view, kept);
    }

    fn swap(&mut self) {
        let (one, other) = (self.register(12, 22, Vector), self.register(0, 5, Vector));
        self.description.set(one, Expression::Register(other));
        self.description.set(other, Expression::Register(one));
    }

    /// Returns the bits of the destination that VSLI and VSRI keep.
    fn kept_by_insertion(&self, destination: Aarch32VectorDestination) -> u128 {
        // The highest set bit of L:imm6 gives the lane width.
        let size = self.field(7, 1) << 6 | self.field(16, 6);
        let lane_bits = 1 << size.checked_ilog2().unwrap_or(3).max(3);
        let above = size.saturating_sub(lane_bits);
        let ones = !(u128::MAX << lane_bits);
        let lane = match destination {
            InsertLeft => !(u128::MAX << above),
            // The encoded amount of a right shift counts down from twice the lane width.
            _ => ones & !(ones >> (lane_bits - above)),
        };
        self.repeated(lane, lane_bits)
    }

    /// Returns the bits of the destination that VORR and VBIC (immediate) keep.
    fn kept_beside_immediate(&self) -> u128 {
        let constant = self.field(24, 1) << 7 | self.field(16, 3) << 4 | self.field(0, 4);
        let kind = self.field(8, 4);
        let (lane_bits, place) = if kind < 8 {
            (32, kind >> 1)
        } else {
            (16, kind >> 1 & 1)
        };
        let changed = u128::from(constant) << (8 * place);
        self.repeated(!changed & !(u128::MAX << lane_bits), lane_bits)
    }

    /// Repeats the bits of a lane in all lanes of the destination.
    fn repeated(&self, lane: u128, lane_bits: u32) -> u128 {
        let lanes = u32::from(8 * self.size_bytes(Vector)) / lane_bits;
        (0..lanes).fold(0, |all, number| all | lane << (number * lane_bits))
    }
}

/// Returns a doubleword by its number.
pub fn double(number: u32) -> RegisterView {
    part(number / 2, number % 2 * 8, 8)
}

fn part(number: u32, offset: u32, size_bytes: u16) -> RegisterView {
    let small = |number: u32| u16::try_from(number).unwrap_or_default();
    RegisterView::new(
        RegisterId(RegisterId::V0.0 + small(number % 16)),
        small(offset),
        size_bytes,
    )
}
