//! Numbers wider than 64 bits.

use stepback_index::answer::Number;

/// Parses a number too wide for an expression: `0x` and more than 16 digits.
pub fn wide_number(text: &str) -> Option<Number> {
    let text = text.trim();
    let digits = text
        .strip_prefix("0x")
        .or_else(|| text.strip_prefix("0X"))?;
    Number::from_hex(digits).filter(|_| digits.len() > 16)
}
