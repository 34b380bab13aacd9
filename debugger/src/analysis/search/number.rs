//! Numbers that are wider than an expression.

use stepback_index::Number;

/// A number of more digits than an expression has: `0x` and more than 16 of them.
pub fn wide_number(text: &str) -> Option<Number> {
    let text = text.trim();
    let digits = text
        .strip_prefix("0x")
        .or_else(|| text.strip_prefix("0X"))?;
    Number::from_hex(digits).filter(|_| digits.len() > 16)
}
