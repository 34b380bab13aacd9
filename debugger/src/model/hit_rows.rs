//! Rows of a step list that shows only hits, the steps around them, and one row for each run of
//! hidden steps.
//!
//! ```text
//! step 4      a hit
//! … 12 steps
//! step 17     another
//! … 3 steps
//! ```
//!
//! [`spots`] marks the same positions on a strip: at most one mark per pixel, independent of the
//! number of positions.

use std::ops::RangeInclusive;
use std::sync::Arc;

use stepback_index::answer::CallId;
use stepback_index::query::TraceListRow;
use stepback_parsers::{Position, Step};

use crate::action::Direction;
use crate::action::StepRange;

/// Maximum number of hidden runs that the user can open.
const MOST_OPEN: usize = 1000;

/// Row of a step list.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ShownRow {
    Step(Step),
    /// Steps of a folded call.
    Folded {
        call: CallId,
        /// First step of the call.
        first: Step,
        /// Last step of the call.
        last: Step,
    },
    /// Hidden steps that are not hits.
    Hidden {
        /// First hidden step.
        first: Step,
        /// Last hidden step.
        last: Step,
    },
}

impl From<TraceListRow> for ShownRow {
    fn from(row: TraceListRow) -> Self {
        match row {
            TraceListRow::Step(step) => Self::Step(step),
            TraceListRow::Folded { call, first, last } => Self::Folded { call, first, last },
        }
    }
}

/// Selection of the steps that a window shows.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum StepSelection {
    /// Hits of the search.
    #[default]
    Hits,
    /// Steps of the slice.
    Slice,
}

/// State of a window that shows only hits or slice steps, and the steps around them.
#[derive(Clone, Debug, Default)]
pub struct HitsOnlyView {
    /// True if only the selection is shown.
    pub is_on: bool,
    pub of: StepSelection,
    /// Number of steps shown before and after each hit.
    pub context: u64,
    /// Hidden runs that the user opened.
    opened: Vec<StepRange>,
    /// Positions from which `rows` was built.
    made_of: Option<Arc<[u64]>>,
    /// Query number of these positions.
    number: u64,
    rows: Arc<HitRows>,
}

impl HitsOnlyView {
    /// Returns the rows if only hits are shown.
    pub fn rows(&self) -> Option<&HitRows> {
        self.is_on.then_some(&*self.rows)
    }

    /// Shows a run of hidden steps.
    pub fn open(&mut self, steps: StepRange) {
        if self.opened.len() < MOST_OPEN {
            self.opened.push(steps);
            self.made_of = None;
        }
    }

    /// Changes the number of steps shown around hits and hides the opened runs again.
    pub fn surround(&mut self, context: u64) {
        (self.is_on, self.context) = (true, context);
        self.opened.clear();
        self.made_of = None;
    }

    /// Shows a selection with `context` steps around each.
    pub fn show(&mut self, of: StepSelection, context: u64) {
        self.of = of;
        self.surround(context);
    }

    /// Shows no hits, because a search has found nothing yet or has failed.
    pub fn forget(&mut self, step_count: u64) {
        if self.is_on && (self.made_of.take().is_some() || self.rows.step_count != step_count) {
            self.opened.clear();
            self.rows = Arc::new(HitRows::new(&[], 0, &[], step_count));
        }
    }

    /// Updates the rows from new results. Cost: none if the results are unchanged, otherwise the
    /// number of hits. `positions` are those after the selected steps, ascending; another `number`
    /// means another query.
    pub fn update(&mut self, positions: &Arc<[u64]>, number: u64, step_count: u64) {
        let is_made = self
            .made_of
            .as_ref()
            .is_some_and(|made| Arc::ptr_eq(made, positions));
        if !self.is_on || (is_made && self.rows.step_count == step_count) {
            return;
        }
        if self.made_of.is_some() && self.number != number {
            self.opened.clear();
        }
        let rows = HitRows::new(positions, self.context, &self.opened, step_count);
        self.rows = Arc::new(rows);
        (self.made_of, self.number) = (Some(Arc::clone(positions)), number);
    }
}

/// Mapping between steps and the rows that show them.
#[derive(Clone, Debug, Default)]
pub struct HitRows {
    /// Runs of visible steps in trace order, with hidden steps between any two.
    pieces: Vec<ShownStepRun>,
    rows: u64,
    step_count: u64,
}

