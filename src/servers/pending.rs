//! Work that a client waits for and may stop ([`PendingWork`]), and the memory of its requests
//! ([`WaitingRequests`]).

use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};

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

/// Maximum number of bytes of the requests that wait, before the last one.
const WAITING_BYTES: usize = 4 << 20;

/// Memory of a request besides its text.
const REQUEST_BYTES: usize = 512;

/// Size of the requests that wait. It has a limit, but a high one: a request to stop the others is
/// read only after those that come before it.
#[derive(Debug, Default)]
pub struct WaitingRequests {
    len_bytes: Mutex<usize>,
    fewer: Condvar,
}

/// A request that waits or is being answered, until this is dropped.
#[derive(Debug)]
pub struct WaitingRequest {
    all: Arc<WaitingRequests>,
    len_bytes: usize,
}

impl WaitingRequests {
    /// Adds a request, by the length of its text, as soon as there is room.
    pub fn add(self: &Arc<Self>, len_bytes: usize) -> WaitingRequest {
        let len_bytes = len_bytes.saturating_add(REQUEST_BYTES);
        let is_full = |waiting: &mut usize| *waiting > WAITING_BYTES;
        let waited = self.fewer.wait_while(self.waiting(), is_full);
        *waited.unwrap_or_else(PoisonError::into_inner) += len_bytes;
        WaitingRequest {
            all: Arc::clone(self),
            len_bytes,
        }
    }

    fn waiting(&self) -> MutexGuard<'_, usize> {
        self.len_bytes
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
    }
}

impl Drop for WaitingRequest {
    fn drop(&mut self) {
        *self.all.waiting() -= self.len_bytes;
        self.all.fewer.notify_one();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn many_small_requests_wait_but_their_memory_has_a_limit() {
        let all = Arc::new(WaitingRequests::default());
        let mut waiting: Vec<WaitingRequest> = (0..5000).map(|_| all.add(100)).collect();
        waiting.push(all.add(WAITING_BYTES));
        let (sender, added) = std::sync::mpsc::channel();
        let next = Arc::clone(&all);
        std::thread::spawn(move || sender.send(next.add(1)).unwrap());
        let moment = std::time::Duration::from_millis(50);
        assert!(added.recv_timeout(moment).is_err());
        waiting.pop();
        drop(added.recv().unwrap());
        drop(waiting);
        assert_eq!(*all.waiting(), 0);
    }
}
