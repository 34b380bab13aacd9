//! The rows of a slice as a list shows them.

use std::sync::Arc;

use super::slice::Slice;
use super::tree::{Caret, Flipped, SliceLine, plain_lines, tree_lines};
use crate::action::SliceView;

/// What of a slice is shown: made anew where the slice, the view or what is opened changed.
#[derive(Debug, Default)]
pub struct SliceList {
    flipped: Flipped,
    made: Option<Made>,
}

#[derive(Debug)]
struct Made {
    of: Arc<Slice>,
    view: SliceView,
    lines: Arc<Vec<SliceLine>>,
}

impl SliceList {
    /// The rows. Cost: nothing where they are what they were.
    pub fn lines(&mut self, slice: &Arc<Slice>, view: SliceView) -> Arc<Vec<SliceLine>> {
        let known = self.made.as_ref().filter(|made| Arc::ptr_eq(&made.of, slice) && made.view == view);
        if let Some(made) = known {
            return Arc::clone(&made.lines);
        }
        if self.made.as_ref().is_some_and(|made| made.of.question != slice.question) {
            self.flipped.clear();
        }
        let lines = Arc::new(match view {
            SliceView::Tree => tree_lines(slice, &self.flipped),
            SliceView::Everything => plain_lines(slice),
        });
        self.made = Some(Made { of: Arc::clone(slice), view, lines: Arc::clone(&lines) });
        lines
    }

    /// The rows that were shown last.
    pub fn known(&self) -> Option<&[SliceLine]> {
        self.made.as_ref().map(|made| made.lines.as_slice())
    }

    /// Opens a row, or closes it.
    pub fn flip(&mut self, line: &SliceLine) {
        if line.caret == Caret::None {
            return;
        }
        if !self.flipped.remove(&line.path) {
            self.flipped.insert(line.path.clone());
        }
        self.made = None;
    }

    /// Another trace is open, or another question is asked.
    pub fn forget(&mut self) {
        *self = Self::default();
    }
}
