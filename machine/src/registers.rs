//! The registers of each architecture as one byte space for each thread.
//!
//! The views of a register share its bytes: `w3` is the low half of `x3`, and in AArch32 `s5` is bytes 4 to 8 of `d2`, which is the low half of `v1`.
//! A write follows the architecture: one of `w3` makes the upper half of `x3` zero, and in AArch64 one of `s5` or `d5` the rest of `v5`
//! (but for the bytes above 16 of an SVE register, whose length the trace does not tell).
//! On x86 one of `eax` makes the upper half of `rax` zero, those of `ax`, `al` and `ah` leave the rest.
//! A register that the table does not know (a system register, a bank such as `r13_svc`) gets a number of its own when the trace first names it.
//!
//! ```
//! use crate::{InstructionSet, Registers};
//! let w3 = Registers::view("W3", InstructionSet::A64).unwrap();
//! let x3 = Registers::view("x3", InstructionSet::A64).unwrap();
//! assert_eq!(w3.register, x3.register);
//! assert_eq!((w3.offset, w3.size_bytes, x3.size_bytes), (0, 4, 8));
//! ```

use std::collections::HashMap;
use std::sync::LazyLock;

use crate::riscv::registers as riscv;
use crate::set::InstructionSet;
use crate::view::{RegisterId, RegisterView};
use crate::x86::registers as x86;

/// The tables of the architectures.
#[derive(Clone, Copy, Debug)]
pub struct Registers;

impl Registers {
    /// The view that a name stands for in an instruction set, in any case; none when the tables do not know it.
    pub fn view(name: &str, set: InstructionSet) -> Option<RegisterView> {
        let lower = name.to_ascii_lowercase();
        match set {
            InstructionSet::X86_64 | InstructionSet::X86_32 => x86::view(&lower, set),
            InstructionSet::Riscv64 => riscv::view(&lower),
            InstructionSet::Regdeps => (lower == "pc").then_some(RegisterView::new(RegisterId::PC, 0, 8)),
            _ => fixed_view(&lower, set).or_else(|| numbered_view(&lower, set)),
        }
    }

    /// The registers that a register file shows, with their names, in the order of the architecture.
    pub fn shown(set: InstructionSet) -> Vec<(String, RegisterView)> {
        let names: Vec<String> = match set {
            InstructionSet::A64 => numbered("x", 31)
                .chain(fixed(&["sp", "pc", "psr"]))
                .chain(numbered("v", 32))
                .chain(fixed(&["fpcr", "fpsr"]))
                .collect(),
            InstructionSet::A32 | InstructionSet::T32 => numbered("r", 13)
                .chain(fixed(&["sp", "lr", "pc", "psr"]))
                .chain(numbered("d", 32))
                .chain(numbered("s", 32))
                .chain(fixed(&["fpscr"]))
                .collect(),
            InstructionSet::X86_64 => {
                fixed(&x86::SHOWN_64).chain(numbered("xmm", 16)).chain(fixed(&x86::SYSTEM)).collect()
            }
            InstructionSet::X86_32 => {
                fixed(&x86::SHOWN_32).chain(numbered("xmm", 8)).chain(fixed(&x86::SYSTEM)).collect()
            }
            // The first is always 0.
            InstructionSet::Riscv64 => fixed(&riscv::GENERAL)
                .skip(1)
                .chain(fixed(&["pc"]))
                .chain(fixed(&riscv::FLOAT))
                .chain(fixed(&["fcsr"]))
                .collect(),
            InstructionSet::Regdeps => fixed(&["pc"]).collect(),
        };
        let view = |name: String| Self::view(&name, set).map(|view| (name, view));
        names.into_iter().filter_map(view).collect()
    }

    /// The name under which a view of the table is shown: `x3` for all of it, `w3` for its low half,
    /// `z3` and `p3` at any width that an implementation of SVE may have.
    /// None for parts that have no name and for registers outside the table.
    pub fn name(view: RegisterView, set: InstructionSet) -> Option<&'static str> {
        let names = match set {
            InstructionSet::A64 => &A64_NAMES,
            InstructionSet::A32 | InstructionSet::T32 => &A32_NAMES,
            InstructionSet::X86_64 => &X86_64_NAMES,
            InstructionSet::X86_32 => &X86_32_NAMES,
            InstructionSet::Riscv64 => &RISCV_NAMES,
            InstructionSet::Regdeps => &REGDEPS_NAMES,
        };
        let scalable = || scalable_view(view).filter(|_| set.is_arm());
        names.get(&view).or_else(|| names.get(&scalable()?)).map(String::as_str)
    }
}

