//! How far a pass is.

use std::sync::atomic::{AtomicU64, Ordering};

/// How much of a pass is done, told across threads.
#[derive(Debug, Default)]
pub struct Progress {
    done: AtomicU64,
    all: AtomicU64,
}

impl Progress {
    /// Says how much there is to do.
    pub fn begin(&self, all: u64) {
        self.all.store(all, Ordering::Relaxed);
    }

    /// Says how much is done.
    pub fn set(&self, done: u64) {
        self.done.store(done, Ordering::Relaxed);
    }

    /// What share is done, from 0 to 1.
    pub fn share(&self) -> f32 {
        let (done, all) = (
            self.done.load(Ordering::Relaxed),
            self.all.load(Ordering::Relaxed),
        );
        if all == 0 {
            0.0
        } else {
            (done as f32 / all as f32).min(1.0)
        }
    }
}
