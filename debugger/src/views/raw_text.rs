//! The raw text of the trace.

use std::ops::Range;
use std::sync::Arc;

use stepback_index::{Cancel, LineOfStep, Query as _, RawLine, RawLines};
use stepback_parsers::{Line, Position};

use crate::desk::{BlockItem, Blocks, Desk};
use crate::model::TraceWindow;
use crate::worker::{Answer, Slot};

/// Number of lines in a block.
const BLOCK: u64 = 128;

/// Lines of a trace window, by rows that count from 0.
#[derive(Debug)]
pub struct RawTextView {
    lines: Blocks<RawLine>,
    /// The line after the position; none at the end.
    next: Slot<Position, Option<Line>>,
}

impl Default for RawTextView {
    fn default() -> Self {
        Self {
            lines: Blocks::new(BLOCK),
            next: Slot::default(),
        }
    }
}

impl RawTextView {
    /// Requests the row after the position. Returns it once it is known.
    pub fn poll_gap(&mut self, window: &TraceWindow, desk: &Desk) -> Option<u64> {
        let answer = self.next.poll(&window.position, &desk.worker, |position| {
            let (step, session) = (position.next_step(), Arc::clone(&desk.session));
            move |cancel: &Cancel| {
                let is_end = step.before() >= session.index.end();
                if is_end {
                    Ok(None)
                } else {
                    Ok(LineOfStep(step).run(&session.index, cancel)?)
                }
            }
        });
        let Answer::Fresh(line) = answer else {
            return None;
        };
        Some(line.map_or(desk.session.index.info().lines, |line| {
            line.0.saturating_sub(1)
        }))
    }

    /// Requests the rows in sight, and one more.
    pub fn fetch(&mut self, rows: Range<u64>, more: Option<u64>, desk: &Desk) {
        let count = desk.session.index.info().lines;
        self.lines.fetch(
            rows.chain(more).filter(|row| *row < count),
            &desk.worker,
            |range| {
                let session = Arc::clone(&desk.session);
                // Rows count from 0, lines from 1.
                let query = RawLines {
                    first: Line(range.start + 1),
                    count: range.end - range.start,
                };
                move |cancel: &Cancel| Ok(query.run(&session.index, cancel)?)
            },
        );
    }

    /// Returns a line, or the error.
    pub fn row(&self, row: u64) -> BlockItem<'_, RawLine> {
        self.lines.get(row)
    }

    /// Returns a line, once it is known.
    pub fn line(&self, row: u64) -> Option<&RawLine> {
        self.lines.known(row)
    }
}
