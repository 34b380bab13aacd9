//! Numbers of up to 512 bits.

use crate::answers::value::Value;

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
