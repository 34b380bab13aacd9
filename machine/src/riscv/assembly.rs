//! Instruction text, with the pseudo-instructions of the assembler manual.

use std::borrow::Cow;

use crate::control::{AssemblyWord, InstructionWords, OperandWordKind, TextFlow};
use crate::instruction::Address;
use crate::riscv::csr::csr_view;
use crate::riscv::xlen::Xlen;

/// Classifies a word in lower case.
pub fn operand_word(_mnemonic: &str, word: &str) -> OperandWordKind {
    if is_register(word) {
        OperandWordKind::Register
    } else {
        OperandWordKind::Other
    }
}

/// Returns true for registers by number or by calling convention name.
fn is_register(word: &str) -> bool {
    let word = AssemblyWord::of(word);
    word.is_numbered(&["x", "f", "v", "a", "t", "s", "ft", "fs", "fa"])
        || NAMED.contains(&word.base)
        || csr_view(word.base, Xlen::Bits64).is_some()
}

const NAMED: [&str; 7] = ["zero", "ra", "sp", "gp", "tp", "fp", "pc"];

/// Returns the operands with the offset of a branch replaced by its target address.
pub fn absolute<'a>(mnemonic: &str, operands: &'a str, pc: Address, xlen: Xlen) -> Cow<'a, str> {
    let name = mnemonic.strip_prefix("c.").unwrap_or(mnemonic);
    let is_branch = matches!(name, "j" | "jal") || name.starts_with('b');
    let (registers, distance) = operands
        .rsplit_once(' ')
        .map_or(("", operands), |(left, right)| (left, right));
    match number(distance).filter(|_| is_branch) {
        Some(distance) => format!(
            "{registers} {:#x}",
            xlen.wrapped(pc.0.wrapping_add_signed(distance))
        )
        .trim_start()
        .to_owned()
        .into(),
        None => operands.into(),
    }
}

fn number(text: &str) -> Option<i64> {
    let (sign, digits) = text
        .strip_prefix('-')
        .map_or((1, text), |digits| (-1, digits));
    let number = match digits.strip_prefix("0x") {
        Some(digits) => i64::from_str_radix(digits, 16),
        None => digits.parse(),
    };
    number.ok().map(|number| sign * number)
}

/// Returns the control flow of an instruction; none if it continues with the next.
pub fn text_flow(text: &str) -> Option<TextFlow> {
    let InstructionWords { mnemonic, operands } = InstructionWords::of(text, &[]);
    let base = mnemonic.strip_prefix("c.").unwrap_or(&mnemonic);
    let link = operands.split(',').next().unwrap_or_default();
    Some(match base {
        "ret" | "mret" | "sret" | "uret" | "mnret" | "dret" => TextFlow::Return,
        "jr" if matches!(operands.as_str(), "ra" | "x1") => TextFlow::Return,
        // With an explicit link register, only those of the convention make a call; `jal target`
        // implies `ra`.
        "jal" | "jalr" if operands.contains(',') && !matches!(link, "ra" | "x1" | "t0" | "x5") => {
            if base == "jalr" && operands.ends_with("(ra)") {
                TextFlow::Return
            } else {
                TextFlow::Branch
            }
        }
        "call" | "jal" | "jalr" => TextFlow::Call,
        "j" | "jr" => TextFlow::Branch,
        _ if CONDITIONAL.contains(&base) => TextFlow::Conditional,
        _ => return None,
    })
}

const CONDITIONAL: [&str; 16] = [
    "bltu", "bgeu", "beqz", "bnez", "blez", "bgez", "bltz", "bgtz", "bgtu", "bleu", "beq", "bne",
    "blt", "bge", "bgt", "ble",
];

#[cfg(test)]
mod tests {
    use super::*;
    use crate::control::check_flow;

    #[track_caller]
    fn check(expected: Option<TextFlow>, texts: &[&str]) {
        check_flow(text_flow, expected, texts);
    }

    #[test]
    fn branches_of_riscv_are_known() {
        check(
            Some(TextFlow::Call),
            &[
                "jal 0x80",
                "jal ra, 0x80",
                "jalr ra, 8(a0)",
                "jalr a0",
                "c.jalr a5",
            ],
        );
        check(
            Some(TextFlow::Return),
            &["ret", "c.jr ra", "jalr zero, 0(ra)", "mret", "mnret"],
        );
        check(
            Some(TextFlow::Branch),
            &[
                "j 0x80",
                "c.j 0x80",
                "jr a5",
                "beqz a0, 0x80",
                "c.bnez a0, 8",
                "bltu a0, a1, 8",
            ],
        );
        check(None, &["c.addi sp, -0x10", "jvt 3", "bset a0, a1, a2"]);
        assert!(
            text_flow("c.beqz a0, 8") == Some(TextFlow::Conditional)
                && text_flow("c.j 8") != Some(TextFlow::Conditional)
        );
    }
}
