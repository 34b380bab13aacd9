//! Register files: the registers of a thread form one space of bytes.
//!
//! The views of a register share its bytes: `w3` is the low half of `x3`, and in AArch32 `s5` is
//! bytes 4 to 8 of `d2`, which is the low half of `v1`.
//! Writes follow the architecture. A write of `w3` zeroes the upper half of `x3`, and in AArch64 a
//! write of `s5` or `d5` zeroes the rest of `v5` (except the bytes above 16 of an SVE register,
//! whose length the trace does not state).
//! On x86 a write of `eax` zeroes the upper half of `rax`; writes of `ax`, `al` and `ah` keep the
//! rest.
//! A register outside the table (a system register, a bank such as `r13_svc`) gets a new number
//! when the trace first names it.
//!
//! ```
//! use stepback_machine::{InstructionSet, RegisterGroup, Registers};
//! let w3 = Registers::view("W3", InstructionSet::A64).unwrap();
//! let x3 = Registers::view("x3", InstructionSet::A64).unwrap();
//! assert_eq!(w3.register, x3.register);
//! assert_eq!((w3.offset, w3.size_bytes, x3.size_bytes), (0, 4, 8));
//! let names = |group: RegisterGroup, set| -> Vec<String> {
//!     Registers::of_group(group, set).into_iter().map(|(name, _)| name).collect()
//! };
//! assert_eq!(names(RegisterGroup::Core, InstructionSet::T32)[12..], ["r12", "sp", "lr", "pc",
//! "psr"]); assert_eq!(names(RegisterGroup::Vector, InstructionSet::A32).last().unwrap(), "vpr");
//! assert!(names(RegisterGroup::Scalable, InstructionSet::A32).is_empty());
//! assert_eq!(RegisterGroup::of_named("ttbr0_el1"), RegisterGroup::System);
//! ```

use std::collections::HashMap;
use std::sync::OnceLock;

use crate::mode::{Mode, WindowChange};
use crate::register_group::RegisterGroup;
use crate::set::InstructionSet;
use crate::{RegisterId, RegisterView};

/// Register tables of the architectures.
#[derive(Clone, Copy, Debug)]
pub struct Registers;

impl Registers {
    /// Returns the view for a name, in any case; none if the tables do not have it.
    pub fn view(name: &str, set: InstructionSet) -> Option<RegisterView> {
        set.register_view(&name.to_ascii_lowercase())
    }

    /// Returns the displayed registers with their names, in architecture order.
    pub fn shown(set: InstructionSet) -> Vec<(String, RegisterView)> {
        let shown = SHOWN.get(usize::from(set.number()));
        let find = || Self::views(set.shown_registers(), set).collect();
        shown.map_or_else(find, |known| known.get_or_init(find).clone())
    }

    /// Returns the registers of a group from the architecture's table, with names and in order.
    ///
    /// SVE views have the maximum architectural width; the actual width is the widest that a trace
    /// writes. Empty for a group that the set does not have. On Arm, the trace names the registers
    /// of [`RegisterGroup::System`].
    pub fn of_group(group: RegisterGroup, set: InstructionSet) -> Vec<(String, RegisterView)> {
        Self::views(set.registers_of(group), set).collect()
    }

    /// Returns the name that a written windowed register has after the instruction: `sp` for the
    /// result of `save`. None for registers outside windows.
    pub fn name_after(
        step: WindowChange,
        written: RegisterView,
        set: InstructionSet,
    ) -> Option<&'static str> {
        // The result does not depend on the current window.
        let mode = Mode::Window {
            current: 0,
            count: 8,
            globals: 0,
        };
        let register = mode
            .after(Some(step))
            .plain_of(mode.home(written.register))?;
        Self::name(
            RegisterView {
                register,
                ..written
            },
            set,
        )
    }

    /// Returns the display name of a view: `x3` for the full register, `w3` for its low half, `z3`
    /// and `p3` at any width that an SVE implementation may have. None for parts without a name and
    /// for registers outside the table.
    pub fn name(view: RegisterView, set: InstructionSet) -> Option<&'static str> {
        let names = NAMES
            .get(usize::from(set.number()))?
            .get_or_init(|| all_names(set));
        names
            .get(&view)
            .or_else(|| names.get(&set.nameable_view(view)?))
            .map(String::as_str)
    }

    /// Returns the name of a register of the table that the register file shows only if the trace
    /// writes it, such as `mepc`; none for all others.
    pub fn name_when_written(register: RegisterId, set: InstructionSet) -> Option<&'static str> {
        if !set.is_shown_when_written(register) {
            return None;
        }
        let sizes = [set.word_bytes(), 4].into_iter();
        sizes
            .map(|size_bytes| RegisterView::new(register, 0, size_bytes))
            .find_map(|view| Self::name(view, set))
    }

    fn views(
        names: Vec<String>,
        set: InstructionSet,
    ) -> impl Iterator<Item = (String, RegisterView)> {
        names
            .into_iter()
            .filter_map(move |name| Self::view(&name, set).map(|view| (name, view)))
    }
}

type RegisterNameTable = HashMap<RegisterView, String>;

/// Names of views, indexed by the number of the set.
static NAMES: [OnceLock<RegisterNameTable>; InstructionSet::ALL.len()] =
    [const { OnceLock::new() }; InstructionSet::ALL.len()];

/// Displayed registers, indexed by the number of the set and built once.
static SHOWN: [OnceLock<Vec<(String, RegisterView)>>; InstructionSet::ALL.len()] =
    [const { OnceLock::new() }; InstructionSet::ALL.len()];

