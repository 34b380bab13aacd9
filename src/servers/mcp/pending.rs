//! Calls that are not answered yet, so that the client can withdraw them ([`PendingCalls`]).

use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use stepback_index::Cancel;

use super::message::RequestId;

/// The calls that wait or run.
#[derive(Debug, Default)]
pub struct PendingCalls(Mutex<Vec<(RequestId, CallControl)>>);

/// Controls a call from other threads.
#[derive(Clone, Debug, Default)]
pub struct CallControl {
    /// Stops the query.
    pub cancel: Cancel,
    is_withdrawn: Arc<AtomicBool>,
}

impl CallControl {
    /// Returns true if the client wants no answer any more.
    pub fn is_withdrawn(&self) -> bool {
        self.is_withdrawn.load(Ordering::Relaxed)
    }
}

impl PendingCalls {
    /// Adds a call.
    pub fn begin(&self, id: &RequestId) -> CallControl {
        let control = CallControl::default();
        self.calls().push((id.clone(), control.clone()));
        control
    }

    /// Removes a call.
    pub fn end(&self, control: &CallControl) {
        self.calls()
            .retain(|(_, other)| !Arc::ptr_eq(&other.is_withdrawn, &control.is_withdrawn));
    }

    /// Stops the calls with this identifier, for which the client wants no answer any more.
    pub fn withdraw(&self, id: &RequestId) {
        for (_, control) in self.calls().iter().filter(|(pending, _)| pending == id) {
            control.is_withdrawn.store(true, Ordering::Relaxed);
            control.cancel.cancel();
        }
    }

    fn calls(&self) -> MutexGuard<'_, Vec<(RequestId, CallControl)>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
