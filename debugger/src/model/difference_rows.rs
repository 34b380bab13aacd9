//! Rows of the table of differences of two traces ([`ThreadDifferences`]).

use std::ops::Range;

use stepback_compare::{
    CellDifference, DifferenceKind, DifferingPlace, Forgiven, Region, RegionDetails, RegionKind,
    Slides, StateAfter, StepDifference, StepNumbers, ThreadComparison, TraceSide,
};
use stepback_index::{Cancel, QueryError};
use stepback_machine::Address;
use stepback_parsers::{Position, Step};

use super::TextRole;
use super::difference_words::{cause_words, cell_words};
use super::names::function_name;
use super::table::{ROWS, TableCell, TableRow, thread_name};
use super::text::thousands;
use crate::action::ComparisonRule;
use crate::analysis::step_places::step_record;
use crate::messages::say;
use crate::session::Session;

/// Maximum number of steps between the cause and the divergence that are listed.
const CHAIN: usize = 8;
/// Number of differing cells that a row names.
const CELLS: usize = 3;

/// Message ids of the titles of the columns.
pub(super) const HEADS: [&str; 8] = [
    "differences-head-difference",
    "head-thread",
    "differences-head-in-a",
    "differences-head-count-a",
    "differences-head-in-b",
    "differences-head-count-b",
    "head-function",
    "differences-head-values",
];

/// Rules that would forgive the values of a row, or the rule that the row is about.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct RowRules {
    pub rules: Vec<ComparisonRule>,
    /// The rules are in force already.
    pub are_in_force: bool,
}

/// Makes the rows of two threads.
pub(super) struct ThreadDifferences<'a> {
    pub session: &'a Session,
    pub other: &'a Session,
    pub slides: &'a Slides,
    pub threads: &'a ThreadComparison,
    pub numbers_a: StepNumbers<'a>,
    pub numbers_b: StepNumbers<'a>,
    pub cancel: &'a Cancel,
    pub rows: Vec<TableRow>,
    /// Rules of each row.
    pub rules: Vec<RowRules>,
    pub stops: Vec<u64>,
    /// Number of rows for which there was no room.
    pub left: u64,
}

/// A row whose steps are numbered within the threads.
struct DifferenceRow<'c> {
    difference: &'static str,
    a: Range<u64>,
    b: Range<u64>,
    position: Position,
    values: String,
    /// Differing values for which rules are suggested.
    cells: &'c [CellDifference],
    is_faded: bool,
}

