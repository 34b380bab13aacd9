//! Operand text of RISC-V.

use std::borrow::Cow;

use crate::address::Address;

/// Returns the operands with the offset of a branch replaced by its target address.
pub fn absolute<'a>(mnemonic: &str, operands: &'a str, pc: Address) -> Cow<'a, str> {
    let name = mnemonic.strip_prefix("c.").unwrap_or(mnemonic);
    let is_branch = matches!(name, "j" | "jal") || name.starts_with('b');
    let (registers, distance) = operands
        .rsplit_once(' ')
        .map_or(("", operands), |(left, right)| (left, right));
    match number(distance).filter(|_| is_branch) {
        Some(distance) => format!("{registers} {:#x}", pc.0.wrapping_add_signed(distance))
            .trim_start()
            .to_owned()
            .into(),
        None => operands.into(),
    }
}

fn number(text: &str) -> Option<i64> {
    let (sign, digits) = text
        .strip_prefix('-')
        .map_or((1, text), |digits| (-1, digits));
    let number = match digits.strip_prefix("0x") {
        Some(digits) => i64::from_str_radix(digits, 16),
        None => digits.parse(),
    };
    number.ok().map(|number| sign * number)
}