static A64_NAMES: LazyLock<HashMap<RegisterView, String>> = LazyLock::new(|| all_names(InstructionSet::A64));
static A32_NAMES: LazyLock<HashMap<RegisterView, String>> = LazyLock::new(|| all_names(InstructionSet::A32));
static X86_64_NAMES: LazyLock<HashMap<RegisterView, String>> = LazyLock::new(|| all_names(InstructionSet::X86_64));
static X86_32_NAMES: LazyLock<HashMap<RegisterView, String>> = LazyLock::new(|| all_names(InstructionSet::X86_32));
static RISCV_NAMES: LazyLock<HashMap<RegisterView, String>> = LazyLock::new(|| all_names(InstructionSet::Riscv64));
static REGDEPS_NAMES: LazyLock<HashMap<RegisterView, String>> = LazyLock::new(|| all_names(InstructionSet::Regdeps));

/// The whole SVE register whose low part a view is; none for parts that NEON names and for other registers.
fn scalable_view(view: RegisterView) -> Option<RegisterView> {
    let is_vector = (RegisterId::V0..RegisterId::P0).contains(&view.register) && view.size_bytes > 16;
    let is_predicate = (RegisterId::P0..RegisterId::FIRST_NAMED).contains(&view.register);
    let size_bytes = if is_vector { 256 } else { 32 };
    let is_scalable = view.offset == 0 && (is_vector || is_predicate) && view.size_bytes <= size_bytes;
    is_scalable.then_some(RegisterView { size_bytes, ..view })
}

/// Every view that has a name, with the best of its names: that of the register file, else the usual one of its width.
fn all_names(set: InstructionSet) -> HashMap<RegisterView, String> {
    let others: Vec<String> = match set {
        InstructionSet::X86_64 | InstructionSet::X86_32 => {
            let parts = (8..16).flat_map(|number| ["d", "w", "b"].map(|suffix| format!("r{number}{suffix}")));
            let vectors = ["xmm", "ymm", "zmm", "k", "st", "mm"].into_iter().flat_map(|prefix| numbered(prefix, 32));
            x86::fixed_names(set).map(str::to_owned).chain(parts).chain(vectors).collect()
        }
        InstructionSet::Riscv64 => fixed(&["zero", "fflags"]).collect(),
        InstructionSet::Regdeps => Vec::new(),
        InstructionSet::A64 | InstructionSet::A32 | InstructionSet::T32 => {
            let prefixes = ["w", "r", "x", "q", "d", "s", "h", "b", "z", "p"];
            let parts = prefixes.into_iter().flat_map(|prefix| numbered(prefix, 32));
            fixed(&["wsp", "xsp", "fpscr", "fpcr", "fpsr", "vpr"]).chain(parts).collect()
        }
    };
    let others = others.into_iter().filter_map(|name| Registers::view(&name, set).map(|view| (name, view)));
    let mut names = HashMap::new();
    for (name, view) in Registers::shown(set).into_iter().chain(others) {
        names.entry(view).or_insert(name);
    }
    names
}

fn numbered(prefix: &'static str, count: u16) -> impl Iterator<Item = String> {
    (0..count).map(move |number| format!("{prefix}{number}"))
}

fn fixed(names: &'static [&'static str]) -> impl Iterator<Item = String> {
    names.iter().map(ToString::to_string)
}

fn fixed_view(name: &str, set: InstructionSet) -> Option<RegisterView> {
    let word = set.word_bytes();
    let (register, size_bytes) = match name {
        "sp" | "r13" => (RegisterId::SP, word),
        "xsp" => (RegisterId::SP, 8),
        "wsp" => (RegisterId::SP, 4),
        "lr" | "r14" if set == InstructionSet::A64 => (RegisterId(30), word),
        "lr" | "r14" => (RegisterId::LR, word),
        "pc" | "r15" => (RegisterId::PC, word),
        "psr" | "cpsr" | "xpsr" | "pstate" => (RegisterId::PSR, 4),
        "fpscr" => (RegisterId::FPSCR, 4),
        "fpcr" => (RegisterId::FPCR, 4),
        "fpsr" => (RegisterId::FPSR, 4),
        "vpr" => (RegisterId::VPR, 4),
        _ => return None,
    };
    Some(RegisterView::new(register, 0, size_bytes))
}

