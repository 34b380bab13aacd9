//! Starts searches for a position and handles their results.

use std::sync::Arc;

use stepback_index::Cancel;
use stepback_index::answer::CallId;
use stepback_parsers::Position;

use super::desk::Desk;
use super::found::LookupResult;
use super::lookup::{AccessLookup, LookupQuery, PlaceLookup, line_found, place_found};
use super::news::DeskEvent;
use crate::action::{Access, CellName, Direction};
use crate::analysis::names::damage_in;
use crate::desk::found::{FunctionReference, call_ends, call_found, external_change};
use crate::messages::{error_words, say};
use crate::model::WindowMove;
use crate::model::source_view::LineQuestion;
use crate::session::Session;
use crate::worker::JobLane;

impl Desk {
    /// Starts a search from the active window's position.
    pub(super) fn seek(
        &mut self,
        lane: JobLane,
        find: impl Fn(&Session, Position, &Cancel) -> anyhow::Result<LookupResult>
        + Send
        + Sync
        + 'static,
    ) {
        self.lookup = Some(self.searching(lane, find));
        self.take_found();
    }

    fn searching(
        &self,
        lane: JobLane,
        find: impl Fn(&Session, Position, &Cancel) -> anyhow::Result<LookupResult>
        + Send
        + Sync
        + 'static,
    ) -> PlaceLookup {
        let (window, from) = (self.windows.active, self.windows.active().position);
        let question: Arc<LookupQuery> =
            Arc::new(move |session, cancel| find(session, from, cancel));
        PlaceLookup::requested(&self.session, &self.worker, window, lane, question)
    }

    /// Travels to the position that a text names.
    pub fn go_to(&mut self, text: &str) {
        let place = text.to_owned();
        let lookup = self.searching(JobLane::Short, move |session, from, cancel| {
            place_found(&place, session, from, cancel)
        });
        self.lookup = Some(PlaceLookup {
            place: Some(text.to_owned()),
            ..lookup
        });
        self.take_found();
    }

    /// Compares the active window's position with the one that a text names. Does nothing else if
    /// there is none.
    pub fn compare_with(&mut self, place: &str) {
        let place = place.to_owned();
        self.seek(JobLane::Short, move |session, from, cancel| {
            Ok(match place_found(&place, session, from, cancel)? {
                LookupResult::Position(to) | LookupResult::Noted(to, _) => LookupResult::Other(to),
                other => other,
            })
        });
    }

    /// Compares the positions before and after a call. `call` is its number in the call table;
    /// none: the innermost call around the position.
    pub fn compare_call(&mut self, call: Option<CallId>) {
        self.seek(JobLane::Short, move |session, at, _| {
            call_ends(session, call, at)
        });
    }

    /// Travels to the last or next access of a cell.
    pub fn go_to_access(&mut self, cell: CellName, access: Access, direction: Direction) {
        self.look_for_access(AccessLookup {
            cell,
            access,
            direction,
            from: self.windows.active().position,
            until: None,
        });
    }

    /// Travels to the next access of a cell that is not after `until`.
    pub fn go_to_access_until(&mut self, cell: CellName, access: Access, until: Position) {
        self.look_for_access(AccessLookup {
            cell,
            access,
            direction: Direction::Forward,
            from: self.windows.active().position,
            until: Some(until),
        });
    }

    fn look_for_access(&mut self, question: AccessLookup) {
        self.seek(JobLane::Short, move |session, _, cancel| {
            question.answer(session, cancel)
        });
    }

    /// Travels to the last or next external change of a cell; none: of any memory.
    pub fn go_to_external(&mut self, cell: Option<CellName>, direction: Direction) {
        self.seek(JobLane::Long, move |session, from, cancel| {
            external_change(cell.as_ref(), direction, session, from, cancel)
        });
    }

    /// Travels to an execution of a source line.
    pub fn go_to_line(&mut self, question: LineQuestion) {
        if !self.session.images.are_lines_ready() {
            return self.fail(say!("sources-the-source-lines-are-still"));
        }
        self.seek(JobLane::Long, move |session, from, cancel| {
            line_found(&question, session, from, cancel)
        });
    }

    /// Travels to another call of a function; none: of the function around the position.
    pub fn go_to_call(&mut self, function: Option<FunctionReference>, direction: Direction) {
        self.seek(JobLane::Long, move |session, from, cancel| {
            call_found(function.as_ref(), direction, session, from, cancel)
        });
    }

    /// Handles the result of the search if it has arrived. Does nothing while windows move.
    pub(super) fn take_found(&mut self) {
        if self.is_moving() {
            return;
        }
        let Some(answer) = self.lookup.as_ref().and_then(PlaceLookup::poll) else {
            return;
        };
        let Some(lookup) = self.lookup.take() else {
            return;
        };
        match answer {
            Ok(LookupResult::Position(to)) => self.land(&lookup, to),
            Ok(LookupResult::Noted(to, note)) => {
                self.land(&lookup, to);
                self.inform(&note);
            }
            Ok(LookupResult::Ends(range)) => self.tell(DeskEvent::CompareEnds(range)),
            Ok(LookupResult::Other(position)) => self.tell(DeskEvent::CompareAt(position)),
            Ok(LookupResult::Nothing(why)) => self.inform_here(&why),
            Err(error) => {
                let is_mended = damage_in(&error).is_some_and(|damage| self.mend(damage));
                let lookup = if is_mended {
                    self.hold(lookup)
                } else {
                    Some(lookup)
                };
                if let Some(lookup) = lookup {
                    self.refuse(lookup, &error_words(&error));
                }
            }
        }
    }

    fn land(&mut self, lookup: &PlaceLookup, to: Position) {
        if lookup.place.is_some() {
            self.tell(DeskEvent::Arrived);
        }
        self.begin_in(lookup.window, WindowMove::Travel(to));
        self.send_moves();
    }

    /// Reports a failed search: in the "Go to" box if the text came from there, else in a message.
    fn refuse(&mut self, lookup: PlaceLookup, error: &str) {
        match lookup.place {
            Some(place) => self.tell(DeskEvent::Refused {
                place,
                error: error.to_owned(),
            }),
            None => self.fail(error),
        }
    }
}
