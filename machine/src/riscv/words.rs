//! Classification of operand words.

use crate::text_flow::OperandWordKind;
use crate::word::AssemblyWord;

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
}

const NAMED: [&str; 7] = ["zero", "ra", "sp", "gp", "tp", "fp", "pc"];
