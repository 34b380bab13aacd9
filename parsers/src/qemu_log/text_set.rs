//! The instruction set of a log, by the names in it.

use stepback_machine::InstructionSet;

/// Returns the instruction set to which a register name of gdb belongs; none for names that
/// several sets have.
pub(super) fn set_of_register(name: &str, digits: usize) -> Option<InstructionSet> {
    let is_numbered = |prefix: char| {
        name.strip_prefix(prefix)
            .is_some_and(|rest| !rest.is_empty() && rest.bytes().all(|byte| byte.is_ascii_digit()))
    };
    match name {
        "rax" | "rbx" | "rcx" | "rdx" | "rsi" | "rdi" | "rbp" | "rsp" | "rip" => {
            Some(InstructionSet::X86_64)
        }
        "eax" | "ebx" | "ecx" | "edx" | "esp" | "ebp" | "eip" => Some(InstructionSet::X86_32),
        "ra" | "gp" | "tp" => Some(riscv(digits)),
        _ if ["a", "t", "s"]
            .iter()
            .any(|prefix| name.strip_prefix(prefix).is_some_and(is_digits)) =>
        {
            Some(riscv(digits))
        }
        _ if is_numbered('x') || is_numbered('w') => Some(InstructionSet::A64),
        _ if is_numbered('r') && digits == 8 => Some(InstructionSet::A32),
        _ => None,
    }
}

fn is_digits(text: &str) -> bool {
    !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit())
}

fn riscv(digits: usize) -> InstructionSet {
    if digits == 8 {
        InstructionSet::Riscv32
    } else {
        InstructionSet::Riscv64
    }
}

/// Returns the instruction set of a log by the sets of its lines. Code for 64 bits uses 32-bit
/// registers of x86 too.
pub(super) fn set_of_lines(
    mut sets: impl Iterator<Item = InstructionSet>,
) -> Option<InstructionSet> {
    let first = sets.next()?;
    let is_narrow_x86 = first.alignment() == 1 && first.word_bytes() == 4;
    let wider = sets.find(|set| is_narrow_x86 && *set != first);
    Some(wider.unwrap_or(first))
}

/// Returns the instruction set to which the operands of a disassembled instruction belong. Its
/// address has this number of digits.
pub(super) fn set_of_text(text: &str, address_digits: usize) -> Option<InstructionSet> {
    if text.contains('%') {
        return Some(if text.contains("%e") && !text.contains("%r") {
            InstructionSet::X86_32
        } else {
            InstructionSet::X86_64
        });
    }
    let words = text.split(|letter: char| !letter.is_ascii_alphanumeric());
    words
        .skip(1)
        .filter(|word| !word.starts_with("0x"))
        .find_map(|word| match word {
            "lr" | "ip" | "r11" => Some(InstructionSet::A32),
            // Several sets have a stack pointer.
            "sp" | "pc" | "fp" => None,
            word => {
                // Only AArch32 has registers with a number after this letter, of 8 digits.
                let is_narrow = word.strip_prefix('r').is_some_and(is_digits);
                set_of_register(word, if is_narrow { 8 } else { address_digits })
            }
        })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_tell_the_instruction_set() {
        use InstructionSet::{A32, A64, Riscv64, X86_64};
        for (text, expected) in [
            ("leaq 0x50f9(%rip), %rsp", Some(X86_64)),
            ("callq 0x401234", None),
            ("adrp x9, #0x420000", Some(A64)),
            ("stp x29, x30, [sp, #-0x10]!", Some(A64)),
            ("cmp w0, #0", Some(A64)),
            ("push {r4, lr}", Some(A32)),
            ("ldr sp, [pc, #4]", None),
            ("addi                    sp,sp,784", None),
            ("sd                      ra,8(sp)", Some(Riscv64)),
            ("lui                     t0,4", Some(Riscv64)),
        ] {
            assert_eq!(set_of_text(text, 16), expected, "{text}");
        }
        let narrow = set_of_text("lui                     t0,4", 8);
        assert_eq!(narrow, Some(InstructionSet::Riscv32));
    }
}
