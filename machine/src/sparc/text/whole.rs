//! Dispatch of instruction text by instruction format.

use crate::sparc::text::arithmetic::arithmetic;
use crate::sparc::text::branch::{branch, call};
use crate::sparc::text::memory::memory;
use crate::sparc::word::SparcWord;

/// Formats a word at an address; none if it is not an instruction.
pub fn text_of(word: SparcWord, pc: u64) -> Option<String> {
    match word.format() {
        0 => branch(word, pc),
        1 => Some(call(word, pc)),
        2 => arithmetic(word),
        _ => memory(word),
    }
}
