//! Times of repeated queries.

use std::fmt;
use std::time::{Duration, Instant};

/// A collection of times with percentiles.
#[derive(Clone, Debug, Default)]
pub struct Times(Vec<Duration>);

impl Times {
    /// Runs a query and records its time.
    pub fn measure<T>(&mut self, question: impl FnOnce() -> T) -> T {
        let start = Instant::now();
        let answer = std::hint::black_box(question());
        self.0.push(start.elapsed());
        answer
    }

    /// Adds a time that was measured elsewhere.
    pub fn add(&mut self, time: Option<Duration>) {
        self.0.extend(time);
    }

    /// Returns the number of times.
    pub fn count(&self) -> usize {
        self.0.len()
    }

    /// Returns the time within which this number of a thousand queries finish.
    pub fn per_mille(&mut self, share: usize) -> Duration {
        self.0.sort_unstable();
        let place = (self.0.len() * share / 1000).min(self.0.len().saturating_sub(1));
        self.0.get(place).copied().unwrap_or_default()
    }

    /// Returns p50, p99 and the longest time.
    pub fn summary(&mut self) -> Summary {
        Summary([
            self.per_mille(500),
            self.per_mille(990),
            self.per_mille(1000),
        ])
    }
}

/// p50, p99 and the longest time.
#[derive(Clone, Copy, Debug)]
pub struct Summary([Duration; 3]);

impl fmt::Display for Summary {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0
            .iter()
            .try_for_each(|time| write!(f, " {:>7}", milliseconds(*time)))
    }
}

/// Formats milliseconds with three significant digits.
pub fn milliseconds(time: Duration) -> String {
    let millis = time.as_secs_f64() * 1e3;
    match millis {
        0.0..0.01 => format!("{millis:.4}"),
        0.01..1.0 => format!("{millis:.3}"),
        1.0..100.0 => format!("{millis:.1}"),
        _ => format!("{millis:.0}"),
    }
}
