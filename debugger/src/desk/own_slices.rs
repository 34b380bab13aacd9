//! Slices that panels of their own show, beside the one that is marked.

use std::sync::Arc;

use super::slice_state::SliceState;
use crate::notes::SliceQuery;
use crate::session::Session;
use crate::worker::Worker;

/// The slices of panels that show one of their own. Equal ones are walked once.
#[derive(Debug, Default)]
pub struct PanelSlices {
    list: Vec<(SliceQuery, SliceState)>,
}

impl PanelSlices {
    /// Asks the questions of panels that were in view, forgets those that none shows, and picks up what was found.
    /// True while one is under way.
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

    /// Ends one; what was found stays.
    pub fn stop(&mut self, question: &SliceQuery) {
        if let Some(state) = self.find_mut(question) {
            state.stop();
        }
    }

    /// Follows more steps of one.
    pub fn more(&mut self, question: &SliceQuery, session: &Arc<Session>, worker: &Worker) {
        if let Some(state) = self.find_mut(question) {
            state.more(session, worker);
        }
    }

    /// Ends all. False where none is under way.
    pub fn stop_all(&mut self) -> bool {
        self.list
            .iter_mut()
            .fold(false, |is_stopped, (_, state)| state.stop() || is_stopped)
    }

    /// What was found of a question.
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
