//! Targets of direct branches.

use crate::sparc::word::SparcWord;

/// Returns the target of a `call`.
pub fn call_target(word: SparcWord, pc: u64) -> u64 {
    pc.wrapping_add_signed(word.signed(0, 30) << 2)
}

/// Returns the target of a branch; none for other words.
pub fn branch_target(word: SparcWord, pc: u64) -> Option<u64> {
    let words = match word.branch_kind() {
        1 | 5 => word.signed(0, 19),
        2 | 6 => word.signed(0, 22),
        3 if word.flag(28) => word.signed(19, 2) << 8 | i64::from(word.field(5, 8)),
        3 => word.signed(20, 2) << 14 | i64::from(word.field(0, 14)),
        _ => return None,
    };
    Some(pc.wrapping_add_signed(words << 2))
}
