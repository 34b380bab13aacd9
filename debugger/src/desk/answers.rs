//! Answers that arrive for an open trace.

use stepback_index::ThreadId;

use super::desk::Desk;
use crate::messages::say;
use crate::model::WindowMove;
use crate::session::Session;

impl Desk {
    /// Picks up the answers that arrived.
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

    /// Gives up the search under way, or the moves. False where nothing is under way.
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

/// A thread of the trace.
///
/// # Errors
/// There is none of this name; says which there are.
pub fn thread_named(session: &Session, name: &str) -> Result<ThreadId, String> {
    /// More names than these are not listed.
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
