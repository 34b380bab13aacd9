//! The search of a trace, whichever panel shows it.

use std::sync::Arc;

use stepback_index::{Cancel, LATE_STEPS};
use stepback_parsers::Position;

use super::growing::{AnswerReplacement, IncrementalAnswer};
use crate::action::{Direction, FindQuery};
use crate::model::found::{
    HitLookup, HitQuestion, SearchEnd, SearchRequest, SearchResults, gather,
};
use crate::session::Session;
use crate::worker::Worker;

/// Hits that are listed at once; "more" lists as many again.
const HITS: usize = 10_000;
/// More hits are no list that anybody reads, and each takes half a KiB.
const MOST: usize = 100_000;
/// More searches are not remembered.
pub const HISTORY: usize = 30;

/// The search of a trace and what was found so far.
#[derive(Debug, Default)]
pub struct FindState {
    asked: Option<SearchRequest>,
    /// How many searches were begun.
    number: u64,
    found: IncrementalAnswer<SearchResults>,
    /// How often the field was to get the keyboard.
    focused: u64,
    /// What was looked for before, the newest first.
    history: Vec<FindQuery>,
}

impl FindState {
    /// Begins a search; the one before is forgotten. Names have their meaning at a position.
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

    /// Looks for more hits than were listed.
    pub fn more(&mut self, session: &Arc<Session>, worker: &Worker) {
        let Some((asked, found)) = self
            .asked
            .clone()
            .zip(self.found.known().cloned())
            .filter(|_| self.can_have_more())
        else {
            return;
        };
        let limit = asked
            .limit
            .max(found.table.rows.len())
            .saturating_add(HITS)
            .min(MOST);
        self.ask(
            SearchRequest {
                limit,
                before: Some(found),
                ..asked
            },
            session,
            worker,
        );
    }

    fn ask(&mut self, asked: SearchRequest, session: &Arc<Session>, worker: &Worker) {
        let (session, question) = (Arc::clone(session), asked.clone());
        self.found.begin(
            AnswerReplacement::Meanwhile,
            worker,
            move |cancel: &Cancel, publish| gather(&session, &question, cancel, publish),
        );
        self.asked = Some(asked);
        self.found.receive();
    }

    /// Picks up what was found; goes on where more of the trace is known by now.
    pub fn advance(&mut self, session: &Arc<Session>, worker: &Worker) {
        self.found.receive();
        let Some((asked, found)) = self.asked.clone().zip(self.found.known().cloned()) else {
            return;
        };
        if self.found.error().is_some() {
            return;
        }
        let is_open = asked.question.range.to.trim().is_empty() && found.end == SearchEnd::Done;
        if !self.found.is_under_way() && is_open && found.to != session.index.end() {
            // What a part of a trace says of its last steps may change.
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
                    ..asked
                },
                session,
                worker,
            );
        }
    }

    /// Ends the search under way; what was found stays. False where there is none.
    pub fn stop(&mut self) -> bool {
        self.found.stop(|found| SearchResults {
            end: SearchEnd::Stopped,
            ..found.clone()
        })
    }

    /// Forgets the search and what was found.
    pub fn clear(&mut self) {
        self.asked = None;
        self.found.clear();
        self.number += 1;
    }

    /// Puts a search on top of those that are remembered.
    pub fn remember(history: &mut Vec<FindQuery>, question: &FindQuery) {
        history.retain(|known| known != question);
        history.insert(0, question.clone());
        history.truncate(HISTORY);
    }

    /// What was looked for before, the newest first.
    pub fn set_history(&mut self, history: &[FindQuery]) {
        self.history = history.to_vec();
    }

    /// The same.
    pub fn history(&self) -> &[FindQuery] {
        &self.history
    }

    /// The field of the panel is to get the keyboard.
    pub fn focus(&mut self) {
        self.focused += 1;
    }

    /// How often it was.
    pub fn times_focused(&self) -> u64 {
        self.focused
    }

    /// What is looked for, or was last; none after [`Self::clear`].
    pub fn question(&self) -> Option<&FindQuery> {
        self.asked.as_ref().map(|asked| &asked.question)
    }

    /// Another number says that another search was begun or forgotten.
    pub fn number(&self) -> u64 {
        self.number
    }

    /// What was found so far.
    pub fn found(&self) -> Option<&Arc<SearchResults>> {
        self.found.known()
    }

    /// Why the search failed.
    pub fn error(&self) -> Option<&str> {
        self.found.error()
    }

    /// Whether a search is under way.
    pub fn is_under_way(&self) -> bool {
        self.found.is_under_way()
    }

    /// Whether there may be hits that are not listed, and the list may grow.
    pub fn can_have_more(&self) -> bool {
        !self.is_under_way()
            && self
                .found()
                .is_some_and(|found| is_cut(found) && found.count() < MOST as u64)
    }

    /// Whether there may be hits that are not listed, and no more are kept.
    pub fn is_full(&self) -> bool {
        !self.is_under_way()
            && self
                .found()
                .is_some_and(|found| is_cut(found) && found.count() >= MOST as u64)
    }

    /// The hit next to a position as far as it is listed.
    pub fn listed(&self, way: Direction, at: Position) -> HitLookup {
        self.found()
            .map_or(HitLookup::Unknown, |found| found.neighbour(way, at))
    }

    /// The question for the hit next to a position; none where nothing was looked for.
    pub fn hit_question(&self, way: Direction, from: Position) -> Option<HitQuestion> {
        let asked = self.asked.as_ref()?;
        Some(HitQuestion {
            question: asked.question.clone(),
            asked_at: asked.at,
            way,
            from,
        })
    }
}

/// Whether the search ended before the end of what it looks at.
fn is_cut(found: &SearchResults) -> bool {
    matches!(found.end, SearchEnd::Limit | SearchEnd::Stopped)
}