/// Returns every named view with its preferred name: the displayed one, else the usual one for its
/// width.
fn all_names(set: InstructionSet) -> RegisterNameTable {
    let mut names = RegisterNameTable::new();
    for (name, view) in Registers::shown(set)
        .into_iter()
        .chain(Registers::views(set.other_register_names(), set))
    {
        names.entry(view).or_insert(name);
    }
    names
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(name: &str, set: InstructionSet, expected: Option<(u16, u16, u16)>) {
        let found =
            Registers::view(name, set).map(|view| (view.register.0, view.offset, view.size_bytes));
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
        for name in [
            "x31",
            "e45",
            "r16",
            "s3_0_c15_c2_0",
            "x",
            "x00",
            "",
            "é",
            "r1.foo",
        ] {
            check(name, InstructionSet::A64, None);
        }
    }

    #[test]
    fn every_shown_register_has_its_name() {
        use InstructionSet::X86_64;
        for set in InstructionSet::ALL {
            for (name, view) in Registers::shown(set) {
                assert_eq!(Registers::name(view, set), Some(name.as_str()));
            }
        }
        assert_eq!(
            Registers::name(RegisterView::new(RegisterId(3), 1, 1), X86_64),
            Some("bh")
        );
        assert_eq!(
            Registers::name(RegisterView::new(RegisterId::V0, 0, 32), X86_64),
            Some("ymm0")
        );
        assert_eq!(
            Registers::name(RegisterView::new(RegisterId(3), 0, 4), InstructionSet::A64),
            Some("w3")
        );
    }

    #[test]
    fn registers_of_sve_have_their_names_at_any_width() {
        let name = |register, offset, size_bytes| {
            Registers::name(
                RegisterView::new(register, offset, size_bytes),
                InstructionSet::A64,
            )
        };
        assert_eq!(
            [16, 32, 48, 256].map(|size| name(RegisterId::V0, 0, size)),
            ["v0", "z0", "z0", "z0"].map(Some)
        );
        assert_eq!(
            [2, 4, 32].map(|size| name(RegisterId(RegisterId::P0.0 + 15), 0, size)),
            [Some("p15"); 3]
        );
        assert_eq!(
            [
                name(RegisterId::V0, 16, 16),
                name(RegisterId::V0, 0, 257),
                name(RegisterId(3), 0, 16)
            ],
            [None; 3]
        );
    }

    #[test]
    fn control_registers_are_shown_when_the_trace_writes_them() {
        for set in [InstructionSet::Riscv32, InstructionSet::Riscv64] {
            for name in ["mepc", "v8", "frm", "pmpaddr63"] {
                let view = Registers::view(name, set).unwrap();
                assert_eq!(Registers::name_when_written(view.register, set), Some(name));
            }
            for name in ["a0", "ft1", "pc", "fcsr"] {
                let view = Registers::view(name, set).unwrap();
                assert_eq!(Registers::name_when_written(view.register, set), None);
            }
        }
    }

    #[track_caller]
    fn check_group(group: RegisterGroup, set: InstructionSet, expected: &str) {
        let registers = Registers::of_group(group, set);
        let name = |place: Option<&(String, RegisterView)>| {
            place.map_or("-".into(), |(name, _)| name.clone())
        };
        let found = format!(
            "{} {}..{}",
            registers.len(),
            name(registers.first()),
            name(registers.last())
        );
        assert_eq!(found, expected, "{group:?} {set:?}");
    }

    #[test]
    fn each_group_has_its_registers_in_both_states() {
        use InstructionSet::{A32, A64, Regdeps, Riscv32, Riscv64, Sparc64, X86_32, X86_64};
        check_group(RegisterGroup::Core, A64, "34 x0..psr");
        check_group(RegisterGroup::Core, A32, "17 r0..psr");
        check_group(RegisterGroup::Single, A64, "34 s0..fpsr");
        check_group(RegisterGroup::Single, A32, "33 s0..fpscr");
        check_group(RegisterGroup::Double, A64, "34 d0..fpsr");
        check_group(RegisterGroup::Double, A32, "33 d0..fpscr");
        check_group(RegisterGroup::Vector, A64, "32 v0..v31");
        check_group(RegisterGroup::Vector, A32, "17 q0..vpr");
        check_group(RegisterGroup::Scalable, A64, "48 z0..p15");
        check_group(RegisterGroup::System, A64, "0 -..-");
        check_group(RegisterGroup::Core, X86_64, "18 rax..rflags");
        check_group(RegisterGroup::Core, X86_32, "10 eax..eflags");
        check_group(RegisterGroup::Vector, X86_64, "16 xmm0..xmm15");
        check_group(RegisterGroup::System, X86_64, "9 mxcsr..gs");
        check_group(RegisterGroup::Core, Riscv64, "32 ra..pc");
        check_group(RegisterGroup::Double, Riscv64, "33 ft0..fcsr");
        check_group(RegisterGroup::Core, Riscv32, "32 ra..pc");
        check_group(RegisterGroup::Double, Riscv32, "33 ft0..fcsr");
        check_group(RegisterGroup::Core, Regdeps, "255 pc..rv252");
        check_group(RegisterGroup::Core, Sparc64, "33 g1..psr");
        check_group(RegisterGroup::Single, Sparc64, "34 f0..gsr");
        check_group(RegisterGroup::Double, Sparc64, "34 d0..gsr");
        check_group(RegisterGroup::System, Sparc64, "69 npc..htstate7");
    }

    #[test]
    fn the_register_file_shows_nothing_that_is_in_no_group() {
        for set in InstructionSet::ALL {
            let grouped: Vec<_> = RegisterGroup::ALL
                .iter()
                .flat_map(|group| Registers::of_group(*group, set))
                .collect();
            for shown in Registers::shown(set) {
                assert!(grouped.contains(&shown), "{shown:?}");
            }
        }
    }
}
