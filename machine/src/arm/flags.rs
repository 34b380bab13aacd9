//! The condition flags of Arm (Arm Architecture Reference Manual, DDI 0487, C1.2.4 "Condition
//! code").

use crate::meaning::FlagTest;

/// Negative, as a bit of the status register.
pub const N: u64 = 1 << 31;
/// Zero.
pub const Z: u64 = 1 << 30;
/// Carry.
pub const C: u64 = 1 << 29;
/// Overflow.
pub const V: u64 = 1 << 28;
/// All four condition flags.
pub const NZCV: u64 = N | Z | C | V;
/// Cumulative saturation, in A32 and T32.
pub const Q: u64 = 1 << 27;
/// Flags that SEL tests.
pub const GE: u64 = 0xf << 16;

/// Returns the flags that a condition tests, by its four-bit code; the lowest bit only inverts it.
pub fn of_condition(code: u32) -> u64 {
    match code >> 1 & 7 {
        0 => Z,
        1 => C,
        2 => N,
        3 => V,
        4 => C | Z,
        5 => N | V,
        6 => N | Z | V,
        _ => 0,
    }
}

/// Returns the flag test of a condition code.
pub fn test_of_condition(code: u32) -> FlagTest {
    let test = match code >> 1 & 7 {
        0 => FlagTest {
            set: Z,
            ..FlagTest::default()
        },
        1 => FlagTest {
            set: C,
            ..FlagTest::default()
        },
        2 => FlagTest {
            set: N,
            ..FlagTest::default()
        },
        3 => FlagTest {
            set: V,
            ..FlagTest::default()
        },
        // HI, GE and GT are the negations of the tests below.
        4 => FlagTest {
            set: Z,
            clear: C,
            is_negated: true,
            ..FlagTest::default()
        },
        5 => FlagTest {
            differ: Some((N, V)),
            is_negated: true,
            ..FlagTest::default()
        },
        6 => FlagTest {
            set: Z,
            differ: Some((N, V)),
            is_negated: true,
            ..FlagTest::default()
        },
        // Always, for either value of the lowest bit.
        _ => {
            return FlagTest {
                is_negated: true,
                ..FlagTest::default()
            };
        }
    };
    FlagTest {
        is_negated: test.is_negated != (code & 1 == 1),
        ..test
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn conditions_hold_as_in_the_manual() {
        let holds = |code, flags| test_of_condition(code).holds(flags);
        assert!(holds(0, Z) && !holds(0, N) && holds(1, N) && !holds(1, Z));
        assert!(holds(8, C) && !holds(8, C | Z) && !holds(8, 0), "HI");
        assert!(holds(9, 0) && holds(9, C | Z) && !holds(9, C), "LS");
        assert!(holds(10, N | V) && holds(10, 0) && !holds(10, N), "GE");
        assert!(holds(11, V) && !holds(11, 0), "LT");
        assert!(holds(12, 0) && !holds(12, Z) && !holds(12, V), "GT");
        assert!(holds(13, Z) && holds(13, N) && !holds(13, N | V), "LE");
        assert!(holds(14, 0) && holds(15, NZCV), "AL");
    }
}
