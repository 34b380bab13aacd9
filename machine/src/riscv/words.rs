//! Which words of an operand name registers.

use crate::word::Word;

/// Registers of RISC-V by number and by their names in the calling convention; in lower case.
pub fn is_register(word: &str) -> bool {
    let word = Word::of(word);
    word.is_numbered(&["x", "f", "v", "a", "t", "s", "ft", "fs", "fa"]) || NAMED.contains(&word.base)
}

const NAMED: [&str; 7] = ["zero", "ra", "sp", "gp", "tp", "fp", "pc"];
