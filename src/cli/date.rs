//! Dates in the format of C's `ctime`.

use std::time::SystemTime;

const DAYS: [&str; 7] = ["Thu", "Fri", "Sat", "Sun", "Mon", "Tue", "Wed"];
const MONTHS: [&str; 12] = [
    "Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec",
];
const DAY_SECONDS: u64 = 24 * 60 * 60;

/// Returns the current time in UTC.
pub fn now() -> String {
    let since = SystemTime::now().duration_since(SystemTime::UNIX_EPOCH);
    date_text(since.map_or(0, |since| since.as_secs()))
}

/// Formats seconds since 1970 as `Sun Nov 22 02:18:29 2026`.
fn date_text(seconds: u64) -> String {
    let (days, second) = (seconds / DAY_SECONDS, seconds % DAY_SECONDS);
    let (mut year, mut day) = (1970, days);
    while day >= year_days(year) {
        day -= year_days(year);
        year += 1;
    }
    let mut month = 0;
    while day >= month_days(month, year) {
        day -= month_days(month, year);
        month += 1;
    }
    let (weekday, month) = (DAYS[(days % 7) as usize], MONTHS[month % 12]);
    let (hour, minute, second) = (second / 3600, second / 60 % 60, second % 60);
    format!(
        "{weekday} {month} {:2} {hour:02}:{minute:02}:{second:02} {year}",
        day + 1
    )
}

fn is_leap(year: u64) -> bool {
    year.is_multiple_of(4) && (!year.is_multiple_of(100) || year.is_multiple_of(400))
}

fn year_days(year: u64) -> u64 {
    365 + u64::from(is_leap(year))
}

fn month_days(month: usize, year: u64) -> u64 {
    match month {
        1 => 28 + u64::from(is_leap(year)),
        3 | 5 | 8 | 10 => 30,
        _ => 31,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn dates_are_those_of_the_calendar() {
        let dates = [0, 68_169_599, 951_782_400, 1_795_313_909].map(date_text);
        let expected = [
            "Thu Jan  1 00:00:00 1970",
            "Mon Feb 28 23:59:59 1972",
            "Tue Feb 29 00:00:00 2000",
            "Sun Nov 22 02:18:29 2026",
        ];
        assert_eq!(dates, expected);
    }
}
