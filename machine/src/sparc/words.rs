//! What words of operands mean.

use crate::sparc::registers::view;
use crate::text_flow::OperandWordKind;

/// What a word in lower case is.
pub fn operand_word(_mnemonic: &str, word: &str) -> OperandWordKind {
    match word {
        // Parts of an address.
        "%hi" | "%lo" | "%hh" | "%hm" | "%lm" | "%h44" | "%m44" | "%l44" | "%hix" | "%lox" => {
            OperandWordKind::Keyword
        }
        // Condition codes and state registers among them.
        word if word.starts_with('%') || view(word).is_some() => OperandWordKind::Register,
        _ => OperandWordKind::Other,
    }
}
