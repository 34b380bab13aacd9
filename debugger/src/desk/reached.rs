//! Progress of a search that tests one moment after another.

use crate::messages::say;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, Instant};

/// Time after which progress is shown: most searches end sooner.
const LATE_AFTER: Duration = Duration::from_millis(300);

/// Number of steps that a search has passed. Clones share the same counter.
#[derive(Clone, Debug, Default)]
pub struct SearchProgress(Arc<AtomicU64>);

impl SearchProgress {
    /// Sets the number of steps passed.
    pub fn tell(&self, steps: u64) {
        self.0.store(steps, Ordering::Relaxed);
    }

    /// Returns the progress text.
    pub fn words(&self) -> String {
        match self.0.load(Ordering::Relaxed) {
            0 => say!("lookup-looking").to_owned(),
            steps => say!("lookup-looked", count = steps),
        }
    }
}

/// Returns true if a search that began at this time takes long enough to show its progress.
pub fn is_late(begun: Instant) -> bool {
    begun.elapsed() > LATE_AFTER
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_number_of_steps_is_told_while_it_grows() {
        let reached = SearchProgress::default();
        let told = reached.clone();
        assert_eq!(reached.words(), "Searching…");
        told.tell(12_345);
        assert_eq!(reached.words(), "Searching: 12,345 steps so far");
    }
}
