//! State of a slice, shared by the panels that show it, and the actions on it.
//!
//! More rows are found by a walk from the beginning, since the walk is the same each time; only the
//! new rows are formatted. Panels may show separate slices ([`PanelSlices`]); equal ones are
//! computed once.

use std::sync::Arc;
use stepback_index::answer::EdgeKinds;

use stepback_index::Cancel;
use stepback_parsers::Position;

use crate::action::{CellName, Direction, PanelKind};
use crate::desk::desk::Desk;
use crate::desk::growing::{AnswerReplacement, IncrementalAnswer};
use crate::desk::news::{DeskEvent, NotesSnapshot};
use crate::messages::say;
use crate::model::hit_rows::StepSelection;
use crate::model::slice::{Slice, SliceProgress, SliceRequest, gather_slice};
use crate::notes::{SavedQueryChange, SavedSlice, SavedSliceQuery, SliceEdge};
use crate::session::Session;
use crate::worker::Worker;

/// Number of steps followed at first; "more" doubles it.
const STEPS: usize = 300;
/// Maximum number of steps: nobody reads a longer list.
const MOST: usize = 100_000;

/// Query for the origin of a cell's value, and the steps found.
#[derive(Debug, Default)]
pub struct SliceState {
    requested: Option<SliceRequest>,
    /// Number of queries begun or cleared.
    number: u64,
    slice: IncrementalAnswer<Slice>,
    /// Edges that the next query follows in addition to data flow.
    edges: EdgeKinds,
    /// Epoch of the worker at the last request.
    epoch: u64,
    /// The user stopped the walk, possibly before anything was found.
    is_stopped: bool,
}

