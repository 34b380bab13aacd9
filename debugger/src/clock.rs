//! Dates and times of day, in universal time and Unix microseconds, and the unit of a trace's times
//! ([`TraceClock`]).

use stepback_index::Index;
use stepback_parsers::drmemtrace::Drmemtrace;

use crate::messages::{decimal_mark, thousands, with_decimal};

/// Unit of a trace's times.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum TraceClock {
    /// Unix microseconds, which are dates.
    UnixMicros,
    /// Nanoseconds from an arbitrary moment on.
    Nanoseconds,
    /// A unit as the trace names it; empty if it names none.
    Ticks(String),
}

impl TraceClock {
    /// Returns the clock of a trace.
    pub fn of(index: &Index) -> Self {
        let source = index.source();
        if source.downcast::<Drmemtrace>().is_some() {
            return Self::UnixMicros;
        }
        match source.traits().time_unit.as_deref() {
            Some("ns") => Self::Nanoseconds,
            unit => Self::Ticks(unit.unwrap_or_default().to_owned()),
        }
    }

    /// Formats a time: a date, or a number.
    pub fn time_text(&self, time: u64) -> String {
        match self {
            Self::UnixMicros => clock_text(time),
            Self::Nanoseconds | Self::Ticks(_) => time.to_string(),
        }
    }

    /// Formats a time where no column head names the unit.
    pub fn labelled_time_text(&self, time: u64) -> String {
        match self {
            Self::Nanoseconds => format!("{} ns", thousands(time)),
            Self::UnixMicros | Self::Ticks(_) => self.time_text(time),
        }
    }

    /// Formats a time without its date.
    pub fn short_time_text(&self, time: u64) -> String {
        match self {
            Self::UnixMicros => time_of_day(time),
            Self::Nanoseconds | Self::Ticks(_) => thousands(time),
        }
    }

    /// Formats a duration: `12 µs`, `3.4 ms`, `5,000 clk`.
    pub fn span_text(&self, span: u64) -> String {
        match self {
            Self::UnixMicros => span_text(span),
            Self::Nanoseconds if span < 1_000 => format!("{span} ns"),
            Self::Nanoseconds => span_text(span / 1_000),
            Self::Ticks(unit) => format!("{} {unit}", thousands(span)).trim_end().to_owned(),
        }
    }
}

/// Microseconds in a day.
const DAY: u64 = 86_400_000_000;

/// Formats Unix microseconds as `2026-11-22 02:18:29.000123`.
pub fn clock_text(micros: u64) -> String {
    let (year, month, day) = date_of(micros / DAY);
    format!("{year}-{month:02}-{day:02} {}", time_of_day(micros))
}

/// Formats only the time of day: `02:18:29.000123`.
fn time_of_day(micros: u64) -> String {
    let second = micros % DAY / 1_000_000;
    let (hour, minute, second) = (second / 3600, second / 60 % 60, second % 60);
    format!(
        "{hour:02}:{minute:02}:{second:02}.{:06}",
        micros % 1_000_000
    )
}

