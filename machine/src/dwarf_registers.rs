//! Numbers of registers in DWARF debug information.
//!
//! Each architecture assigns its own numbers. Its table lists runs of them with the names that the
//! registers have in traces.

/// A register of DWARF debug information.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum DwarfRegister {
    /// A register of the trace by its name.
    Named(String),
    /// The register is always 0.
    Zero,
}

/// A run of consecutive DWARF numbers.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct DwarfRegisterRun {
    /// First number.
    first: u16,
    /// Number of numbers.
    count: u16,
    /// Distance between two registers. Numbers between them have no register.
    stride: u16,
    names: RunNames,
}

/// Names of a run.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum RunNames {
    /// A number between two words, from the first one on.
    Numbered {
        prefix: &'static str,
        first: u16,
        suffix: &'static str,
    },
    /// A name for each number.
    Listed(&'static [&'static str]),
    Zero,
}

impl DwarfRegisterRun {
    const fn new(first: u16, count: u16, names: RunNames) -> Self {
        Self {
            first,
            count,
            stride: 1,
            names,
        }
    }

    /// Creates a run of registers that are numbered from 0.
    pub(crate) const fn of(first: u16, prefix: &'static str, count: u16) -> Self {
        Self::from(first, prefix, 0, count)
    }

    /// Creates a run of registers that are numbered from `name` on.
    pub(crate) const fn from(first: u16, prefix: &'static str, name: u16, count: u16) -> Self {
        let names = RunNames::Numbered {
            prefix,
            first: name,
            suffix: "",
        };
        Self::new(first, count, names)
    }

    /// Creates a run of a register bank, such as `r13_svc` and `r14_svc`.
    pub(crate) const fn bank(first: u16, name: u16, count: u16, suffix: &'static str) -> Self {
        let names = RunNames::Numbered {
            prefix: "r",
            first: name,
            suffix,
        };
        Self::new(first, count, names)
    }

    /// Creates a run of registers with these names.
    pub(crate) const fn listed(first: u16, names: &'static [&'static str]) -> Self {
        Self::new(first, names.len() as u16, RunNames::Listed(names))
    }

    /// Creates a register that is always 0.
    pub(crate) const fn zero(first: u16) -> Self {
        Self::new(first, 1, RunNames::Zero)
    }

    /// Leaves out the odd numbers of a run.
    #[must_use]
    pub(crate) const fn even(self) -> Self {
        Self { stride: 2, ..self }
    }

    /// Returns the register with a number; none if it is outside the run.
    pub(crate) fn register(&self, number: u16) -> Option<DwarfRegister> {
        let place = number
            .checked_sub(self.first)
            .filter(|place| *place < self.count && place.is_multiple_of(self.stride))?;
        let name = match self.names {
            RunNames::Numbered {
                prefix,
                first,
                suffix,
            } => format!("{prefix}{}{suffix}", first + place),
            RunNames::Listed(names) => (*names.get(usize::from(place))?).to_owned(),
            RunNames::Zero => return Some(DwarfRegister::Zero),
        };
        Some(DwarfRegister::Named(name))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::registers::Registers;
    use crate::set::InstructionSet;

    /// Compares the register of each number: `0` for the register that is always 0, `-` for none.
    #[track_caller]
    fn check(set: InstructionSet, expected: &[(u16, &str)]) {
        for (number, name) in expected {
            let text = match set.dwarf_register(*number) {
                Some(DwarfRegister::Named(name)) => name,
                Some(DwarfRegister::Zero) => "0".to_owned(),
                None => "-".to_owned(),
            };
            assert_eq!(text, *name, "{set:?} {number}");
        }
    }

    // DWARF for the Arm 64-bit Architecture (AADWARF64), 4.1 "DWARF register names".
    #[test]
    fn numbers_of_aarch64() {
        check(
            InstructionSet::A64,
            &[
                (0, "x0"),
                (29, "x29"),
                (30, "x30"),
                (31, "sp"),
                (32, "pc"),
                (35, "-"),
                (48, "p0"),
                (63, "p15"),
                (64, "v0"),
                (95, "v31"),
                (96, "z0"),
                (127, "z31"),
                (128, "-"),
            ],
        );
    }

    // DWARF for the Arm Architecture (AADWARF32), 4.1 "DWARF register names".
    #[test]
    fn numbers_of_aarch32() {
        for set in [InstructionSet::A32, InstructionSet::T32] {
            check(
                set,
                &[
                    (0, "r0"),
                    (11, "r11"),
                    (13, "sp"),
                    (14, "lr"),
                    (15, "pc"),
                    (16, "-"),
                    (64, "s0"),
                    (95, "s31"),
                    (128, "spsr"),
                    (144, "r8_usr"),
                    (151, "r8_fiq"),
                    (164, "r13_svc"),
                    (165, "r14_svc"),
                    (256, "d0"),
                    (287, "d31"),
                    (288, "-"),
                ],
            );
        }
    }

    // System V ABI, AMD64 supplement, figure 3.36; Intel386 supplement, table 2.14.
    #[test]
    fn numbers_of_x86() {
        check(
            InstructionSet::X86_64,
            &[
                (0, "rax"),
                (1, "rdx"),
                (2, "rcx"),
                (3, "rbx"),
                (4, "rsi"),
                (5, "rdi"),
                (6, "rbp"),
                (7, "rsp"),
                (8, "r8"),
                (15, "r15"),
                (16, "rip"),
                (17, "xmm0"),
                (32, "xmm15"),
                (33, "st0"),
                (41, "mm0"),
                (49, "rflags"),
                (67, "xmm16"),
                (118, "k0"),
                (126, "-"),
            ],
        );
        check(
            InstructionSet::X86_32,
            &[
                (0, "eax"),
                (1, "ecx"),
                (2, "edx"),
                (3, "ebx"),
                (4, "esp"),
                (5, "ebp"),
                (6, "esi"),
                (7, "edi"),
                (8, "eip"),
                (21, "xmm0"),
                (28, "xmm7"),
                (30, "mm1"),
            ],
        );
    }

    // RISC-V ABIs Specification, "DWARF Register Numbers".
    #[test]
    fn numbers_of_riscv() {
        for set in [InstructionSet::Riscv32, InstructionSet::Riscv64] {
            check(
                set,
                &[
                    (0, "0"),
                    (2, "x2"),
                    (8, "x8"),
                    (31, "x31"),
                    (32, "f0"),
                    (63, "f31"),
                    (64, "-"),
                    (96, "v0"),
                    (127, "v31"),
                    (4096 + 0x341, "mepc"),
                ],
            );
        }
    }

    // GCC, `gcc/config/sparc/sparc.h`, "Register usage": DWARF has the numbers of the compiler.
    #[test]
    fn numbers_of_sparc() {
        check(
            InstructionSet::Sparc64,
            &[
                (0, "0"),
                (1, "g1"),
                (8, "o0"),
                (14, "o6"),
                (16, "l0"),
                (24, "i0"),
                (30, "i6"),
                (32, "f0"),
                (63, "f31"),
                (64, "f32"),
                (65, "-"),
                (66, "f34"),
                (94, "f62"),
                (96, "-"),
            ],
        );
    }

    #[test]
    fn general_registers_have_views() {
        for set in InstructionSet::ALL {
            for number in 0..32 {
                let Some(DwarfRegister::Named(name)) = set.dwarf_register(number) else {
                    continue;
                };
                let view = Registers::view(&name, set);
                assert!(
                    view.is_some_and(|view| view.size_bytes >= set.word_bytes()),
                    "{set:?} {number} {name}"
                );
            }
        }
    }
}