impl ThreadDifferences<'_> {
    /// Adds all rows of the threads.
    pub fn add(&mut self) -> Result<(), QueryError> {
        self.add_divergence()?;
        self.add_initial()?;
        self.add_first_value()?;
        self.add_cause()?;
        let last = self.threads.details.len().saturating_sub(1);
        for (place, (region, details)) in self.threads.regions().enumerate() {
            // After the last region nothing follows that could differ.
            let words = match (region.kind, &details.after) {
                (RegionKind::Same, _) => same_words(details),
                (_, Some(after)) => after_words(after),
                (_, None) if place == last || region.a.start == 0 && region.b.start == 0 => {
                    String::new()
                }
                (_, None) => say!("differences-not-compared-after").to_owned(),
            };
            self.add_region(region, details, words)?;
        }
        Ok(())
    }

    fn add_divergence(&mut self) -> Result<(), QueryError> {
        let Some(pair) = self.threads.divergence else {
            return Ok(());
        };
        let (a, b) = (self.numbers_a.step(pair.a)?, self.numbers_b.step(pair.b)?);
        let (place_a, place_b) = (self.place(TraceSide::A, a)?, self.place(TraceSide::B, b)?);
        self.push(DifferenceRow {
            difference: say!("differences-first-divergence"),
            a: pair.a..pair.a + 1,
            b: pair.b..pair.b + 1,
            position: a.before(),
            values: say!("differences-goes-to", a = place_a, b = place_b),
            cells: &[],
            is_faded: false,
        })
    }

    /// Names the place of a step by the images of the first trace.
    fn place(&self, side: TraceSide, step: Step) -> Result<String, QueryError> {
        let index = match side {
            TraceSide::A => &self.session.index,
            TraceSide::B => &self.other.index,
        };
        let Some(record) = step_record(step, index, self.cancel)? else {
            return Ok(say!("differences-the-end").to_owned());
        };
        let pc = match side {
            TraceSide::A => record.pc,
            TraceSide::B => Address(self.slides.to_first(record.pc)),
        };
        Ok(function_name(&self.session.images, pc))
    }

    fn add_initial(&mut self) -> Result<(), QueryError> {
        if self.threads.initial.is_empty() {
            return Ok(());
        }
        self.push(DifferenceRow {
            difference: say!("differences-before-first-step"),
            a: 0..0,
            b: 0..0,
            position: Position(0),
            values: cells_text(&self.threads.initial),
            cells: &self.threads.initial,
            is_faded: false,
        })
    }

    fn add_first_value(&mut self) -> Result<(), QueryError> {
        let mut values = self
            .threads
            .details
            .iter()
            .filter_map(|known| known.values.as_ref());
        match values.find_map(|values| values.first.as_ref()) {
            Some(first) => {
                let words = cells_text(&first.cells);
                self.add_step(first, say!("differences-first-value"), words)
            }
            None => Ok(()),
        }
    }

    fn add_cause(&mut self) -> Result<(), QueryError> {
        let cause = self.threads.cause.as_ref();
        let Some((cause, oldest)) = cause.and_then(|cause| Some((cause, cause.chain.last()?)))
        else {
            return self.add_unrecorded_cause();
        };
        let mut values = cause_words(cause);
        if self.threads.divergence.is_some() {
            let count = cause.chain.len() as u64;
            values = format!("{values}; {}", say!("differences-chain", count = count));
        }
        self.add_step(oldest, say!("differences-cause"), values)?;
        let later = cause.chain.iter().rev().skip(1);
        for step in later.take(CHAIN) {
            self.add_step(step, say!("differences-then"), cells_text(&step.cells))?;
        }
        Ok(())
    }

    /// Adds a row for a divergence to which no differing value led, at the step that decided.
    fn add_unrecorded_cause(&mut self) -> Result<(), QueryError> {
        let decision = self
            .threads
            .divergence
            .and_then(|pair| Some((pair.a.checked_sub(1)?, pair.b.checked_sub(1)?)));
        let Some((a, b)) = decision else {
            return Ok(());
        };
        let position = self.numbers_a.step(a)?.after();
        let values = match self.threads.exception {
            Some(TraceSide::A) => say!("differences-exception-in-a"),
            Some(TraceSide::B) => say!("differences-exception-in-b"),
            None => say!("differences-cause-not-recorded"),
        };
        self.push(DifferenceRow {
            difference: say!("differences-cause"),
            a: a..a + 1,
            b: b..b + 1,
            position,
            values: values.to_owned(),
            cells: &[],
            is_faded: false,
        })
    }

    /// Adds a row for a pair of steps. Its position is after the step, where the values differ.
    fn add_step(
        &mut self,
        found: &StepDifference,
        difference: &'static str,
        values: String,
    ) -> Result<(), QueryError> {
        let pair = found.steps;
        let position = self.numbers_a.step(pair.a)?.after();
        self.push(DifferenceRow {
            difference,
            a: pair.a..pair.a + 1,
            b: pair.b..pair.b + 1,
            position,
            values,
            cells: &found.cells,
            is_faded: false,
        })
    }

    fn add_region(
        &mut self,
        region: &Region,
        details: &RegionDetails,
        values: String,
    ) -> Result<(), QueryError> {
        let start = self.numbers_a.step(region.a.start)?.before();
        if region.kind != RegionKind::Same {
            self.stops.push(start.0);
        }
        let (mut position, mut differing) = (start, 0);
        if let Some(values) = &details.values {
            differing = values.differing;
            for (place, number) in values.steps.iter().enumerate() {
                let stop = self.numbers_a.step(*number)?.after();
                self.stops.push(stop.0);
                position = if place == 0 { stop } else { position };
            }
        }
        self.push(DifferenceRow {
            difference: region_words(region),
            a: region.a.clone(),
            b: region.b.clone(),
            position,
            values,
            cells: &[],
            is_faded: region.kind == RegionKind::Same && differing == 0,
        })
    }

    fn push(&mut self, row: DifferenceRow<'_>) -> Result<(), QueryError> {
        if self.rows.len() >= ROWS {
            self.left += 1;
            return Ok(());
        }
        let in_a = steps_cell(&mut self.numbers_a, &row.a)?;
        let in_b = steps_cell(&mut self.numbers_b, &row.b)?;
        let function = self.function(row.a.start)?;
        let count = |steps: &Range<u64>| TableCell::number(steps.end - steps.start);
        let role = match row.is_faded {
            true => TextRole::Second,
            false => TextRole::Plain,
        };
        self.rules.push(RowRules {
            rules: row.cells.iter().filter_map(rule_for).collect(),
            are_in_force: false,
        });
        self.rows.push(TableRow {
            name: format!("{} {}", row.difference, in_a.text()),
            key: self.rows.len() as u64,
            cells: vec![
                TableCell::new(role, row.difference),
                TableCell::new(
                    TextRole::Second,
                    thread_name(self.session, self.threads.threads.a),
                ),
                in_a,
                count(&row.a),
                in_b,
                count(&row.b),
                TableCell::new(TextRole::Symbol, function),
                TableCell::new(role, row.values),
            ],
            position: Some(row.position),
            is_faded: row.is_faded,
            ..TableRow::default()
        });
        Ok(())
    }

    /// Names the function whose call contains a step of the first trace.
    fn function(&mut self, number: u64) -> Result<String, QueryError> {
        let position = self.numbers_a.step(number)?.before();
        let calls = self.session.index.plain_calls();
        let call = calls.innermost_at(self.threads.threads.a, position);
        let call = call.and_then(|id| calls.get(id));
        Ok(call.map_or_else(String::new, |call| {
            function_name(&self.session.images, call.function)
        }))
    }
}

