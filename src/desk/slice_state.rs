//! A slice of a trace, whoever shows it.

use std::sync::{Arc, Mutex, PoisonError};

use stepback_index::Cancel;

use crate::model::slice::{Slice, SliceAsked, SliceEnd, gather_slice};
use crate::notes::{SliceEdge, SliceEdges, SliceQuestion};
use crate::session::Session;
use crate::worker::{Lane, Ticket, Worker};

/// Steps that are followed at once; "more" follows as many again.
const STEPS: usize = 300;
/// More steps are no list that anybody reads.
const MOST: usize = 100_000;

/// The question for why a cell has its value, and what was found so far.
#[derive(Debug, Default)]
pub struct SliceState {
    asked: Option<SliceAsked>,
    /// How many questions were asked.
    number: u64,
    job: Option<Job>,
    slice: Option<Arc<Slice>>,
    error: Option<String>,
    /// What the next question follows besides the data.
    edges: SliceEdges,
    /// The worker's epoch when it was asked last.
    epoch: u64,
}

/// A walk under way.
struct Job {
    ticket: Ticket<Arc<Slice>>,
    newest: Arc<Mutex<Option<Arc<Slice>>>>,
    shown: Shown,
}

/// What of a walk is shown before it ends.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Shown {
    /// What it has.
    Meanwhile,
    /// The answer from before, until it has all.
    InTheEnd,
}

impl std::fmt::Debug for Job {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Job").finish_non_exhaustive()
    }
}

impl SliceState {
    /// Asks a question; the one before is forgotten.
    pub fn begin(&mut self, question: SliceQuestion, session: &Arc<Session>, worker: &Worker) {
        (self.slice, self.error, self.job) = (None, None, None);
        self.number += 1;
        self.edges = question.edges;
        self.ask(SliceAsked { question, limit: STEPS, before: None }, Shown::Meanwhile, session, worker);
    }

    /// Follows something else besides the data, in the question that is shown, too. The rows stay until there are others.
    pub fn follow(&mut self, edge: SliceEdge, session: &Arc<Session>, worker: &Worker) {
        self.edges = self.edges.toggled(edge);
        let Some(asked) = &self.asked else { return };
        let question = SliceQuestion { edges: self.edges, ..asked.question.clone() };
        self.number += 1;
        self.ask(SliceAsked { question, limit: STEPS, before: None }, Shown::Meanwhile, session, worker);
    }

    /// Follows more steps.
    pub fn more(&mut self, session: &Arc<Session>, worker: &Worker) {
        let Some((asked, slice)) = self.asked.clone().zip(self.slice.clone()).filter(|_| self.can_have_more()) else {
            return;
        };
        let limit = asked.limit.saturating_mul(2).min(MOST);
        self.ask(SliceAsked { limit, before: Some(slice), ..asked }, Shown::Meanwhile, session, worker);
    }

    fn ask(&mut self, asked: SliceAsked, shown: Shown, session: &Arc<Session>, worker: &Worker) {
        self.epoch = worker.epoch();
        (self.error, self.job) = (None, None);
        // A slice that was kept may begin where the trace is not indexed yet.
        if !is_reached(&asked, session) {
            self.asked = Some(asked);
            return;
        }
        let newest = Arc::<Mutex<Option<Arc<Slice>>>>::default();
        let (shared, session, question) = (Arc::clone(&newest), Arc::clone(session), asked.clone());
        let ticket = worker.spawn(Lane::Long, move |cancel: &Cancel| {
            gather_slice(&session, &question, cancel, &mut |slice| {
                *shared.lock().unwrap_or_else(PoisonError::into_inner) = Some(slice);
            })
        });
        self.job = Some(Job { ticket, newest, shown });
        self.asked = Some(asked);
        self.receive();
    }

    /// Picks up what was found; asks again where another part of the trace is known by now, or other names.
    pub fn advance(&mut self, session: &Arc<Session>, worker: &Worker) {
        self.receive();
        let Some(asked) = self.asked.clone().filter(|_| self.epoch != worker.epoch()) else { return };
        self.ask(SliceAsked { before: None, ..asked }, Shown::InTheEnd, session, worker);
    }

    fn receive(&mut self) {
        let Some(job) = &self.job else { return };
        let newest = job.newest.lock().unwrap_or_else(PoisonError::into_inner).take();
        if let Some(newest) = newest.filter(|_| job.shown == Shown::Meanwhile || self.slice.is_none()) {
            self.slice = Some(newest);
        }
        match job.ticket.take() {
            Some(Ok(slice)) => (self.slice, self.job) = (Some(slice), None),
            Some(Err(error)) => (self.error, self.job) = (Some(format!("{error:#}")), None),
            None => {}
        }
    }

    /// Ends the walk under way; what was found stays. False where there is none.
    pub fn stop(&mut self) -> bool {
        self.receive();
        if self.job.take().is_none() {
            return false;
        }
        self.slice = self.slice.take().map(|slice| Arc::new(Slice { end: SliceEnd::Stopped, ..Slice::clone(&slice) }));
        true
    }

    /// Forgets the question and what was found.
    pub fn clear(&mut self) {
        (self.asked, self.job, self.slice, self.error) = (None, None, None, None);
        self.number += 1;
    }

    /// What is asked, or was last; none after [`Self::clear`].
    pub fn question(&self) -> Option<&SliceQuestion> {
        self.asked.as_ref().map(|asked| &asked.question)
    }

    /// What is followed besides the data.
    pub fn edges(&self) -> SliceEdges {
        self.edges
    }

    /// Another number says that another question was asked, or that it was forgotten.
    pub fn number(&self) -> u64 {
        self.number
    }

    /// What was found so far.
    pub fn slice(&self) -> Option<&Arc<Slice>> {
        self.slice.as_ref()
    }

    /// Why it failed.
    pub fn error(&self) -> Option<&str> {
        self.error.as_deref()
    }

    /// Whether a walk is under way.
    pub fn is_under_way(&self) -> bool {
        self.job.is_some()
    }

    /// Whether the position of the question is not indexed yet.
    pub fn is_awaited(&self, session: &Session) -> bool {
        self.asked.as_ref().is_some_and(|asked| !is_reached(asked, session))
    }

    /// Whether there are steps that are not listed, and the list may grow.
    pub fn can_have_more(&self) -> bool {
        let is_cut = |slice: &Arc<Slice>| matches!(slice.end, SliceEnd::Limit(_) | SliceEnd::Stopped);
        self.job.is_none() && self.slice.as_ref().is_some_and(|slice| is_cut(slice) && slice.step_count() < MOST as u64)
    }
}

/// Whether the trace is known up to the position of a question; one behind its end is an error that the worker tells.
fn is_reached(asked: &SliceAsked, session: &Session) -> bool {
    asked.question.at <= session.index.step_count() || session.index.is_whole()
}
