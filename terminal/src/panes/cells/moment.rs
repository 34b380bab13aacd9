//! Search for the moment at a line or time of the trace, on a worker thread.

use std::sync::Arc;

use anyhow::Result;
use stepback_index::Cancel;
use stepback_parsers::Position;

use crate::pane::PaneContext;
use stepback_debugger::place::PositionName;
use stepback_debugger::worker::{JobLane, Ticket};

/// A search for a moment.
#[derive(Default)]
pub struct MomentSearch {
    asked: Option<Ticket<MomentResult>>,
}

/// A moment that was found.
pub struct MomentResult {
    pub position: Position,
    /// The line or time as it was named.
    pub place: String,
    /// A remark for the user.
    pub remark: Option<String>,
}

impl MomentSearch {
    /// Starts the search for a place such as `line:7` or `time:3`, and drops the previous one.
    pub fn ask(&mut self, place: String, cx: &PaneContext<'_>) {
        let session = Arc::clone(&cx.desk.session);
        let find = move |cancel: &Cancel| -> Result<MomentResult> {
            let named: PositionName = place.parse()?;
            let position = named.resolve(&session, cancel)?;
            let remark = named.remarks(&session, None, cancel)?.into_iter().next();
            Ok(MomentResult {
                position,
                place,
                remark,
            })
        };
        self.asked = Some(cx.worker().spawn(JobLane::Short, find));
    }

    /// Takes the result of the search; errors are messages.
    pub fn take(&mut self) -> Option<Result<MomentResult, String>> {
        let found = self.asked.as_ref()?.take()?;
        self.asked = None;
        Some(found.map_err(|error| format!("{error:#}")))
    }
}
