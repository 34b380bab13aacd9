//! Classification of operand words.

use crate::sparc::registers::view;
use crate::text_flow::OperandWordKind;

/// Classifies a word in lower case.
pub fn operand_word(_mnemonic: &str, word: &str) -> OperandWordKind {
    match word {
        // Operators that select parts of an address.
        "%hi" | "%lo" | "%hh" | "%hm" | "%lm" | "%h44" | "%m44" | "%l44" | "%hix" | "%lox" => {
            OperandWordKind::Keyword
        }
        // Includes condition codes and state registers.
        word if word.starts_with('%') || view(word).is_some() => OperandWordKind::Register,
        _ => OperandWordKind::Other,
    }
}
