//! Rows of adjacent digits.

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
