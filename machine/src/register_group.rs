//! Groups of registers that panels show together ([`RegisterGroup`]), and the widths and number
//! formats of their lanes ([`LaneFormat`]). Groups share bytes: `s0`, `d0` and `v0` are views of
//! one register.

use serde::{Deserialize, Serialize};

/// Registers that a panel shows together.
///
/// Groups share bytes: `s0`, `d0`, `v0` and `z0` are views of one register.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub enum RegisterGroup {
    /// The general registers, stack pointer, link register, program counter and status.
    Core,
    /// `s0` …, and the floating-point status and control registers.
    Single,
    /// `d0` …, and the floating-point status and control registers.
    Double,
    /// 128-bit registers: `v0` … in AArch64, `q0` … and `vpr` in AArch32 (NEON, MVE).
    Vector,
    /// SVE: `z0` …, `p0` …; also SME's `za` and `zt0`, and `ffr`, once the trace names them.
    Scalable,
    /// System registers and banks named in the trace. On x86, the segments and `mxcsr`.
    System,
}

impl RegisterGroup {
    /// All groups in menu order.
    pub const ALL: [Self; 6] = [
        Self::Core,
        Self::Single,
        Self::Double,
        Self::Vector,
        Self::Scalable,
        Self::System,
    ];

    /// Returns the group of a register that the register file shows only if the trace writes it,
    /// from its name.
    pub fn of_named(name: &str) -> Self {
        let is_scalable = matches!(name, "ffr" | "za" | "zt0") || is_tile(name);
        if is_scalable {
            Self::Scalable
        } else if is_vector(name) {
            Self::Vector
        } else if matches!(name, "fflags" | "frm") {
            Self::Double
        } else {
            Self::System
        }
    }

    /// Returns the formats for values of the group, the default first.
    pub const fn lane_formats(self) -> &'static [LaneFormat] {
        match self {
            Self::Core | Self::System => &[],
            Self::Single => &SINGLE,
            Self::Double => &DOUBLE,
            Self::Vector | Self::Scalable => LaneFormat::ALL,
        }
    }
}

const SINGLE: [LaneFormat; 4] = [
    LaneFormat::new(LaneKind::Float, 4),
    LaneFormat::new(LaneKind::Hex, 4),
    LaneFormat::new(LaneKind::Signed, 4),
    LaneFormat::new(LaneKind::Unsigned, 4),
];

const DOUBLE: [LaneFormat; 4] = [
    LaneFormat::new(LaneKind::Float, 8),
    LaneFormat::new(LaneKind::Hex, 8),
    LaneFormat::new(LaneKind::Signed, 8),
    LaneFormat::new(LaneKind::Unsigned, 8),
];

/// Returns true for a vector register of RISC-V, whose length the trace states.
fn is_vector(name: &str) -> bool {
    name.strip_prefix('v').is_some_and(|digits| {
        !digits.is_empty() && digits.bytes().all(|byte| byte.is_ascii_digit())
    })
}

/// Returns true for a tile or slice of SME's array: `za0`, `za1h`, `zav3`.
fn is_tile(name: &str) -> bool {
    let rest = name.strip_prefix("za").unwrap_or_default();
    !rest.is_empty()
        && rest
            .bytes()
            .all(|byte| byte.is_ascii_digit() || matches!(byte, b'h' | b'v'))
}

/// Width and number format of the lanes of a register.
///
/// ```
/// use stepback_machine::display::{LaneFormat, LaneKind};
/// let bytes = [0x00, 0x00, 0x80, 0x3f, 0xff, 0xff, 0xff, 0xff].map(Some);
/// assert_eq!(LaneFormat::new(LaneKind::Float, 4).lanes(&bytes), ["1.0", "NaN"]);
/// assert_eq!(LaneFormat::new(LaneKind::Signed, 4).lanes(&bytes), ["1065353216", "-1"]);
/// assert_eq!(LaneFormat::new(LaneKind::Hex, 2).key(), "hex 16");
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct LaneFormat {
    /// Interpretation of the bytes of a lane.
    pub kind: LaneKind,
    /// Bytes per lane: 1, 2, 4, 8 or 16.
    pub size_bytes: u8,
}

/// Interpretation of the bytes of a lane.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub enum LaneKind {
    /// Hexadecimal digits.
    Hex,
    /// An unsigned integer.
    Unsigned,
    /// A two's complement integer.
    Signed,
    /// Floating point (2, 4 or 8 bytes).
    Float,
}

