//! Requests that wait or are being answered, so that the client can cancel them.

use std::sync::{Mutex, MutexGuard, PoisonError};

use serde_json::Value as Json;
use stepback_index::Cancel;

/// The requests without an answer, and the run that the client may interrupt.
#[derive(Default)]
pub struct PendingRequests {
    state: Mutex<PendingState>,
}

#[derive(Default)]
struct PendingState {
    requests: Vec<(Json, Cancel)>,
    run: Option<Cancel>,
}

impl PendingRequests {
    fn state(&self) -> MutexGuard<'_, PendingState> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Notes a request and returns its flag.
    pub fn begin(&self, seq: &Json) -> Cancel {
        let cancel = Cancel::default();
        self.state().requests.push((seq.clone(), cancel.clone()));
        cancel
    }

    /// Forgets a request that was answered.
    pub fn end(&self, seq: &Json) {
        let requests = &mut self.state().requests;
        if let Some(place) = requests.iter().position(|(known, _)| known == seq) {
            requests.remove(place);
        }
    }

    /// Cancels a request, if it was not answered yet.
    pub fn cancel(&self, seq: &Json) {
        let state = self.state();
        let found = state.requests.iter().filter(|(known, _)| known == seq);
        found.for_each(|(_, cancel)| cancel.cancel());
    }

    /// Notes that the program runs, and returns the flag that interrupts it.
    pub fn begin_run(&self) -> Cancel {
        let cancel = Cancel::default();
        self.state().run = Some(cancel.clone());
        cancel
    }

    pub fn end_run(&self) {
        self.state().run = None;
    }

    /// Interrupts the run.
    pub fn interrupt(&self) {
        if let Some(run) = &self.state().run {
            run.cancel();
        }
    }

    /// Cancels everything: the client leaves.
    pub fn cancel_all(&self) {
        let state = self.state();
        let requests = state.requests.iter().map(|(_, cancel)| cancel);
        requests.chain(&state.run).for_each(Cancel::cancel);
    }
}