/// Returns the rule that would forgive a difference.
fn rule_for(cell: &CellDifference) -> Option<ComparisonRule> {
    match (&cell.place, cell.kind) {
        (DifferingPlace::Register { name, .. }, _) => Some(ComparisonRule::Register(name.clone())),
        (
            DifferingPlace::Memory { address, len_bytes },
            DifferenceKind::Read | DifferenceKind::Write,
        ) => {
            let end = address.0.saturating_add(*len_bytes);
            Some(ComparisonRule::Memory(address.0..end))
        }
        _ => None,
    }
}

/// Makes the row of a rule that forgave something.
pub(super) fn forgiven_row(forgiven: &Forgiven, key: u64) -> TableRow {
    let rule = ComparisonRule::from(forgiven.rule.clone());
    let mut words = vec![rule.to_string()];
    if forgiven.values > 0 {
        words.push(say!("differences-ignored-values", count = forgiven.values));
    }
    if forgiven.computed > 0 {
        words.push(say!(
            "differences-ignored-computed",
            count = forgiven.computed
        ));
    }
    if forgiven.steps > 0 {
        words.push(say!("differences-ignored-steps", count = forgiven.steps));
    }
    let label = say!("differences-ignored");
    let mut cells = vec![TableCell::new(TextRole::Second, label)];
    cells.extend((2..HEADS.len()).map(|_| TableCell::default()));
    cells.push(TableCell::new(TextRole::Second, words.join(", ")));
    TableRow {
        name: format!("{label} {rule}"),
        key,
        cells,
        is_faded: true,
        ..TableRow::default()
    }
}

/// Formats the first and last step: `300–309`. Sorted by the first.
fn steps_cell(numbers: &mut StepNumbers<'_>, steps: &Range<u64>) -> Result<TableCell, QueryError> {
    let first = numbers.step(steps.start)?.0;
    let text = match steps.end.checked_sub(1).filter(|_| !steps.is_empty()) {
        None => say!("differences-before-step", step = thousands(first)),
        Some(last) if last == steps.start => thousands(first),
        Some(last) => format!("{}–{}", thousands(first), thousands(numbers.step(last)?.0)),
    };
    Ok(TableCell::ranked(Some(first), TextRole::Number, text))
}

fn region_words(region: &Region) -> &'static str {
    match region.kind {
        RegionKind::Same => say!("differences-same"),
        RegionKind::NotAligned => say!("differences-not-aligned"),
        RegionKind::Different if region.a.is_empty() => say!("differences-only-in-b"),
        RegionKind::Different if region.b.is_empty() => say!("differences-only-in-a"),
        RegionKind::Different => say!("differences-other-steps"),
    }
}

/// Counts the steps of a matched region with other values.
fn same_words(details: &RegionDetails) -> String {
    match details.values.as_ref().map_or(0, |values| values.differing) {
        0 => say!("differences-same-values").to_owned(),
        differing => say!("differences-steps-differ", count = differing),
    }
}

/// Says whether the states differ after a region without partners, and whether that heals.
fn after_words(after: &StateAfter) -> String {
    let count = after.cells.len() as u64;
    match (count, after.left) {
        (0, _) if after.is_complete => say!("differences-nothing-after").to_owned(),
        (0, _) => String::new(),
        (_, 0) if after.is_complete => say!("differences-heals", count = count),
        _ => say!("differences-after", count = count),
    }
}

/// Formats the first cells that differ.
fn cells_text(cells: &[CellDifference]) -> String {
    let mut words: Vec<String> = cells.iter().take(CELLS).map(cell_words).collect();
    if let more @ 1.. = cells.len().saturating_sub(CELLS) {
        words.push(say!("differences-more", count = more as u64));
    }
    words.join("; ")
}
