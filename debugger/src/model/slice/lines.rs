//! The lines of a slice as a list shows them.

use std::collections::{HashMap, HashSet};
use std::sync::Arc;

use stepback_parsers::Step;

use super::whole::Slice;
use crate::action::SliceView;
use crate::analysis::slice::{FoldHandle, ReadingLine, ReadingMode, ReadingView};

/// Lines, and where they come from.
#[derive(Debug)]
pub struct SliceLines {
    /// The slice that they are of.
    pub slice: Arc<Slice>,
    /// How they stand.
    pub view: SliceView,
    /// From the newest to the oldest.
    pub lines: Vec<ReadingLine>,
    places: HashMap<Step, usize>,
}

impl SliceLines {
    /// The lines with what is not as it is at first. Cost: grows with the rows of the slice.
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
            // The first line is the one that says most of its step.
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

    /// The first line of a step.
    pub fn place_of(&self, step: Step) -> Option<usize> {
        self.places.get(&step).copied()
    }
}