/// Run of consecutive visible steps.
#[derive(Clone, Copy, Debug)]
struct ShownStepRun {
    /// Row of the first step.
    row: u64,
    first: u64,
    /// First hidden step after the run.
    end: u64,
}

impl HitRows {
    /// Builds the rows for hits at ascending positions, each with a number of steps around it, and
    /// for opened runs.
    fn new(positions: &[u64], context: u64, opened: &[StepRange], step_count: u64) -> Self {
        let of_hit = |position: &u64| {
            let step = position.saturating_sub(1);
            (
                step.saturating_sub(context),
                position.saturating_add(context),
            )
        };
        let mut shown: Vec<(u64, u64)> = positions.iter().map(of_hit).collect();
        shown.extend(opened.iter().map(|steps| (steps.first.0, steps.last.0)));
        // Hits with equal context are already in ascending order; opened runs are not.
        shown.sort_unstable();
        let mut pieces: Vec<ShownStepRun> = Vec::new();
        for (first, end) in shown {
            let end = end.min(step_count);
            // Hiding a single step would save no row, so the step is shown.
            match pieces.last_mut() {
                Some(last) if first <= last.end.saturating_add(1) => last.end = last.end.max(end),
                None if first <= 1 => pieces.push(ShownStepRun {
                    row: 0,
                    first: 0,
                    end,
                }),
                _ if first < end => pieces.push(ShownStepRun { row: 0, first, end }),
                _ => {}
            }
        }
        if let Some(last) = pieces
            .last_mut()
            .filter(|last| last.end.saturating_add(1) == step_count)
        {
            last.end = step_count;
        }
        let (mut rows, mut shown_to) = (0, 0);
        for piece in &mut pieces {
            rows += u64::from(piece.first > shown_to);
            piece.row = rows;
            rows += piece.end - piece.first;
            shown_to = piece.end;
        }
        rows += u64::from(shown_to < step_count);
        Self {
            pieces,
            rows,
            step_count,
        }
    }

    /// Returns the number of rows.
    pub fn row_count(&self) -> u64 {
        self.rows
    }

    /// Returns a row. O(log n).
    pub fn row(&self, row: u64) -> Option<ShownRow> {
        if row >= self.rows {
            return None;
        }
        let next = self.pieces.partition_point(|piece| piece.row <= row);
        let before = next.checked_sub(1).and_then(|place| self.pieces.get(place));
        if let Some(piece) = before
            && let Some(step) = piece
                .first
                .checked_add(row - piece.row)
                .filter(|step| *step < piece.end)
        {
            return Some(ShownRow::Step(Step(step)));
        }
        let first = before.map_or(0, |piece| piece.end);
        let end = self
            .pieces
            .get(next)
            .map_or(self.step_count, |piece| piece.first);
        Some(ShownRow::Hidden {
            first: Step(first),
            last: Step(end.saturating_sub(1)),
        })
    }

    /// Returns the row of a step, or the row of the hidden run that contains it. O(log n).
    pub fn row_of(&self, step: Step) -> u64 {
        let next = self.pieces.partition_point(|piece| piece.first <= step.0);
        let Some(piece) = next.checked_sub(1).and_then(|place| self.pieces.get(place)) else {
            return 0;
        };
        piece.row + step.0.min(piece.end) - piece.first
    }

    /// Returns the next visible step after a position, or the last one before the step that led
    /// there.
    pub fn neighbour(&self, direction: Direction, from: Position) -> Option<Step> {
        match direction {
            Direction::Forward => {
                let next = self.pieces.partition_point(|piece| piece.end <= from.0);
                self.pieces
                    .get(next)
                    .map(|piece| Step(piece.first.max(from.0)))
            }
            Direction::Back => {
                let before = from.0.checked_sub(1)?;
                let next = self.pieces.partition_point(|piece| piece.first < before);
                let piece = self.pieces.get(next.checked_sub(1)?)?;
                Some(Step(piece.end.min(before).saturating_sub(1)))
            }
        }
    }

    /// Returns the step in a row. For a row of hidden steps, or beyond the end, returns the nearest
    /// visible step.
    pub fn step_near(&self, row: u64) -> Option<Step> {
        match self.row(row.min(self.rows.saturating_sub(1)))? {
            ShownRow::Step(step) => Some(step),
            ShownRow::Hidden { first, last } => self
                .neighbour(Direction::Forward, last.after())
                .or_else(|| self.neighbour(Direction::Back, first.after())),
            ShownRow::Folded { .. } => None,
        }
    }
}

