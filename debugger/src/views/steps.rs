//! Rows of a trace window: its steps, or the raw text of the trace.
//!
//! Details are read in blocks for the rows in sight. The blocks before and after are requested
//! last, so that scrolling finds them loaded.

use std::ops::Range;
use std::sync::Arc;

use stepback_index::answer::{Call, CallId};
use stepback_index::query::{LineOfStep, RawLine, RawLines};
use stepback_index::{Cancel, Query as _};
use stepback_parsers::{Line, Position, Step};

use crate::desk::{BlockItem, Blocks, Desk};
use crate::model::TraceWindow;
use crate::model::hit_rows::ShownRow;
use crate::model::step_rows::{StepRow, step_rows};
use crate::worker::{Answer, Slot};

/// Number of steps in a block.
const BLOCK: u64 = 64;

/// Details of the rows of a list of steps: steps and folded calls.
#[derive(Debug)]
pub struct StepsView {
    steps: Blocks<StepRow>,
    folded: Slot<Vec<CallId>, Vec<Option<Call>>>,
}

impl Default for StepsView {
    fn default() -> Self {
        Self {
            steps: Blocks::new(BLOCK),
            folded: Slot::default(),
        }
    }
}

impl StepsView {
    /// Requests the details of rows in sight, and of the last step before the position.
    pub fn fetch(&mut self, rows: Range<u64>, window: &TraceWindow, desk: &Desk) {
        let end = desk.session.index.step_count();
        let in_sight: Vec<u64> = self
            .steps_in(rows.clone(), window)
            .map(|step| step.0)
            .collect();
        let in_sight: Vec<u64> = in_sight
            .into_iter()
            .chain(window.position.last_step().map(|step| step.0))
            .collect();
        // Neighbours come last, so that scrolling finds them loaded.
        let neighbours = [
            in_sight.iter().max().map(|last| last.saturating_add(BLOCK)),
            in_sight
                .iter()
                .min()
                .map(|first| first.saturating_sub(BLOCK)),
        ];
        let wanted = in_sight
            .into_iter()
            .chain(neighbours.into_iter().flatten())
            .filter(|step| *step < end);
        self.fetch_steps(wanted.collect(), desk);
        let folded = rows.filter_map(|row| match window.row(row)? {
            ShownRow::Folded { call, .. } => Some(call),
            ShownRow::Step(_) | ShownRow::Hidden { .. } => None,
        });
        let folded: Vec<CallId> = folded.collect();
        if !folded.is_empty() {
            self.folded.poll(&folded, &desk.worker, |folded| {
                let (session, folded) = (Arc::clone(&desk.session), folded.clone());
                move |_: &Cancel| {
                    Ok(folded
                        .iter()
                        .map(|call| session.index.calls().get(*call))
                        .collect::<Vec<_>>())
                }
            });
        }
    }

    /// Requests only the last step before the position.
    pub fn fetch_last(&mut self, window: &TraceWindow, desk: &Desk) {
        self.fetch_steps(
            window
                .position
                .last_step()
                .map(|step| step.0)
                .into_iter()
                .collect(),
            desk,
        );
    }

    fn fetch_steps(&mut self, wanted: Vec<u64>, desk: &Desk) {
        self.steps.fetch(wanted.into_iter(), &desk.worker, |range| {
            let session = Arc::clone(&desk.session);
            move |cancel: &Cancel| {
                step_rows(&session, Step(range.start), range.end - range.start, cancel)
            }
        });
    }

    fn steps_in(&self, rows: Range<u64>, window: &TraceWindow) -> impl Iterator<Item = Step> {
        rows.filter_map(|row| match window.row(row)? {
            ShownRow::Step(step) => Some(step),
            ShownRow::Folded { .. } | ShownRow::Hidden { .. } => None,
        })
    }

    /// Returns the details of a step, once they are known.
    pub fn step(&self, step: Step) -> Option<&StepRow> {
        self.steps.known(step.0)
    }

    /// Returns the details of the steps among some rows that are known.
    pub fn known_steps(
        &self,
        rows: Range<u64>,
        window: &TraceWindow,
    ) -> impl Iterator<Item = &StepRow> {
        self.steps_in(rows, window)
            .filter_map(|step| self.step(step))
    }

    /// Returns true once the details of all steps among some rows are known, or cannot be read.
    pub fn are_known(&self, rows: Range<u64>, window: &TraceWindow) -> bool {
        self.steps_in(rows, window)
            .all(|step| self.steps.is_here(step.0))
    }

    /// Returns the reason why a step among some rows cannot be read.
    pub fn error(&self, rows: Range<u64>, window: &TraceWindow) -> Option<String> {
        self.steps_in(rows, window)
            .find_map(|step| match self.steps.get(step.0) {
                BlockItem::Failed(error) => Some(error.to_owned()),
                BlockItem::Known(_) | BlockItem::Loading => None,
            })
    }

    /// Returns a folded call in sight, once it is known.
    pub fn call(&self, call: CallId) -> Option<Call> {
        let (requested, known) = self.folded.peek()?;
        let place = requested.iter().position(|requested| *requested == call)?;
        known.get(place).copied().flatten()
    }
}

/// Number of lines in a block.
const LINE_BLOCK: u64 = 128;

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
            lines: Blocks::new(LINE_BLOCK),
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
