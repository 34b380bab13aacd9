//! State of a search and its hits, shared by the panels that show it.
//!
//! [`FindState`] is the search of the search field. Panels may show separate searches
//! ([`PanelSearches`]); equal ones are run once.

use std::sync::Arc;

use stepback_index::Cancel;
use stepback_index::answer::LATE_STEPS;
use stepback_parsers::Position;

use crate::action::{Direction, FindQuery};
use crate::desk::growing::{AnswerReplacement, IncrementalAnswer};
use crate::model::found::{HitLookup, SearchEnd, SearchRequest, SearchResults, gather};
use crate::session::Session;
use crate::worker::Worker;

/// Number of hits listed at first; "more" adds the same number.
const HITS: usize = 10_000;
/// Maximum number of hits: nobody reads a longer list, and each hit takes half a KiB.
const MOST: usize = 100_000;
/// Maximum number of searches in the history.
pub const HISTORY: usize = 30;

/// A search of the trace and its hits.
#[derive(Debug, Default)]
pub struct FindState {
    requested: Option<SearchRequest>,
    /// Number of searches begun or cleared.
    number: u64,
    found: IncrementalAnswer<SearchResults>,
    /// Number of requests to give the search field the keyboard focus.
    focused: u64,
    /// Previous searches, newest first.
    history: Vec<FindQuery>,
}

impl FindState {
    /// Begins a search and forgets the one before. Names in the query are resolved at position
    /// `at`.
    pub fn begin(
        &mut self,
        question: FindQuery,
        at: Position,
        session: &Arc<Session>,
        worker: &Worker,
    ) {
        self.found.clear();
        self.number += 1;
        self.ask(
            SearchRequest {
                question,
                at,
                limit: HITS,
                before: None,
            },
            session,
            worker,
        );
    }

    /// Extends the list of hits.
    pub fn more(&mut self, session: &Arc<Session>, worker: &Worker) {
        let Some((requested, found)) = self
            .requested
            .clone()
            .zip(self.found.known().cloned())
            .filter(|_| self.can_have_more())
        else {
            return;
        };
        let limit = requested
            .limit
            .max(found.table.rows.len())
            .saturating_add(HITS)
            .min(MOST);
        self.ask(
            SearchRequest {
                limit,
                before: Some(found),
                ..requested
            },
            session,
            worker,
        );
    }

    fn ask(&mut self, requested: SearchRequest, session: &Arc<Session>, worker: &Worker) {
        let (session, question) = (Arc::clone(session), requested.clone());
        self.found.begin(
            AnswerReplacement::Meanwhile,
            worker,
            move |cancel: &Cancel, publish| gather(&session, &question, cancel, publish),
        );
        self.requested = Some(requested);
        self.found.receive();
    }

    /// Picks up hits. Continues the search if more of the trace is indexed now.
    pub fn advance(&mut self, session: &Arc<Session>, worker: &Worker) {
        self.found.receive();
        let Some((requested, found)) = self.requested.clone().zip(self.found.known().cloned())
        else {
            return;
        };
        if self.found.error().is_some() {
            return;
        }
        let is_open = requested.question.range.to.trim().is_empty() && found.end == SearchEnd::Done;
        if !self.found.is_under_way() && is_open && found.to != session.index.end() {
            // The effects of a part's last steps may change: search them again.
            let from = Position(
                found
                    .searched
                    .min(session.index.end())
                    .0
                    .saturating_sub(LATE_STEPS),
            );
            self.ask(
                SearchRequest {
                    before: Some(Arc::new(found.up_to(from.max(found.from)))),
                    ..requested
                },
                session,
                worker,
            );
        }
    }

    /// Stops the search and keeps its hits. Returns false if none is under way.
    pub fn stop(&mut self) -> bool {
        self.found.stop(|found| SearchResults {
            end: SearchEnd::Stopped,
            ..found.clone()
        })
    }

    /// Forgets the search and its hits.
    pub fn clear(&mut self) {
        self.requested = None;
        self.found.clear();
        self.number += 1;
    }

    /// Puts a search on top of the history.
    pub fn remember(history: &mut Vec<FindQuery>, question: &FindQuery) {
        history.retain(|known| known != question);
        history.insert(0, question.clone());
        history.truncate(HISTORY);
    }

    /// Sets the previous searches, newest first.
    pub fn set_history(&mut self, history: &[FindQuery]) {
        self.history = history.to_vec();
    }

    /// Returns the previous searches, newest first.
    pub fn history(&self) -> &[FindQuery] {
        &self.history
    }

    /// Requests the keyboard focus for the field of the panel.
    pub fn focus(&mut self) {
        self.focused += 1;
    }

    /// Returns the number of focus requests; a new number is a new request.
    pub fn times_focused(&self) -> u64 {
        self.focused
    }

    /// Returns the current or last query; none after [`Self::clear`].
    pub fn question(&self) -> Option<&FindQuery> {
        self.requested.as_ref().map(|requested| &requested.question)
    }

    /// Returns a number that changes when a search is begun or forgotten.
    pub fn number(&self) -> u64 {
        self.number
    }

    /// Returns the hits until now.
    pub fn found(&self) -> Option<&Arc<SearchResults>> {
        self.found.known()
    }

    /// Returns the reason why the search failed.
    pub fn error(&self) -> Option<&str> {
        self.found.error()
    }

    /// Returns true while a search is under way.
    pub fn is_under_way(&self) -> bool {
        self.found.is_under_way()
    }

    /// Returns true if there may be unlisted hits and the list may grow.
    pub fn can_have_more(&self) -> bool {
        !self.is_under_way()
            && self
                .found()
                .is_some_and(|found| is_cut(found) && found.count() < MOST as u64)
    }

    /// Returns true if there may be unlisted hits but the list has reached its maximum.
    pub fn is_full(&self) -> bool {
        !self.is_under_way()
            && self
                .found()
                .is_some_and(|found| is_cut(found) && found.count() >= MOST as u64)
    }

    /// Returns the hit next to a position, if the list covers it.
    pub fn listed(&self, direction: Direction, at: Position) -> HitLookup {
        self.found()
            .map_or(HitLookup::Unknown, |found| found.neighbour(direction, at))
    }

    /// Returns the current or last request; none after [`Self::clear`].
    pub fn requested(&self) -> Option<&SearchRequest> {
        self.requested.as_ref()
    }
}

/// Returns true if the search ended before the end of its range.
fn is_cut(found: &SearchResults) -> bool {
    matches!(found.end, SearchEnd::Limit | SearchEnd::Stopped)
}

/// The searches of panels that show their own one. Equal queries share one search.
#[derive(Debug, Default)]
pub struct PanelSearches {
    list: Vec<(FindQuery, FindState)>,
}

impl PanelSearches {
    /// Begins the searches of panels in view, drops those that no panel shows, and picks up hits.
    /// Names are resolved at position `at`. Returns true while a search is under way.
    pub fn advance(
        &mut self,
        wanted: &[FindQuery],
        at: Position,
        session: &Arc<Session>,
        worker: &Worker,
    ) -> bool {
        self.list.retain(|(question, _)| wanted.contains(question));
        for question in wanted {
            if self.find(question).is_none() {
                let mut state = FindState::default();
                state.begin(question.clone(), at, session, worker);
                self.list.push((question.clone(), state));
            }
        }
        self.list
            .iter_mut()
            .for_each(|(_, state)| state.advance(session, worker));
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