impl LaneFormat {
    /// All valid formats, the default first.
    pub const ALL: &'static [Self] = &[
        Self::new(LaneKind::Hex, 16),
        Self::new(LaneKind::Hex, 8),
        Self::new(LaneKind::Hex, 4),
        Self::new(LaneKind::Hex, 2),
        Self::new(LaneKind::Hex, 1),
        Self::new(LaneKind::Float, 8),
        Self::new(LaneKind::Float, 4),
        Self::new(LaneKind::Float, 2),
        Self::new(LaneKind::Unsigned, 8),
        Self::new(LaneKind::Unsigned, 4),
        Self::new(LaneKind::Unsigned, 2),
        Self::new(LaneKind::Unsigned, 1),
        Self::new(LaneKind::Signed, 8),
        Self::new(LaneKind::Signed, 4),
        Self::new(LaneKind::Signed, 2),
        Self::new(LaneKind::Signed, 1),
    ];

    /// Creates a format from its parts.
    pub const fn new(kind: LaneKind, size_bytes: u8) -> Self {
        Self { kind, size_bytes }
    }

    /// Returns the number of bits per lane.
    pub fn bits(self) -> u16 {
        8 * u16::from(self.size_bytes)
    }

    /// Returns the key for commands and scripts, which is the same in all languages: `float 32`.
    pub fn key(self) -> String {
        let kind = match self.kind {
            LaneKind::Hex => "hex",
            LaneKind::Unsigned => "unsigned",
            LaneKind::Signed => "signed",
            LaneKind::Float => "float",
        };
        format!("{kind} {}", self.bits())
    }

    /// Formats the lanes of a little-endian value, lowest first. A lane with an unknown byte
    /// becomes `?` (in hex, `??` for that byte). Remaining bytes that do not fill a lane are shown in
    /// hex: they are no number of this format.
    pub fn lanes(self, bytes: &[Option<u8>]) -> Vec<String> {
        bytes
            .chunks(usize::from(self.size_bytes.max(1)))
            .map(|lane| self.lane(lane))
            .collect()
    }

    fn lane(self, lane: &[Option<u8>]) -> String {
        if self.kind == LaneKind::Hex || lane.len() != usize::from(self.size_bytes) {
            let digits =
                |byte: &Option<u8>| byte.map_or_else(|| "??".into(), |byte| format!("{byte:02x}"));
            return lane.iter().rev().map(digits).collect();
        }
        let value = lane.iter().rev().try_fold(0u128, |value, byte| {
            byte.map(|byte| value << 8 | u128::from(byte))
        });
        let Some(value) = value else {
            return "?".into();
        };
        let unused_bits = 128 - 8 * lane.len().min(16);
        match (self.kind, self.size_bytes) {
            (LaneKind::Signed, _) => {
                ((value << unused_bits).cast_signed() >> unused_bits).to_string()
            }
            (LaneKind::Float, 8) => format!("{:?}", f64::from_bits(value as u64)),
            (LaneKind::Float, 4) => format!("{:?}", f32::from_bits(value as u32)),
            (LaneKind::Float, 2) => format!("{:?}", half(value as u16)),
            _ => value.to_string(),
        }
    }
}

/// Converts a half-precision number (IEEE 754 binary16).
fn half(bits: u16) -> f32 {
    let sign = if bits >> 15 == 0 { 1.0 } else { -1.0 };
    let (exponent, fraction) = (bits >> 10 & 31, f32::from(bits & 0x3ff));
    match exponent {
        0 => sign * fraction * 2f32.powi(-24),
        31 if fraction == 0.0 => sign * f32::INFINITY,
        31 => f32::NAN,
        _ => sign * (1.0 + fraction / 1024.0) * 2f32.powi(i32::from(exponent) - 15),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn registers_that_only_the_trace_names_have_a_group() {
        for (name, expected) in [
            ("ffr", RegisterGroup::Scalable),
            ("za", RegisterGroup::Scalable),
            ("za0h", RegisterGroup::Scalable),
            ("zap", RegisterGroup::System),
            ("sp_el1", RegisterGroup::System),
            ("zcr_el1", RegisterGroup::System),
            ("v31", RegisterGroup::Vector),
            ("vstart", RegisterGroup::System),
            ("frm", RegisterGroup::Double),
        ] {
            assert_eq!(RegisterGroup::of_named(name), expected, "{name}");
        }
    }
}

#[cfg(test)]
mod lane_format_tests {
    use super::*;

    #[track_caller]
    fn check(kind: LaneKind, size_bytes: u8, bytes: &[u8], expected: &[&str]) {
        let bytes: Vec<_> = bytes.iter().copied().map(Some).collect();
        assert_eq!(LaneFormat::new(kind, size_bytes).lanes(&bytes), expected);
    }

    #[test]
    fn lanes_are_read_from_the_lowest_on() {
        check(
            LaneKind::Hex,
            4,
            &[1, 2, 3, 4, 5, 6, 7, 8],
            &["04030201", "08070605"],
        );
        check(LaneKind::Unsigned, 1, &[1, 255], &["1", "255"]);
        check(LaneKind::Signed, 1, &[1, 255, 128], &["1", "-1", "-128"]);
        check(LaneKind::Signed, 16, &[255; 16], &["-1"]);
        check(
            LaneKind::Unsigned,
            16,
            &[255; 16],
            &["340282366920938463463374607431768211455"],
        );
        check(LaneKind::Float, 8, &1.5f64.to_le_bytes(), &["1.5"]);
        check(LaneKind::Float, 4, &1e30f32.to_le_bytes(), &["1e30"]);
        check(LaneKind::Hex, 2, &[1, 2, 3], &["0201", "03"]);
    }

    #[test]
    fn bytes_that_do_not_fill_a_lane_are_no_number() {
        let bytes = [0, 0, 0x80, 0x3f, 0, 0x3c];
        check(LaneKind::Float, 4, &bytes, &["1.0", "3c00"]);
        check(LaneKind::Unsigned, 4, &bytes, &["1065353216", "3c00"]);
        check(LaneKind::Signed, 4, &bytes, &["1065353216", "3c00"]);
    }

    #[test]
    fn half_precision_numbers_are_read() {
        let cases = [
            (0x3c00, 1.0),
            (0xc000, -2.0),
            (0x7bff, 65504.0),
            (0x0001, 2f32.powi(-24)),
            (0x7c00, f32::INFINITY),
        ];
        for (bits, expected) in cases {
            assert_eq!(half(bits), expected, "{bits:x}");
        }
        assert!(half(0x7e00).is_nan());
    }

    #[test]
    fn an_unknown_byte_makes_its_lane_unknown() {
        let bytes = [Some(1), None, Some(3), Some(0)];
        assert_eq!(
            LaneFormat::new(LaneKind::Unsigned, 2).lanes(&bytes),
            ["?", "3"]
        );
        assert_eq!(
            LaneFormat::new(LaneKind::Hex, 2).lanes(&bytes),
            ["??01", "0003"]
        );
    }
}
