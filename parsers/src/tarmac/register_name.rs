//! Meaning of the register names of Tarmac.
//!
//! Besides the names of the architecture's table, Tarmac has names of *banks*: `r13_svc`, `MSP`,
//! `SP_EL1`. A write to a bank is a write to the plain register if that bank is in use, which the
//! mode word of the instruction determines.

use stepback_machine::{Bank, BankedRegister, InstructionSet, Mode, RegisterView, Registers};

use crate::events::WrittenName;

/// A register whose location and width are known by its name.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct KnownRegister {
    /// Plain register.
    pub view: RegisterView,
    /// Format of its value.
    pub kind: ValueKind,
    /// Bank that the name selects.
    pub bank: Option<Bank>,
    /// True if the current security state decides which bank it means.
    pub is_state_banked: bool,
}

/// Writes that a line makes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct LineWrites {
    /// Write to the plain register.
    pub plain: Option<WrittenName>,
    /// Write to the separate register with the full name of the bank.
    pub bank: Option<WrittenName>,
}

/// Format of a register's value, and its effect on the rest of the register.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) enum ValueKind {
    /// All digits; surplus leading zeros are dropped.
    #[default]
    Core,
    /// Like [`Self::Core`] with four bytes; the upper half of the register becomes zero.
    Extended,
    /// `sp`, `lr` and `pc` of AArch64: eight bytes, or four that are zero-extended.
    Pointer,
    /// Exactly its digits, and the rest of the register's 16 bytes becomes zero: `s5` and `d5` of
    /// AArch64.
    Scalar,
    /// Any number of digits; the low 32 bits count.
    Status,
    /// Exactly its digits.
    Vector,
    /// As many digits as the implementation's vectors have.
    Scalable,
}

impl KnownRegister {
    /// Returns the writes of a line in a mode. A suffix that selects no bank is another spelling of
    /// the plain name.
    #[inline]
    pub fn names_in(self, mode: Mode) -> LineWrites {
        let (own, copy) = (Some(WrittenName::Own), Some(WrittenName::BankCopy));
        match self.bank {
            None => LineWrites {
                plain: own,
                bank: None,
            },
            Some(Bank::Other) => LineWrites {
                plain: own,
                bank: copy,
            },
            Some(bank) if bank.is_in_use(mode) => LineWrites {
                plain: Some(WrittenName::OfBank),
                bank: copy,
            },
            Some(_) => LineWrites {
                plain: None,
                bank: own,
            },
        }
    }

    /// Returns the register of a lower-case name; `None` for names outside the architecture's
    /// table.
    pub fn named(name: &[u8], set: InstructionSet) -> Option<Self> {
        let text = std::str::from_utf8(name).ok()?;
        // gem5 gives the AArch32 registers `W` names if the processor has AArch64 too.
        let text = match text {
            "w13" if set.word_bytes() < 8 => "r13",
            "w14" if set.word_bytes() < 8 => "r14",
            _ => text,
        };
        match Registers::view(text, set) {
            Some(view) => {
                let (kind, bank) = (value_kind(text, set), bank_of_spelling(text));
                Some(Self {
                    view,
                    kind,
                    bank,
                    is_state_banked: false,
                })
            }
            None => banked(text, set).or_else(|| respelled(text, set)),
        }
    }
}

/// Returns the bank of an alternative name of the status register. These names are shown besides
/// `psr`, like banks of other registers.
fn bank_of_spelling(name: &str) -> Option<Bank> {
    matches!(name, "xpsr" | "pstate").then_some(Bank::Other)
}

/// Returns the register of a name with leading zeros, an underscore or a dotted suffix: `r00`,
/// `x_0`, `r1.foo`. `s3_0_c15_c2_0` is a different register, a system register.
fn respelled(name: &str, set: InstructionSet) -> Option<KnownRegister> {
    let (prefix, rest) = name
        .split_at_checked(1)
        .filter(|(prefix, _)| "rwxevqdszp".contains(*prefix))?;
    let rest = rest.strip_prefix('_').unwrap_or(rest);
    let (digits, rest) = rest.split_at(rest.bytes().take_while(u8::is_ascii_digit).count());
    let number: u16 = digits
        .parse()
        .ok()
        .filter(|_| rest.is_empty() || rest.starts_with('.'))?;
    let plain = format!("{prefix}{number}");
    let view = Registers::view(&plain, set)?;
    Some(KnownRegister {
        view,
        kind: value_kind(&plain, set),
        bank: None,
        is_state_banked: false,
    })
}

