//! Searches of separate panels, next to the one of the search field.

use std::sync::Arc;

use stepback_parsers::Position;

use super::find_state::FindState;
use crate::action::FindQuery;
use crate::session::Session;
use crate::worker::Worker;

/// The searches of panels that show their own one. Equal queries share one search.
#[derive(Debug, Default)]
pub struct PanelSearches {
    list: Vec<(FindQuery, FindState)>,
}

/// Context in which a search runs.
pub struct SearchContext<'a> {
    /// Session of the trace.
    pub session: &'a Arc<Session>,
    /// Worker that runs the search.
    pub worker: &'a Worker,
    /// Position at which names are resolved.
    pub at: Position,
}

impl PanelSearches {
    /// Begins the searches of panels in view, drops those that no panel shows, and picks up hits.
    /// Returns true while one is under way.
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

    /// Stops a search and keeps its hits.
    pub fn stop(&mut self, question: &FindQuery) {
        if let Some((_, state)) = self.list.iter_mut().find(|(known, _)| known == question) {
            state.stop();
        }
    }

    /// Stops all searches. Returns false if none was under way.
    pub fn stop_all(&mut self) -> bool {
        self.list
            .iter_mut()
            .fold(false, |is_stopped, (_, state)| state.stop() || is_stopped)
    }

    /// Returns the state of a search.
    pub fn find(&self, question: &FindQuery) -> Option<&FindState> {
        self.list
            .iter()
            .find(|(known, _)| known == question)
            .map(|(_, state)| state)
    }
}
