//! Numbers in text, parsed word by word, or in the fast paths eight digits at once as the bytes of
//! a 64-bit integer. [`DigitRows`] tracks where separators divide the digits of a value into rows.

/// Parses a hexadecimal number without prefix. Returns none if `word` is not one, or if it does not
/// fit in 64 bits.
#[inline]
pub(crate) fn hex(word: &[u8]) -> Option<u64> {
    let eight = |at: usize| hex_8(load_8(word, at)).map(u64::from);
    let length = word.len();
    match length {
        0 => None,
        1..=3 => {
            let mut digits = word.iter();
            digits.try_fold(0, |value, &byte| {
                Some(value << 4 | u64::from(nibble(byte)?))
            })
        }
        // The first and the last digits overlap.
        4..=7 => {
            let four = |at: usize| chunk::<4>(word, at).map_or(0, u32::from_le_bytes);
            let pair = u64::from(four(0)) | u64::from(four(length - 4)) << 32;
            let [first, last] = hex_8(pair).map(|pair| [pair >> 16, pair & 0xffff])?;
            Some(u64::from(first >> (4 * (8 - length)) << 16 | last))
        }
        8 => eight(0),
        9..=16 => Some(eight(0)? >> (4 * (16 - length)) << 32 | eight(length - 8)?),
        _ => {
            let (zeros, rest) = word.split_at(length - 16);
            zeros.iter().all(|byte| *byte == b'0').then(|| hex(rest))?
        }
    }
}

/// Counts the leading bytes that are hexadecimal digits.
#[inline]
pub(crate) fn hex_length(text: &[u8]) -> usize {
    let mut length = 0;
    while let Some(bytes) = chunk(text, length).map(u64::from_le_bytes) {
        let count = hex_count(bytes);
        length += count;
        if count < 8 {
            return length;
        }
    }
    let rest = text.get(length..).unwrap_or_default().iter();
    length + rest.take_while(|byte| byte.is_ascii_hexdigit()).count()
}

/// Counts the leading bytes that are hexadecimal digits, 0 to 8.
#[inline(always)]
fn hex_count(bytes: u64) -> usize {
    let ascii = bytes & !HIGH;
    let folded = ascii | (0x20 * ONES);
    let is_digit = at_least(ascii, 0x30) & !at_least(ascii, 0x3a);
    let is_letter = at_least(folded, 0x61) & !at_least(folded, 0x67);
    let others = !(is_digit | is_letter) | bytes;
    (others & HIGH).trailing_zeros() as usize / 8
}

/// Returns true if there is at least one byte and all bytes are hexadecimal digits.
pub(crate) fn is_hex(word: &[u8]) -> bool {
    !word.is_empty() && word.iter().all(u8::is_ascii_hexdigit)
}

/// Parses a decimal number. Returns none if `word` is not one, or if it does not fit in 64 bits.
pub(crate) fn decimal(word: &[u8]) -> Option<u64> {
    let mut value = (!word.is_empty()).then_some(0u64)?;
    for &byte in word {
        let digit = u64::from(byte.is_ascii_digit().then_some(byte & 15)?);
        value = value.checked_mul(10)?.checked_add(digit)?;
    }
    Some(value)
}

/// Returns the value of a hexadecimal digit.
pub(crate) fn nibble(byte: u8) -> Option<u8> {
    match byte {
        b'0'..=b'9' => Some(byte & 15),
        b'a'..=b'f' | b'A'..=b'F' => Some((byte & 7) + 9),
        _ => None,
    }
}

/// Loads eight bytes of text from `at` in little-endian order. Returns 0 if fewer remain.
#[inline(always)]
pub(crate) fn load_8(text: &[u8], at: usize) -> u64 {
    chunk(text, at).map_or(0, u64::from_le_bytes)
}

/// Loads sixteen bytes of text from `at` in little-endian order. Returns 0 if fewer remain.
#[inline(always)]
pub(crate) fn load_16(text: &[u8], at: usize) -> u128 {
    chunk(text, at).map_or(0, u128::from_le_bytes)
}

/// Written so that only one comparison remains of the checks if the length of the text is fixed.
#[inline(always)]
fn chunk<const N: usize>(text: &[u8], at: usize) -> Option<[u8; N]> {
    text.get(at..at.checked_add(N)?)?.first_chunk().copied()
}

const ONES: u64 = 0x0101_0101_0101_0101;
const HIGH: u64 = 0x80 * ONES;

/// Sets the high bit of each byte that is at least `limit`. All bytes must be below 0x80.
#[inline(always)]
fn at_least(bytes: u64, limit: u64) -> u64 {
    bytes + (0x80 - limit) * ONES
}

