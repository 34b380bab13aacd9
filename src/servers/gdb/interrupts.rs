//! Requests of a client to stop the program: a byte of value 3 ([`Interrupts`]).

use std::sync::atomic::{AtomicBool, Ordering};

use crate::servers::pending::{PendingWork, WorkControl};

/// The last request to stop, and the run that it stops.
///
/// By gdb's manual ("Interrupts"), a request while the program is stopped interrupts the next run.
#[derive(Debug, Default)]
pub(super) struct Interrupts {
    is_requested: AtomicBool,
    runs: PendingWork<()>,
}

impl Interrupts {
    /// Stops the run, or the next one.
    pub fn request(&self) {
        self.is_requested.store(true, Ordering::SeqCst);
        self.runs.withdraw_all();
    }

    /// Notes that the program runs. The run is stopped already if a request waits.
    pub fn begin_run(&self) -> WorkControl {
        let control = self.runs.begin(());
        if self.is_requested.load(Ordering::SeqCst) {
            control.cancel.cancel();
        }
        control
    }

    /// Notes that a run was complete before a request could stop it.
    pub fn complete(&self, run: &WorkControl) {
        self.runs.end(run);
    }

    /// Notes that a request stopped a run.
    pub fn stopped(&self, run: &WorkControl) {
        self.runs.end(run);
        self.is_requested.store(false, Ordering::SeqCst);
    }
}
