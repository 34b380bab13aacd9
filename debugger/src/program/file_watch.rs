//! Watches the file of a trace for changes on a separate thread ([`FileWatch`]): an idle front end
//! draws no frames, and so would notice nothing.

use std::io;
use std::sync::Arc;
use std::sync::mpsc::{Receiver, RecvTimeoutError, Sender, channel};
use std::thread::Builder;
use std::time::Duration;

use super::state::Wake;
use crate::session::{Session, TraceChange};

/// Interval between two checks. Each is usually one `stat`.
const INTERVAL: Duration = Duration::from_secs(1);

/// Watch over the file of a trace. It ends when this is dropped.
pub(super) struct FileWatch {
    session: Arc<Session>,
    paces: Sender<WatchPace>,
    pace: WatchPace,
    changes: Receiver<TraceChange>,
}

/// Frequency of the checks.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum WatchPace {
    /// One check per second.
    Active,
    /// No checks. The next one is made at once when the watch is active again.
    Paused,
}

impl FileWatch {
    /// Watches the file of a trace. `wake` is called after each change.
    ///
    /// # Errors
    /// The thread could not be started.
    pub fn start(session: &Arc<Session>, wake: &Wake) -> io::Result<Self> {
        let (paces, pace) = channel();
        let (stated, changes) = channel();
        let (watched, wake) = (Arc::clone(session), Arc::clone(wake));
        Builder::new()
            .name("file watch".to_owned())
            .spawn(move || watch(&watched, &pace, &stated, &wake))?;
        Ok(Self {
            session: Arc::clone(session),
            paces,
            pace: WatchPace::Active,
            changes,
        })
    }

    /// Returns true if this watches the file of a trace.
    pub fn is_of(&self, session: &Arc<Session>) -> bool {
        Arc::ptr_eq(&self.session, session)
    }

    pub fn set_pace(&mut self, pace: WatchPace) {
        if self.pace != pace {
            self.pace = pace;
            // The thread may have ended after an error.
            let _unheard = self.paces.send(pace);
        }
    }

    /// Returns the last change that was not taken.
    pub fn take(&self) -> Option<TraceChange> {
        self.changes.try_iter().last()
    }
}

fn watch(
    session: &Session,
    paces: &Receiver<WatchPace>,
    changes: &Sender<TraceChange>,
    wake: &Wake,
) {
    let (mut pace, mut known) = (WatchPace::Active, None);
    loop {
        let told = match pace {
            WatchPace::Active => paces.recv_timeout(INTERVAL),
            WatchPace::Paused => paces.recv().map_err(|_| RecvTimeoutError::Disconnected),
        };
        match told {
            Ok(new) => pace = new,
            Err(RecvTimeoutError::Timeout) => {}
            Err(RecvTimeoutError::Disconnected) => return,
        }
        if pace == WatchPace::Paused {
            continue;
        }
        let change = session.trace_change();
        if let Some(change) = change.filter(|_| change != known) {
            if changes.send(change).is_err() {
                return;
            }
            wake();
        }
        known = change;
    }
}
