//! Search in memory, and the moment with which memory is compared.

use std::sync::Arc;

use stepback_index::Cancel;
use stepback_machine::Address;
use stepback_parsers::Position;

use crate::action::{Direction, Follow, Moment};
use crate::desk::Desk;
use crate::messages::say;
use crate::model::memory_seek::{MemorySearchQuery, MemorySearchTarget, seek_memory};
use crate::model::text::thousands;
use crate::views::memory::view::MemoryView;
use crate::worker::{Answer, Slot};

/// Search through memory, and its result as a message.
#[derive(Debug, Default)]
pub(super) struct MemorySearch {
    /// Search under way, with its number: the same search may be repeated.
    pending: Option<(MemorySearchQuery, u64)>,
    answer: Slot<(MemorySearchQuery, u64), Option<Address>>,
    number: u64,
    /// Text of the last search.
    pub text: Option<String>,
    /// Result as a message, until the next search.
    pub message: Option<String>,
}

impl MemorySearch {
    pub fn start(&mut self, seek: MemorySearchQuery) {
        self.number += 1;
        (self.pending, self.message) = (Some((seek, self.number)), None);
    }

    /// Cancels the search.
    pub fn stop(&mut self) {
        if self.pending.take().is_some() {
            self.answer.clear();
        }
        self.message = None;
    }

    /// Returns true while the search is under way.
    pub fn is_pending(&self) -> bool {
        self.pending.is_some()
    }

    /// Takes the address that was found.
    pub fn poll(&mut self, desk: &Desk) -> Option<Address> {
        let pending = self.pending.as_ref()?;
        let answer = self.answer.poll_long(pending, &desk.worker, |(seek, _)| {
            let (seek, session) = (seek.clone(), Arc::clone(&desk.session));
            move |cancel: &Cancel| seek_memory(&session, &seek, cancel)
        });
        let found = match answer {
            Answer::Fresh(found) => *found,
            Answer::Failed(error) => {
                self.message = Some(error.to_owned());
                self.pending = None;
                return None;
            }
            Answer::Stale(_) | Answer::Late(_) | Answer::Loading => return None,
        };
        self.message = found
            .is_none()
            .then(|| nothing_words(&pending.0).to_owned());
        self.pending = None;
        found
    }
}

fn nothing_words(seek: &MemorySearchQuery) -> &'static str {
    match (&seek.sought, seek.direction) {
        (MemorySearchTarget::Changed(_), Direction::Forward) => {
            say!("memory-no-changed-byte-above-the")
        }
        (MemorySearchTarget::Changed(_), Direction::Back) => {
            say!("memory-no-changed-byte-below-the")
        }
        (MemorySearchTarget::Bytes(_), Direction::Forward) => {
            say!("memory-not-found-above-the-cursor")
        }
        (MemorySearchTarget::Bytes(_), Direction::Back) => {
            say!("memory-not-found-below-the-cursor")
        }
    }
}

impl MemoryView {
    /// Returns the window or moment that memory is compared with; none: the position before the
    /// last move.
    pub fn compared(&self) -> Option<Follow> {
        self.compared
    }

    /// Compares with another window or moment; none: with the position before the last move.
    pub fn compare(&mut self, with: Option<Follow>) {
        self.compared = with;
    }

    /// Returns the position that memory is compared with.
    pub fn compared_with(&self, desk: &Desk) -> Position {
        match self.compared {
            Some(follow) => desk.windows.position_of(follow),
            None => desk.windows.previous_of(self.follow),
        }
    }

    /// Describes the comparison; none if it is with the position before the last move.
    pub fn compared_words(&self, desk: &Desk) -> Option<String> {
        let at = thousands(self.compared_with(desk).0);
        Some(match self.compared? {
            Follow::Window(id) => say!("memory-at-window", at = at, number = id.0),
            Follow::Pinned(_) | Follow::Active => at,
        })
    }

    /// Begins or ends a comparison: with the other window if there is one, else with the position
    /// before the last move.
    pub fn toggle_comparison(&mut self, desk: &Desk) {
        let windows = &desk.windows;
        let shown = windows.travelling(self.follow);
        let other = windows
            .list
            .iter()
            .find(|window| window.id != shown)
            .map(|window| Follow::Window(window.id));
        let before = windows.previous_of(self.follow);
        let before = Follow::Pinned(Moment {
            trace: windows.active().trace,
            position: before,
        });
        self.compared = if self.compared.is_some() {
            None
        } else {
            other.or(Some(before))
        };
    }

    /// Ends a comparison with a window that was closed.
    pub(super) fn drop_closed(&mut self, desk: &Desk) {
        let is_open = |follow: &Follow| match follow {
            Follow::Window(id) => desk.windows.get(*id).is_some(),
            Follow::Pinned(_) | Follow::Active => true,
        };
        self.compared = self.compared.filter(is_open);
    }
}
