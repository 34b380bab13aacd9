//! Classification of operand words.

use crate::text_flow::OperandWordKind;
use crate::word::AssemblyWord;

/// Classifies a word in lower case.
pub fn operand_word(mnemonic: &str, word: &str) -> OperandWordKind {
    match mnemonic {
        "mrs" | "msr" | "vmrs" | "vmsr" => OperandWordKind::Register,
        _ if is_register(word) => OperandWordKind::Register,
        _ if mnemonic.starts_with("adr") => OperandWordKind::Address,
        _ => OperandWordKind::Other,
    }
}

/// Returns true for registers of A64, A32 and T32, with or without element sizes (`v0.16b`), and
/// for system registers.
fn is_register(word: &str) -> bool {
    let word = AssemblyWord::of(word);
    word.is_numbered(&NUMBERED)
        || NAMED.contains(&word.base)
        || SYSTEM_ENDINGS
            .iter()
            .any(|ending| word.base.ends_with(ending))
        || SYSTEM_STARTS
            .iter()
            .any(|start| word.base.starts_with(start))
}

const NUMBERED: [&str; 15] = [
    "x", "w", "r", "v", "q", "d", "s", "h", "b", "z", "p", "pn", "za", "c", "cr",
];

const NAMED: [&str; 19] = [
    "sp", "xsp", "wsp", "xzr", "wzr", "lr", "pc", "fp", "ip", "sl", "zr", "ffr", "nzcv", "vpr",
    "za", "zt0", "msp", "psp", "fpexc",
];

const SYSTEM_ENDINGS: [&str; 5] = ["_el0", "_el1", "_el2", "_el3", "_el12"];

const SYSTEM_STARTS: [&str; 5] = ["cpsr", "spsr", "apsr", "fpscr", "xpsr"];