/// Formats a duration in the largest unit that leaves digits before the point: `12 µs`, `3.4 ms`,
/// `5.06 s`.
fn span_text(micros: u64) -> String {
    match micros {
        0..1_000 => format!("{micros} µs"),
        1_000..1_000_000 => format!("{} ms", with_decimal(u128::from(micros / 100))),
        _ => format!(
            "{}{}{:02} s",
            micros / 1_000_000,
            decimal_mark(),
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

/// Parses a date as [`clock_text`] formats it. The separator may be `T`, and the parts of a second,
/// the time of day and a final `Z` may be missing. None if the text is no such date from 1970 on.
///
/// ```
/// use stepback_debugger::clock::{clock_text, micros_of};
///
/// assert_eq!(micros_of(&clock_text(1_795_313_909_000_123)), Some(1_795_313_909_000_123));
/// assert_eq!(micros_of("1970-01-02T00:00"), Some(86_400_000_000));
/// ```
pub fn micros_of(text: &str) -> Option<u64> {
    let text = text.strip_suffix(['Z', 'z']).unwrap_or(text);
    let (date, time) = text
        .split_once([' ', 'T', 't'])
        .map_or((text, "00:00"), |(date, time)| (date, time.trim_start()));
    let mut parts = date.splitn(3, '-');
    let [year, month, day] = [(); 3].map(|()| parts.next().and_then(plain_number));
    let days = days_before(year?, month?, day?)?;
    let mut parts = time.splitn(3, ':');
    let [hour, minute] = [(); 2].map(|()| parts.next().and_then(plain_number));
    let (second, fraction) = match parts.next() {
        Some(second) => second.split_once('.').unwrap_or((second, "0")),
        None => ("0", "0"),
    };
    let second = plain_number(second)?;
    let micros = plain_number(fraction).filter(|_| fraction.len() <= 6)?
        * 10_u64.pow(6 - u32::try_from(fraction.len()).ok()?);
    let (hour, minute) = (hour?, minute?);
    if hour > 23 || minute > 59 || second > 59 {
        return None;
    }
    let seconds = (hour * 60 + minute) * 60 + second;
    days.checked_mul(DAY)?
        .checked_add(seconds * 1_000_000 + micros)
}

/// Parses a number that consists of digits only.
fn plain_number(text: &str) -> Option<u64> {
    text.bytes()
        .all(|byte| byte.is_ascii_digit())
        .then(|| text.parse().ok())?
}

/// Returns the days from 1970 to a date. None if there is no such date.
fn days_before(year: u64, month: u64, day: u64) -> Option<u64> {
    // Years of the largest time have six digits.
    if year >= 1_000_000 || month > 12 || day > 31 {
        return None;
    }
    // Years begin in March here, so that a leap day is the last day.
    let month_from_march = (month + 9) % 12;
    let year_from_march = if month <= 2 {
        year.checked_sub(1)?
    } else {
        year
    };
    let leap_days = year_from_march / 4 - year_from_march / 100 + year_from_march / 400;
    let days = year_from_march * 365
        + leap_days
        + (153 * month_from_march + 2) / 5
        + day.checked_sub(1)?;
    let days = days.checked_sub(719_468)?;
    (date_of(days) == (year, month, day)).then_some(days)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::messages::Language;

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
        assert_eq!(
            [7, 12_345, 5_067_890].map(|span| TraceClock::Nanoseconds.span_text(span)),
            ["7 ns", "12 µs", "5.0 ms"]
        );
        Language::French.speak();
        assert_eq!([12_345, 5_067_890].map(span_text), ["12,3 ms", "5,06 s"]);
        Language::English.speak();
        let [named, unnamed] = ["clk", ""].map(|unit| TraceClock::Ticks(unit.to_owned()));
        assert_eq!(
            [named.span_text(5_000), unnamed.span_text(5_000)],
            ["5,000 clk", "5,000"]
        );
    }

    #[test]
    fn a_date_is_read_as_it_is_printed() {
        for day in (0..200_000).step_by(7).chain(10_900..11_400) {
            let micros = day * DAY + 86_399_999_999 - day;
            assert_eq!(micros_of(&clock_text(micros)), Some(micros));
        }
        let same = ["2000-02-29", "2000-02-29 00:00", "2000-02-29T00:00:00.0Z"];
        assert_eq!(same.map(micros_of), [Some(951_782_400_000_000); 3]);
        assert_eq!(micros_of("1970-01-01 00:00:00.5"), Some(500_000));
    }

    #[test]
    fn what_is_no_date_is_refused() {
        for text in [
            "",
            "1969-12-31",
            "2001-02-29",
            "2000-13-01",
            "2000-01-00",
            "2000-01",
            "2000-01-01 24:00",
            "2000-01-01 7",
            "2000-01-01 00:00:00.1234567",
            "2000-01-01 00:00:00.",
            "2000-01--1",
            "99999999999999999999-01-01",
            "18446744073709551615-01-01",
            "2000-01-18446744073709551615",
        ] {
            assert_eq!(micros_of(text), None, "{text}");
        }
    }
}