impl SliceState {
    /// Begins a query and forgets the one before.
    pub fn begin(&mut self, question: SavedSliceQuery, session: &Arc<Session>, worker: &Worker) {
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

    /// Toggles an edge to follow, also in the current query. The rows stay until there are new
    /// ones.
    pub fn follow(&mut self, edge: SliceEdge, session: &Arc<Session>, worker: &Worker) {
        self.edges = edge.toggled_in(self.edges);
        let Some(requested) = &self.requested else {
            return;
        };
        let question = SavedSliceQuery {
            edges: self.edges,
            ..requested.question.clone()
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
        let Some((requested, slice)) = self
            .requested
            .clone()
            .zip(self.slice.known().cloned())
            .filter(|_| self.can_have_more())
        else {
            return;
        };
        let limit = requested.limit.saturating_mul(2).min(MOST);
        self.ask(
            SliceRequest {
                limit,
                before: Some(slice),
                ..requested
            },
            AnswerReplacement::Meanwhile,
            session,
            worker,
        );
    }

    fn ask(
        &mut self,
        requested: SliceRequest,
        shown: AnswerReplacement,
        session: &Arc<Session>,
        worker: &Worker,
    ) {
        self.epoch = worker.epoch();
        self.is_stopped = false;
        self.slice.give_up();
        // A saved slice may begin where the trace is not indexed yet.
        if !is_reached(&requested, session) {
            self.requested = Some(requested);
            return;
        }
        let (session, question) = (Arc::clone(session), requested.clone());
        self.slice
            .begin(shown, worker, move |cancel: &Cancel, publish| {
                gather_slice(&session, &question, cancel, publish)
            });
        self.requested = Some(requested);
        self.slice.receive();
    }

    /// Picks up results. Repeats the query if another part of the trace, or other names, are known
    /// now. A walk of an earlier part continues to its end, since otherwise a long walk would never
    /// finish while the trace is indexed. A walk that the user stopped is not repeated.
    pub fn advance(&mut self, session: &Arc<Session>, worker: &Worker) {
        self.slice.receive();
        if self.epoch == worker.epoch() || self.is_under_way() || self.is_stopped {
            return;
        }
        if let Some(requested) = self.requested.clone() {
            self.ask(
                SliceRequest {
                    before: None,
                    ..requested
                },
                AnswerReplacement::InTheEnd,
                session,
                worker,
            );
        }
    }

    /// Stops the walk and keeps its steps. Returns false if none is under way.
    pub fn stop(&mut self) -> bool {
        let is_ended = self.slice.stop(|slice| Slice {
            end: SliceProgress::Stopped,
            ..slice.clone()
        });
        self.is_stopped |= is_ended;
        is_ended
    }

    /// Forgets the query and its steps.
    pub fn clear(&mut self) {
        (self.requested, self.is_stopped) = (None, false);
        self.slice.clear();
        self.number += 1;
    }

    /// Returns the current or last query; none after [`Self::clear`].
    pub fn question(&self) -> Option<&SavedSliceQuery> {
        self.requested.as_ref().map(|requested| &requested.question)
    }

    /// Returns the edges that are followed in addition to data flow.
    pub fn edges(&self) -> EdgeKinds {
        self.edges
    }

    /// Returns a number that changes when a query is begun or forgotten.
    pub fn number(&self) -> u64 {
        self.number
    }

    /// Returns the steps found until now.
    pub fn slice(&self) -> Option<&Arc<Slice>> {
        self.slice.known()
    }

    /// Returns the reason why the query failed.
    pub fn error(&self) -> Option<&str> {
        self.slice.error()
    }

    /// Returns true while a walk is under way.
    pub fn is_under_way(&self) -> bool {
        self.slice.is_under_way()
    }

    /// Returns true if the position of the query is not indexed yet.
    pub fn is_awaited(&self, session: &Session) -> bool {
        self.requested
            .as_ref()
            .is_some_and(|requested| !is_reached(requested, session))
    }

    /// Returns true if there are unlisted steps and the list may grow.
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

/// Returns true if the trace is indexed up to the position of a query. A position after the end of
/// a complete trace counts too: the worker reports that error.
fn is_reached(requested: &SliceRequest, session: &Session) -> bool {
    requested.question.at <= session.index.step_count() || session.index.is_whole()
}

impl Desk {
    /// Begins a slice of a cell at a position; none: at the active window's position.
    pub(crate) fn why(&mut self, cell: &CellName, at: Option<Position>) {
        let at = at.unwrap_or(self.windows.active().position).0;
        self.why_again(SavedSliceQuery {
            cell: cell.to_string(),
            at,
            forward: false,
            edges: self.slice.edges(),
        });
    }

    /// Begins a slice and shows its panel.
    pub fn why_again(&mut self, question: SavedSliceQuery) {
        self.slice.begin(question, &self.session, &self.worker);
        self.tell(DeskEvent::Show(PanelKind::Why));
    }

    /// Toggles an edge to follow in addition to data flow.
    pub(crate) fn follow_in_slice(&mut self, edge: SliceEdge) {
        self.slice
            .follow(edge, &Arc::clone(&self.session), &self.worker);
    }

    /// Follows the value backward to its origin or forward to its uses.
    pub(crate) fn turn_slice(&mut self, direction: Direction) {
        let forward = direction == Direction::Forward;
        let Some(requested) = self
            .slice
            .question()
            .filter(|requested| requested.forward != forward)
        else {
            return;
        };
        self.why_again(SavedSliceQuery {
            forward,
            ..requested.clone()
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

/// The slices of panels that show their own one. Equal queries share one walk.
#[derive(Debug, Default)]
pub struct PanelSlices {
    list: Vec<(SavedSliceQuery, SliceState)>,
}

impl PanelSlices {
    /// Begins the slices of panels in view, drops those that no panel shows, and picks up results.
    /// Returns true while one is under way.
    pub fn advance(
        &mut self,
        wanted: &[SavedSliceQuery],
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
    pub fn stop(&mut self, question: &SavedSliceQuery) {
        if let Some(state) = self.find_mut(question) {
            state.stop();
        }
    }

    /// Follows more steps of a slice.
    pub fn more(&mut self, question: &SavedSliceQuery, session: &Arc<Session>, worker: &Worker) {
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
    pub fn find(&self, question: &SavedSliceQuery) -> Option<&SliceState> {
        self.list
            .iter()
            .find(|(known, _)| known == question)
            .map(|(_, state)| state)
    }

    fn find_mut(&mut self, question: &SavedSliceQuery) -> Option<&mut SliceState> {
        self.list
            .iter_mut()
            .find(|(known, _)| known == question)
            .map(|(_, state)| state)
    }
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
        let question = SavedSliceQuery {
            cell: "x2".to_owned(),
            at: 1763,
            ..SavedSliceQuery::default()
        };
        state.begin(question.clone(), &session, &worker);
        assert!(state.stop() && state.slice().is_none());
        worker.renew();
        state.advance(&session, &worker);
        assert!(!state.is_under_way());
        // An explicit request begins it again.
        state.begin(question, &session, &worker);
        assert!(state.is_under_way());
        open.send(()).unwrap();
    }
}
