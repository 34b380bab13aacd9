//! What words of operands mean.

use crate::text_flow::OperandWordKind;
use crate::word::AssemblyWord;

/// What a word in lower case is.
pub fn operand_word(_mnemonic: &str, word: &str) -> OperandWordKind {
    if is_register(word) {
        OperandWordKind::Register
    } else {
        OperandWordKind::Other
    }
}

/// Registers by number and by their names in the calling convention.
fn is_register(word: &str) -> bool {
    let word = AssemblyWord::of(word);
    word.is_numbered(&["x", "f", "v", "a", "t", "s", "ft", "fs", "fa"])
        || NAMED.contains(&word.base)
}

const NAMED: [&str; 7] = ["zero", "ra", "sp", "gp", "tp", "fp", "pc"];
