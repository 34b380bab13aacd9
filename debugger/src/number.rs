//! Numbers in C syntax, and their display form.

use std::fmt;

/// Reason why a text is no number.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum NumberError {
    /// Invalid in C syntax.
    Malformed,
    /// It does not fit into 64 bits.
    TooLarge,
}

impl fmt::Display for NumberError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Malformed => "not a number in C syntax: 16, 0x10, 020 or 0b10000",
            Self::TooLarge => "a number must be less than 2^64",
        })
    }
}

impl std::error::Error for NumberError {}

/// Parses a number in C syntax: decimal, `0x…`, octal `0…`, `0b…`, also with the suffixes `u` and
/// `l`.
///
/// # Errors
/// See [`NumberError`].
pub fn number(text: &str) -> Result<u64, NumberError> {
    let lower = text.to_ascii_lowercase();
    let (radix, digits) = match lower.as_bytes() {
        [b'0', b'x', ..] => (16, lower.get(2..)),
        [b'0', b'b', ..] => (2, lower.get(2..)),
        [b'0', b'0'..=b'9', ..] => (8, lower.get(1..)),
        _ => (10, Some(lower.as_str())),
    };
    let digits = without_suffix(digits.unwrap_or_default());
    if digits.is_empty() {
        return Err(NumberError::Malformed);
    }
    digits.chars().try_fold(0u64, |value, character| {
        let digit = character.to_digit(radix).ok_or(NumberError::Malformed)?;
        let shifted = value
            .checked_mul(u64::from(radix))
            .ok_or(NumberError::TooLarge)?;
        shifted
            .checked_add(u64::from(digit))
            .ok_or(NumberError::TooLarge)
    })
}

fn without_suffix(digits: &str) -> &str {
    let suffixes = ["ull", "llu", "ul", "lu", "ll", "u", "l"];
    suffixes
        .iter()
        .find_map(|suffix| digits.strip_suffix(suffix))
        .unwrap_or(digits)
}

/// Formats a count or a step with thousands separators: `1,250`.
pub fn thousands(number: u64) -> String {
    let digits = number.to_string();
    let mut text = String::with_capacity(digits.len() + digits.len() / 3);
    for (place, digit) in digits.chars().enumerate() {
        if place > 0 && (digits.len() - place).is_multiple_of(3) {
            text.push(',');
        }
        text.push(digit);
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_base_of_c_is_read() {
        for (text, value) in [
            ("0", 0),
            ("16", 16),
            ("0x1F", 31),
            ("0Xff", 255),
            ("020", 16),
            ("00", 0),
            ("0b101", 5),
            ("10ul", 10),
            ("0x10ULL", 16),
            ("0u", 0),
            ("18446744073709551615", u64::MAX),
            ("0xffffffffffffffff", u64::MAX),
        ] {
            assert_eq!(number(text), Ok(value), "{text}");
        }
    }

    #[test]
    fn what_c_would_refuse_is_refused() {
        for text in [
            "", "0x", "0b", "08", "1f", "0b2", "-1", "+1", "1 ", "1_000", "1,000", "u", "0xu",
            "1.5", "é", "0é",
        ] {
            assert_eq!(number(text), Err(NumberError::Malformed), "{text:?}");
        }
        for text in [
            "18446744073709551616",
            "0x10000000000000000",
            "99999999999999999999999999",
        ] {
            assert_eq!(number(text), Err(NumberError::TooLarge), "{text:?}");
        }
    }
}
