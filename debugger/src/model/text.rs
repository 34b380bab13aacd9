//! Formats numbers, values and flags.

use std::fmt::Write as _;

use stepback_index::answer::Value;
use stepback_machine::Address;
use stepback_machine::display::{StatusFlag, StatusRegister};

use crate::messages::{say, spoken, with_decimal};

pub use crate::messages::thousands;

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
    let whole = tenths / 10;
    let name = spoken(name);
    if tenths % 10 == 0 || whole >= 10 {
        format!("{whole} {name}")
    } else {
        format!("{} {name}", with_decimal(tenths))
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