fn value_kind(name: &str, set: InstructionSet) -> ValueKind {
    let is_wide = set.word_bytes() == 8;
    match name {
        "psr" | "cpsr" | "xpsr" | "pstate" | "fpscr" | "fpcr" | "fpsr" | "vpr" => {
            return ValueKind::Status;
        }
        "sp" | "lr" | "pc" | "r13" | "r14" | "r15" if is_wide => return ValueKind::Pointer,
        "sp" | "lr" | "xsp" | "pc" | "sl" | "sb" => return ValueKind::Core,
        _ => {}
    }
    match name.as_bytes().first() {
        Some(b'w') if is_wide => ValueKind::Extended,
        Some(b'd' | b's' | b'h' | b'b') if is_wide => ValueKind::Scalar,
        Some(b'v' | b'q' | b'd' | b's' | b'h' | b'b') => ValueKind::Vector,
        Some(b'z' | b'p') => ValueKind::Scalable,
        _ => ValueKind::Core,
    }
}

/// Returns the plain register and the bank of a name such as `r13_svc`.
fn banked(name: &str, set: InstructionSet) -> Option<KnownRegister> {
    let BankedRegister { plain, bank } = set.banked(name)?;
    let is_state_banked = InstructionSet::is_state_banked_anywhere(name);
    Some(KnownRegister {
        view: plain,
        kind: ValueKind::Core,
        bank: Some(bank),
        is_state_banked,
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use stepback_machine::Mode;

    #[test]
    fn a_bank_is_in_use_unless_the_mode_says_otherwise() {
        let cases = [
            ("sp_el3", "EL3h_s", true),
            ("sp_el1", "EL3h_s", false),
            ("sp_el0", "el1t_n", true),
            ("sp_el1", "el1t_n", false),
            ("sp_el1", "", true),
            ("sp_el0", "svc", false),
            ("r13_svc", "svc_s", true),
            ("r13_irq", "svc_s", false),
            ("r14_usr", "sys", true),
            ("lr_svc", "EL1h_n", false),
            ("r9_fiq", "svc", false),
            ("r9_usr", "svc", true),
            ("r3_usr", "fiq", true),
            ("msp", "thread", true),
            ("psp", "thread", true),
            ("psp_s", "handler", false),
            ("msp_ns", "Handler", true),
            ("sp_main", "svc", true),
        ];
        for (name, mode, expected) in cases {
            let bank = KnownRegister::named(name.as_bytes(), InstructionSet::A32)
                .and_then(|known| known.bank)
                .unwrap();
            assert_eq!(
                bank.is_in_use(Mode::of(mode.as_bytes())),
                expected,
                "{name} in {mode:?}"
            );
        }
    }

    #[test]
    fn other_spellings_are_the_same_register() {
        for (name, plain) in [
            ("r00", "r0"),
            ("x_0", "x0"),
            ("r1.foo", "r1"),
            ("r007", "r7"),
            ("s_05", "s5"),
        ] {
            for set in [InstructionSet::A64, InstructionSet::A32] {
                let [name, plain] =
                    [name, plain].map(|name| KnownRegister::named(name.as_bytes(), set));
                assert_eq!(name, plain);
                assert!(plain.is_some());
            }
        }
    }

    #[test]
    fn names_that_only_look_like_banks_are_not() {
        for name in [
            "lr_el1",
            "elr_el1",
            "spsr_svc",
            "msplim",
            "msplim_s",
            "s3_0_c15_c2_0",
            "x3_usr",
            "r16_usr",
            "nzcv",
            "s3_0_c15_c2_0.x",
            "x",
            "r_",
            "d_99",
        ] {
            assert_eq!(
                KnownRegister::named(name.as_bytes(), InstructionSet::A32),
                None,
                "{name}"
            );
        }
    }
}
