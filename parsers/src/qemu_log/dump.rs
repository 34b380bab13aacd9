//! Register dumps in logs of `-d cpu` ([`RegisterDump`]).

use stepback_machine::{InstructionSet, RegisterId, RegisterView, Registers};

use crate::qemu_log::text_set::set_of_register;
use crate::text::digits::{hex, is_hex};
use crate::text::window::lines_of;
use crate::text::words::little_endian;

/// Longest register value in bytes.
const VALUE_BYTES: usize = 256;

/// A register and its digits.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct DumpedRegister {
    /// Name in the way of gdb, in lower case.
    pub name: String,
    /// Value, most significant digit first.
    pub digits: Vec<u8>,
}

/// Registers of a dump, in its order.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct RegisterDump {
    pub registers: Vec<DumpedRegister>,
    /// Program status register of Arm.
    pub status: Option<u64>,
}

impl RegisterDump {
    /// Reads the lines of a dump.
    pub fn of(lines: &[u8]) -> Self {
        let mut dump = Self::default();
        for line in lines_of(lines) {
            dump.line(line);
        }
        dump
    }

    /// Reads those lines of two dumps that differ, and the status of the first.
    pub fn of_changed_lines(before: &[u8], after: &[u8]) -> (Self, Self) {
        if lines_of(before).count() != lines_of(after).count() {
            return (Self::of(before), Self::of(after));
        }
        let mut dumps = (Self::default(), Self::default());
        for (one, other) in lines_of(before).zip(lines_of(after)) {
            let has_status = matches!(one, [b'P', b'S', ..] | [b'X', b'P', ..]);
            if one != other || has_status {
                dumps.0.line(one);
                dumps.1.line(other);
            }
        }
        dumps
    }

    /// Adds a line: pairs `NAME=DIGITS`, or `NAME DIGITS` with names such as `x1/ra`.
    fn line(&mut self, line: &[u8]) {
        let text = String::from_utf8_lossy(line).replace(" =", "=");
        let words: Vec<&str> = text.split_ascii_whitespace().collect();
        if text.contains('=') {
            for word in words {
                if let Some((name, value)) = word.split_once('=') {
                    self.push(name, value);
                }
            }
            return;
        }
        for pair in words.chunks(2) {
            if let [name, value] = pair {
                let (name, other) = name.split_once('/').unwrap_or((name, ""));
                if other != "zero" {
                    self.push(name, value);
                }
            }
        }
    }

    fn push(&mut self, name: &str, value: &str) {
        // Of the status register of Arm only the flags: its mode would select banks, which logs of
        // QEMU do not have.
        if let "PSTATE" | "PSR" | "XPSR" = name {
            self.status = hex(value.as_bytes());
        }
        if let "PSTATE" | "PSR" = name {
            let flags = value
                .get(..2)
                .filter(|_| value.len() == 8)
                .unwrap_or_default();
            if is_hex(flags.as_bytes()) {
                self.registers.push(DumpedRegister {
                    name: "nzcv".to_owned(),
                    digits: flags.as_bytes().to_vec(),
                });
            }
            return;
        }
        // A value that ends in a colon lacks its low half.
        let value = if value.ends_with(':') { "" } else { value };
        let digits = value.replace(':', "").into_bytes();
        if let Some(name) = plain_name(name).filter(|_| is_hex(&digits) && digits.len() >= 8) {
            self.registers.push(DumpedRegister { name, digits });
        }
    }

    /// Returns the instruction set to which the registers belong.
    pub fn set(&self) -> Option<InstructionSet> {
        let is_riscv = self.find("x31").is_some() && self.find("mstatus").is_some()
            || self.find("x31").is_some() && self.find("x30").is_some();
        if is_riscv {
            let digits = self.find("x31").map_or(0, |register| register.digits.len());
            return set_of_register("ra", digits);
        }
        self.registers
            .iter()
            .find_map(|register| set_of_register(&register.name, register.digits.len()))
    }

    /// Returns the register with a name.
    pub fn find(&self, name: &str) -> Option<&DumpedRegister> {
        self.registers.iter().find(|register| register.name == name)
    }
}

/// Returns the name that the architecture uses: `X00` is `x0`.
fn plain_name(name: &str) -> Option<String> {
    let lower = name.to_ascii_lowercase();
    let at = lower.find(|letter: char| letter.is_ascii_digit());
    let plain = match at {
        Some(at) if at > 0 => {
            let (letters, digits) = lower.split_at(at);
            let number: u16 = digits.parse().ok()?;
            format!("{letters}{number}")
        }
        _ => lower,
    };
    // Segments and debugging registers of x86, and flags that QEMU computes late.
    let is_left_out = matches!(
        &*plain,
        "es" | "cs"
            | "ss"
            | "ds"
            | "fs"
            | "gs"
            | "ldt"
            | "tr"
            | "gdt"
            | "idt"
            | "ccs"
            | "ccd"
            | "cco"
            | "efer"
            | "rfl"
            | "efl"
    ) || plain.starts_with("dr")
        || plain.starts_with("cr");
    (!is_left_out).then_some(plain)
}

/// Returns the view of a dumped register, and converts its value; none for the program counter.
pub(super) fn value_of(
    register: &DumpedRegister,
    set: InstructionSet,
) -> Option<(RegisterView, Vec<u8>)> {
    let view = match &*register.name {
        "nzcv" => RegisterView::new(RegisterId::PSR, 3, 1),
        name => Registers::view(name, set).filter(|view| view.register != RegisterId::PC)?,
    };
    let mut bytes = [0; VALUE_BYTES];
    let value = little_endian(&register.digits, &mut bytes)?;
    let size_bytes = view.size_bytes.min(value.len() as u16);
    Some((
        RegisterView { size_bytes, ..view },
        value.get(..usize::from(size_bytes))?.to_vec(),
    ))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(lines: &str, set: InstructionSet, name: &str, digits: &str) {
        let dump = RegisterDump::of(lines.as_bytes());
        assert_eq!(dump.set(), Some(set), "{dump:?}");
        let found = dump.find(name).map(|register| register.digits.clone());
        assert_eq!(found.as_deref(), Some(digits.as_bytes()), "{dump:?}");
    }

    #[test]
    fn each_target_has_its_form() {
        check(
            " PC=0000000000400120 X00=0000000000000001 X01=0000000000000002\nX02=0000000000000003\n SP=0000000000000004\nPSTATE=40000000 -Z-- EL0t\n",
            InstructionSet::A64,
            "x2",
            "0000000000000003",
        );
        check(
            "R00=00000001 R01=00000002 R02=00000003 R03=00000004\nR13=0000d3a0 R14=00008164 R15=00008160\nPSR=20000010 --C- A usr32\n",
            InstructionSet::A32,
            "r13",
            "0000d3a0",
        );
        check(
            "RAX=0000000000000001 RBX=0000000000000002\nR8 =0000000000000003 R9 =0000000000000004\nRIP=0000000000401000 RFL=00000202 [-------] CPL=3\n",
            InstructionSet::X86_64,
            "r8",
            "0000000000000003",
        );
        check(
            " pc       00000000000100ec\n x0/zero  0000000000000000 x1/ra    0000000000000001 x2/sp 0000000000000002 x3/gp 0000000000000003\n x28/t3 0000000000000000 x29/t4 0000000000000000 x30/t5 0000000000000000 x31/t6   0000000000000007\n",
            InstructionSet::Riscv64,
            "x31",
            "0000000000000007",
        );
    }
}
