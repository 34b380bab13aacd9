//! Moves of trace windows. A worker makes them on copies of the windows, so that drawing never
//! waits for the index.

use std::sync::Arc;

use anyhow::Result;

use super::desk::Desk;
use super::pending_moves::{MoveRequest, WindowMovesResult, make};
use crate::action::WindowId;
use crate::messages::say;
use crate::model::WindowMove;
use crate::session::Damage;
use crate::worker::JobLane;

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
        self.moving.asked.push(MoveRequest { window, what });
    }

    /// Begins the requested moves. With a worker without threads they are complete on return.
    pub(super) fn send_moves(&mut self) {
        if self.is_moving() || self.moving.asked.is_empty() {
            return;
        }
        let asked = std::mem::take(&mut self.moving.asked);
        let (session, windows) = (Arc::clone(&self.session), self.windows.clone());
        self.moving.ticket = Some(
            self.worker
                .spawn(JobLane::Short, move |_| Ok(make(&session, windows, asked))),
        );
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
        moved.said.iter().for_each(|why| self.inform(why));
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
