//! Actions of slices: the origin of a cell's value.

use std::sync::Arc;

use stepback_parsers::Position;

use super::desk::Desk;
use super::kept_marks::NotesSnapshot;
use super::news::DeskEvent;
use crate::action::{CellName, Direction, PanelKind};
use crate::keymap::argument_text;
use crate::messages::say;
use crate::model::hit_rows::StepSelection;
use crate::notes::{SavedQueryChange, SavedSlice, SliceEdge, SliceQuery};

impl Desk {
    /// Begins a slice of a cell at a position; none: at the active window's position.
    pub(crate) fn why(&mut self, cell: &CellName, at: Option<Position>) {
        let at = at.unwrap_or(self.windows.active().position).0;
        self.why_again(SliceQuery {
            cell: argument_text(cell),
            at,
            forward: false,
            edges: self.slice.edges(),
        });
    }

    /// Begins a slice and shows its panel.
    pub fn why_again(&mut self, question: SliceQuery) {
        self.slice.begin(question, &self.session, &self.worker);
        self.tell(DeskEvent::Show(PanelKind::Why));
    }

    /// Toggles an edge to follow in addition to data flow.
    pub(crate) fn follow_in_slice(&mut self, edge: SliceEdge) {
        self.slice
            .follow(edge, &Arc::clone(&self.session), &self.worker);
    }

    /// Follows the value backward to its origin or forward to its uses.
    pub(crate) fn turn_slice(&mut self, way: Direction) {
        let forward = way == Direction::Forward;
        let Some(asked) = self
            .slice
            .question()
            .filter(|asked| asked.forward != forward)
        else {
            return;
        };
        self.why_again(SliceQuery {
            forward,
            ..asked.clone()
        });
    }

    pub(crate) fn more_of_slice(&mut self) {
        self.slice.more(&Arc::clone(&self.session), &self.worker);
    }

    /// Toggles between the steps of the slice only and all steps in the active window.
    pub(crate) fn toggle_only_slice(&mut self) {
        let window = self.windows.active_mut();
        if window.only_hits.is_on && window.only_hits.of == StepSelection::Slice {
            window.only_hits.is_on = false;
            return;
        }
        if self.slice.question().is_none() {
            return self.inform(say!("slice-first-for-steps"));
        }
        window.is_raw = false;
        let around = window.only_hits.context;
        window.only_hits.show(StepSelection::Slice, around);
        self.look_at_hits();
    }

    /// Saves the slice under a name.
    pub(crate) fn keep_slice(&mut self, name: &str) {
        let Some(slice) = self.slice.question().cloned() else {
            return self.inform(say!("slice-first-for-keeping"));
        };
        self.change_slices(&SavedQueryChange::Keep(SavedSlice {
            name: name.to_owned(),
            slice,
        }));
    }

    /// Changes the saved slices.
    pub(crate) fn change_slices(&mut self, change: &SavedQueryChange<SavedSlice>) {
        let before = self.slices.clone();
        let changed = self.slices.change(change);
        let is_other = self.slices != before;
        self.tell_change(
            change,
            changed,
            &before,
            is_other.then(|| NotesSnapshot::Slices(before.clone())),
        );
    }

    /// Returns a saved slice. Reports an error if no slice has this name.
    pub fn kept_slice(&mut self, name: &str) -> Option<SavedSlice> {
        let kept = self.slices.named(name).cloned();
        if kept.is_none() {
            self.fail(&self.slices.none_of(name));
        }
        kept
    }

    /// Begins the slice that is saved under a name.
    pub(crate) fn run_slice(&mut self, name: &str) {
        if let Some(kept) = self.kept_slice(name) {
            self.why_again(kept.slice);
        }
    }
}
