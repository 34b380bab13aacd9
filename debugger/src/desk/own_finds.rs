//! Searches that panels of their own show, beside the one of the field.

use std::sync::Arc;

use stepback_parsers::Position;

use super::find_state::FindState;
use crate::action::FindQuery;
use crate::session::Session;
use crate::worker::Worker;

/// The searches of panels that show one of their own. Equal ones are made once.
#[derive(Debug, Default)]
pub struct PanelSearches {
    list: Vec<(FindQuery, FindState)>,
}

/// Where a search is made.
pub struct SearchContext<'a> {
    /// Through which trace.
    pub session: &'a Arc<Session>,
    /// Who makes it.
    pub worker: &'a Worker,
    /// Where names have their meaning.
    pub at: Position,
}

impl PanelSearches {
    /// Begins the searches of panels that were in view, forgets those that none shows, and picks up what was found.
    /// True while one is under way.
    pub fn advance(&mut self, wanted: &[FindQuery], ground: &SearchContext<'_>) -> bool {
        self.list.retain(|(question, _)| wanted.contains(question));
        for question in wanted {
            if self.find(question).is_none() {
                let mut state = FindState::default();
                state.begin(question.clone(), ground.at, ground.session, ground.worker);
                self.list.push((question.clone(), state));
            }
        }
        self.list
            .iter_mut()
            .for_each(|(_, state)| state.advance(ground.session, ground.worker));
        self.list.iter().any(|(_, state)| state.is_under_way())
    }

    /// Ends a search; what was found stays.
    pub fn stop(&mut self, question: &FindQuery) {
        if let Some((_, state)) = self.list.iter_mut().find(|(known, _)| known == question) {
            state.stop();
        }
    }

    /// Ends all searches. False where none is under way.
    pub fn stop_all(&mut self) -> bool {
        self.list
            .iter_mut()
            .fold(false, |is_stopped, (_, state)| state.stop() || is_stopped)
    }

    /// What was found of a search.
    pub fn find(&self, question: &FindQuery) -> Option<&FindState> {
        self.list
            .iter()
            .find(|(known, _)| known == question)
            .map(|(_, state)| state)
    }
}
