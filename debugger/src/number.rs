//! Numbers as users type them: in C syntax, or in decimal with separated thousands.

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

/// Returns the digits of a whole number that may have separators between its thousands, in the form
/// of any language: `1,250`, `1 250`.
///
/// None if there is anything else or a separator is misplaced.
pub fn whole_digits(text: &str) -> Option<String> {
    let is_number = |part: &str| !part.is_empty() && part.bytes().all(|byte| byte.is_ascii_digit());
    // Keyboards have only the plain space.
    let is_typed = |letter| letter == ' ' || is_separator(letter);
    let mut groups = text.split(is_typed);
    let first = groups.next().filter(|first| is_number(first))?;
    let has_groups = text.contains(is_typed);
    let is_grouped = first.len() <= 3 && groups.all(|group| group.len() == 3 && is_number(group));
    (!has_groups || is_grouped).then(|| text.replace(is_typed, ""))
}

/// Returns the text of a number without the separators between its thousands.
pub fn without_separators(text: &str) -> String {
    text.replace(is_separator, "")
}

/// True for a character between the thousands of a displayed number, or of a number in source code.
fn is_separator(letter: char) -> bool {
    matches!(letter, ',' | '_' | '\u{a0}' | '\u{202f}')
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

    #[test]
    fn separators_of_every_language_are_read() {
        let check = |text: &str, digits: Option<&str>| {
            assert_eq!(whole_digits(text).as_deref(), digits, "{text:?}");
        };
        check("1250", Some("1250"));
        check("1,250", Some("1250"));
        check("1\u{202f}234\u{202f}567", Some("1234567"));
        check("1\u{a0}250", Some("1250"));
        check("1 250", Some("1250"));
        check("1_250", Some("1250"));
        for text in [
            "",
            ",",
            "1,25",
            "1250,000",
            ",250",
            "1,250,",
            "1250 1300",
            "12a",
            "-1",
        ] {
            check(text, None);
        }
    }
}
