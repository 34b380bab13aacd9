//! The steps of two compared threads side by side ([`AlignedThreads`]): matched steps share a row,
//! and the other side of a step without a partner is empty.

use std::ops::Range;
use std::sync::Arc;

use anyhow::Result;
use stepback_compare::{RegionKind, StepNumbers, ThreadComparison};
use stepback_index::{Cancel, QueryError};
use stepback_parsers::{Position, Step};

use super::TextRole;
use super::effects::EffectText;
use super::step_rows::{StepRow, step_rows};
use super::text::thousands;
use super::trace_differences::TraceDifferences;
use crate::session::Session;

/// A pair of threads, with the numbers of the rows of its alignment.
pub struct AlignedThreads {
    pub differences: Arc<TraceDifferences>,
    /// Index of the pair.
    pair: usize,
    /// First row of each region.
    first_rows: Vec<u64>,
    count: u64,
}

/// The steps in a row, numbered within their threads.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct StepsOfRow {
    a: Option<u64>,
    b: Option<u64>,
    /// Index of the region.
    region: usize,
    /// Number of the next step of the first thread, if `a` is `None`.
    next_a: u64,
}

/// A row with its steps.
#[derive(Clone, Debug)]
pub struct AlignedStep {
    pub a: Option<StepRow>,
    pub b: Option<StepRow>,
    /// Position of the first trace to which the row leads.
    pub position: Position,
    /// The steps match and have different values. Known for the first
    /// [`LISTED_STEPS`](stepback_compare::LISTED_STEPS) differing steps of the threads.
    pub has_other_values: bool,
}

impl AlignedThreads {
    /// Lays out the alignment of a pair of threads. Steps of the first trace without partners
    /// precede those of the second. Returns `None` if there is no such pair. Cost: the number of
    /// regions.
    pub fn new(differences: &Arc<TraceDifferences>, pair: usize) -> Option<Self> {
        let threads = differences.comparison.compared.get(pair)?;
        let (mut first_rows, mut count) = (Vec::new(), 0);
        for region in threads.alignment.regions() {
            first_rows.push(count);
            let (in_a, in_b) = (region.a.end - region.a.start, region.b.end - region.b.start);
            count += match region.kind {
                RegionKind::Same => in_a,
                RegionKind::Different | RegionKind::NotAligned => in_a + in_b,
            };
        }
        Some(Self {
            differences: Arc::clone(differences),
            pair,
            first_rows,
            count,
        })
    }

    /// Returns the number of rows.
    pub fn count(&self) -> u64 {
        self.count
    }

    /// Returns the index of the pair of threads.
    pub fn pair(&self) -> usize {
        self.pair
    }

    fn threads(&self) -> Option<&ThreadComparison> {
        self.differences.comparison.compared.get(self.pair)
    }

    /// Returns the steps in a row, or `None` after the last row.
    fn steps_of_row(&self, threads: &ThreadComparison, row: u64) -> Option<StepsOfRow> {
        let region = self.first_rows.partition_point(|first| *first <= row);
        let region = region.checked_sub(1).filter(|_| row < self.count)?;
        let first = self.first_rows.get(region)?;
        let steps = threads.alignment.regions().get(region)?;
        let offset = row - first;
        let a = Some(steps.a.start + offset).filter(|number| *number < steps.a.end);
        let b = match steps.kind {
            RegionKind::Same => Some(steps.b.start + offset),
            RegionKind::Different | RegionKind::NotAligned => offset
                .checked_sub(steps.a.end - steps.a.start)
                .map(|offset| steps.b.start + offset),
        };
        Some(StepsOfRow {
            a,
            b,
            region,
            next_a: steps.a.end,
        })
    }

    /// Returns the row of the thread's last step before a position, or the first row if there is
    /// no such step. Runs on a worker.
    ///
    /// # Errors
    /// See [`QueryError`].
    pub fn row_at(&self, session: &Session, position: Position) -> Result<u64, QueryError> {
        let Some(threads) = self.threads() else {
            return Ok(0);
        };
        let mut numbers = StepNumbers::new(&session.index, threads.threads.a);
        let (mut low, mut high) = (0, threads.counts.a);
        while low < high {
            let middle = low + (high - low) / 2;
            match numbers.step(middle)?.before() < position {
                true => low = middle + 1,
                false => high = middle,
            }
        }
        let last = low.saturating_sub(1);
        let regions = threads.alignment.regions();
        let region = regions.partition_point(|region| region.a.end <= last);
        Ok(match (regions.get(region), self.first_rows.get(region)) {
            (Some(region), Some(first)) => first + last.saturating_sub(region.a.start),
            _ => self.count.saturating_sub(1),
        })
    }

    /// Reads the steps of some rows. Runs on a worker.
    ///
    /// # Errors
    /// See [`QueryError`].
    pub fn steps(
        &self,
        session: &Session,
        rows: Range<u64>,
        cancel: &Cancel,
    ) -> Result<Vec<AlignedStep>> {
        let Some(threads) = self.threads() else {
            return Ok(Vec::new());
        };
        let other = &self.differences.other;
        let mut in_a = StepNumbers::new(&session.index, threads.threads.a);
        let mut in_b = StepNumbers::new(&other.index, threads.threads.b);
        let (mut steps_a, mut steps_b) = (Vec::new(), Vec::new());
        let mut shown = Vec::new();
        for row in rows.map_while(|row| self.steps_of_row(threads, row)) {
            let step = row.a.map(|a| in_a.step(a)).transpose()?;
            let position = match step {
                Some(step) => step.after(),
                // After the last step of the thread there is no next one.
                None if row.next_a < threads.counts.a => in_a.step(row.next_a)?.before(),
                None => Position(session.index.step_count()),
            };
            shown.push((position, has_other_values(threads, &row)));
            steps_a.push(step);
            steps_b.push(row.b.map(|b| in_b.step(b)).transpose()?);
        }
        let a = rows_of(session, &steps_a, cancel)?;
        let b = rows_of(other, &steps_b, cancel)?;
        let rows = a.into_iter().zip(b).zip(shown);
        let rows = rows.map(|((a, b), (position, has_other_values))| AlignedStep {
            a,
            b,
            position,
            has_other_values,
        });
        Ok(rows.collect())
    }
}

