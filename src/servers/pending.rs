//! Work that a client waits for and may stop ([`PendingWork`]).

use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use stepback_index::Cancel;

/// The work that waits or runs, by the client's name for it.
#[derive(Debug)]
pub struct PendingWork<I>(Mutex<Vec<(I, WorkControl)>>);

/// Controls a piece of work from other threads.
#[derive(Clone, Debug, Default)]
pub struct WorkControl {
    /// Stops the work.
    pub cancel: Cancel,
    is_withdrawn: Arc<AtomicBool>,
}

impl WorkControl {
    /// Returns true if the client wants no answer any more.
    pub fn is_withdrawn(&self) -> bool {
        self.is_withdrawn.load(Ordering::Relaxed)
    }

    fn withdraw(&self) {
        self.is_withdrawn.store(true, Ordering::Relaxed);
        self.cancel.cancel();
    }
}

impl<I> Default for PendingWork<I> {
    fn default() -> Self {
        Self(Mutex::default())
    }
}

impl<I: PartialEq> PendingWork<I> {
    /// Adds a piece of work.
    pub fn begin(&self, id: I) -> WorkControl {
        let control = WorkControl::default();
        self.entries().push((id, control.clone()));
        control
    }

    /// Removes a piece of work that is done.
    pub fn end(&self, control: &WorkControl) {
        self.entries()
            .retain(|(_, other)| !Arc::ptr_eq(&other.is_withdrawn, &control.is_withdrawn));
    }

    /// Stops the work with this name.
    pub fn withdraw(&self, id: &I) {
        let entries = self.entries();
        let named = entries.iter().filter(|(pending, _)| pending == id);
        named.for_each(|(_, control)| control.withdraw());
    }

    /// Stops everything.
    pub fn withdraw_all(&self) {
        let entries = self.entries();
        entries.iter().for_each(|(_, control)| control.withdraw());
    }

    fn entries(&self) -> MutexGuard<'_, Vec<(I, WorkControl)>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