/// Parses eight hexadecimal digits at once. The first (lowest) byte is the most significant digit.
/// Returns none if one byte is not a digit.
#[inline(always)]
pub(crate) fn hex_8(bytes: u64) -> Option<u32> {
    // A digit becomes its value. A letter becomes its number in the alphabet, at least 1, without
    // case.
    let folded = bytes ^ (0x30 * ONES);
    let is_letter = (folded >> 6) & ONES;
    let places = ((folded & !(is_letter << 5)) ^ (0x50 * is_letter)).wrapping_sub(is_letter);
    let nibbles = places.wrapping_add(10 * is_letter);
    // 9 and 15 are the largest values. A byte that is not a digit leaves bits in its upper half;
    // its carry into the next byte does not matter then.
    let largest = nibbles.wrapping_add(6 * ONES).wrapping_sub(6 * is_letter);
    if (places | largest) & (0xf0 * ONES) != 0 {
        return None;
    }
    let pairs = (nibbles << 4 | nibbles >> 8) & 0x00ff_00ff_00ff_00ff;
    let fours = (pairs | pairs >> 8) & 0x0000_ffff_0000_ffff;
    let eight = fours | fours >> 16;
    Some((eight as u32).swap_bytes())
}

/// Counts the leading bytes that are decimal digits, 0 to 8.
#[inline(always)]
pub(crate) fn digit_count(bytes: u64) -> usize {
    // A digit is 0x30 to 0x39: its upper half is 3, and stays 3 when 6 is added.
    let is_three = |bytes: u64| (bytes & (0xf0 * ONES)) ^ (0x30 * ONES);
    let sums = (bytes & (0x7f * ONES)) + 6 * ONES;
    let others = is_three(bytes) | is_three(sums);
    others.trailing_zeros() as usize / 8
}

/// Returns the value of the first `count` bytes, 0 to 8, all of which must be decimal digits.
#[inline(always)]
pub(crate) fn small_decimal(bytes: u64, count: usize) -> u64 {
    if count == 0 {
        return 0;
    }
    let digits = (bytes & (0x0f * ONES)) << (64 - 8 * count);
    let pairs = (digits * 10 + (digits >> 8)) & 0x00ff_00ff_00ff_00ff;
    let fours = (pairs * 100 + (pairs >> 16)) & 0x0000_ffff_0000_ffff;
    (fours * 10_000 + (fours >> 32)) & 0xffff_ffff
}

/// Converts capital letters to small ones. Returns none if a byte is not ASCII.
#[inline(always)]
pub(crate) fn lower(bytes: u64) -> Option<u64> {
    if bytes & HIGH != 0 {
        return None;
    }
    let is_capital = at_least(bytes, 0x41) & !at_least(bytes, 0x5b) & HIGH;
    Some(bytes | is_capital >> 2)
}

/// Returns true if a digit, a space and a letter follow one another. The neighbours of digits and
/// letters in ASCII count as digits and letters.
#[inline(always)]
pub(crate) fn letter_after_digit(bytes: u64) -> bool {
    let no_digit = (bytes ^ (0x30 * ONES)) & (0xf0 * ONES);
    let no_space = bytes ^ (0x20 * ONES);
    let no_letter = (bytes ^ (0x40 * ONES)) & (0xc0 * ONES);
    // A byte is zero if a pattern ends in it; the first two bytes have no room for the pattern.
    let misses = no_digit << 16 | no_space << 8 | no_letter | 0xffff;
    misses.wrapping_sub(ONES) & !misses & HIGH != 0
}

/// Returns the position of the first byte equal to `wanted`, or 8 if there is none.
#[inline(always)]
pub(crate) fn position_8(bytes: u64, wanted: u8) -> usize {
    let others = bytes ^ (u64::from(wanted) * ONES);
    let hits = others.wrapping_sub(ONES) & !others & HIGH;
    hits.trailing_zeros() as usize / 8
}

/// Number of hexadecimal digits in a row. A text trace writes a known value in hexadecimal digits,
/// most significant first, in rows counted from the last digit. Separators and blanks come only
/// between rows, unless [`crate::EventSink::scattered_values`] says otherwise.
pub const ROW_DIGITS: usize = 8;

/// Positions of the separators and blanks between the digits of a number.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct DigitRows {
    /// Number of digits before the first separator, modulo [`ROW_DIGITS`].
    first: Option<usize>,
    is_uneven: bool,
}

impl DigitRows {
    /// A number of which no digit has been read yet.
    pub const NONE: Self = Self {
        first: None,
        is_uneven: false,
    };

    /// Records a separator or a blank after `digits` digits.
    pub fn break_after(&mut self, digits: usize) {
        let place = digits % ROW_DIGITS;
        if digits > 0 {
            self.is_uneven |= *self.first.get_or_insert(place) != place;
        }
    }

    /// Returns true if there is no separator or blank between the digits.
    pub fn is_unbroken(self) -> bool {
        self.first.is_none()
    }

