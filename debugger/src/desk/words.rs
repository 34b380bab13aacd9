//! Formatting of numbers, sizes and times.

use std::time::Duration;

use stepback_machine::{InstructionSet, RegisterGroup, Registers};

use crate::messages::{say, spoken, with_decimal};

pub use crate::model::text::thousands as count;

/// Formats a number of bytes in the largest unit that leaves a digit before the point: `8.4 GB`.
pub fn bytes(number: u64) -> String {
    let units = [
        ("words-tb", 1_000_000_000_000),
        ("words-gb", 1_000_000_000),
        ("words-mb", 1_000_000),
        ("words-kb", 1_000),
    ];
    match units.iter().find(|(_, size)| number >= *size) {
        Some((unit, size)) => {
            let amount = with_decimal(u128::from(number) * 10 / u128::from(*size));
            say!("words-size", amount = amount, unit = spoken(unit))
        }
        None if number == 1 => say!("words-1-byte").to_owned(),
        None => say!("words-bytes", count = number),
    }
}

/// Formats a time span: `5 s`, `3 min`.
pub fn span(time: Duration) -> String {
    match time.as_secs() {
        seconds @ 0..90 => format!("{} s", seconds.max(1)),
        seconds @ 90..5400 => format!("{} min", seconds / 60),
        seconds => format!("{} h", seconds / 3600),
    }
}

/// Formats a time relative to now. Both are in seconds since 1970.
pub fn ago(then: u64, now: u64) -> String {
    match now.saturating_sub(then) {
        0..60 => say!("words-just-now").to_owned(),
        seconds @ 60..3600 => say!("words-minutes-ago", count = seconds / 60),
        seconds @ 3600..86_400 => say!("words-hours-ago", count = seconds / 3600),
        86_400..172_800 => say!("words-yesterday").to_owned(),
        _ => date(then),
    }
}

/// Formats a date in UTC: `18 Nov 2026`.
fn date(seconds: u64) -> String {
    const MONTHS: [&str; 12] = [
        "month-jan",
        "month-feb",
        "month-mar",
        "month-apr",
        "month-may",
        "month-jun",
        "month-jul",
        "month-aug",
        "month-sep",
        "month-oct",
        "month-nov",
        "month-dec",
    ];
    let (year, month, day) = crate::clock::date_of(seconds / 86_400);
    let month = usize::try_from(month)
        .ok()
        .and_then(|month| MONTHS.get(month.checked_sub(1)?));
    format!("{day} {} {year}", spoken(month.unwrap_or(&"month-dec")))
}

/// Capitalises the first letter, unless the text begins with a name of the user's: a register
/// (`x2`, `rax`), a symbol (`sp_el3`, `a::b`), a file before a colon (`dd: not a trace`) or another
/// word that is no plain word (`main.c`, `rnd,`).
pub fn sentence(text: &str) -> String {
    let is_file = text.split_once(": ").is_some_and(|(head, _)| {
        !head.contains(char::is_whitespace) || head.contains(['/', '\\', '.'])
    });
    let first = text.split_whitespace().next().unwrap_or_default();
    let is_plain = |letter: char| letter.is_alphabetic() || "-'’".contains(letter);
    if is_file || !first.chars().all(is_plain) || is_register(first) {
        return text.to_owned();
    }
    let mut letters = text.chars();
    letters.next().map_or_else(String::new, |first| {
        first.to_uppercase().chain(letters).collect()
    })
}

/// Returns true for the name of a general register of any architecture.
fn is_register(word: &str) -> bool {
    let core = |set| Registers::of_group(RegisterGroup::Core, set);
    InstructionSet::ALL
        .into_iter()
        .flat_map(core)
        .any(|(name, _)| name == word)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sentences_begin_with_a_capital_and_names_stay_as_they_are() {
        assert_eq!(sentence("the file is empty"), "The file is empty");
        assert_eq!(sentence("l’index est ancien"), "L’index est ancien");
        for kept in [
            "x2 is not written",
            "rax is unknown at this position",
            "sp is unknown at this position",
            "dd: looks like binary data",
            "my trace.tarmac: looks like binary data",
            "/tmp/my trace: there is no such file",
            "main.c was not found",
            "sp_el3 is unknown",
            "rnd, call 2 of 5",
            "a::b is not called",
            "\"nosuch\" is not an address",
            "",
        ] {
            assert_eq!(sentence(kept), kept);
        }
    }

    #[test]
    fn sizes_have_one_digit_after_the_point() {
        assert_eq!(bytes(12), "12 bytes");
        assert_eq!(bytes(13_640_000_000), "13.6 GB");
        assert_eq!(bytes(1_000), "1.0 kB");
    }

    #[test]
    fn times_are_told_from_now() {
        let now = 1_795_304_700;
        assert_eq!(ago(now - 5, now), "just now");
        assert_eq!(ago(now - 130, now), "2 min ago");
        assert_eq!(ago(now - 90_000, now), "yesterday");
        assert_eq!(ago(0, now), "1 Jan 1970");
        assert_eq!(ago(1_709_164_800, now), "29 Feb 2024");
        assert_eq!(ago(1_709_251_200, now), "1 Mar 2024");
    }
}
