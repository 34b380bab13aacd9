//! Starts searches for a position and handles their results.

use stepback_index::answer::CallId;
use stepback_parsers::Position;

use super::desk::Desk;
use super::found::LookupResult;
use super::lookup::{AccessLookup, PlaceLookup};
use super::news::DeskEvent;
use crate::action::WindowId;
use crate::action::{Access, CellName, Direction};
use crate::analysis::names::damage_in;
use crate::desk::found::{CallEndsLookup, CallLookup, ExternalLookup, FunctionReference};
use crate::messages::say;
use crate::model::WindowMove;
use crate::model::source_view::LineQuestion;

/// A source line to travel to.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LineGoal {
    /// Suffix of the file's path.
    pub file: String,
    /// Line number, from 1.
    pub line: u32,
    /// Direction of the search.
    pub way: Direction,
    /// Name of the thread that executes the line; none: any thread.
    pub thread: Option<String>,
}

impl Desk {
    /// Active window and its position: the starting point of searches.
    fn start(&self) -> (WindowId, Position) {
        (self.windows.active, self.windows.active().position)
    }

    /// Travels to the position that a text names.
    pub fn go_to(&mut self, text: &str) {
        let (window, from) = self.start();
        self.lookup = Some(PlaceLookup::place(
            &self.session,
            &self.worker,
            window,
            from,
            text,
        ));
        self.take_found();
    }

    /// Compares the active window's position with the one that a text names. Does nothing else if
    /// there is none.
    pub fn compare_with(&mut self, place: &str) {
        let (window, from) = self.start();
        self.lookup = Some(PlaceLookup::compared(
            &self.session,
            &self.worker,
            window,
            from,
            place,
        ));
        self.take_found();
    }

    /// Compares the positions before and after a call. `call` is its number in the call table;
    /// none: the innermost call around the position.
    pub fn compare_call(&mut self, call: Option<CallId>) {
        let (window, at) = self.start();
        self.lookup = Some(PlaceLookup::ends(
            &self.session,
            &self.worker,
            window,
            CallEndsLookup { call, at },
        ));
        self.take_found();
    }

    /// Travels to the last or next access of a cell.
    pub fn go_to_access(&mut self, cell: CellName, access: Access, way: Direction) {
        let from = self.windows.active().position;
        self.look_for_access(AccessLookup {
            cell,
            access,
            way,
            from,
            until: None,
        });
    }

    /// Travels to the next access of a cell that is not after `until`.
    pub fn go_to_access_until(&mut self, cell: CellName, access: Access, until: Position) {
        let from = self.windows.active().position;
        self.look_for_access(AccessLookup {
            cell,
            access,
            way: Direction::Forward,
            from,
            until: Some(until),
        });
    }

    fn look_for_access(&mut self, question: AccessLookup) {
        self.lookup = Some(PlaceLookup::access(
            &self.session,
            &self.worker,
            self.windows.active,
            question,
        ));
        self.take_found();
    }

    /// Travels to the last or next external change of a cell; none: of any memory.
    pub fn go_to_external(&mut self, cell: Option<CellName>, way: Direction) {
        let (window, from) = self.start();
        let question = ExternalLookup { cell, way, from };
        self.lookup = Some(PlaceLookup::external(
            &self.session,
            &self.worker,
            window,
            question,
        ));
        self.take_found();
    }

    /// Travels to an execution of a source line.
    pub fn go_to_line(
        &mut self,
        LineGoal {
            file,
            line,
            way,
            thread,
        }: LineGoal,
    ) {
        if !self.session.images.are_lines_ready() {
            return self.fail(say!("sources-the-source-lines-are-still"));
        }
        let (window, from) = self.start();
        let question = LineQuestion {
            file,
            line,
            way,
            from,
            thread,
        };
        self.lookup = Some(PlaceLookup::line(
            &self.session,
            &self.worker,
            window,
            question,
        ));
        self.take_found();
    }

    /// Travels to another call of a function; none: of the function around the position.
    pub fn go_to_call(&mut self, function: Option<FunctionReference>, way: Direction) {
        let (window, from) = self.start();
        let question = CallLookup {
            function,
            way,
            from,
        };
        self.lookup = Some(PlaceLookup::call(
            &self.session,
            &self.worker,
            window,
            question,
        ));
        self.take_found();
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
            Ok(LookupResult::Nothing(why)) => self.inform(&why),
            Err(error) => {
                let is_mended = damage_in(&error).is_some_and(|damage| self.mend(damage));
                let lookup = if is_mended {
                    self.hold(lookup)
                } else {
                    Some(lookup)
                };
                if let Some(lookup) = lookup {
                    self.refuse(lookup, &format!("{error:#}"));
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
