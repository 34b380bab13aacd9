//! Control flow of x86 instruction text in Intel syntax.

use crate::text_flow::{InstructionWords, TextFlow};

/// Words that may precede a mnemonic: `bnd jmp`, `notrack jmp`, `repz ret`.
pub const PREFIXES: &[&str] = &[
    "bnd", "notrack", "rep", "repe", "repne", "repz", "repnz", "lock", "data16",
];

/// Returns the control flow of an instruction; none if it continues with the next.
pub fn text_flow(text: &str) -> Option<TextFlow> {
    let InstructionWords { mnemonic, .. } = InstructionWords::of(text, PREFIXES);
    Some(match mnemonic.as_str() {
        "call" | "lcall" => TextFlow::Call,
        "ret" | "retf" | "retfq" | "iret" | "iretd" | "iretq" | "sysret" | "sysretq"
        | "sysexit" => TextFlow::Return,
        "jmp" | "ljmp" => TextFlow::Branch,
        "jcxz" | "jecxz" | "jrcxz" | "loop" | "loope" | "loopne" => TextFlow::Conditional,
        other
            if other
                .strip_prefix('j')
                .is_some_and(|rest| CONDITIONS.contains(&rest)) =>
        {
            TextFlow::Conditional
        }
        _ => return None,
    })
}

const CONDITIONS: [&str; 30] = [
    "o", "no", "b", "nb", "c", "nc", "ae", "nae", "e", "ne", "z", "nz", "be", "nbe", "a", "na",
    "s", "ns", "p", "np", "pe", "po", "l", "nl", "ge", "nge", "le", "nle", "g", "ng",
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
    fn branches_of_x86_are_known() {
        check(
            Some(TextFlow::Call),
            &[
                "call 0x1105",
                "call qword ptr [rip + 0x2faa]",
                "call rax",
                "notrack call rax",
            ],
        );
        check(
            Some(TextFlow::Return),
            &["ret", "ret 8", "repz ret", "bnd ret", "iretq", "sysretq"],
        );
        check(
            Some(TextFlow::Branch),
            &[
                "jmp 0x1105",
                "bnd jmp rax",
                "je 0x10",
                "jnle 0x10",
                "jrcxz 0x10",
                "loop 0x10",
            ],
        );
        check(
            None,
            &[
                "bt eax, 4",
                "blsr rax, rbx",
                "bswap eax",
                "rep movsb byte ptr [rdi], byte ptr [rsi]",
                "syscall",
            ],
        );
        assert!(
            text_flow("jne 0x10") == Some(TextFlow::Conditional)
                && text_flow("jrcxz 0x10") == Some(TextFlow::Conditional)
        );
        assert!(
            text_flow("jmp 0x10") != Some(TextFlow::Conditional)
                && text_flow("bnd jmp rax") != Some(TextFlow::Conditional)
        );
    }
}
