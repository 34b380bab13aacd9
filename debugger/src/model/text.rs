//! Formats numbers, values, flags and times.
//!
//! Times of day are in universal time.

use std::fmt::Write as _;

use stepback_index::answer::Value;
use stepback_machine::Address;
use stepback_machine::display::{StatusFlag, StatusRegister};

use crate::messages::{say, spoken};

pub use crate::number::thousands;

/// Formats a count with its noun: `1 step`, `2 steps`.
pub fn counted(number: u64, one: &str, many: &str) -> String {
    format!(
        "{} {}",
        thousands(number),
        if number == 1 { one } else { many }
    )
}

/// Formats a memory size in the largest unit that it reaches, with at most one decimal: `64 MiB`,
/// `1.5 KiB`.
pub fn size_text(bytes: u64) -> String {
    const UNITS: [&str; 6] = [
        "text-kib", "text-mib", "text-gib", "text-tib", "text-pib", "text-eib",
    ];
    let unit = (1..=UNITS.len())
        .rev()
        .find(|power| bytes >> (10 * power) != 0);
    let Some((power, name)) = unit.and_then(|power| Some((power, UNITS.get(power - 1)?))) else {
        return say!("text-bytes", count = bytes);
    };
    let tenths = (u128::from(bytes) * 10) >> (10 * power);
    let (whole, tenth) = (tenths / 10, tenths % 10);
    let name = spoken(name);
    if tenth == 0 || whole >= 10 {
        format!("{whole} {name}")
    } else {
        format!("{whole}.{tenth} {name}")
    }
}

/// Formats a value in hex without leading zeros, `?` for an unknown digit; none if no digit is
/// known.
pub fn short_hex(value: &Value) -> Option<String> {
    if value.is_unknown() {
        return None;
    }
    let text = value.hex();
    let short = text.trim_start_matches('0');
    Some(if short.is_empty() {
        "0".to_owned()
    } else {
        short.to_owned()
    })
}

/// Formats the condition flags of a status register in groups of four: a capital is set, `?` is
/// unknown.
pub fn flags_text(status: &StatusRegister) -> String {
    let sets = status.flags.as_chunks::<4>().0.iter();
    let text = |flags: &[StatusFlag; 4]| {
        flags
            .iter()
            .map(|flag| flag_letter(flag.letter, flag.is_set))
            .collect::<String>()
    };
    sets.map(text).collect::<Vec<_>>().join(" ")
}

/// Returns the common name of the flags: the names of their sets, otherwise their letters.
pub fn flags_name(status: &StatusRegister) -> String {
    if !status.flag_sets.is_empty() {
        return status.flag_sets.join(" ");
    }
    status
        .flags
        .iter()
        .take(4)
        .map(|flag| flag.letter)
        .collect()
}

/// Lists the flags that are set: `carry`, `negative, overflow`. Words without a translation stay
/// unchanged.
pub fn flag_words(status: &StatusRegister) -> String {
    let word = |word: &'static str| {
        let (set, plain) = word
            .strip_prefix("xcc ")
            .map_or(("", word), |plain| ("xcc ", plain));
        let said = match plain {
            "negative" => say!("flag-negative"),
            "zero" => say!("flag-zero"),
            "carry" => say!("flag-carry"),
            "overflow" => say!("flag-overflow"),
            "saturated" => say!("flag-saturated"),
            other => other,
        };
        format!("{set}{said}")
    };
    status.set_words().map(word).collect::<Vec<_>>().join(", ")
}

/// Returns the letter of a flag in the case that shows its state.
pub fn flag_letter(letter: char, is_set: Option<bool>) -> char {
    match is_set {
        Some(true) => letter.to_ascii_uppercase(),
        Some(false) => letter,
        None => '?',
    }
}

/// Formats bytes in address order: `a9 02 ??`.
pub fn bytes_text(bytes: &[Option<u8>]) -> String {
    let mut text = String::with_capacity(3 * bytes.len());
    for (place, byte) in bytes.iter().enumerate() {
        let separator = if place == 0 { "" } else { " " };
        let _infallible = match byte {
            Some(byte) => write!(text, "{separator}{byte:02x}"),
            None => write!(text, "{separator}??"),
        };
    }
    text
}

/// Returns the number of digits for addresses up to `highest`.
pub fn address_digits(highest: Address) -> usize {
    match highest.0 {
        0..0x1_0000_0000 => 8,
        // User half of the address space on most 64-bit machines.
        0x1_0000_0000..0x1_0000_0000_0000 => 12,
        _ => 16,
    }
}

/// Returns the number of insignificant leading zeros of a hex text; the last digit is always
/// significant.
pub fn leading_zeros(hex: &str) -> usize {
    let zeros = hex.bytes().take_while(|byte| *byte == b'0').count();
    zeros.min(hex.len().saturating_sub(1))
}
/// Microseconds in a day.
const DAY: u64 = 86_400_000_000;

