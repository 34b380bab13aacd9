//! Control flow of RISC-V instruction text, including the pseudo-instructions of the assembler
//! manual.

use crate::text_flow::{InstructionWords, TextFlow};

/// Returns the control flow of an instruction; none if it continues with the next.
pub fn text_flow(text: &str) -> Option<TextFlow> {
    let InstructionWords { mnemonic, operands } = InstructionWords::of(text, &[]);
    let base = mnemonic.strip_prefix("c.").unwrap_or(&mnemonic);
    let link = operands.split(',').next().unwrap_or_default();
    Some(match base {
        "ret" | "mret" | "sret" | "uret" => TextFlow::Return,
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
    use crate::text_flow::check_flow;

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
            &["ret", "c.jr ra", "jalr zero, 0(ra)", "mret"],
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