fn has_other_values(threads: &ThreadComparison, row: &StepsOfRow) -> bool {
    let details = threads.details.get(row.region);
    let values = details.and_then(|details| details.values.as_ref());
    match (values, row.a, row.b) {
        (Some(values), Some(a), Some(_)) => values.steps.binary_search(&a).is_ok(),
        _ => false,
    }
}

/// Reads steps of a trace, consecutive ones together.
fn rows_of(
    session: &Session,
    steps: &[Option<Step>],
    cancel: &Cancel,
) -> Result<Vec<Option<StepRow>>> {
    let mut rows = Vec::new();
    for run in steps.chunk_by(|one, next| match (one, next) {
        (Some(one), Some(next)) => one.0 + 1 == next.0,
        (None, None) => true,
        _ => false,
    }) {
        match run.first() {
            Some(Some(first)) => {
                let read = step_rows(session, *first, run.len() as u64, cancel)?;
                rows.extend(read.into_iter().map(|row| Some(on_one_line(row))));
            }
            _ => rows.extend(run.iter().map(|_| None)),
        }
    }
    Ok(rows)
}

/// Moves exceptions and other events into the row of their step, because both sides have rows of
/// equal height.
fn on_one_line(mut row: StepRow) -> StepRow {
    let exceptions = row.exceptions.drain(..);
    let exceptions = exceptions.map(|words| EffectText::of_words(TextRole::Exception, words));
    row.effects.extend(exceptions);
    let events = row.lines.drain(..);
    let events = events.map(|line| EffectText::of_words(TextRole::Label, line.text()));
    row.effects.extend(events);
    row
}

impl AlignedStep {
    /// Returns the row as text: both steps with their effects.
    pub fn line(&self) -> String {
        let side = |row: &Option<StepRow>| {
            let text = row.as_ref();
            text.map_or_else(String::new, |row| {
                format!("{} {}", thousands(row.step.0), row.full_text())
            })
        };
        format!("{} | {}", side(&self.a), side(&self.b))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::analysis::compare_traces::compare_traces;
    use crate::session::test_session::tarmac;

    /// Returns a trace of the instructions at some offsets; an instruction at 4 loads a value.
    fn trace(offsets: &[u64], value: u64) -> String {
        let line = |(time, offset): (usize, &u64)| {
            let address = 0x8000 + offset;
            let write = match offset {
                4 => format!("{time} clk R r0 {value:08x}\n"),
                _ => String::new(),
            };
            format!("{time} clk IT ({time}) {address:08x} e1a00000 A svc : NOP\n{write}")
        };
        offsets.iter().enumerate().map(line).collect()
    }

    /// Lists the rows of two traces as `step of A|step of B`, with `!` for other values.
    #[track_caller]
    fn check(a: &str, b: &str, expected: &[&str]) {
        let ((session, _a), (other, _b)) = (tarmac(a), tarmac(b));
        let cancel = Cancel::default();
        let progress = Default::default();
        let comparison =
            compare_traces(&session, &other, Default::default(), &progress, &cancel).unwrap();
        let differences = TraceDifferences::new(&session, other, comparison, &cancel).unwrap();
        let aligned = AlignedThreads::new(&Arc::new(differences), 0).unwrap();
        let rows = aligned.steps(&session, 0..u64::MAX, &cancel).unwrap();
        assert_eq!(rows.len() as u64, aligned.count());
        let number = |row: &Option<StepRow>| {
            let step = row.as_ref();
            step.map_or_else(String::new, |row| row.step.0.to_string())
        };
        let shown = rows.iter().map(|row| {
            let mark = if row.has_other_values { "!" } else { "" };
            format!("{}|{}{mark}", number(&row.a), number(&row.b))
        });
        assert_eq!(shown.collect::<Vec<_>>(), expected);
        for (number, row) in (0..).zip(&rows).filter(|(_, row)| row.a.is_some()) {
            assert_eq!(aligned.row_at(&session, row.position).unwrap(), number);
        }
        assert_eq!(aligned.row_at(&session, Position(0)).unwrap(), 0);
    }

    #[test]
    fn matched_steps_share_a_row() {
        let same = trace(&[0, 4, 8, 12], 1);
        check(&same, &same, &["0|0", "1|1", "2|2", "3|3"]);
        let other = trace(&[0, 4, 8, 12], 2);
        check(&same, &other, &["0|0", "1|1!", "2|2", "3|3"]);
    }

    #[test]
    fn the_other_side_of_steps_without_partners_is_empty() {
        let long = trace(&[0, 4, 8, 12, 16], 1);
        let short = trace(&[0, 4, 12, 16], 1);
        check(&long, &short, &["0|0", "1|1", "2|", "3|2", "4|3"]);
        check(&short, &long, &["0|0", "1|1", "|2", "2|3", "3|4"]);
        let end = trace(&[0, 4], 1);
        check(&end, &short, &["0|0", "1|1", "|2", "|3"]);
    }
}
