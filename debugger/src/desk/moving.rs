//! Moves of trace windows.
//!
//! A worker makes the requested moves on copies of the windows, so that drawing never waits for the
//! index. All other actions wait until the moved windows are back.

use std::sync::Arc;

use anyhow::Result;
use stepback_index::{Cancel, QueryError};
use stepback_parsers::Position;

use crate::action::Direction;
use crate::action::WindowId;
use crate::desk::desk::Desk;
use crate::desk::words::sentence;
use crate::messages::say;
use crate::model::so_far::{IndexedPart, nothing_so_far};
use crate::model::{MoveContext, MoveOutcome, Stride, TraceWindow, WindowMove, Windows};
use crate::session::{Damage, Session};
use crate::worker::{JobLane, Ticket};

impl Desk {
    /// Returns true while windows move or are converted to another part of the trace.
    pub fn is_moving(&self) -> bool {
        self.moving.ticket.is_some() || self.part.is_some() || !self.moving.held.is_empty()
    }

    /// Requests a move of the active window.
    pub fn begin(&mut self, what: WindowMove) {
        self.begin_in(self.windows.active().id, what);
    }

    /// Requests a move of a window. `send_moves` begins all requests of a round together.
    pub fn begin_in(&mut self, window: WindowId, what: WindowMove) {
        self.moving.requested.push((window, what));
    }

    /// Begins the requested moves. With a worker without threads they are complete on return.
    pub(super) fn send_moves(&mut self) {
        if self.is_moving() || self.moving.requested.is_empty() {
            return;
        }
        let requested = std::mem::take(&mut self.moving.requested);
        let (session, windows) = (Arc::clone(&self.session), self.windows.clone());
        self.moving.ticket = Some(self.worker.spawn(JobLane::Short, move |cancel: &Cancel| {
            Ok(make(&session, windows, requested, cancel))
        }));
        self.take_moved();
    }

    fn receive_moved(&mut self) -> Option<Result<WindowMovesResult>> {
        let answer = self.moving.ticket.as_ref()?.take();
        if answer.is_some() {
            self.moving.ticket = None;
        }
        answer
    }

    /// Picks up the new positions of windows.
    pub(super) fn take_moved(&mut self) {
        let Some(answer) = self.receive_moved() else {
            return;
        };
        let mut moved = match answer {
            Ok(moved) => moved,
            Err(error) => return self.fail(&refused(&error)),
        };
        for window in moved.windows.list {
            if let Some(known) = self.windows.get_mut(window.id) {
                known.take_move(window);
            }
        }
        moved.said.iter().for_each(|why| self.inform_here(why));
        let Some(error) = &moved.error else { return };
        match Damage::of(error).is_some_and(|damage| self.mend(damage)) {
            true => self.moving.held.append(&mut moved.rest),
            false => self.fail(&refused(&error)),
        }
    }
}

fn refused(error: &dyn std::fmt::Display) -> String {
    say!("moving-failed", error = error.to_string())
}

/// Moves that were requested in one frame, in order. All other actions wait for them.
#[derive(Default)]
pub struct PendingMoves {
    pub requested: Vec<(WindowId, WindowMove)>,
    /// Present while a worker makes the moves.
    pub ticket: Option<Ticket<WindowMovesResult>>,
    /// Moves that wait until the index is repaired.
    pub held: Vec<(WindowId, WindowMove)>,
}

/// Result of some moves.
pub struct WindowMovesResult {
    /// The windows after the moves.
    pub windows: Windows,
    /// Messages about windows that stayed in place.
    pub said: Vec<String>,
    /// Error that stopped the moves.
    pub error: Option<QueryError>,
    /// Moves that were not made.
    pub rest: Vec<(WindowId, WindowMove)>,
}

impl PendingMoves {
    /// Returns true while a worker makes moves.
    pub fn is_under_way(&self) -> bool {
        self.ticket.is_some()
    }

