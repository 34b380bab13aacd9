//! Moves of trace windows: a worker makes them on copies of the windows, so that no frame waits for the index.

use std::sync::Arc;

use anyhow::Result;

use super::app::App;
use super::pending_moves::{Asked, Moved, make};
use super::toasts::ToastKind;
use super::workspace::Workspace;
use crate::action::WindowId;
use crate::messages::say;
use crate::model::Move;
use crate::session::Damage;
use crate::worker::Lane;

impl Workspace {
    /// Whether windows move, or go over to another part of the trace.
    pub fn is_moving(&self) -> bool {
        self.moving.ticket.is_some() || self.part.is_some() || !self.moving.held.is_empty()
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
        workspace.moving.ticket = Some(self.worker.spawn(Lane::Short, move |_| Ok(make(&session, windows, asked))));
        self.take_moved();
    }

    /// Picks up where windows have moved to.
    pub(super) fn take_moved(&mut self) {
        let Some(workspace) = self.workspace.as_mut() else { return };
        let Some(answer) = workspace.take_moved() else { return };
        let mut moved = match answer {
            Ok(moved) => moved,
            Err(error) => return self.report(&refused(&error)),
        };
        for window in moved.windows.list {
            if let Some(known) = workspace.windows.get_mut(window.id) {
                known.take_move(window);
            }
        }
        moved.said.iter().for_each(|why| self.toasts.show(ToastKind::Info, why));
        let Some(error) = &moved.error else { return };
        if Damage::of(error).is_some_and(|damage| self.mend(damage)) {
            if let Some(workspace) = self.workspace.as_mut() {
                workspace.moving.held.append(&mut moved.rest);
            }
            return;
        }
        self.report(&refused(&error));
    }
}

fn refused(error: &dyn std::fmt::Display) -> String {
    say!("moving-failed", error = error.to_string())
}
