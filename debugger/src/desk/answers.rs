//! Picks up the answers that arrive for an open trace.

use stepback_index::ThreadId;

use super::desk::Desk;
use crate::messages::say;
use crate::model::WindowMove;
use crate::session::Session;

impl Desk {
    /// Picks up all answers that have arrived.
    pub fn take_answers(&mut self) {
        self.mend_what_was_met();
        self.take_moved();
        self.take_found();
        self.advance_part();
        self.look_at_names();
        self.look_at_threads();
        self.find.advance(&self.session, &self.worker);
        self.slice.advance(&self.session, &self.worker);
        self.look_at_hits();
    }

    /// Cancels the search or the moves under way. Returns false if there are none.
    pub fn give_up(&mut self) -> bool {
        self.moving.give_up()
            || self.lookup.take().is_some()
            || self.find.stop()
            || self.own_finds.stop_all()
            || self.slice.stop()
            || self.own_slices.stop_all()
    }

    pub(crate) fn stay_in_thread(&mut self, name: Option<&str>) {
        match name
            .map(|name| thread_named(&self.session, name))
            .transpose()
        {
            Ok(thread) => self.begin(WindowMove::StayInThread(thread)),
            Err(error) => self.fail(&error),
        }
    }
}

/// Looks up a thread of the trace by name.
///
/// # Errors
/// No thread has this name. The message lists the names that exist.
pub fn thread_named(session: &Session, name: &str) -> Result<ThreadId, String> {
    /// Maximum number of thread names in the error message.
    const LISTED: usize = 8;
    let index = &session.index;
    index.thread_by_name(name).ok_or_else(|| {
        let mut known: Vec<&str> = index
            .threads()
            .iter()
            .take(LISTED)
            .map(|thread| thread.name.as_str())
            .collect();
        known.extend((index.threads().len() > LISTED).then_some("…"));
        say!(
            "stepping-no-thread",
            name = format!("{name:?}"),
            known = known.join(", ")
        )
    })
}
