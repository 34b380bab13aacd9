//! How far a search came that goes from moment to moment.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, Instant};

use crate::messages::say;

/// Sooner nothing is said: most searches are over by then.
const LATE_AFTER: Duration = Duration::from_millis(300);

/// How many steps a search has left behind. Its clones tell of the same search.
#[derive(Clone, Debug, Default)]
pub struct SearchProgress(Arc<AtomicU64>);

impl SearchProgress {
    /// It came so far.
    pub fn tell(&self, steps: u64) {
        self.0.store(steps, Ordering::Relaxed);
    }

    /// What is said of it.
    pub fn words(&self) -> String {
        match self.0.load(Ordering::Relaxed) {
            0 => say!("lookup-looking").to_owned(),
            steps => say!("lookup-looked", count = steps),
        }
    }
}

/// Whether a search that began at a time takes long enough to be told of.
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
        assert_eq!(reached.words(), "Looking…");
        told.tell(12_345);
        assert_eq!(reached.words(), "Looking: 12,345 steps so far");
    }
}
