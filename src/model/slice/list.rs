//! The lines of a slice as a list shows them.

use std::collections::HashSet;
use std::sync::Arc;

use super::whole::Slice;
use crate::action::SliceView;
use crate::analysis::slice::{Knot, Reading, ReadingLine, ReadingView};

/// What of a slice is shown: made anew where the slice, the view or what is opened changed.
#[derive(Debug, Default)]
pub struct SliceList {
    toggled: HashSet<Knot>,
    made: Option<Made>,
}

#[derive(Debug)]
struct Made {
    of: Arc<Slice>,
    view: SliceView,
    lines: Arc<Vec<ReadingLine>>,
}

impl SliceList {
    /// The lines. Cost: nothing where they are what they were.
    pub fn lines(&mut self, slice: &Arc<Slice>, view: SliceView) -> Arc<Vec<ReadingLine>> {
        let known = self.made.as_ref().filter(|made| Arc::ptr_eq(&made.of, slice) && made.view == view);
        if let Some(made) = known {
            return Arc::clone(&made.lines);
        }
        if self.made.as_ref().is_some_and(|made| made.of.question != slice.question) {
            self.toggled.clear();
        }
        let reading = match view {
            SliceView::Chain => Reading::Chain,
            SliceView::Tree => Reading::Tree,
            SliceView::Everything => Reading::Everything,
        };
        let lines = Arc::new(slice.reading.lines(&ReadingView { reading, toggled: &self.toggled }));
        self.made = Some(Made { of: Arc::clone(slice), view, lines: Arc::clone(&lines) });
        lines
    }

    /// The lines that were shown last, and of which slice.
    pub fn known(&self) -> Option<(&Slice, &[ReadingLine])> {
        self.made.as_ref().map(|made| (&*made.of, made.lines.as_slice()))
    }

    /// Opens a line, or closes it. False where it has nothing to open.
    pub fn flip(&mut self, line: &ReadingLine) -> bool {
        let Some(knot) = line.knot() else { return false };
        if !self.toggled.remove(&knot) {
            self.toggled.insert(knot);
        }
        self.made = None;
        true
    }

    /// Another trace is open.
    pub fn forget(&mut self) {
        *self = Self::default();
    }
}
