//! Changes of what is kept and shown, and how they are taken back.

use super::settings::OwnLayout;
use crate::action::{Moment, WindowId};
use crate::keymap::KeyChoice;
use crate::notes::{Bookmarks, KeptSearches, Watches};

/// More are not kept.
const MOST: usize = 100;

/// What was changed, the newest last.
#[derive(Debug, Default)]
pub struct Undo {
    back: Vec<Before>,
    forward: Vec<Before>,
}

/// What was there before a change.
#[derive(Debug)]
pub enum Before {
    /// The bookmarks.
    Bookmarks(Bookmarks),
    /// What is watched.
    Watches(Watches),
    /// The values that the timeline shows.
    Waves(Watches),
    /// The searches that are kept.
    Searches(KeptSearches),
    /// The layouts of the user's own.
    Layouts(Vec<OwnLayout>),
    /// The keys that the user chose.
    Keys(KeyChoice),
    /// The panels.
    Panels(Panels),
}

/// The panels, and where the trace windows were.
#[derive(Clone, Debug)]
pub struct Panels {
    /// As they are kept, without the places of their windows: those alone are no change.
    pub text: String,
    /// The same with the places.
    pub whole: String,
    /// The trace windows and where they were.
    pub positions: Vec<(WindowId, Moment)>,
    /// The active trace window.
    pub active: WindowId,
}

impl Panels {
    /// What counts as a change: not which tab is in front, nor the byte that a panel of memory stays at.
    pub fn outline(&self) -> String {
        let is_passing = |line: &&str| !line.trim_start().starts_with("held:");
        let mut outline = String::new();
        for line in self.text.lines().filter(is_passing) {
            match line.split_once("Tabs(") {
                Some((head, rest)) => {
                    outline.extend([head, rest.trim_start_matches(|digit: char| digit.is_ascii_digit())])
                }
                None => outline.push_str(line),
            }
            outline.push('\n');
        }
        outline
    }
}

impl Undo {
    /// Keeps what was there before a change. What was taken back is gone.
    pub fn keep(&mut self, before: Before) {
        self.forward.clear();
        self.back.push(before);
        let surplus = self.back.len().saturating_sub(MOST);
        self.back.drain(..surplus);
    }

    /// Takes the last change back: `exchange` puts a state into effect and gives the one that it replaces.
    /// False when there is none.
    pub fn undo(&mut self, exchange: impl FnOnce(Before) -> Before) -> bool {
        let Some(before) = self.back.pop() else { return false };
        self.forward.push(exchange(before));
        true
    }

    /// Does again what was taken back last. False when there is nothing.
    pub fn redo(&mut self, exchange: impl FnOnce(Before) -> Before) -> bool {
        let Some(after) = self.forward.pop() else { return false };
        self.back.push(exchange(after));
        true
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::notes::{BookmarkChange, BookmarkPlace};

    #[test]
    fn changes_are_taken_back_in_turn_and_done_again() {
        let (mut undo, mut now) = (Undo::default(), Bookmarks::default());
        for position in 1..4 {
            undo.keep(Before::Bookmarks(now.clone()));
            now.change(&BookmarkChange::Toggle(BookmarkPlace::Position(position))).unwrap();
        }
        let mut counts = Vec::new();
        let exchange = |now: &mut Bookmarks, before: Before| match before {
            Before::Bookmarks(kept) => Before::Bookmarks(std::mem::replace(now, kept)),
            other => other,
        };
        while undo.undo(|before| exchange(&mut now, before)) {
            counts.push(now.list().len());
        }
        while undo.redo(|after| exchange(&mut now, after)) {
            counts.push(now.list().len());
        }
        assert_eq!(counts, [2, 1, 0, 1, 2, 3]);
        assert!(undo.undo(|before| exchange(&mut now, before)));
        undo.keep(Before::Bookmarks(now.clone()));
        assert!(!undo.redo(|after| after));
    }
}
