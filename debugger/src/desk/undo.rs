//! Undo and redo.

/// Maximum number of changes kept.
const MOST: usize = 100;

/// States before each change, newest last.
#[derive(Debug)]
pub struct UndoStack<B> {
    back: Vec<B>,
    forward: Vec<B>,
}

impl<B> Default for UndoStack<B> {
    fn default() -> Self {
        Self {
            back: Vec::new(),
            forward: Vec::new(),
        }
    }
}

impl<B> UndoStack<B> {
    /// Records the state before a change. Clears the redo list.
    pub fn keep(&mut self, before: B) {
        self.forward.clear();
        self.back.push(before);
        let surplus = self.back.len().saturating_sub(MOST);
        self.back.drain(..surplus);
    }

    /// Undoes the last change. `exchange` applies a state and returns the one that it replaces.
    /// Returns false if there is nothing to undo.
    pub fn undo(&mut self, exchange: impl FnOnce(B) -> B) -> bool {
        let Some(before) = self.back.pop() else {
            return false;
        };
        self.forward.push(exchange(before));
        true
    }

    /// Redoes the last undone change. Returns false if there is none.
    pub fn redo(&mut self, exchange: impl FnOnce(B) -> B) -> bool {
        let Some(after) = self.forward.pop() else {
            return false;
        };
        self.back.push(exchange(after));
        true
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::notes::{BookmarkChange, BookmarkPlace, Bookmarks};

    #[test]
    fn changes_are_taken_back_in_turn_and_done_again() {
        let (mut undo, mut now) = (UndoStack::<Bookmarks>::default(), Bookmarks::default());
        for position in 1..4 {
            undo.keep(now.clone());
            now.change(&BookmarkChange::Toggle(BookmarkPlace::Position(position)))
                .unwrap();
        }
        let mut counts = Vec::new();
        let exchange = |now: &mut Bookmarks, before: Bookmarks| std::mem::replace(now, before);
        while undo.undo(|before| exchange(&mut now, before)) {
            counts.push(now.list().len());
        }
        while undo.redo(|after| exchange(&mut now, after)) {
            counts.push(now.list().len());
        }
        assert_eq!(counts, [2, 1, 0, 1, 2, 3]);
        assert!(undo.undo(|before| exchange(&mut now, before)));
        undo.keep(now.clone());
        assert!(!undo.redo(|after| after));
    }
}
