//! A slice of a trace, whoever shows it.

use std::sync::Arc;

use stepback_index::Cancel;

use super::growing::{AnswerReplacement, IncrementalAnswer};
use crate::model::slice::{Slice, SliceProgress, SliceRequest, gather_slice};
use crate::notes::{SliceEdge, SliceEdges, SliceQuery};
use crate::session::Session;
use crate::worker::Worker;

/// Steps that are followed at once; "more" follows as many again.
const STEPS: usize = 300;
/// More steps are no list that anybody reads.
const MOST: usize = 100_000;

/// The question for why a cell has its value, and what was found so far.
#[derive(Debug, Default)]
pub struct SliceState {
    asked: Option<SliceRequest>,
    /// How many questions were asked.
    number: u64,
    slice: IncrementalAnswer<Slice>,
    /// What the next question follows besides the data.
    edges: SliceEdges,
    /// The worker's epoch when it was asked last.
    epoch: u64,
    /// The user ended the walk, maybe before anything was found.
    is_stopped: bool,
}

impl SliceState {
    /// Asks a question; the one before is forgotten.
    pub fn begin(&mut self, question: SliceQuery, session: &Arc<Session>, worker: &Worker) {
        self.slice.clear();
        self.number += 1;
        self.edges = question.edges;
        self.ask(
            SliceRequest {
                question,
                limit: STEPS,
                before: None,
            },
            AnswerReplacement::Meanwhile,
            session,
            worker,
        );
    }

    /// Follows something else besides the data, in the question that is shown, too. The rows stay until there are others.
    pub fn follow(&mut self, edge: SliceEdge, session: &Arc<Session>, worker: &Worker) {
        self.edges = self.edges.toggled(edge);
        let Some(asked) = &self.asked else { return };
        let question = SliceQuery {
            edges: self.edges,
            ..asked.question.clone()
        };
        self.number += 1;
        self.ask(
            SliceRequest {
                question,
                limit: STEPS,
                before: None,
            },
            AnswerReplacement::Meanwhile,
            session,
            worker,
        );
    }

    /// Follows more steps.
    pub fn more(&mut self, session: &Arc<Session>, worker: &Worker) {
        let Some((asked, slice)) = self
            .asked
            .clone()
            .zip(self.slice.known().cloned())
            .filter(|_| self.can_have_more())
        else {
            return;
        };
        let limit = asked.limit.saturating_mul(2).min(MOST);
        self.ask(
            SliceRequest {
                limit,
                before: Some(slice),
                ..asked
            },
            AnswerReplacement::Meanwhile,
            session,
            worker,
        );
    }

    fn ask(
        &mut self,
        asked: SliceRequest,
        shown: AnswerReplacement,
        session: &Arc<Session>,
        worker: &Worker,
    ) {
        self.epoch = worker.epoch();
        self.is_stopped = false;
        self.slice.give_up();
        // A slice that was kept may begin where the trace is not indexed yet.
        if !is_reached(&asked, session) {
            self.asked = Some(asked);
            return;
        }
        let (session, question) = (Arc::clone(session), asked.clone());
        self.slice
            .begin(shown, worker, move |cancel: &Cancel, publish| {
                gather_slice(&session, &question, cancel, publish)
            });
        self.asked = Some(asked);
        self.slice.receive();
    }

    /// Picks up what was found; asks again where another part of the trace is known by now, or other names.
    /// A walk of an earlier part goes on to its end, else a long one would never end while the trace is indexed;
    /// what the user ended stays as it is.
    pub fn advance(&mut self, session: &Arc<Session>, worker: &Worker) {
        self.slice.receive();
        if self.epoch == worker.epoch() || self.is_under_way() || self.is_stopped {
            return;
        }
        if let Some(asked) = self.asked.clone() {
            self.ask(
                SliceRequest {
                    before: None,
                    ..asked
                },
                AnswerReplacement::InTheEnd,
                session,
                worker,
            );
        }
    }

    /// Ends the walk under way; what was found stays. False where there is none.
    pub fn stop(&mut self) -> bool {
        let is_ended = self.slice.stop(|slice| Slice {
            end: SliceProgress::Stopped,
            ..slice.clone()
        });
        self.is_stopped |= is_ended;
        is_ended
    }

    /// Forgets the question and what was found.
    pub fn clear(&mut self) {
        (self.asked, self.is_stopped) = (None, false);
        self.slice.clear();
        self.number += 1;
    }

    /// What is asked, or was last; none after [`Self::clear`].
    pub fn question(&self) -> Option<&SliceQuery> {
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
        self.slice.known()
    }

    /// Why it failed.
    pub fn error(&self) -> Option<&str> {
        self.slice.error()
    }

    /// Whether a walk is under way.
    pub fn is_under_way(&self) -> bool {
        self.slice.is_under_way()
    }

    /// Whether the position of the question is not indexed yet.
    pub fn is_awaited(&self, session: &Session) -> bool {
        self.asked
            .as_ref()
            .is_some_and(|asked| !is_reached(asked, session))
    }

    /// Whether there are steps that are not listed, and the list may grow.
    pub fn can_have_more(&self) -> bool {
        let is_cut = |slice: &Arc<Slice>| {
            matches!(slice.end, SliceProgress::Limit(_) | SliceProgress::Stopped)
        };
        !self.is_under_way()
            && self
                .slice()
                .is_some_and(|slice| is_cut(slice) && slice.step_count() < MOST as u64)
    }
}

/// Whether the trace is known up to the position of a question; one behind its end is an error that the worker tells.
fn is_reached(asked: &SliceRequest, session: &Session) -> bool {
    asked.question.at <= session.index.step_count() || session.index.is_whole()
}

#[cfg(test)]
mod tests {
    use std::sync::mpsc::channel;

    use super::*;
    use crate::session::test_session::overflow;
    use crate::worker::JobLane;

    #[test]
    fn what_is_stopped_before_anything_is_found_is_not_begun_again() {
        let (session, worker) = (overflow(), Worker::new(1, || {}));
        let (open, gate) = channel::<()>();
        // The only thread is busy: nothing is found.
        let _busy = worker.spawn(JobLane::Short, move |_: &Cancel| Ok(gate.recv()?));
        let mut state = SliceState::default();
        let question = SliceQuery {
            cell: "x2".to_owned(),
            at: 1763,
            ..SliceQuery::default()
        };
        state.begin(question.clone(), &session, &worker);
        assert!(state.stop() && state.slice().is_none());
        worker.renew();
        state.advance(&session, &worker);
        assert!(!state.is_under_way());
        // Who asks again means it.
        state.begin(question, &session, &worker);
        assert!(state.is_under_way());
        open.send(()).unwrap();
    }
}
