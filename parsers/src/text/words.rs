//! Words of a line that are separated by blanks ([`Words`]), and numbers with the prefix `0x`.

use crate::text::digits::{hex, hex_length, nibble};

/// The rest of a line, read from left to right.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Words<'a> {
    line: &'a [u8],
    at: usize,
}

impl<'a> Words<'a> {
    /// Starts at the beginning of a line.
    pub fn new(line: &'a [u8]) -> Self {
        Self { line, at: 0 }
    }

    /// Starts inside a line.
    pub fn starting_at(line: &'a [u8], at: usize) -> Self {
        Self { line, at }
    }

    /// Returns the offset from the start of the line.
    pub fn at(&self) -> usize {
        self.at
    }

    /// Returns the rest of the line.
    #[inline]
    pub fn rest(&self) -> &'a [u8] {
        self.line.get(self.at..).unwrap_or_default()
    }

    /// Skips blanks and tabs.
    #[inline]
    pub fn skip_blanks(&mut self) {
        while let Some(b' ' | b'\t') = self.line.get(self.at) {
            self.at += 1;
        }
    }

    /// Takes a text that comes next; returns false if another one does.
    #[inline]
    pub fn take(&mut self, text: &[u8]) -> bool {
        let is_next = self.rest().starts_with(text);
        if is_next {
            self.at += text.len();
        }
        is_next
    }

    /// Takes the bytes up to a byte, and the byte itself; none if it does not occur.
    pub fn until(&mut self, end: u8) -> Option<&'a [u8]> {
        let length = memchr::memchr(end, self.rest())?;
        let taken = self.rest().get(..length);
        self.at += length + 1;
        taken
    }

    /// Takes the next word, up to a blank, after blanks; none at the end of the line.
    #[inline]
    pub fn word(&mut self) -> Option<&'a [u8]> {
        self.skip_blanks();
        let rest = self.rest();
        let length = rest
            .iter()
            .position(|byte| matches!(byte, b' ' | b'\t'))
            .unwrap_or(rest.len());
        self.at += length;
        rest.get(..length).filter(|word| !word.is_empty())
    }

    /// Returns the word after `count` others, without taking it.
    pub fn nth_word(mut self, count: usize) -> Option<&'a [u8]> {
        for _ in 0..count {
            self.word()?;
        }
        self.word()
    }

    /// Takes decimal digits, after blanks.
    #[inline]
    pub fn decimal(&mut self) -> Option<u64> {
        self.skip_blanks();
        let digits = self.rest().iter().take_while(|byte| byte.is_ascii_digit());
        let (mut value, mut length) = (0u64, 0);
        for byte in digits {
            value = value.checked_mul(10)?.checked_add(u64::from(byte & 15))?;
            length += 1;
        }
        self.at += length;
        (length > 0).then_some(value)
    }

    /// Takes hexadecimal digits without prefix; none if there are none.
    #[inline]
    pub fn digits(&mut self) -> Option<&'a [u8]> {
        let rest = self.rest();
        let length = hex_length(rest);
        self.at += length;
        rest.get(..length).filter(|digits| !digits.is_empty())
    }

    /// Takes `0x` and the hexadecimal digits after it.
    #[inline]
    pub fn prefixed_digits(&mut self) -> Option<&'a [u8]> {
        let before = self.at;
        let digits = self.take(b"0x").then(|| self.digits()).flatten();
        if digits.is_none() {
            self.at = before;
        }
        digits
    }

    /// Takes `0x` and a number of at most 64 bits.
    #[inline]
    pub fn prefixed(&mut self) -> Option<u64> {
        let before = self.at;
        let value = self.prefixed_digits().and_then(hex);
        if value.is_none() {
            self.at = before;
        }
        value
    }
}

/// Converts hexadecimal digits, most significant first, to little-endian bytes in `out`. Returns
/// the bytes; none if there are no digits or more than `out` has room for, or if a byte is not a
/// digit.
pub(crate) fn little_endian<'o>(digits: &[u8], out: &'o mut [u8]) -> Option<&'o [u8]> {
    let length = digits.len().div_ceil(2);
    let bytes = out.get_mut(..length).filter(|bytes| !bytes.is_empty())?;
    if digits.len() <= 16 {
        let value = hex(digits)?.to_le_bytes();
        bytes.copy_from_slice(value.get(..length)?);
        return Some(bytes);
    }
    for (pair, byte) in digits.rchunks(2).zip(bytes.iter_mut()) {
        *byte = match *pair {
            [high, low] => nibble(high)? << 4 | nibble(low)?,
            [low] => nibble(low)?,
            _ => return None,
        };
    }
    Some(bytes)
}

/// Converts pairs of hexadecimal digits to bytes in the same order. Returns none if there are no
/// digits, if their number is odd, or if a byte is not a digit.
pub(crate) fn bytes_in_order(digits: &[u8]) -> Option<Vec<u8>> {
    let (pairs, rest) = digits.as_chunks::<2>();
    if pairs.is_empty() || !rest.is_empty() {
        return None;
    }
    pairs
        .iter()
        .map(|[high, low]| Some(nibble(*high)? << 4 | nibble(*low)?))
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_are_taken_from_the_left() {
        let mut words = Words::new(b"core  12: 3 0x00ff (0x0506) x5  0x1 tail");
        assert!(words.take(b"core"));
        assert_eq!(words.decimal(), Some(12));
        assert!(!words.take(b";") && words.take(b":"));
        assert_eq!(words.word(), Some(&b"3"[..]));
        words.skip_blanks();
        assert_eq!(words.prefixed(), Some(0xff));
        assert_eq!(words.until(b'('), Some(&b" "[..]));
        assert_eq!(words.prefixed_digits(), Some(&b"0506"[..]));
        assert_eq!((words.prefixed(), words.decimal()), (None, None));
        assert_eq!(words.rest(), b") x5  0x1 tail");
        assert_eq!(words.until(b'!'), None);
        assert_eq!(words.word(), Some(&b")"[..]));
    }

    #[test]
    fn digits_become_bytes() {
        let mut out = [0; 4];
        assert_eq!(
            little_endian(b"12345", &mut out),
            Some(&[0x45, 0x23, 1][..])
        );
        assert_eq!(little_endian(b"123456789", &mut out), None);
        assert_eq!(little_endian(b"1g", &mut out), None);
        assert_eq!(bytes_in_order(b"a541"), Some(vec![0xa5, 0x41]));
        assert_eq!(bytes_in_order(b"a54"), None);
    }
}
