//! Classification of operand words.

use crate::text_flow::OperandWordKind;
use crate::word::AssemblyWord;

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
