//! Comparison of memory with another moment.

use stepback_parsers::Position;

use super::view::MemoryView;
use crate::action::{Follow, Moment};
use crate::desk::Desk;
use crate::messages::say;
use crate::model::text::thousands;

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
