//! Values of which some bytes may be unknown: [`Value`] for registers and accesses, and
//! [`ByteState`] with its provenance for a byte of memory at a position. Each byte is known or
//! unknown by itself, because a trace may state only a part of a register. [`Number`] is a value to
//! search for.

use std::fmt::Write as _;

use serde::{Deserialize, Serialize};
use stepback_parsers::Position;

/// Provenance of a value.
#[derive(
    Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize,
)]
pub enum ValueSource {
    /// The trace states it at or before the position.
    Recorded,
    /// It follows from other facts, such as a later read without a write in between.
    Inferred,
    /// A read states it and contradicts the last write known before it.
    External,
    /// Nothing states it.
    #[default]
    Unknown,
}

/// A value as bytes, least significant first, each known or not.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
pub struct Value(pub Vec<Option<u8>>);

impl Value {
    /// Returns true if no byte is known.
    pub fn is_unknown(&self) -> bool {
        self.0.iter().all(Option::is_none)
    }

    /// Returns the number if all bytes are known and those above 64 bits are zero.
    pub fn to_u64(&self) -> Option<u64> {
        let mut number = 0u64;
        for (place, byte) in self.0.iter().enumerate() {
            let byte = u64::from((*byte)?);
            match place {
                0..8 => number |= byte << (8 * place),
                _ if byte != 0 => return None,
                _ => {}
            }
        }
        Some(number)
    }

    /// Formats the value in hexadecimal: most significant digit first, without `0x`, at full width,
    /// `??` for an unknown byte.
    pub fn hex(&self) -> String {
        let mut text = String::with_capacity(2 * self.0.len());
        for byte in self.0.iter().rev() {
            let _infallible = match byte {
                Some(byte) => write!(text, "{byte:02x}"),
                None => text.write_str("??"),
            };
        }
        text
    }
}

/// State of a memory byte at a position.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct ByteState {
    /// The value; `None` if unknown.
    pub value: Option<u8>,
    /// Source of the value.
    pub source: ValueSource,
    /// Position right after the access that shows the value (0: before the first step). `None` if
    /// the value is unknown or comes from a program image.
    pub seen_at: Option<Position>,
}

/// Last accesses of a byte, as the positions from which they are visible.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct ByteTouch {
    /// Position of the last store; `None` without one.
    pub written_at: Option<Position>,
    /// Position of the last load; `None` without one.
    pub read_at: Option<Position>,
}

/// Maximum size of a number in bytes: a register of 512 bits.
const WIDEST: usize = 64;

/// A number to search for. In registers it may have more than 64 bits.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Number {
    /// Least significant byte first.
    bytes: [u8; WIDEST],
}

impl Number {
    /// Parses hexadecimal digits, most significant first, ignoring `_`. Returns `None` if the text
    /// is no number of at most 512 bits.
    pub fn from_hex(digits: &str) -> Option<Self> {
        let mut bytes = [0; WIDEST];
        let digits = digits.bytes().filter(|digit| *digit != b'_');
        let mut count = 0usize;
        for digit in digits.rev() {
            let nibble = u8::try_from(char::from(digit).to_digit(16)?).ok()?;
            match bytes.get_mut(count / 2) {
                Some(byte) => *byte |= nibble << (4 * (count % 2)),
                None if nibble != 0 => return None,
                None => {}
            }
            count += 1;
        }
        (count > 0).then_some(Self { bytes })
    }

    /// Returns the hexadecimal digits without leading zeros; empty for 0.
    pub(crate) fn hex_digits(&self) -> String {
        let all: String = self
            .bytes
            .iter()
            .rev()
            .map(|byte| format!("{byte:02x}"))
            .collect();
        all.trim_start_matches('0').to_owned()
    }

    /// Returns true if all bytes of the value are known and equal this number.
    pub fn is(&self, value: &Value) -> bool {
        self.is_of(value.0.iter().copied())
    }

    /// Returns true if the bytes equal this number, least significant byte first.
    pub(crate) fn is_of_bytes<'a>(&self, bytes: impl Iterator<Item = &'a u8>) -> bool {
        self.is_of(bytes.map(|byte| Some(*byte)))
    }

    fn is_of(&self, mut bytes: impl Iterator<Item = Option<u8>>) -> bool {
        self.bytes
            .iter()
            .all(|wanted| bytes.next().unwrap_or(Some(0)) == Some(*wanted))
            && bytes.all(|byte| byte == Some(0))
    }
}

impl From<u64> for Number {
    fn from(number: u64) -> Self {
        let mut bytes = [0; WIDEST];
        for (byte, low) in bytes.iter_mut().zip(number.to_le_bytes()) {
            *byte = low;
        }
        Self { bytes }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn digits_are_a_number_of_any_width_up_to_the_widest() {
        let value = |bytes: &[u8]| Value(bytes.iter().copied().map(Some).collect());
        let wide = Number::from_hex("0011223344556677_8899aabbccddeeff").unwrap();
        let bytes = 0x0011_2233_4455_6677_8899_aabb_ccdd_eeffu128.to_le_bytes();
        assert!(
            wide.is(&value(&bytes))
                && wide.is(&value(&bytes[..15]))
                && !wide.is(&value(&bytes[..14]))
        );
        assert!(
            wide.is(&value(&[&bytes[..], &[0; 240]].concat()))
                && !wide.is(&value(&[&bytes[..], &[1]].concat()))
        );
        assert_eq!(Number::from_hex("ff"), Some(Number::from(255)));
        assert_eq!(
            [
                Number::from_hex(""),
                Number::from_hex("12g"),
                Number::from_hex(&"1".repeat(129))
            ],
            [None; 3]
        );
        assert!(!Number::from(0).is(&Value(vec![Some(0), None])));
    }
}
