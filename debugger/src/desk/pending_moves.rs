//! Moves of trace windows that were asked for, and what becomes of them on a worker.

use stepback_index::QueryError;
use stepback_parsers::Position;

use crate::action::{Direction, WindowId};
use crate::messages::say;
use crate::model::so_far::{SoFar, nothing_so_far};
use crate::model::{Ground, Landing, Move, Stride, Windows};
use crate::session::Session;
use crate::worker::Ticket;

use super::words::sentence;

/// Moves that were asked for in one frame, one after the other. All that is no move waits for them.
#[derive(Default)]
pub struct Moving {
    pub asked: Vec<Asked>,
    /// Once a worker makes them.
    pub ticket: Option<Ticket<Moved>>,
    /// Those that wait until what is damaged is made again.
    pub held: Vec<Asked>,
}

/// A move of one window.
pub struct Asked {
    pub window: WindowId,
    pub what: Move,
}

/// What became of some moves.
pub struct Moved {
    /// The windows as they are by now.
    pub windows: Windows,
    /// Why windows stayed where they are, where that is worth a word.
    pub said: Vec<String>,
    /// Why the rest could not be made.
    pub error: Option<QueryError>,
    /// The rest.
    pub rest: Vec<Asked>,
}

impl Moving {
    /// Whether a worker makes them.
    pub fn is_under_way(&self) -> bool {
        self.ticket.is_some()
    }

    /// Those that waited for a mended index are asked for again.
    pub fn release(&mut self) {
        self.asked.append(&mut self.held);
    }

    /// Gives the moves up. False where there are none.
    pub fn give_up(&mut self) -> bool {
        let Self {
            asked,
            ticket,
            held,
        } = std::mem::take(self);
        ticket.is_some() || !asked.is_empty() || !held.is_empty()
    }
}

/// Makes moves in copies of the windows. Runs on a worker.
pub fn make(session: &Session, mut windows: Windows, asked: Vec<Asked>) -> Moved {
    let mut said = Vec::new();
    // Where several windows are sent somewhere, each goes where it was sent.
    let is_alone = asked
        .windows(2)
        .all(|pair| matches!(pair, [one, next] if one.window == next.window));
    let is_synced = windows.is_synced && is_alone;
    let mut waiting = asked.into_iter();
    while let Some(next) = waiting.next() {
        let Some(window) = windows.get_mut(next.window) else {
            continue;
        };
        let from = window.position;
        let mut made = next.what.make(&session.index, window);
        let to = window.position;
        if made.is_ok() && is_synced && from != to {
            made = follow(session, &mut windows, &next, Steps { from, to });
        }
        match made {
            Ok(Landing::Made) => {}
            Ok(Landing::Unfoldable) => said.push(say!("moves-only-hits-are-shown").to_owned()),
            Ok(Landing::Nowhere) => said.extend(nowhere_words(session, &next.what)),
            Err(error) => {
                let rest = std::iter::once(next).chain(waiting).collect();
                return Moved {
                    windows,
                    said,
                    error: Some(error),
                    rest,
                };
            }
        }
    }
    Moved {
        windows,
        said,
        error: None,
        rest: Vec::new(),
    }
}

/// How far a window went.
struct Steps {
    from: Position,
    to: Position,
}

/// The other windows go as many steps as one went, and where that one walked, they remember no more places than it.
fn follow(
    session: &Session,
    windows: &mut Windows,
    led: &Asked,
    by: Steps,
) -> Result<Landing, QueryError> {
    for other in windows
        .list
        .iter_mut()
        .filter(|other| other.id != led.window)
    {
        let to = match by.to.0.checked_sub(by.from.0) {
            Some(forward) => other.position.0.saturating_add(forward),
            None => other.position.0.saturating_sub(by.from.0 - by.to.0),
        };
        let to = Position(to);
        match led.what {
            Move::Step(..) | Move::StepOfThread(_) => {
                let ground = Ground::at(&session.index, to.min(session.index.end()))?;
                other.walk(to, &ground);
            }
            _ => _ = Move::Travel(to).make(&session.index, other)?,
        }
    }
    Ok(Landing::Made)
}

/// What is said where a move leads nowhere; nothing about steps within a thread that has no more of them.
fn nowhere_words(session: &Session, what: &Move) -> Option<String> {
    match what {
        Move::Step(Stride::Out, Direction::Back) => {
            Some(say!("moves-nothing-called-this-function-the").to_owned())
        }
        Move::Step(Stride::Out, Direction::Forward) => Some(match SoFar::of(session) {
            None => say!("moves-this-function-does-not-return").to_owned(),
            Some(part) => say!("moves-no-return-so-far", caveat = part.caveat()),
        }),
        Move::StepOfThread(Direction::Back) => {
            Some(say!("moves-this-thread-has-no-step").to_owned())
        }
        Move::StepOfThread(Direction::Forward) => {
            let words = nothing_so_far(
                session,
                say!("moves-this-thread-has-no-step-after").to_owned(),
            );
            Some(sentence(&words))
        }
        Move::Step(..) | Move::StayInThread(_) | Move::Travel(_) | Move::Edge(_) => None,
        Move::History(_) | Move::Fold(_) => None,
    }
}