    /// Returns true if a number of `digits` digits is written in rows, counted from its last digit.
    pub fn are_whole(self, digits: usize) -> bool {
        !self.is_uneven && self.first.is_none_or(|place| place == digits % ROW_DIGITS)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_of_all_lengths_are_read() {
        let digits = b"0123456789aBcDeF";
        for length in 1..=16 {
            for start in 0..=16 - length {
                let word = &digits[start..start + length];
                let text = std::str::from_utf8(word).unwrap();
                assert_eq!(hex(word), u64::from_str_radix(text, 16).ok(), "{text}");
                assert_eq!(hex_length(word), length, "{text}");
                for place in 0..length {
                    let mut word = word.to_vec();
                    word[place] = b'g';
                    assert_eq!((hex(&word), hex_length(&word)), (None, place), "{word:?}");
                }
            }
        }
    }

    #[test]
    fn numbers_that_do_not_fit_are_none() {
        assert_eq!(hex(b"00000FFFFffffffff"), Some(0xFFFF_FFFF_FFFF));
        assert_eq!(hex(b"0ffffffffffffffff"), Some(u64::MAX));
        assert_eq!(hex(b"1ffffffffffffffff"), None);
        assert_eq!((hex(b""), hex(b"12g")), (None, None));
        assert_eq!(decimal(b"18446744073709551615"), Some(u64::MAX));
        assert_eq!(
            (
                decimal(b"18446744073709551616"),
                decimal(b""),
                decimal(b"-1")
            ),
            (None, None, None)
        );
    }

    #[test]
    fn eight_digits_at_once_are_as_one_by_one() {
        for byte in 0..=255u8 {
            for place in 0..8 {
                let mut text = *b"0a9FfA17";
                text[place] = byte;
                assert_eq!(
                    hex_8(load_8(&text, 0)).map(u64::from),
                    hex(&text),
                    "{text:?}"
                );
            }
        }
    }

    #[test]
    fn short_numbers_are_read_at_once() {
        for (text, count) in [
            ("12345678", 8),
            ("1234567x", 7),
            ("0 clk IT", 1),
            (" 1234567", 0),
            ("99999999", 8),
            ("7:/12345", 1),
        ] {
            let bytes = load_8(text.as_bytes(), 0);
            assert_eq!(digit_count(bytes), count, "{text}");
            assert_eq!(
                small_decimal(bytes, count),
                text[..count].parse().unwrap_or(0),
                "{text}"
            );
        }
        for byte in 0..=255u8 {
            let count = if byte.is_ascii_digit() { 8 } else { 3 };
            assert_eq!(
                digit_count(load_8(&[b'1', b'2', b'3', byte, b'5', b'6', b'7', b'8'], 0)),
                count,
                "{byte}"
            );
        }
    }

    #[test]
    fn letters_are_folded_and_nothing_else() {
        for byte in 0..=127u8 {
            assert_eq!(
                lower(u64::from(byte) << 24),
                Some(u64::from(byte.to_ascii_lowercase()) << 24)
            );
        }
        assert_eq!(lower(0x80), None);
        assert_eq!(
            (
                position_8(load_8(b"ab d fgh", 0), b' '),
                position_8(load_8(b"abcdefgh", 0), b' ')
            ),
            (2, 8)
        );
    }

    #[test]
    fn a_number_before_a_word_is_seen_anywhere() {
        for (text, expected) in [
            ("13 clk I", true),
            ("NOP13 cl", true),
            ("abcd5 ta", true),
            ("abcde5 t", true),
            ("abcdef5 ", false),
            ("5  clk a", false),
            ("5 IT (2)", true),
            ("5 0x1000", false),
            ("x clk IT", false),
            ("5;clk IT", false),
            (",#1 ; 0x", false),
        ] {
            assert_eq!(
                letter_after_digit(load_8(text.as_bytes(), 0)),
                expected,
                "{text}"
            );
        }
    }

    #[test]
    fn loads_beyond_the_text_are_zero() {
        assert_eq!((load_8(b"1234567", 0), load_16(b"123456789", 100)), (0, 0));
    }
}

#[cfg(test)]
mod digit_rows_tests {
    use super::*;

    #[track_caller]
    fn check(text: &str, expected: bool) {
        let (mut rows, mut digits) = (DigitRows::NONE, 0);
        for letter in text.chars() {
            if letter == '_' {
                rows.break_after(digits)
            } else {
                digits += 1
            }
        }
        assert_eq!(rows.are_whole(digits), expected, "{text}");
    }

    #[test]
    fn rows_are_counted_from_the_last_digit() {
        check("123456789abc", true);
        check("1234_56789abc", true);
        check("00112233_44556677_8899aabb", true);
        check("0011223344556677_8899aabbccddeeff", true);
        check("1234_5678", false);
        check("1234_5678_9abcdef0", false);
        check("_12345678", true);
    }
}