fn numbered_view(name: &str, set: InstructionSet) -> Option<RegisterView> {
    let digits =
        name.get(1..).filter(|digits| !digits.is_empty() && digits.bytes().all(|byte| byte.is_ascii_digit()))?;
    if digits.len() > 1 && digits.starts_with('0') {
        return None;
    }
    let number: u16 = digits.parse().ok()?;
    let is_a64 = set == InstructionSet::A64;
    let part = |first: RegisterId, count: u16, size_bytes: u16| {
        (number < count).then(|| RegisterView::new(RegisterId(first.0 + number), 0, size_bytes))
    };
    // In AArch32 d and s are packed: d1 is the upper half of q0 (Arm ARM, "The SIMD and floating-point register file").
    let packed = |size_bytes: u16| {
        let in_one = 16 / size_bytes;
        (number < 32).then(|| {
            RegisterView::new(RegisterId(RegisterId::V0.0 + number / in_one), number % in_one * size_bytes, size_bytes)
        })
    };
    match name.as_bytes().first()? {
        b'x' | b'e' => part(RegisterId::X0, 31, 8),
        b'w' => part(RegisterId::X0, 31, 4),
        b'r' => part(RegisterId::X0, 13, 4),
        b'v' | b'q' => part(RegisterId::V0, 32, 16),
        b'd' if is_a64 => part(RegisterId::V0, 32, 8),
        b's' if is_a64 => part(RegisterId::V0, 32, 4),
        b'd' => packed(8),
        b's' => packed(4),
        b'h' => part(RegisterId::V0, 32, 2),
        b'b' => part(RegisterId::V0, 32, 1),
        b'z' => part(RegisterId::V0, 32, 256),
        b'p' => part(RegisterId::P0, 16, 32),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(name: &str, set: InstructionSet, expected: Option<(u16, u16, u16)>) {
        let found = Registers::view(name, set).map(|view| (view.register.0, view.offset, view.size_bytes));
        assert_eq!(found, expected, "{name}");
    }

    #[test]
    fn views_of_one_register_share_its_bytes() {
        check("x3", InstructionSet::A64, Some((3, 0, 8)));
        check("W3", InstructionSet::A64, Some((3, 0, 4)));
        check("r3", InstructionSet::A32, Some((3, 0, 4)));
        check("d21", InstructionSet::A64, Some((61, 0, 8)));
        check("d21", InstructionSet::A32, Some((50, 8, 8)));
        check("s21", InstructionSet::T32, Some((45, 4, 4)));
        check("lr", InstructionSet::A64, Some((30, 0, 8)));
        check("lr", InstructionSet::A32, Some((32, 0, 4)));
        check("cpsr", InstructionSet::A64, Some((34, 0, 4)));
        check("xPSR", InstructionSet::T32, Some((34, 0, 4)));
    }

    #[test]
    fn names_outside_the_table_are_not_guessed() {
        for name in ["x31", "e45", "r16", "s3_0_c15_c2_0", "x", "x00", "", "é", "r1.foo"] {
            check(name, InstructionSet::A64, None);
        }
    }

    #[test]
    fn every_shown_register_has_its_name() {
        use InstructionSet::{A32, A64, Regdeps, Riscv64, T32, X86_32, X86_64};
        for set in [A64, A32, T32, X86_64, X86_32, Riscv64, Regdeps] {
            for (name, view) in Registers::shown(set) {
                assert_eq!(Registers::name(view, set), Some(name.as_str()));
            }
        }
        assert_eq!(Registers::name(RegisterView::new(RegisterId(3), 1, 1), X86_64), Some("bh"));
        assert_eq!(Registers::name(RegisterView::new(RegisterId::V0, 0, 32), X86_64), Some("ymm0"));
        assert_eq!(Registers::name(RegisterView::new(RegisterId(3), 0, 4), InstructionSet::A64), Some("w3"));
    }

    #[test]
    fn registers_of_sve_have_their_names_at_any_width() {
        let name = |register, offset, size_bytes| {
            Registers::name(RegisterView::new(register, offset, size_bytes), InstructionSet::A64)
        };
        assert_eq!([16, 32, 48, 256].map(|size| name(RegisterId::V0, 0, size)), ["v0", "z0", "z0", "z0"].map(Some));
        assert_eq!([2, 4, 32].map(|size| name(RegisterId(RegisterId::P0.0 + 15), 0, size)), [Some("p15"); 3]);
        assert_eq!([name(RegisterId::V0, 16, 16), name(RegisterId::V0, 0, 257), name(RegisterId(3), 0, 16)], [None; 3]);
    }
}
