//! Slices of separate panels, next to the one that is marked.

use std::sync::Arc;

use super::slice_state::SliceState;
use crate::notes::SliceQuery;
use crate::session::Session;
use crate::worker::Worker;

/// The slices of panels that show their own one. Equal queries share one walk.
#[derive(Debug, Default)]
pub struct PanelSlices {
    list: Vec<(SliceQuery, SliceState)>,
}

impl PanelSlices {
    /// Begins the slices of panels in view, drops those that no panel shows, and picks up results.
    /// Returns true while one is under way.
    pub fn advance(
        &mut self,
        wanted: &[SliceQuery],
        session: &Arc<Session>,
        worker: &Worker,
    ) -> bool {
        self.list.retain(|(question, _)| wanted.contains(question));
        for question in wanted {
            if self.find(question).is_none() {
                let mut state = SliceState::default();
                state.begin(question.clone(), session, worker);
                self.list.push((question.clone(), state));
            }
        }
        self.list
            .iter_mut()
            .for_each(|(_, state)| state.advance(session, worker));
        self.list.iter().any(|(_, state)| state.is_under_way())
    }

    /// Stops a slice and keeps its steps.
    pub fn stop(&mut self, question: &SliceQuery) {
        if let Some(state) = self.find_mut(question) {
            state.stop();
        }
    }

    /// Follows more steps of a slice.
    pub fn more(&mut self, question: &SliceQuery, session: &Arc<Session>, worker: &Worker) {
        if let Some(state) = self.find_mut(question) {
            state.more(session, worker);
        }
    }

    /// Stops all slices. Returns false if none was under way.
    pub fn stop_all(&mut self) -> bool {
        self.list
            .iter_mut()
            .fold(false, |is_stopped, (_, state)| state.stop() || is_stopped)
    }

    /// Returns the state of a slice.
    pub fn find(&self, question: &SliceQuery) -> Option<&SliceState> {
        self.list
            .iter()
            .find(|(known, _)| known == question)
            .map(|(_, state)| state)
    }

    fn find_mut(&mut self, question: &SliceQuery) -> Option<&mut SliceState> {
        self.list
            .iter_mut()
            .find(|(known, _)| known == question)
            .map(|(_, state)| state)
    }
}
