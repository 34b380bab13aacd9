//! Addresses as they are typed where they are shown: without `0x`.

/// The number that hexadecimal digits mean, with or without `0x`; none for anything else.
///
/// ```
/// use stepback::expression::shown_address;
///
/// assert_eq!(shown_address("80020340"), Some(0x80020340));
/// assert_eq!(shown_address("0x8ffff5e0"), Some(0x8ffff5e0));
/// assert_eq!(shown_address("sp + 8"), None);
/// ```
pub fn shown_address(text: &str) -> Option<u64> {
    let text = text.trim();
    let digits = text.strip_prefix("0x").or(text.strip_prefix("0X")).unwrap_or(text);
    let is_hex = !digits.is_empty() && digits.bytes().all(|digit| digit.is_ascii_hexdigit());
    u64::from_str_radix(digits, 16).ok().filter(|_| is_hex)
}

/// Another way to read what was typed as an address.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum OtherReading {
    /// It consists of digits alone, which stand for an address in hexadecimal: they may be a decimal number.
    Decimal(u64),
    /// It is a name that consists of hexadecimal digits: it may be an address.
    Address(u64),
}

impl OtherReading {
    /// The reading of a text that was not taken; none where only one makes sense.
    pub fn of(text: &str, taken: u64) -> Option<Self> {
        let (text, address) = (text.trim(), shown_address(text)?);
        if text.starts_with("0x") || text.starts_with("0X") {
            return None;
        }
        let decimal = decimal(text).map(Self::Decimal);
        let readings = [Some(Self::Address(address)), decimal].into_iter().flatten();
        readings.into_iter().find(|reading| reading.value() != taken)
    }

    /// The address that is meant then.
    pub fn value(self) -> u64 {
        match self {
            Self::Decimal(value) | Self::Address(value) => value,
        }
    }
}

/// The address that a text stands for whatever names there are: digits alone.
pub fn digits_alone(text: &str) -> Option<u64> {
    let text = text.trim();
    shown_address(text).filter(|_| text.bytes().all(|digit| digit.is_ascii_digit()))
}

/// The decimal number that digits alone may be as well.
pub fn decimal(text: &str) -> Option<u64> {
    text.trim().parse().ok().filter(|_| digits_alone(text).is_some())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_can_be_read_in_two_ways_is_known() {
        let other = |text: &str, taken| OtherReading::of(text, taken);
        assert_eq!(other("80020340", 0x8002_0340), Some(OtherReading::Decimal(80_020_340)));
        assert_eq!(other("80020340", 80_020_340), Some(OtherReading::Address(0x8002_0340)));
        assert_eq!(other("8", 8), None);
        assert_eq!(other("0x80020340", 0x8002_0340), None);
        assert_eq!(other("fa0", 0x1234), Some(OtherReading::Address(0xfa0)));
        assert_eq!(other("sp", 0), None);
        assert_eq!(other("12345678901234567", 0), None);
        assert_eq!((digits_alone("10"), digits_alone("fa0"), digits_alone("")), (Some(0x10), None, None));
    }
}
