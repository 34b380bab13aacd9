//! Text of instructions that the disassembler does not know, and of control registers.

use crate::riscv::csr::csr_name;
use crate::riscv::registers::{FLOAT, GENERAL};
use crate::riscv::scalar_names::ScalarName;
use crate::riscv::vector_forms::VectorForm;
use crate::riscv::xlen::Xlen;

/// Returns the text of a 4-byte instruction of an extension.
pub fn extension_text(opcode: u32, xlen: Xlen) -> Option<String> {
    let text = OperandText { opcode, xlen };
    if let Some(form) = VectorForm::of(opcode) {
        return Some(text.with_operands(&form.mnemonic, form.operands));
    }
    if let Some(name) = ScalarName::of(opcode, xlen) {
        let mnemonic = format!("{}{}", name.mnemonic, text.ordering());
        return Some(text.with_operands(&mnemonic, name.operands));
    }
    text.may_be_operation()
}

/// Returns the text of a compressed instruction of Zcb or Zcmop.
pub fn compressed_text(half: u16) -> Option<String> {
    let field = |first: u32, width: u32| u32::from(half) >> first & ((1 << width) - 1);
    let register = |first| general_name(8 + field(first, 3));
    let (base, data) = (register(7), register(2));
    let byte_offset = field(6, 1) | field(5, 1) << 1;
    let half_offset = field(5, 1) << 1;
    Some(match (half & 3, half >> 13, field(10, 3)) {
        (0, 4, 0) => format!("c.lbu {data}, {byte_offset}({base})"),
        (0, 4, 1) if field(6, 1) == 0 => format!("c.lhu {data}, {half_offset}({base})"),
        (0, 4, 1) => format!("c.lh {data}, {half_offset}({base})"),
        (0, 4, 2) => format!("c.sb {data}, {byte_offset}({base})"),
        (0, 4, 3) => format!("c.sh {data}, {half_offset}({base})"),
        (1, 3, _) if half & 0xf8ff == 0x6081 => format!("c.mop.{}", field(7, 5)),
        (1, 4, 7) if field(5, 2) == 2 => format!("c.mul {base}, {data}"),
        (1, 4, 7) if field(5, 2) == 3 => {
            let names = ["zext.b", "sext.b", "zext.h", "sext.h", "zext.w", "not"];
            let name = names.get(usize::try_from(field(2, 3)).ok()?)?;
            format!("c.{name} {base}")
        }
        _ => return None,
    })
}

/// Replaces the number of a control register, which the disassembler does not know, in its text.
pub fn with_csr_name(opcode: u32, operands: &str) -> Option<String> {
    let is_access = opcode & 0x7f == 0x73 && opcode >> 12 & 3 != 0;
    let number = u16::try_from(opcode >> 20).ok().filter(|_| is_access)?;
    let name = csr_name(number)?;
    let mut is_replaced = false;
    let words: Vec<String> = operands
        .split(", ")
        .map(|word| {
            let is_number = word == number.to_string() || word == format!("{number:#x}");
            if is_number && !is_replaced {
                is_replaced = true;
                return name.to_owned();
            }
            word.to_owned()
        })
        .collect();
    is_replaced.then(|| words.join(", "))
}

struct OperandText {
    opcode: u32,
    xlen: Xlen,
}

impl OperandText {
    fn field(&self, first: u32, width: u32) -> u32 {
        self.opcode >> first & ((1 << width) - 1)
    }

    fn with_operands(&self, mnemonic: &str, letters: &str) -> String {
        let operands: Vec<_> = letters
            .chars()
            .filter_map(|letter| self.operand(letter))
            .collect();
        format!("{mnemonic} {}", operands.join(", "))
    }

    /// Returns the text of an operand: `d`, `s` and `t` general registers; `D`, `S`, `T` and `R`
    /// floating-point registers; `z` an address, `o` and `q` with the offset of a load or store;
    /// `h` shift amount; `b` and `n` numbers of a byte or round; `c` constant of FLI; `m` rounding
    /// mode; those of vectors as in [`VectorForm`]. None for an operand that is left out.
    fn operand(&self, letter: char) -> Option<String> {
        let general = |place| Some(general_name(self.field(place, 5)).to_owned());
        let float = |place| name_of(&FLOAT, self.field(place, 5)).map(str::to_owned);
        let vector = |place| Some(format!("v{}", self.field(place, 5)));
        let base = general_name(self.field(15, 5));
        let offset = self.opcode.cast_signed() >> 20;
        match letter {
            'd' => general(7),
            's' => general(15),
            't' => general(20),
            'D' => float(7),
            'S' => float(15),
            'T' => float(20),
            'R' => float(27),
            'V' | 'A' | 'Y' if self.is_vector() => vector(7),
            'w' => vector(20),
            'x' => vector(15),
            '0' => Some("v0".to_owned()),
            'M' => (self.field(25, 1) == 0).then(|| "v0.t".to_owned()),
            'i' => Some(number(i64::from(
                self.field(15, 5).cast_signed() << 27 >> 27,
            ))),
            'u' => Some(number(self.unsigned().into())),
            'k' => Some(self.vector_type()),
            'z' => Some(format!("({base})")),
            'o' => Some(format!("{}({base})", number(offset.into()))),
            'q' => {
                let low = i64::from(self.field(7, 5));
                let offset = i64::from(self.opcode.cast_signed() >> 25) << 5 | low;
                Some(format!("{}({base})", number(offset)))
            }
            'h' => Some(number(self.field(20, 6).min(self.xlen_mask()).into())),
            'b' => Some(number(self.field(30, 2).into())),
            'n' => Some(number(self.field(20, 4).into())),
            'c' => name_of(&CONSTANTS, self.field(15, 5)).map(str::to_owned),
            'm' => {
                name_of(&["rne", "rtz", "rdn", "rup", "rmm"], self.field(12, 3)).map(str::to_owned)
            }
            _ => None,
        }
    }