    /// Requests the moves again that waited for a repaired index.
    pub fn release(&mut self) {
        self.requested.append(&mut self.held);
    }

    /// Cancels all moves. Returns false if there are none.
    pub fn give_up(&mut self) -> bool {
        let Self {
            requested,
            ticket,
            held,
        } = std::mem::take(self);
        ticket.is_some() || !requested.is_empty() || !held.is_empty()
    }
}

/// Makes moves in copies of the windows. Runs on a worker.
pub fn make(
    session: &Session,
    mut windows: Windows,
    requested: Vec<(WindowId, WindowMove)>,
    cancel: &Cancel,
) -> WindowMovesResult {
    let mut said = Vec::new();
    // If several windows were moved, each goes where it was sent.
    let is_alone = requested
        .windows(2)
        .all(|pair| matches!(pair, [(one, _), (next, _)] if one == next));
    let is_synced = windows.is_synced && is_alone;
    let mut waiting = requested.into_iter();
    while let Some((id, what)) = waiting.next() {
        let Some(window) = windows.get_mut(id) else {
            continue;
        };
        let from = window.position;
        let mut made = what.make(&session.index, window, cancel);
        let to = window.position;
        if made.is_ok() && is_synced && from != to {
            for other in windows.list.iter_mut().filter(|other| other.id != id) {
                made = follow(session, other, &what, from, to);
                if made.is_err() {
                    break;
                }
            }
        }
        match made {
            Ok(MoveOutcome::Made) => {}
            Ok(MoveOutcome::Unfoldable) => said.push(say!("moves-only-hits-are-shown").to_owned()),
            Ok(MoveOutcome::Nowhere) => said.extend(nowhere_words(session, &what)),
            Err(error) => {
                let rest = std::iter::once((id, what)).chain(waiting).collect();
                return WindowMovesResult {
                    windows,
                    said,
                    error: Some(error),
                    rest,
                };
            }
        }
    }
    WindowMovesResult {
        windows,
        said,
        error: None,
        rest: Vec::new(),
    }
}

/// Moves another window by as many steps as a leading window moved. If that one walked, the other
/// adds no more history entries than it did.
fn follow(
    session: &Session,
    other: &mut TraceWindow,
    what: &WindowMove,
    from: Position,
    to: Position,
) -> Result<MoveOutcome, QueryError> {
    let to = Position(match to.0.checked_sub(from.0) {
        Some(forward) => other.position.0.saturating_add(forward),
        None => other.position.0.saturating_sub(from.0 - to.0),
    });
    let ground = MoveContext::at(&session.index, to.min(session.index.end()))?;
    match what {
        WindowMove::Step(..) | WindowMove::StepOfThread(_) => other.walk(to, &ground),
        _ => other.travel(to, &ground),
    }
    Ok(MoveOutcome::Made)
}

/// Returns the message for a move that leads nowhere; none for steps within a thread that has no
/// more steps.
fn nowhere_words(session: &Session, what: &WindowMove) -> Option<String> {
    match what {
        WindowMove::Step(Stride::Out, Direction::Back) => {
            Some(say!("moves-nothing-called-this-function-the").to_owned())
        }
        WindowMove::Step(Stride::Out, Direction::Forward) => Some(match IndexedPart::of(session) {
            None => say!("moves-this-function-does-not-return").to_owned(),
            Some(part) => say!("moves-no-return-so-far", caveat = part.caveat()),
        }),
        WindowMove::StepOfThread(Direction::Back) => {
            Some(say!("moves-this-thread-has-no-step").to_owned())
        }
        WindowMove::StepOfThread(Direction::Forward) => {
            let words = nothing_so_far(
                session,
                say!("moves-this-thread-has-no-step-after").to_owned(),
            );
            Some(sentence(&words))
        }
        WindowMove::Step(..)
        | WindowMove::StayInThread(_)
        | WindowMove::Travel(_)
        | WindowMove::Edge(_) => None,
        WindowMove::History(_) | WindowMove::Fold(_) => None,
    }
}
