//! The register windows: which registers stand together, and how their lanes can be read.
//!
//! ```
//! use crate::{InstructionSet, RegisterGroup};
//! let names = |group: RegisterGroup, set| -> Vec<String> {
//!     group.registers(set).into_iter().map(|(name, _)| name).collect()
//! };
//! assert_eq!(names(RegisterGroup::Core, InstructionSet::T32)[12..], ["r12", "sp", "lr", "pc", "psr"]);
//! assert_eq!(names(RegisterGroup::Vector, InstructionSet::A32).last().unwrap(), "vpr");
//! assert!(names(RegisterGroup::Scalable, InstructionSet::A32).is_empty());
//! assert_eq!(RegisterGroup::of_named("ttbr0_el1"), RegisterGroup::System);
//! ```

use serde::{Deserialize, Serialize};

use crate::lane_format::{LaneFormat, LaneKind};
use crate::{InstructionSet, RegisterId, RegisterView, Registers};

/// Registers that a window shows together.
///
/// Groups share bytes: `s0`, `d0`, `v0` and `z0` are views of one register.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub enum RegisterGroup {
    /// The general registers, stack pointer, link register, program counter and status.
    Core,
    /// `s0` …, and the status and control of floating point.
    Single,
    /// `d0` …, and the status and control of floating point.
    Double,
    /// 128 bits wide: `v0` … in AArch64, `q0` … and `vpr` in AArch32 (NEON, MVE).
    Vector,
    /// SVE: `z0` …, `p0` …; SME's `za` and `zt0` and the `ffr` are here by name.
    Scalable,
    /// What the trace named: system registers and banks. On x86 the segments and `mxcsr`.
    System,
}

impl RegisterGroup {
    /// All groups, in the order in which a menu lists them.
    pub const ALL: [Self; 6] = [Self::Core, Self::Single, Self::Double, Self::Vector, Self::Scalable, Self::System];

    /// The group's title.
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

    /// The registers of the architecture's table that belong to the group, by name and in order.
    /// The views of SVE are as wide as the architecture allows: a machine's are as wide as the widest that its trace writes.
    /// None for a group that an instruction set does not have; those of [`RegisterGroup::System`] are named by the trace on Arm.
    pub fn registers(self, set: InstructionSet) -> Vec<(String, RegisterView)> {
        let runs: Vec<Run> = match set {
            InstructionSet::A64 => self.a64_runs(),
            InstructionSet::A32 | InstructionSet::T32 => self.a32_runs(),
            InstructionSet::X86_64 | InstructionSet::X86_32 => return self.x86_registers(set),
            InstructionSet::Riscv64 => return self.riscv_registers(),
            InstructionSet::Regdeps => {
                if self == Self::Core {
                    vec![Run::one("pc")]
                } else {
                    vec![]
                }
            }
        };
        let names = runs.iter().flat_map(Run::names);
        names.filter_map(|name| Registers::view(&name, set).map(|view| (name, view))).collect()
    }

    fn a64_runs(self) -> Vec<Run> {
        match self {
            Self::Core => vec![Run::of("x", 31), Run::one("sp"), Run::one("pc"), Run::one("psr")],
            Self::Single => vec![Run::of("s", 32), Run::one("fpcr"), Run::one("fpsr")],
            Self::Double => vec![Run::of("d", 32), Run::one("fpcr"), Run::one("fpsr")],
            Self::Vector => vec![Run::of("v", 32)],
            Self::Scalable => vec![Run::of("z", 32), Run::of("p", 16)],
            Self::System => vec![],
        }
    }

    fn a32_runs(self) -> Vec<Run> {
        match self {
            Self::Core => vec![Run::of("r", 13), Run::one("sp"), Run::one("lr"), Run::one("pc"), Run::one("psr")],
            Self::Single => vec![Run::of("s", 32), Run::one("fpscr")],
            Self::Double => vec![Run::of("d", 32), Run::one("fpscr")],
            Self::Vector => vec![Run::of("q", 16), Run::one("vpr")],
            Self::Scalable | Self::System => vec![],
        }
    }

    /// The register file, in which the general registers come first, then the vectors.
    fn x86_registers(self, set: InstructionSet) -> Vec<(String, RegisterView)> {
        let group = |view: RegisterView| match view.register {
            id if (RegisterId::V0..RegisterId::P0).contains(&id) => Self::Vector,
            id if id.0 < 16 => Self::Core,
            RegisterId::SP | RegisterId::PC | RegisterId::PSR => Self::Core,
            _ => Self::System,
        };
        Registers::shown(set).into_iter().filter(|(_, view)| group(*view) == self).collect()
    }

