//! Register groups of the register panels, and the lane formats of each.

use serde::{Deserialize, Serialize};

use crate::lane_format::{LaneFormat, LaneKind};

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

    /// Returns the title of the group.
    pub const fn title(self) -> &'static str {
        match self {
            Self::Core => "Core registers",
            Self::Single => "Single-precision registers",
            Self::Double => "Double-precision registers",
            Self::Vector => "Vector registers",
            Self::Scalable => "SVE registers",
            Self::System => "System registers",
        }
    }

    /// Returns the group of a register outside the architecture's table, from its name in the
    /// trace.
    pub fn of_named(name: &str) -> Self {
        let is_scalable = matches!(name, "ffr" | "za" | "zt0") || is_tile(name);
        if is_scalable {
            Self::Scalable
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

/// Returns true for a tile or slice of SME's array: `za0`, `za1h`, `zav3`.
fn is_tile(name: &str) -> bool {
    let rest = name.strip_prefix("za").unwrap_or_default();
    !rest.is_empty()
        && rest
            .bytes()
            .all(|byte| byte.is_ascii_digit() || matches!(byte, b'h' | b'v'))
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
        ] {
            assert_eq!(RegisterGroup::of_named(name), expected, "{name}");
        }
    }
}
