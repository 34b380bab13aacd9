//! Instruction text in Intel syntax ([`text_of`]), with numbers and spaces as for the other
//! architectures, and the classes of its operand words ([`operand_word`]).

use iced_x86::{
    Formatter as _, FormatterOptions, Instruction, IntelFormatter, MemorySizeOptions, Mnemonic,
    OpKind,
};

use crate::control::{AssemblyWord, OperandWordKind};

/// Formats mnemonic and operands: `mov eax, dword ptr [rbp + 8]`, `call 0x1105`, `lea rax, [rip +
/// 0x2faa]`.
pub fn text_of(instruction: &Instruction) -> String {
    let mut formatter = IntelFormatter::new();
    set(formatter.options_mut());
    formatter
        .options_mut()
        .set_signed_immediate_operands(has_signed_number(instruction));
    let mut text = String::new();
    formatter.format(instruction, &mut text);
    text
}

/// Formats numbers and spaces as for the other architectures.
fn set(options: &mut FormatterOptions) {
    options.set_hex_prefix("0x");
    options.set_hex_suffix("");
    options.set_uppercase_hex(false);
    options.set_small_hex_numbers_in_decimal(true);
    options.set_branch_leading_zeros(false);
    options.set_show_branch_size(false);
    options.set_leading_zeros(false);
    options.set_space_after_operand_separator(true);
    options.set_space_between_memory_add_operators(true);
    options.set_memory_size_options(MemorySizeOptions::Always);
    options.set_rip_relative_addresses(true);
}

/// Returns true if immediates are shown as signed: sign-extended ones (`add rsp, -0x80`), except
/// for logical operations, where they are bits.
fn has_signed_number(instruction: &Instruction) -> bool {
    use OpKind::{Immediate8to16, Immediate8to32, Immediate8to64, Immediate32to64};
    let extends = |kind| {
        matches!(
            kind,
            Immediate8to16 | Immediate8to32 | Immediate8to64 | Immediate32to64
        )
    };
    let is_logic = matches!(
        instruction.mnemonic(),
        Mnemonic::And | Mnemonic::Or | Mnemonic::Xor | Mnemonic::Mov
    );
    !is_logic && instruction.op_kinds().any(extends)
}

/// Classifies a word in lower case.
pub fn operand_word(_mnemonic: &str, word: &str) -> OperandWordKind {
    match word {
        _ if is_register(word) => OperandWordKind::Register,
        _ if SIZES.contains(&word) => OperandWordKind::Keyword,
        _ => OperandWordKind::Other,
    }
}

/// Access sizes.
const SIZES: [&str; 9] = [
    "byte", "word", "dword", "qword", "xmmword", "ymmword", "zmmword", "tbyte", "ptr",
];

fn is_register(word: &str) -> bool {
    let word = AssemblyWord::of(word);
    word.is_numbered(&NUMBERED) || NAMED.contains(&word.base) || is_wide(word.base)
}

/// `r8`, `r8d`, `r15w`, `r9b`.
fn is_wide(base: &str) -> bool {
    let number = base
        .strip_prefix('r')
        .map(|rest| rest.strip_suffix(['d', 'w', 'b']).unwrap_or(rest));
    number
        .and_then(|digits| digits.parse::<u8>().ok())
        .is_some_and(|number| (8..32).contains(&number))
}

const NUMBERED: [&str; 9] = ["xmm", "ymm", "zmm", "mm", "st", "k", "cr", "dr", "bnd"];

const NAMED: [&str; 49] = [
    "rax", "rbx", "rcx", "rdx", "rsi", "rdi", "rbp", "rsp", "rip", "eax", "ebx", "ecx", "edx",
    "esi", "edi", "ebp", "esp", "eip", "ax", "bx", "cx", "dx", "si", "di", "bp", "sp", "ip", "al",
    "bl", "cl", "dl", "ah", "bh", "ch", "dh", "sil", "dil", "bpl", "spl", "cs", "ds", "es", "fs",
    "gs", "ss", "st", "riz", "eiz", "mxcsr",
];

#[cfg(test)]
mod tests {
    use super::*;
    use crate::instruction::Address;
    use crate::instruction::CodeSite;
    use crate::instruction::Encoding;
    use crate::x86::access::decoded;

    #[track_caller]
    fn check(bytes: &[u8], expected: &str) {
        let site = CodeSite {
            pc: Address(0x1000),
            encoding: Encoding::new(bytes).unwrap(),
        };
        assert_eq!(text_of(&decoded(&site, 8).unwrap()), expected);
    }

    #[test]
    fn texts_are_as_in_the_manual() {
        check(
            &[0x48, 0x8d, 0x05, 0xaa, 0x2f, 0, 0],
            "lea rax, [rip + 0x2faa]",
        );
        check(
            &[0x42, 0x0f, 0xb6, 0x4c, 0xa3, 0x08],
            "movzx ecx, byte ptr [rbx + r12*4 + 8]",
        );
        check(&[0x74, 0x10], "je 0x1012");
        check(&[0xf2, 0xe9, 0, 1, 0, 0], "bnd jmp 0x1106");
        check(
            &[0x62, 0xf1, 0x7c, 0x48, 0x10, 0x07],
            "vmovups zmm0, zmmword ptr [rdi]",
        );
    }

    #[test]
    fn numbers_are_signed_where_the_processor_takes_them_so() {
        check(&[0x48, 0x83, 0xc4, 0x80], "add rsp, -0x80");
        check(&[0x48, 0x83, 0xe4, 0xf0], "and rsp, 0xfffffffffffffff0");
        check(&[0xb8, 0, 0, 0, 0x80], "mov eax, 0x80000000");
        check(&[0x81, 0xfe, 6, 0, 0, 0x80], "cmp esi, 0x80000006");
        check(&[0x83, 0xf8, 9], "cmp eax, 9");
    }
}
