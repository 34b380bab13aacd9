//! Who ran when, asked once for all who show it.

use std::sync::Arc;

use stepback_index::{Cancel, SlotReader, ThreadId};
use stepback_parsers::Position;

use crate::model::threads::{Threads, threads_of};
use crate::session::Session;
use crate::worker::{Answer, Slot, Worker};

/// Who ran when, and who runs at the position: asked once for all panels.
#[derive(Debug, Default)]
pub struct ThreadsSlot {
    all: Slot<(), Arc<Threads>>,
    here: Slot<Position, ThreadId>,
}

impl ThreadsSlot {
    /// Asks what is not asked yet.
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

    /// All threads. What is made of them may be kept as long as they are the same.
    pub fn all(&self) -> Answer<'_, Arc<Threads>> {
        self.all.last()
    }

    /// The thread that executed the step before the active window's position: the newest that is known.
    pub fn here(&self) -> Option<ThreadId> {
        self.here.peek().map(|(_, thread)| *thread)
    }
}
