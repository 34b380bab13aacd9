//! The search of a trace, whichever panel shows it.

use std::sync::{Arc, Mutex, PoisonError};

use stepback_index::{Cancel, LATE_STEPS};
use stepback_parsers::Position;

use crate::action::{FindQuestion, Way};
use crate::model::found::{Asked, Found, HitQuestion, Listed, SearchEnd, gather};
use crate::session::Session;
use crate::worker::{Lane, Ticket, Worker};

/// Hits that are listed at once; "more" lists as many again.
const HITS: usize = 10_000;
/// More hits are no list that anybody reads, and each takes half a KiB.
const MOST: usize = 100_000;
/// More searches are not remembered.
pub const HISTORY: usize = 30;

/// The search of a trace and what was found so far.
#[derive(Debug, Default)]
pub struct FindState {
    asked: Option<Asked>,
    /// How many searches were begun.
    number: u64,
    job: Option<Job>,
    found: Option<Arc<Found>>,
    error: Option<String>,
    /// How often the field was to get the keyboard.
    focused: u64,
    /// What was looked for before, the newest first.
    history: Vec<FindQuestion>,
}

/// A search under way.
struct Job {
    ticket: Ticket<Arc<Found>>,
    newest: Arc<Mutex<Option<Arc<Found>>>>,
}

impl std::fmt::Debug for Job {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Job").finish_non_exhaustive()
    }
}

impl FindState {
    /// Begins a search; the one before is forgotten. Names have their meaning at a position.
    pub fn begin(&mut self, question: FindQuestion, at: Position, session: &Arc<Session>, worker: &Worker) {
        (self.found, self.error) = (None, None);
        self.number += 1;
        self.ask(Asked { question, at, limit: HITS, before: None }, session, worker);
    }

    /// Looks for more hits than were listed.
    pub fn more(&mut self, session: &Arc<Session>, worker: &Worker) {
        let Some((asked, found)) = self.asked.clone().zip(self.found.clone()).filter(|_| self.can_have_more()) else {
            return;
        };
        let limit = asked.limit.max(found.table.rows.len()).saturating_add(HITS).min(MOST);
        self.ask(Asked { limit, before: Some(found), ..asked }, session, worker);
    }

    fn ask(&mut self, asked: Asked, session: &Arc<Session>, worker: &Worker) {
        let newest = Arc::<Mutex<Option<Arc<Found>>>>::default();
        let (shared, session, question) = (Arc::clone(&newest), Arc::clone(session), asked.clone());
        let ticket = worker.spawn(Lane::Long, move |cancel: &Cancel| {
            gather(&session, &question, cancel, &mut |found| {
                *shared.lock().unwrap_or_else(PoisonError::into_inner) = Some(found);
            })
        });
        self.job = Some(Job { ticket, newest });
        self.error = None;
        self.asked = Some(asked);
        self.receive();
    }

    /// Picks up what was found; goes on where more of the trace is known by now.
    pub fn advance(&mut self, session: &Arc<Session>, worker: &Worker) {
        self.receive();
        let Some((asked, found)) = self.asked.clone().zip(self.found.clone()) else { return };
        if self.error.is_some() {
            return;
        }
        let is_open = asked.question.range.to.trim().is_empty() && found.end == SearchEnd::Done;
        if self.job.is_none() && is_open && found.to != session.index.end() {
            // What a part of a trace says of its last steps may change.
            let from = Position(found.searched.min(session.index.end()).0.saturating_sub(LATE_STEPS));
            self.ask(Asked { before: Some(Arc::new(found.up_to(from.max(found.from)))), ..asked }, session, worker);
        }
    }

    fn receive(&mut self) {
        let Some(job) = &self.job else { return };
        if let Some(newest) = job.newest.lock().unwrap_or_else(PoisonError::into_inner).take() {
            self.found = Some(newest);
        }
        match job.ticket.take() {
            Some(Ok(found)) => (self.found, self.job) = (Some(found), None),
            Some(Err(error)) => (self.error, self.job) = (Some(format!("{error:#}")), None),
            None => {}
        }
    }

    /// Ends the search under way; what was found stays. False where there is none.
    pub fn stop(&mut self) -> bool {
        self.receive();
        if self.job.take().is_none() {
            return false;
        }
        self.found = self.found.take().map(|found| Arc::new(Found { end: SearchEnd::Stopped, ..Found::clone(&found) }));
        true
    }

    /// Forgets the search and what was found.
    pub fn clear(&mut self) {
        (self.asked, self.job, self.found, self.error) = (None, None, None, None);
        self.number += 1;
    }

    /// Puts a search on top of those that are remembered.
    pub fn remember(history: &mut Vec<FindQuestion>, question: &FindQuestion) {
        history.retain(|known| known != question);
        history.insert(0, question.clone());
        history.truncate(HISTORY);
    }

    /// What was looked for before, the newest first.
    pub fn set_history(&mut self, history: &[FindQuestion]) {
        self.history = history.to_vec();
    }

    /// The same.
    pub fn history(&self) -> &[FindQuestion] {
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
    pub fn question(&self) -> Option<&FindQuestion> {
        self.asked.as_ref().map(|asked| &asked.question)
    }

    /// Another number says that another search was begun or forgotten.
    pub fn number(&self) -> u64 {
        self.number
    }

    /// What was found so far.
    pub fn found(&self) -> Option<&Arc<Found>> {
        self.found.as_ref()
    }

    /// Why the search failed.
    pub fn error(&self) -> Option<&str> {
        self.error.as_deref()
    }

    /// Whether a search is under way.
    pub fn is_under_way(&self) -> bool {
        self.job.is_some()
    }

    /// Whether there may be hits that are not listed, and the list may grow.
    pub fn can_have_more(&self) -> bool {
        self.job.is_none() && self.found.as_ref().is_some_and(|found| is_cut(found) && found.count() < MOST as u64)
    }

    /// Whether there may be hits that are not listed, and no more are kept.
    pub fn is_full(&self) -> bool {
        self.job.is_none() && self.found.as_ref().is_some_and(|found| is_cut(found) && found.count() >= MOST as u64)
    }

    /// The hit next to a position as far as it is listed.
    pub fn listed(&self, way: Way, at: Position) -> Listed {
        self.found.as_ref().map_or(Listed::Unknown, |found| found.neighbour(way, at))
    }

    /// The question for the hit next to a position; none where nothing was looked for.
    pub fn hit_question(&self, way: Way, from: Position) -> Option<HitQuestion> {
        let asked = self.asked.as_ref()?;
        Some(HitQuestion { question: asked.question.clone(), asked_at: asked.at, way, from })
    }
}

/// Whether the search ended before the end of what it looks at.
fn is_cut(found: &Found) -> bool {
    matches!(found.end, SearchEnd::Limit | SearchEnd::Stopped)
}
