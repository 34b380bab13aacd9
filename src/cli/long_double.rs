//! Floating-point numbers of more than 64 bits, as text: x87 extended precision and binary128.
//!
//! A number that `f64` cannot hold exactly is marked as rounded: `≈ 0.1`.

/// Bias of exponents of 15 bits.
const BIAS: i32 = 0x3fff;

/// Exponent of infinities and of numbers that are none.
const SPECIAL: i32 = 0x7fff;

/// Number of fraction bits of binary128.
const QUADRUPLE_BITS: u32 = 112;

/// Number of significand bits of `f64`.
const DOUBLE_BITS: u32 = f64::MANTISSA_DIGITS;

/// Largest power of two by which a number is scaled at once.
const SCALE_STEP: i32 = 1000;

/// Size of a value in x87 extended precision.
pub const EXTENDED_BYTES: usize = 10;

/// A sign, and a significand with its power of two.
struct LongFloat {
    is_negative: bool,
    significand: u128,
    exponent: i32,
}

/// Formats x87 extended precision, of which the first ten bytes have the value (Intel SDM volume 1,
/// 4.2.2 "Floating-Point Data Types"); none if no `f64` is near it.
pub fn extended_text(bytes: &[u8]) -> Option<String> {
    let significand = u64::from_le_bytes(*bytes.first_chunk()?);
    let upper = u16::from_le_bytes(*bytes.get(8..)?.first_chunk()?);
    let (is_negative, exponent) = (upper >> 15 == 1, i32::from(upper & 0x7fff));
    let sign = if is_negative { "-" } else { "" };
    if exponent == SPECIAL {
        return Some(special_text(sign, u128::from(significand << 1)));
    }
    LongFloat {
        is_negative,
        significand: significand.into(),
        exponent: exponent.max(1) - BIAS - 63,
    }
    .text()
}

/// Formats binary128 (IEEE 754-2019, 3.4); none if no `f64` is near it.
pub fn quadruple_text(bits: u128) -> Option<String> {
    let fraction = bits & ((1 << QUADRUPLE_BITS) - 1);
    let exponent = i32::try_from(bits >> QUADRUPLE_BITS & 0x7fff).ok()?;
    let is_negative = bits >> 127 == 1;
    let sign = if is_negative { "-" } else { "" };
    if exponent == SPECIAL {
        return Some(special_text(sign, fraction));
    }
    let leading = u128::from(exponent > 0) << QUADRUPLE_BITS;
    LongFloat {
        is_negative,
        significand: leading | fraction,
        exponent: exponent.max(1) - BIAS - 112,
    }
    .text()
}

fn special_text(sign: &str, fraction: u128) -> String {
    match fraction {
        0 => format!("{sign}inf"),
        _ => "NaN".to_owned(),
    }
}

impl LongFloat {
    fn text(&self) -> Option<String> {
        let zeros = self.significand.trailing_zeros() % u128::BITS;
        let (significand, exponent) = (
            self.significand >> zeros,
            self.exponent + zeros.cast_signed(),
        );
        // The conversion rounds to nearest, and the scaling is exact for normal numbers.
        let mut number = significand as f64;
        let mut left = exponent;
        while left != 0 {
            let step = left.clamp(-SCALE_STEP, SCALE_STEP);
            number *= 2_f64.powi(step);
            left -= step;
        }
        if self.is_negative {
            number = -number;
        }
        let is_exact = u128::BITS - significand.leading_zeros() <= DOUBLE_BITS;
        match number.is_normal() || significand == 0 {
            true if is_exact => Some(format!("{number:?}")),
            true => Some(format!("≈ {number:?}")),
            false => None,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The bytes are those that gcc stores for constants.
    #[test]
    fn x87_numbers_are_shown_in_decimal() {
        let check = |upper: u16, significand: u64, expected: Option<&str>| {
            let bytes = [&significand.to_le_bytes()[..], &upper.to_le_bytes()].concat();
            assert_eq!(extended_text(&bytes).as_deref(), expected, "{expected:?}");
        };
        check(0x3ffe, 0x8000_0000_0000_0000, Some("0.5"));
        check(0xbfff, 0xc000_0000_0000_0000, Some("-1.5"));
        check(0x3ffb, 0xcccc_cccc_cccc_cccd, Some("≈ 0.1"));
        check(0, 0, Some("0.0"));
        check(0x8000, 0, Some("-0.0"));
        check(0x7fff, 0x8000_0000_0000_0000, Some("inf"));
        check(0xffff, 0x8000_0000_0000_0000, Some("-inf"));
        check(0x7fff, 0xc000_0000_0000_0000, Some("NaN"));
        // LDBL_MAX and LDBL_MIN.
        check(0x7ffe, u64::MAX, None);
        check(1, 0x8000_0000_0000_0000, None);
        // 2^63 + 1.
        check(
            0x403e,
            0x8000_0000_0000_0001,
            Some("≈ 9.223372036854776e18"),
        );
        assert_eq!(extended_text(&[0; 9]), None);
    }

    #[test]
    fn quadruple_numbers_are_shown_in_decimal() {
        let check = |bits: u128, expected: Option<&str>| {
            assert_eq!(quadruple_text(bits).as_deref(), expected, "{expected:?}");
        };
        check(0x3ffe << 112, Some("0.5"));
        check(0xc000_8000 << 96, Some("-3.0"));
        check(0x3ffb_9999_9999_9999_9999_9999_9999_999a, Some("≈ 0.1"));
        check(0, Some("0.0"));
        check(0x7fff << 112, Some("inf"));
        check(0x7ffe << 112, None);
    }
}
