//! Writes words and numbers into a line. Bypasses the formatting machinery of the standard library,
//! which would cost more than everything else.

/// Appends words and numbers to a line.
pub struct LineWriter<'a> {
    out: &'a mut Vec<u8>,
}

impl<'a> LineWriter<'a> {
    /// Creates a writer that appends to `out`.
    pub fn new(out: &'a mut Vec<u8>) -> Self {
        Self { out }
    }

    /// Appends a text.
    pub fn text(&mut self, text: &str) -> &mut Self {
        self.out.extend_from_slice(text.as_bytes());
        self
    }

    /// Appends a decimal number.
    pub fn number(&mut self, number: u64) -> &mut Self {
        self.number_in(number, 1)
    }

    /// Appends a decimal number, right-aligned in `columns` columns; a longer number takes more.
    pub fn number_in(&mut self, mut number: u64, columns: usize) -> &mut Self {
        self.spaces(columns.saturating_sub(decimal_digits(number)));
        let mut digits = [0; 20];
        let mut unused = digits.len();
        for digit in digits.iter_mut().rev() {
            *digit = b'0' + (number % 10) as u8;
            number /= 10;
            unused -= 1;
            if number == 0 {
                break;
            }
        }
        self.out
            .extend_from_slice(digits.get(unused..).unwrap_or_default());
        self
    }

    /// Appends `count` blanks.
    pub fn spaces(&mut self, count: usize) -> &mut Self {
        self.out.resize(self.out.len() + count, b' ');
        self
    }

    /// Appends `0x…` without leading zeros.
    pub fn hex(&mut self, number: u64) -> &mut Self {
        let digits = number.checked_ilog2().map_or(1, |bit| bit / 4 + 1);
        self.text("0x").digits(number, digits)
    }

    /// Appends `0x…` with all 16 digits.
    pub fn address(&mut self, address: u64) -> &mut Self {
        self.text("0x").digits(address, 16)
    }

    /// Appends a byte as two hexadecimal digits.
    pub fn byte(&mut self, byte: u8) -> &mut Self {
        self.digits(u64::from(byte), 2)
    }

    fn digits(&mut self, number: u64, digits: u32) -> &mut Self {
        let digit = |place: u32| match (number >> (4 * place) & 15) as u8 {
            digit @ 0..10 => b'0' + digit,
            digit => b'a' + digit - 10,
        };
        self.out.extend((0..digits).rev().map(digit));
        self
    }
}

/// Returns the number of decimal digits of a number.
pub fn decimal_digits(number: u64) -> usize {
    number
        .checked_ilog10()
        .map_or(1, |digits| digits as usize + 1)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_are_as_the_library_writes_them() {
        for number in [
            0,
            1,
            9,
            10,
            15,
            16,
            99,
            255,
            256,
            12_345,
            1 << 60,
            u64::MAX - 1,
            u64::MAX,
        ] {
            let mut line = Vec::new();
            let byte = number.to_le_bytes()[0];
            LineWriter::new(&mut line)
                .number(number)
                .text(" ")
                .number_in(number, 12)
                .hex(number);
            LineWriter::new(&mut line)
                .address(number)
                .spaces(2)
                .byte(byte);
            let expected = format!("{number} {number:>12}{number:#x}{number:#018x}  {byte:02x}");
            assert_eq!(String::from_utf8(line).unwrap(), expected);
        }
    }
}
