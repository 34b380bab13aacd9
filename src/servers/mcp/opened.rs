//! The trace that the server answers about, while it is indexed and afterwards ([`OpeningTrace`]).

use std::sync::atomic::Ordering;
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use anyhow::Result;
use stepback_debugger::session::{OpenOptions, OpeningObserver, Session, open_watched};
use stepback_index::Cancel;
use stepback_index::build::BuildProgress;

use super::failure::{ErrorKind, ToolError};

/// Time that a call waits for the whole trace before it is answered from a part.
const PATIENCE: Duration = Duration::from_secs(5);

/// A trace that a thread opens while others ask for it.
#[derive(Default)]
pub struct OpeningTrace {
    state: Mutex<OpeningState>,
    changed: Condvar,
    progress: BuildProgress,
}

#[derive(Default)]
struct OpeningState {
    /// The indexed part, or the whole trace.
    newest: Option<Arc<Session>>,
    /// The trace is open, or could not be opened.
    is_done: bool,
}

impl OpeningTrace {
    /// Opens the trace. Parts are available before.
    ///
    /// # Errors
    /// One sentence that names the file.
    pub fn open(&self, options: &OpenOptions) -> Result<()> {
        let on_part = |part| self.set(part);
        let watch = OpeningObserver {
            on_part: &on_part,
            follow: None,
        };
        self.finish(open_watched(
            options,
            &self.progress,
            &Cancel::default(),
            Some(watch),
        ))
    }

    /// Ends the opening: no more of the trace will arrive.
    ///
    /// # Errors
    /// The trace was not opened.
    pub fn finish(&self, opened: Result<Session>) -> Result<()> {
        let opened = opened.map(|session| self.set(session));
        self.state().is_done = true;
        self.changed.notify_all();
        opened
    }

    fn set(&self, session: Session) {
        self.state().newest = Some(Arc::new(session));
    }

    /// Returns true if a part of the trace is indexed, or all of it.
    pub fn has_part(&self) -> bool {
        self.state().newest.is_some()
    }

    /// Returns the trace. Waits a few seconds for it, then returns the indexed part.
    ///
    /// # Errors
    /// No part is indexed yet.
    pub fn session(&self) -> Result<Arc<Session>, ToolError> {
        let is_waiting = |state: &mut OpeningState| !state.is_done;
        let waited = self
            .changed
            .wait_timeout_while(self.state(), PATIENCE, is_waiting);
        let state = waited.unwrap_or_else(PoisonError::into_inner).0;
        state.newest.clone().ok_or_else(|| {
            let done = self.progress.bytes_done.load(Ordering::Relaxed);
            let total = self.progress.bytes_total.load(Ordering::Relaxed);
            let share = done.saturating_mul(100).checked_div(total).unwrap_or(0);
            let message = format!("the trace is being indexed: {share} %");
            ToolError::of_kind(ErrorKind::NotReady, message)
        })
    }

    fn state(&self) -> MutexGuard<'_, OpeningState> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
