//! Formats times of day of a recording, in universal time.

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
