//! Meaning of the register names of Tarmac.
//!
//! Besides the names of the architecture's table, Tarmac has names of *banks*: `r13_svc`, `MSP`,
//! `SP_EL1`. A write to a bank is a write to the plain register if that bank is in use, which the
//! mode word of the instruction determines.
//!
//! [`RegisterTable`] hashes the most frequent names, which avoids comparing them letter by letter.

use std::sync::OnceLock;

use stepback_machine::banks::{Bank, BankedRegister};
use stepback_machine::{InstructionSet, Mode, RegisterView, Registers};

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

/// Known registers with names of at most eight letters, by name, for one instruction set.
#[derive(Debug)]
pub(super) struct RegisterTable {
    /// Slots with open addressing; a key of 0 marks an empty slot.
    places: Vec<RegisterTableSlot>,
}

#[derive(Clone, Copy, Debug, Default)]
struct RegisterTableSlot {
    /// Lower-case name, first letter lowest, padded with zeros.
    key: u64,
    register: KnownRegister,
}

const BITS: u32 = 11;

/// Tables by the number of the instruction set.
static TABLES: [OnceLock<RegisterTable>; InstructionSet::ALL.len()] =
    [const { OnceLock::new() }; InstructionSet::ALL.len()];

impl RegisterTable {
    /// Returns the table of an instruction set.
    #[inline(always)]
    pub fn of(set: InstructionSet) -> &'static Self {
        TABLES[usize::from(set.number())].get_or_init(|| Self::new(set))
    }

    fn new(set: InstructionSet) -> Self {
        let mut table = Self {
            places: vec![RegisterTableSlot::default(); 1 << BITS],
        };
        let numbered = ["x", "w", "r", "e", "v", "q", "d", "s"];
        let numbered = numbered
            .iter()
            .flat_map(|prefix| (0..32).map(move |number| format!("{prefix}{number}")));
        let fixed = [
            "sp", "xsp", "wsp", "lr", "psr", "cpsr", "fpscr", "fpcr", "fpsr", "vpr", "xpsr", "msp",
            "psp", "msp_s", "psp_s", "msp_ns", "psp_ns", "r13_main", "fp",
        ];
        let fixed = fixed.iter().map(ToString::to_string);
        let levels = (0..4).map(|level| format!("sp_el{level}"));
        let modes = ["usr", "svc", "irq", "fiq", "abt", "und"];
        let banks = ["sp", "lr", "r13", "r14"]
            .iter()
            .flat_map(|plain| modes.iter().map(move |mode| format!("{plain}_{mode}")));
        for name in numbered.chain(fixed).chain(levels).chain(banks) {
            table.add(&name, set);
        }
        table
    }

    fn add(&mut self, name: &str, set: InstructionSet) {
        let mut letters = [0; 8];
        let room = letters.get_mut(..name.len());
        let (Some(room), Some(register)) = (room, KnownRegister::named(name.as_bytes(), set))
        else {
            return;
        };
        room.copy_from_slice(name.as_bytes());
        let key = u64::from_le_bytes(letters);
        let mut at = hash(key);
        while self.places.get(at).is_some_and(|place| place.key != 0) {
            at = (at + 1) % self.places.len();
        }
        if let Some(place) = self.places.get_mut(at) {
            *place = RegisterTableSlot { key, register };
        }
    }

    /// Returns the register of a lower-case name, first letter lowest.
    #[inline(always)]
    pub fn find(&self, key: u64) -> Option<&KnownRegister> {
        let mut at = hash(key);
        loop {
            let place = self.places.get(at)?;
            if place.key == key {
                return Some(&place.register);
            }
            if place.key == 0 {
                return None;
            }
            at = (at + 1) % (1 << BITS);
        }
    }
}

/// Fibonacci hashing: the high bits of the product with the golden ratio depend on all bits of the
/// key.
#[inline(always)]
fn hash(key: u64) -> usize {
    (key.wrapping_mul(0x9e37_79b9_7f4a_7c15) >> (64 - BITS)) as usize
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

#[cfg(test)]
mod register_table_tests {
    use super::*;

    #[test]
    fn the_table_says_what_the_names_say() {
        for set in [InstructionSet::A64, InstructionSet::A32] {
            let table = RegisterTable::of(set);
            for name in [
                "x0", "w30", "cpsr", "sp_el3", "r13_svc", "s31", "lr", "x31", "nzcv", "q",
                "elr_el1",
            ] {
                let mut letters = [0; 8];
                letters[..name.len()].copy_from_slice(name.as_bytes());
                let known = KnownRegister::named(name.as_bytes(), set);
                assert_eq!(
                    table.find(u64::from_le_bytes(letters)).copied(),
                    known,
                    "{name}"
                );
            }
        }
    }
}
