//! Progress of a pass.

use std::sync::atomic::{AtomicU64, Ordering};

/// Progress counter shared between threads.
#[derive(Debug, Default)]
pub struct Progress {
    done: AtomicU64,
    all: AtomicU64,
}

impl Progress {
    /// Sets the amount of work.
    pub fn begin(&self, all: u64) {
        self.all.store(all, Ordering::Relaxed);
    }

    /// Sets the amount of work done.
    pub fn set(&self, done: u64) {
        self.done.store(done, Ordering::Relaxed);
    }

    /// Returns the share of the work that is done, from 0 to 1.
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
