//! Execution intervals of the threads, queried once for all panels that show them.

use std::sync::Arc;

use stepback_index::{Cancel, SlotReader, ThreadId};
use stepback_parsers::Position;

use crate::model::threads::{Threads, threads_of};
use crate::session::Session;
use crate::worker::{Answer, Slot, Worker};

/// Execution intervals of all threads, and the thread at the position: queried once for all panels.
#[derive(Debug, Default)]
pub struct ThreadsSlot {
    all: Slot<(), Arc<Threads>>,
    here: Slot<Position, ThreadId>,
}

impl ThreadsSlot {
    /// Starts the queries that are due.
    pub fn poll(&mut self, session: &Arc<Session>, worker: &Worker, position: Position) {
        self.all.poll_long(&(), worker, |()| {
            let session = Arc::clone(session);
            move |cancel: &Cancel| Ok(Arc::new(threads_of(&session, cancel)?))
        });
        self.here.poll(&position, worker, |position| {
            let (session, position) = (Arc::clone(session), *position);
            move |_: &Cancel| Ok(SlotReader(&session.index).thread_at(position)?)
        });
    }

    /// Returns all threads. Values derived from them stay valid while the `Arc` is the same.
    pub fn all(&self) -> Answer<'_, Arc<Threads>> {
        self.all.last()
    }

    /// Returns the thread of the step before the active window's position, as of the newest answer.
    pub fn here(&self) -> Option<ThreadId> {
        self.here.peek().map(|(_, thread)| *thread)
    }
}
