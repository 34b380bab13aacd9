//! Runs long work on a separate thread, while the interpreter is free and watches for Ctrl-C.

use std::sync::mpsc::{RecvTimeoutError, sync_channel};
use std::sync::{Mutex, PoisonError};
use std::thread;
use std::time::Duration;

use anyhow::{Result, anyhow};
use pyo3::{PyErr, PyResult, Python};
use stepback_index::Cancel;

/// Time between two looks for Ctrl-C.
pub const TICK: Duration = Duration::from_millis(50);

/// Returns the answer of some work. Ctrl-C cancels it.
pub fn answered<T: Send + 'static>(
    py: Python<'_>,
    work: impl FnOnce(&Cancel) -> Result<T> + Send + 'static,
    exception: impl FnOnce(&anyhow::Error) -> PyErr,
) -> PyResult<T> {
    let cancel = Cancel::default();
    let (sender, receiver) = sync_channel(1);
    let shared = cancel.clone();
    // If nobody waits any more, the answer is dropped.
    thread::spawn(move || drop(sender.send(work(&shared))));
    let receiver = Mutex::new(receiver);
    loop {
        let received = py.detach(|| {
            let receiver = receiver.lock().unwrap_or_else(PoisonError::into_inner);
            receiver.recv_timeout(TICK)
        });
        match received {
            Ok(answer) => return answer.map_err(|error| exception(&error)),
            Err(RecvTimeoutError::Timeout) => {
                py.check_signals().inspect_err(|_| cancel.cancel())?;
            }
            Err(RecvTimeoutError::Disconnected) => return Err(exception(&stopped())),
        }
    }
}

/// Returns the error of a thread that ended without an answer.
pub fn stopped() -> anyhow::Error {
    anyhow!("the answer could not be computed: this is a bug in stepback")
}
