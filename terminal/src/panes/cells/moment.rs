//! A moment of the trace that was named by a line or a time: it is looked for on the worker.

use std::sync::Arc;

use anyhow::Result;
use stepback_index::Cancel;
use stepback_parsers::Position;

use crate::pane::PaneContext;
use stepback_debugger::place::PositionName;
use stepback_debugger::worker::{JobLane, Ticket};

/// A moment that is being looked for.
#[derive(Default)]
pub struct MomentSearch {
    asked: Option<Ticket<MomentResult>>,
}

/// A moment that was found.
pub struct MomentResult {
    /// Where it is.
    pub position: Position,
    /// As it was named.
    pub place: String,
    /// What should be known of it.
    pub remark: Option<String>,
}

impl MomentSearch {
    /// Looks for a place: `line:7`, `time:3`. What was looked for before is given up.
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

    /// What was found, once; an error is in words.
    pub fn take(&mut self) -> Option<Result<MomentResult, String>> {
        let found = self.asked.as_ref()?.take()?;
        self.asked = None;
        Some(found.map_err(|error| format!("{error:#}")))
    }
}