/// Formats Unix microseconds as `2026-11-22 02:18:29.000123`.
pub fn clock_text(micros: u64) -> String {
    let (year, month, day) = date_of(micros / DAY);
    format!("{year}-{month:02}-{day:02} {}", time_text(micros))
}

/// Formats only the time of day: `02:18:29.000123`.
pub fn time_text(micros: u64) -> String {
    let second = micros % DAY / 1_000_000;
    let (hour, minute, second) = (second / 3600, second / 60 % 60, second % 60);
    format!(
        "{hour:02}:{minute:02}:{second:02}.{:06}",
        micros % 1_000_000
    )
}

/// Formats a duration in the largest unit that leaves digits before the point: `12 µs`, `3.4 ms`,
/// `5.06 s`.
pub fn span_text(micros: u64) -> String {
    match micros {
        0..1_000 => format!("{micros} µs"),
        1_000..1_000_000 => format!("{}.{} ms", micros / 1_000, micros % 1_000 / 100),
        _ => format!(
            "{}.{:02} s",
            micros / 1_000_000,
            micros % 1_000_000 / 10_000
        ),
    }
}

/// Converts days since 1970 to year, month and day, after Howard Hinnant's description of the
/// proleptic Gregorian calendar.
pub fn date_of(day: u64) -> (u64, u64, u64) {
    let days = day + 719_468;
    let era_day = days % 146_097;
    let year_of_era = (era_day - era_day / 1_460 + era_day / 36_524 - era_day / 146_096) / 365;
    let year_day = era_day - (365 * year_of_era + year_of_era / 4 - year_of_era / 100);
    let month_from_march = (5 * year_day + 2) / 153;
    let day = year_day - (153 * month_from_march + 2) / 5 + 1;
    let (month, is_next_year) = if month_from_march < 10 {
        (month_from_march + 3, 0)
    } else {
        (month_from_march - 9, 1)
    };
    (
        year_of_era + days / 146_097 * 400 + is_next_year,
        month,
        day,
    )
}

#[cfg(test)]
mod tests {
    use stepback_machine::InstructionSet;

    use super::*;

    #[test]
    fn thousands_are_separated() {
        let numbers = [0, 999, 1000, 1_234_567, u64::MAX];
        let texts: Vec<String> = numbers.into_iter().map(thousands).collect();
        assert_eq!(
            texts,
            [
                "0",
                "999",
                "1,000",
                "1,234,567",
                "18,446,744,073,709,551,615"
            ]
        );
    }

    #[test]
    fn sizes_are_said_in_the_largest_unit() {
        let sizes = [1, 63, 1024, 1536, 64 << 20, (3 << 30) + (1 << 28), u64::MAX];
        let texts: Vec<String> = sizes.into_iter().map(size_text).collect();
        assert_eq!(
            texts,
            [
                "1 byte", "63 bytes", "1 KiB", "1.5 KiB", "64 MiB", "3.2 GiB", "15 EiB"
            ]
        );
    }

    #[test]
    fn values_lose_their_leading_zeros_and_nothing_else() {
        let short = |bytes: &[Option<u8>]| short_hex(&Value(bytes.to_vec()));
        assert_eq!(short(&[Some(0); 8]).as_deref(), Some("0"));
        assert_eq!(
            short(&[Some(0x7d), Some(0x5a), Some(0)]).as_deref(),
            Some("5a7d")
        );
        assert_eq!(short(&[Some(1), None, Some(0)]).as_deref(), Some("??01"));
        assert_eq!(short(&[None, None]), None);
    }

    #[test]
    fn flags_are_spelled_by_case() {
        let flags = |top: Option<u8>| {
            flags_text(&InstructionSet::A64.status(&[Some(0xcd), Some(3), Some(0), top]))
        };
        assert_eq!(flags(Some(0x20)), "nzCv");
        assert_eq!(flags(Some(0x90)), "NzcV");
        assert_eq!(flags(None), "????");
    }

    #[test]
    fn the_last_digit_is_never_a_leading_zero() {
        assert_eq!(
            (
                leading_zeros("0000"),
                leading_zeros("00a0"),
                leading_zeros("")
            ),
            (3, 2, 0)
        );
    }
}

#[cfg(test)]
mod clock_tests {
    use super::*;

    #[test]
    fn moments_are_those_of_the_calendar() {
        assert_eq!(clock_text(0), "1970-01-01 00:00:00.000000");
        assert_eq!(
            clock_text(1_795_313_909_000_123),
            "2026-11-22 02:18:29.000123"
        );
        assert_eq!(
            clock_text(951_782_400_000_000),
            "2000-02-29 00:00:00.000000"
        );
        assert!(clock_text(u64::MAX).ends_with(".551615"));
    }

    #[test]
    fn spans_are_said_in_a_unit_that_fits() {
        assert_eq!(
            [7, 12_345, 5_067_890].map(span_text),
            ["7 µs", "12.3 ms", "5.06 s"]
        );
    }
}