/// Spot of a strip that has marks.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Spot {
    /// Coordinate on the strip.
    pub spot: u32,
    /// First of the marked positions.
    pub position: Position,
}

/// Returns true if any of the ascending positions is in a range. O(log n).
pub fn is_any_in(marked: &[u64], positions: RangeInclusive<u64>) -> bool {
    let place = marked.partition_point(|position| position < positions.start());
    marked
        .get(place)
        .is_some_and(|position| position <= positions.end())
}

/// Returns the distinct spots of the marked positions in a range, ascending. `spot_of` must not
/// decrease. Cost: grows with the number of spots, not of positions.
pub fn spots(
    marked: &[u64],
    positions: RangeInclusive<u64>,
    spot_of: impl Fn(u64) -> u32,
) -> Vec<Spot> {
    let first = marked.partition_point(|position| position < positions.start());
    let end = marked.partition_point(|position| position <= positions.end());
    let mut rest = marked.get(first..end).unwrap_or_default();
    let mut spots = Vec::new();
    while let Some(position) = rest.first() {
        let spot = spot_of(*position);
        spots.push(Spot {
            spot,
            position: Position(*position),
        });
        let later = rest.partition_point(|position| spot_of(*position) <= spot);
        rest = rest.get(later.max(1)..).unwrap_or_default();
    }
    spots
}

#[cfg(test)]
mod tests {
    use super::*;

    fn rows(positions: &[u64], context: u64, opened: &[StepRange]) -> HitRows {
        HitRows::new(positions, context, opened, 100)
    }

    fn text(rows: &HitRows) -> String {
        let word = |row| match rows.row(row) {
            Some(ShownRow::Step(step)) => step.0.to_string(),
            Some(ShownRow::Hidden { first, last }) => format!("[{}-{}]", first.0, last.0),
            _ => "?".to_owned(),
        };
        (0..rows.row_count())
            .map(word)
            .collect::<Vec<_>>()
            .join(" ")
    }

    #[test]
    fn hits_are_between_rows_for_what_is_hidden() {
        assert_eq!(text(&rows(&[], 0, &[])), "[0-99]");
        assert_eq!(text(&rows(&[5, 20], 0, &[])), "[0-3] 4 [5-18] 19 [20-99]");
        assert_eq!(
            text(&rows(&[5, 20], 1, &[])),
            "[0-2] 3 4 5 [6-17] 18 19 20 [21-99]"
        );
        assert_eq!(
            text(&rows(
                &[5, 20],
                0,
                &[StepRange {
                    first: Position(6),
                    last: Position(19)
                }]
            ))
            .matches('[')
            .count(),
            2
        );
    }

    #[test]
    fn no_row_hides_a_single_step() {
        assert_eq!(text(&rows(&[2, 4], 0, &[])), "0 1 2 3 [4-99]");
        assert_eq!(text(&rows(&[99], 0, &[])), "[0-97] 98 99");
    }

    #[test]
    fn each_step_has_a_row_and_each_shown_row_its_step() {
        let rows = rows(&[2, 4, 30, 31, 99], 2, &[]);
        for row in 0..rows.row_count() {
            match rows.row(row) {
                Some(ShownRow::Step(step)) => assert_eq!(rows.row_of(step), row),
                Some(ShownRow::Hidden { first, last }) => {
                    assert_eq!((rows.row_of(first), rows.row_of(last)), (row, row));
                }
                other => panic!("{other:?}"),
            }
        }
        assert_eq!(rows.row(rows.row_count()), None);
    }

    #[test]
    fn neighbours_are_shown_steps() {
        let rows = rows(&[5, 20], 0, &[]);
        let go = |direction, from| rows.neighbour(direction, Position(from)).map(|step| step.0);
        assert_eq!(
            [
                go(Direction::Forward, 0),
                go(Direction::Forward, 4),
                go(Direction::Forward, 5)
            ],
            [Some(4), Some(4), Some(19)]
        );
        assert_eq!(go(Direction::Forward, 20), None);
        assert_eq!(
            [
                go(Direction::Back, 100),
                go(Direction::Back, 20),
                go(Direction::Back, 6)
            ],
            [Some(19), Some(4), Some(4)]
        );
        assert_eq!(
            [go(Direction::Back, 5), go(Direction::Back, 0)],
            [None, None]
        );
        assert_eq!(
            [rows.step_near(0), rows.step_near(2), rows.step_near(9)]
                .map(|step| step.map(|step| step.0)),
            [Some(4), Some(19), Some(19)]
        );
    }
}
