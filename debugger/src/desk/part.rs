//! Replaces the part of the trace that is shown by another: first the folds are converted to it.

use std::sync::Arc;

use anyhow::Result;

use super::arriving_part::{PartExtent, PendingPart};
use super::desk::Desk;
use super::news::DeskEvent;
use crate::messages::say;
use crate::model::{EndPolicy, TraceEndChange, Windows};
use crate::session::Session;
use crate::worker::JobLane;

impl Desk {
    /// Returns the number of steps of the newest part.
    fn newest_count(&self) -> u64 {
        self.part
            .as_ref()
            .map_or(&self.session, |part| &part.session)
            .index
            .step_count()
    }

    /// Shows a part whose windows are converted.
    fn show_part(&mut self, session: Arc<Session>, windows: Windows) {
        self.session = session;
        // A click may have activated another window meanwhile.
        let active = std::mem::replace(&mut self.windows, windows).active;
        self.windows.activate(active);
        self.begin_awaited();
        self.tell(DeskEvent::Part);
    }

    /// Receives more of the trace that is shown, or the whole of it. Positions, folds and panels
    /// stay. A part with fewer steps is ignored.
    pub fn begin_part(&mut self, session: Session, at_end: EndPolicy, arrival: PartExtent) {
        if arrival == PartExtent::More && session.index.step_count() < self.newest_count() {
            return;
        }
        let session = Arc::new(session.succeeding(&self.session));
        self.part = Some(PendingPart {
            session,
            at_end,
            arrival,
            windows: None,
        });
        self.advance_part();
    }

    /// Shows the arrived part as soon as its windows are converted.
    pub(super) fn advance_part(&mut self) {
        if self.moving.is_under_way() {
            return;
        }
        let Some(part) = self.part.as_mut() else {
            return;
        };
        let windows = part.windows.get_or_insert_with(|| {
            let (before, after) = (Arc::clone(&self.session), Arc::clone(&part.session));
            let (mut windows, at_end) = (self.windows.clone(), part.at_end);
            self.worker.spawn(JobLane::Short, move |_| {
                let to = TraceEndChange {
                    step_count: after.index.step_count(),
                    at_end,
                };
                windows.take_part(before.index.calls(), after.index.calls(), to);
                Ok(windows)
            })
        });
        let Some(answer) = windows.take() else { return };
        if let Some(part) = self.part.take() {
            self.end_part(part, answer);
        }
    }

    fn end_part(&mut self, part: PendingPart, windows: Result<Windows>) {
        let told = self.session.notices.clone();
        match windows {
            Ok(windows) => self.show_part(part.session, windows),
            Err(error) => {
                self.end_mending();
                return self.fail(&say!("part-not-shown", error = format!("{error:#}")));
            }
        }
        self.worker.renew();
        self.end_mending();
        if part.arrival == PartExtent::Whole {
            self.tell(DeskEvent::Whole(told));
        }
    }
}