    fn is_vector(&self) -> bool {
        matches!(self.field(0, 7), 0x07 | 0x27 | 0x57)
    }

    fn xlen_mask(&self) -> u32 {
        u32::from(self.xlen.bits()) - 1
    }

    /// Returns an unsigned immediate; that of VROR.VI has a sixth bit.
    fn unsigned(&self) -> u32 {
        let high = if self.field(27, 5) == 0x0a {
            self.field(26, 1)
        } else {
            0
        };
        high << 5 | self.field(15, 5)
    }

    /// Returns the configuration of VSETVLI: `e32, m1, ta, ma`.
    fn vector_type(&self) -> String {
        let is_immediate = self.field(30, 2) == 3;
        let bits = self.field(20, if is_immediate { 10 } else { 11 });
        let groups = ["m1", "m2", "m4", "m8", "", "mf8", "mf4", "mf2"];
        let group = name_of(&groups, bits & 7).unwrap_or_default();
        if bits >> 8 != 0 || bits >> 3 & 7 > 3 || group.is_empty() {
            return number(bits.into());
        }
        let tail = if bits >> 6 & 1 == 1 { "ta" } else { "tu" };
        let mask = if bits >> 7 & 1 == 1 { "ma" } else { "mu" };
        format!("e{}, {group}, {tail}, {mask}", 8 << (bits >> 3 & 7))
    }

    /// Returns the suffix of an atomic operation that orders memory accesses.
    fn ordering(&self) -> &'static str {
        match (self.field(0, 7), self.field(25, 2)) {
            (0x2f, 1) => ".rl",
            (0x2f, 2) => ".aq",
            (0x2f, 3) => ".aqrl",
            _ => "",
        }
    }

    /// Returns the text of an instruction that extensions may define (Zimop).
    fn may_be_operation(&self) -> Option<String> {
        let low = self.field(26, 2);
        let high = self.field(30, 1);
        match self.opcode & 0xb200_707f {
            0x8000_4073 if self.opcode & 0xb3c0_707f == 0x81c0_4073 => {
                let number = high << 4 | low << 2 | self.field(20, 2);
                Some(self.with_operands(&format!("mop.r.{number}"), "ds"))
            }
            0x8200_4073 => {
                let number = high << 2 | low;
                Some(self.with_operands(&format!("mop.rr.{number}"), "dst"))
            }
            _ => None,
        }
    }
}

fn general_name(number: u32) -> &'static str {
    name_of(&GENERAL, number).unwrap_or_default()
}

fn name_of(names: &[&'static str], number: u32) -> Option<&'static str> {
    names.get(usize::try_from(number).ok()?).copied()
}

/// Formats a number as the disassembler does.
fn number(value: i64) -> String {
    let sign = if value < 0 { "-" } else { "" };
    match value.unsigned_abs() {
        small @ 0..=9 => format!("{sign}{small}"),
        large => format!("{sign}{large:#x}"),
    }
}

/// Constants of FLI (The RISC-V Instruction Set Manual, volume I, "Zfa").
const CONSTANTS: [&str; 32] = [
    "-1.0",
    "min",
    "1.52587890625e-05",
    "3.0517578125e-05",
    "0.00390625",
    "0.0078125",
    "0.0625",
    "0.125",
    "0.25",
    "0.3125",
    "0.375",
    "0.4375",
    "0.5",
    "0.625",
    "0.75",
    "0.875",
    "1.0",
    "1.25",
    "1.5",
    "1.75",
    "2.0",
    "2.5",
    "3.0",
    "4.0",
    "8.0",
    "16.0",
    "128.0",
    "256.0",
    "32768.0",
    "65536.0",
    "inf",
    "nan",
];
