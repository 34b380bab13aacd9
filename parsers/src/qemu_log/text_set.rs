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
    let is_x86 = |set: &InstructionSet| set.alignment() == 1;
    let is_narrow = is_x86(&first) && first.word_bytes() == 4;
    let wider = sets.find(|set| is_narrow && is_x86(set) && *set != first);
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
    let words = || {
        let words = text.split(|letter: char| !letter.is_ascii_alphanumeric());
        words.skip(1).filter(|word| !word.starts_with("0x"))
    };
    let named = words().find_map(|word| match word {
        "lr" | "ip" => Some(InstructionSet::A32),
        // Several sets have a stack pointer.
        "sp" | "pc" | "fp" => None,
        word if number_of_r(word).is_some() => None,
        word => set_of_register(word, address_digits),
    });
    // x86-64 has registers with these numbers too.
    let is_shared = |number: &u8| (8..16).contains(number);
    let mut numbers = words().filter_map(number_of_r);
    named.or_else(|| {
        numbers
            .any(|number| !is_shared(&number))
            .then_some(InstructionSet::A32)
    })
}

/// Returns the number of a register such as `r11`.
fn number_of_r(word: &str) -> Option<u8> {
    word.strip_prefix('r')?.parse().ok()
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
            ("mov r9, rdx", Some(X86_64)),
            ("mov r11, qword ptr [rax]", Some(X86_64)),
            ("xor r8, r9", None),
            ("add r3, r8, r11", Some(A32)),
            ("str r0, [r8]", Some(A32)),
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

    #[test]
    fn code_for_64_bits_may_begin_with_narrow_registers_of_x86() {
        use InstructionSet::{A32, X86_32, X86_64};
        let check = |lines: &[&str], expected| {
            let sets = lines.iter().filter_map(|line| set_of_text(line, 16));
            assert_eq!(set_of_lines(sets), expected, "{lines:?}");
        };
        check(&["xor ebp, ebp", "mov r9, rdx"], Some(X86_64));
        check(&["xor ebp, ebp", "xor r8, r9", "ret"], Some(X86_32));
        check(&["mov r0, r1", "mov rax, rbx"], Some(A32));
    }
}