    fn riscv_registers(self) -> Vec<(String, RegisterView)> {
        let is_float = |view: RegisterView| view.register >= RegisterId::V0 || view.register == RegisterId::FPSCR;
        let group = |view: RegisterView| if is_float(view) { Self::Double } else { Self::Core };
        let shown = Registers::shown(InstructionSet::Riscv64);
        shown.into_iter().filter(|(_, view)| group(*view) == self).collect()
    }

    /// The group of a register outside the table, by the name that the trace gives it.
    pub fn of_named(name: &str) -> Self {
        let is_scalable = matches!(name, "ffr" | "za" | "zt0") || is_tile(name);
        if is_scalable { Self::Scalable } else { Self::System }
    }

    /// How the values of the group can be read, the usual way first.
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

/// A tile or slice of SME's array: `za0`, `za1h`, `zav3`.
fn is_tile(name: &str) -> bool {
    let rest = name.strip_prefix("za").unwrap_or_default();
    !rest.is_empty() && rest.bytes().all(|byte| byte.is_ascii_digit() || matches!(byte, b'h' | b'v'))
}

/// `x0` … `x30`, or one register without a number.
struct Run {
    prefix: &'static str,
    /// None: the prefix is the whole name.
    count: Option<u16>,
}

impl Run {
    const fn of(prefix: &'static str, count: u16) -> Self {
        Self { prefix, count: Some(count) }
    }

    const fn one(name: &'static str) -> Self {
        Self { prefix: name, count: None }
    }

    fn names(&self) -> impl Iterator<Item = String> {
        (0..self.count.unwrap_or(1)).map(|number| match self.count {
            Some(_) => format!("{}{number}", self.prefix),
            None => self.prefix.to_owned(),
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(group: RegisterGroup, set: InstructionSet, expected: &str) {
        let registers = group.registers(set);
        let name = |place: Option<&(String, RegisterView)>| place.map_or("-".into(), |(name, _)| name.clone());
        let found = format!("{} {}..{}", registers.len(), name(registers.first()), name(registers.last()));
        assert_eq!(found, expected, "{group:?} {set:?}");
    }

    #[test]
    fn each_group_has_its_registers_in_both_states() {
        use InstructionSet::{A32, A64, Regdeps, Riscv64, X86_32, X86_64};
        check(RegisterGroup::Core, A64, "34 x0..psr");
        check(RegisterGroup::Core, A32, "17 r0..psr");
        check(RegisterGroup::Single, A64, "34 s0..fpsr");
        check(RegisterGroup::Single, A32, "33 s0..fpscr");
        check(RegisterGroup::Double, A64, "34 d0..fpsr");
        check(RegisterGroup::Double, A32, "33 d0..fpscr");
        check(RegisterGroup::Vector, A64, "32 v0..v31");
        check(RegisterGroup::Vector, A32, "17 q0..vpr");
        check(RegisterGroup::Scalable, A64, "48 z0..p15");
        check(RegisterGroup::System, A64, "0 -..-");
        check(RegisterGroup::Core, X86_64, "18 rax..rflags");
        check(RegisterGroup::Core, X86_32, "10 eax..eflags");
        check(RegisterGroup::Vector, X86_64, "16 xmm0..xmm15");
        check(RegisterGroup::System, X86_64, "9 mxcsr..gs");
        check(RegisterGroup::Core, Riscv64, "32 ra..pc");
        check(RegisterGroup::Double, Riscv64, "33 ft0..fcsr");
        check(RegisterGroup::Core, Regdeps, "1 pc..pc");
    }

    #[test]
    fn the_register_file_shows_nothing_that_is_in_no_group() {
        use InstructionSet::{A32, A64, Regdeps, Riscv64, T32, X86_32, X86_64};
        for set in [A64, A32, T32, X86_64, X86_32, Riscv64, Regdeps] {
            let grouped: Vec<_> = RegisterGroup::ALL.iter().flat_map(|group| group.registers(set)).collect();
            for shown in Registers::shown(set) {
                assert!(grouped.contains(&shown), "{shown:?}");
            }
        }
    }

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
