//! Visible lines of a slice.

use std::collections::{HashMap, HashSet};
use std::sync::Arc;

use stepback_parsers::Step;

use super::whole::Slice;
use crate::action::SliceView;
use crate::analysis::slice::{FoldHandle, ReadingLine, ReadingMode, ReadingView};

/// Lines with the slice that they belong to.
#[derive(Debug)]
pub struct SliceLines {
    pub slice: Arc<Slice>,
    /// Arrangement of the lines.
    pub view: SliceView,
    /// Lines, from the newest to the oldest.
    pub lines: Vec<ReadingLine>,
    places: HashMap<Step, usize>,
}

impl SliceLines {
    /// Builds the lines; `toggled` contains the nodes that differ from their initial fold state.
    /// Cost: grows with the rows of the slice.
    pub fn new(slice: Arc<Slice>, view: SliceView, toggled: &HashSet<FoldHandle>) -> Self {
        let reading = match view {
            SliceView::Chain => ReadingMode::Chain,
            SliceView::Tree => ReadingMode::Tree,
            SliceView::Everything => ReadingMode::Everything,
        };
        let lines = slice.reading.lines(&ReadingView { reading, toggled });
        let mut places = HashMap::new();
        for (place, line) in lines.iter().enumerate() {
            let step = line
                .row()
                .and_then(|id| slice.row(id))
                .and_then(|row| row.step);
            // The first line of a step is the most detailed one.
            step.iter()
                .for_each(|step| _ = places.entry(*step).or_insert(place));
        }
        Self {
            slice,
            view,
            lines,
            places,
        }
    }

    /// Returns the index of the first line of a step.
    pub fn place_of(&self, step: Step) -> Option<usize> {
        self.places.get(&step).copied()
    }
}
