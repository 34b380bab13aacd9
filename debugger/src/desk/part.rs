//! Another part of the trace takes the place of the one that is shown: what is folded is sought in it first.

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
    /// The steps of the newest part.
    fn newest_count(&self) -> u64 {
        self.part
            .as_ref()
            .map_or(&self.session, |part| &part.session)
            .index
            .step_count()
    }

    /// Takes a part in whose windows are known.
    fn show_part(&mut self, session: Arc<Session>, windows: Windows) {
        self.session = session;
        // A click may have made another window the active one meanwhile.
        let active = std::mem::replace(&mut self.windows, windows).active;
        self.windows.activate(active);
        self.begin_awaited();
        self.tell(DeskEvent::Part);
    }

    /// More of the trace that is shown, or the whole of it; positions, folds and panels stay. Less is no news.
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

    /// Shows the part that arrived as soon as the windows are known in it.
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
