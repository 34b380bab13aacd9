//! Moves of trace windows: a worker makes them on copies of the windows, so that no frame waits for the index.

use std::sync::Arc;

use anyhow::Result;
use stepback_index::QueryError;

use super::app::App;
use super::toasts::ToastKind;
use super::words::sentence;
use super::workspace::Workspace;
use crate::action::{Way, WindowId};
use crate::model::so_far::{SoFar, nothing_so_far};
use crate::model::{Landing, Move, Stride, Windows};
use crate::session::Session;
use crate::worker::{Lane, Ticket};

/// Moves that were asked for in one frame, one after the other. All that is no move waits for them.
#[derive(Default)]
pub struct Moving {
    asked: Vec<Asked>,
    /// Once a worker makes them.
    ticket: Option<Ticket<Moved>>,
}

struct Asked {
    window: WindowId,
    what: Move,
}

/// What became of some moves.
struct Moved {
    /// The windows as they are by now.
    windows: Windows,
    /// Why windows stayed where they are, where that is worth a word.
    said: Vec<String>,
    /// Why the rest could not be made.
    error: Option<QueryError>,
}

impl Moving {
    /// Whether a worker makes them.
    pub fn is_under_way(&self) -> bool {
        self.ticket.is_some()
    }

    /// Gives the moves up. False where there are none.
    pub fn give_up(&mut self) -> bool {
        let Self { asked, ticket } = std::mem::take(self);
        ticket.is_some() || !asked.is_empty()
    }
}

/// Makes moves in copies of the windows. Runs on a worker.
fn make(session: &Session, mut windows: Windows, asked: &[Asked]) -> Moved {
    let (mut said, mut error) = (Vec::new(), None);
    for Asked { window, what } in asked {
        let Some(window) = windows.get_mut(*window) else { continue };
        match what.make(&session.index, window) {
            Ok(Landing::Made) => {}
            Ok(Landing::Nowhere) => said.extend(nowhere_words(session, what)),
            Err(problem) => {
                error = Some(problem);
                break;
            }
        }
    }
    Moved { windows, said, error }
}

impl Workspace {
    /// Whether windows move, or go over to another part of the trace.
    pub fn is_moving(&self) -> bool {
        self.moving.ticket.is_some() || self.part.is_some()
    }

    fn take_moved(&mut self) -> Option<Result<Moved>> {
        let answer = self.moving.ticket.as_ref()?.take();
        if answer.is_some() {
            self.moving.ticket = None;
        }
        answer
    }
}

impl App {
    /// Asks for a move of the active window.
    pub(super) fn begin(&mut self, what: Move) {
        if let Some(window) = self.workspace.as_ref().map(|workspace| workspace.windows.active().id) {
            self.begin_in(window, what);
        }
    }

    /// Asks for a move of a window. It is begun with all others of the frame by [`Self::send_moves`].
    pub(super) fn begin_in(&mut self, window: WindowId, what: Move) {
        if let Some(workspace) = self.workspace.as_mut() {
            workspace.moving.asked.push(Asked { window, what });
        }
    }

    /// Begins the moves that were asked for. Where the worker has no threads they are made when this returns.
    pub(super) fn send_moves(&mut self) {
        let Some(workspace) = self.workspace.as_mut() else { return };
        if workspace.is_moving() || workspace.moving.asked.is_empty() {
            return;
        }
        let asked = std::mem::take(&mut workspace.moving.asked);
        let (session, windows) = (Arc::clone(&workspace.session), workspace.windows.clone());
        workspace.moving.ticket = Some(self.worker.spawn(Lane::Short, move |_| Ok(make(&session, windows, &asked))));
        self.take_moved();
    }

    /// Picks up where windows have moved to.
    pub(super) fn take_moved(&mut self) {
        let Some(workspace) = self.workspace.as_mut() else { return };
        let Some(answer) = workspace.take_moved() else { return };
        let moved = match answer {
            Ok(moved) => moved,
            Err(error) => return self.report(&refused(&error)),
        };
        for window in moved.windows.list {
            if let Some(known) = workspace.windows.get_mut(window.id) {
                known.take_move(window);
            }
        }
        moved.said.iter().for_each(|why| self.toasts.show(ToastKind::Info, why));
        if let Some(error) = &moved.error {
            self.report(&refused(&error));
        }
    }
}

fn refused(error: &dyn std::fmt::Display) -> String {
    format!("the position could not be changed: {error}")
}

/// What is said where a move leads nowhere; nothing about steps within a thread that has no more of them.
fn nowhere_words(session: &Session, what: &Move) -> Option<String> {
    match what {
        Move::Step(Stride::Out, Way::Back) => {
            Some("Nothing called this function: the trace begins inside it".to_owned())
        }
        Move::Step(Stride::Out, Way::Forward) => Some(match SoFar::of(session) {
            None => "This function does not return: the trace ends inside it".to_owned(),
            Some(part) => format!("This function does not return so far: {}", part.caveat()),
        }),
        Move::StepOfThread(Way::Back) => Some("This thread has no step before this position".to_owned()),
        Move::StepOfThread(Way::Forward) => {
            let words = nothing_so_far(session, "this thread has no step after this position".to_owned());
            Some(sentence(&words))
        }
        Move::Step(..) | Move::StayInThread(_) | Move::Travel(_) | Move::Edge(_) => None,
        Move::History(_) | Move::Fold(_) | Move::ToggleFold(_) => None,
    }
}
