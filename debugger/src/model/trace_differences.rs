//! The differences of two traces: a table of the regions of their alignment, and the positions at
//! which they differ ([`TraceDifferences`]).
//!
//! The first rows of a pair of threads are the first divergence, the first differing value, and the
//! cause with the differing steps from there to the divergence. Steps are those of the whole trace,
//! as everywhere in the program; the comparison numbers them within their threads.

use std::ops::Range;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use anyhow::{Result, anyhow};
use stepback_compare::{
    CellDifference, CompareOptions, Comparison, DifferenceKind, DifferingPlace, Forgiven, Region,
    RegionDetails, RegionKind, Slides, StateAfter, StepDifference, StepNumbers, ThreadComparison,
    Tolerances, TraceSide,
};
use stepback_index::build::BuildProgress;
use stepback_index::{Cancel, QueryError};
use stepback_machine::Address;
use stepback_parsers::{Position, Step};

use super::TextRole;
use super::difference_words::{cell_words, origin_words};
use super::names::function_name;
use super::table::{ROWS, Table, TableCell, TableRow, thread_name};
use super::text::thousands;
use crate::action::{ComparisonRule, Direction};
use crate::analysis::step_places::step_record;
use crate::messages::say;
use crate::session::{OpenOptions, Session, open};

/// Maximum number of steps between the cause and the divergence that are listed.
const CHAIN: usize = 8;
/// Number of differing cells that a row names.
const CELLS: usize = 3;

const HEADS: [&str; 8] = [
    "differences-head-difference",
    "head-thread",
    "differences-head-in-a",
    "differences-head-count-a",
    "differences-head-in-b",
    "differences-head-count-b",
    "head-function",
    "differences-head-values",
];

/// Progress of a comparison.
#[derive(Debug, Default)]
pub struct ComparisonProgress {
    /// Progress of opening the second trace.
    pub opening: BuildProgress,
    /// Number of matched steps whose values were compared.
    compared: AtomicU64,
    /// Number of steps of the shorter trace; 0 until both are open.
    steps: AtomicU64,
}

impl ComparisonProgress {
    /// Describes the progress: `Comparing with b.tarmac: 34 %`.
    pub fn words(&self, name: &str) -> String {
        let per_cent = |done: &AtomicU64, total: u64| {
            let done = u128::from(done.load(Ordering::Relaxed)) * 100;
            u64::try_from(done / u128::from(total.max(1))).map_or(100, |share| share.min(100))
        };
        match self.steps.load(Ordering::Relaxed) {
            0 => {
                let total = self.opening.bytes_total.load(Ordering::Relaxed);
                let share = per_cent(&self.opening.bytes_done, total);
                say!("differences-opening", name = name, share = share)
            }
            steps => {
                let share = per_cent(&self.compared, steps);
                say!("differences-comparing", name = name, share = share)
            }
        }
    }
}

/// Two traces and their differences.
pub struct TraceDifferences {
    /// The second trace.
    pub other: Arc<Session>,
    pub comparison: Comparison,
    /// One row per region, after the first divergence, the first differing value and the cause.
    pub table: Arc<Table>,
    /// Rules of each row, by its key.
    rules: Vec<RowRules>,
    /// Positions of the first trace at which the traces differ, in order.
    stops: Vec<u64>,
}

/// Rules that would forgive the values of a row, or the rule that the row is about.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct RowRules {
    pub rules: Vec<ComparisonRule>,
    /// The rules are in force already.
    pub are_in_force: bool,
}

/// How the second trace is opened and compared.
pub struct ComparedOptions<'a> {
    /// Options that the second trace is opened with.
    pub second: &'a OpenOptions,
    /// Differences that do not count.
    pub rules: Tolerances,
    pub progress: &'a ComparisonProgress,
}

impl ComparedOptions<'_> {
    /// Opens the second trace, unless it is open already, and compares it with the first. Runs on a
    /// worker.
    ///
    /// # Errors
    /// The second trace could not be opened, a trace could not be read, or `cancel` was set.
    pub fn compare(
        self,
        session: &Session,
        other: Option<Arc<Session>>,
        cancel: &Cancel,
    ) -> Result<TraceDifferences> {
        // Damage of the second index must not repair that of the open trace: only words are kept.
        let open_second = || {
            let opened = open(self.second, &self.progress.opening, cancel);
            opened.map_err(|error| anyhow!("{}: {error:#}", self.second.path.display()))
        };
        let other = match other {
            Some(other) => other,
            None => Arc::new(open_second()?),
        };
        let options = CompareOptions {
            tolerances: self.rules,
            progress: Some(&self.progress.compared),
        };
        let steps = session.index.step_count().min(other.index.step_count());
        self.progress.steps.store(steps.max(1), Ordering::Relaxed);
        let found = TraceDifferences::between(session, other, options, cancel);
        found.map_err(|error| anyhow!("{error:#}"))
    }
}

impl TraceDifferences {
    /// Compares two open traces.
    ///
    /// # Errors
    /// See [`QueryError`].
    pub(crate) fn between(
        session: &Session,
        other: Arc<Session>,
        options: CompareOptions<'_>,
        cancel: &Cancel,
    ) -> Result<Self, QueryError> {
        let (a, b) = (&session.index, &other.index);
        let comparison = Comparison::run(a, b, options, cancel)?;
        let (mut rows, mut rules, mut stops) = (Vec::new(), Vec::new(), Vec::new());
        let mut left = 0;
        for threads in &comparison.compared {
            let mut list = ThreadDifferences {
                session,
                other: &other,
                slides: &comparison.slides,
                threads,
                numbers_a: StepNumbers::new(a, threads.threads.a),
                numbers_b: StepNumbers::new(b, threads.threads.b),
                cancel,
                rows,
                rules,
                stops,
                left,
            };
            list.add()?;
            (rows, rules, stops, left) = (list.rows, list.rules, list.stops, list.left);
        }
        for forgiven in &comparison.forgiven {
            rows.push(forgiven_row(forgiven, rows.len() as u64));
            rules.push(RowRules {
                rules: vec![forgiven.rule.clone().into()],
                are_in_force: true,
            });
        }
        stops.sort_unstable();
        stops.dedup();
        let mut summary = summary(&comparison, &other);
        if left > 0 {
            summary = format!("{summary}, {}", say!("differences-rows-left", count = left));
        }
        let table = Table::new(summary, &HEADS, rows);
        // The kind, the steps of the first trace and the values are shown in the narrowest panel.
        let table = Table {
            spare: vec![5, 3, 1, 6, 4],
            ..table
        };
        let table = table.without_one_thread(session).without_empty();
        Ok(Self {
            table: Arc::new(table),
            comparison,
            rules,
            stops,
            other,
        })
    }

    /// Returns the rules of a row of the table.
    pub fn rules_of(&self, row: &TableRow) -> Option<&RowRules> {
        self.rules.get(usize::try_from(row.key).ok()?)
    }

    /// Returns the positions of the first trace at which the traces differ, in order.
    pub fn stops(&self) -> &[u64] {
        &self.stops
    }

    /// Returns the nearest position after or before another at which the traces differ.
    pub fn nearest(&self, Position(from): Position, direction: Direction) -> Option<Position> {
        let place = match direction {
            Direction::Forward => self.stops.partition_point(|stop| *stop <= from),
            Direction::Back => self
                .stops
                .partition_point(|stop| *stop < from)
                .checked_sub(1)?,
        };
        self.stops.get(place).copied().map(Position)
    }
}

/// Returns the number of matched steps, of those with different values, and of other regions.
fn summary(comparison: &Comparison, other: &Session) -> String {
    let name = other.path.file_name().unwrap_or(other.path.as_os_str());
    let name = name.to_string_lossy();
    let (mut matched, mut differing, mut regions) = (0u64, 0u64, 0u64);
    for threads in &comparison.compared {
        matched += threads.alignment.matched();
        for (region, details) in threads.regions() {
            regions += u64::from(region.kind != RegionKind::Same);
            differing += details.values.as_ref().map_or(0, |values| values.differing);
        }
    }
    let mut parts = vec![match comparison.is_equal() {
        true => say!("differences-equal", name = name, count = matched),
        false => say!("differences-matched", name = name, count = matched),
    }];
    if differing > 0 {
        parts.push(say!("differences-steps-differ", count = differing));
    }
    if regions > 0 {
        parts.push(say!("differences-regions", count = regions));
    }
    for (side, threads) in [
        (TraceSide::A, &comparison.threads.only_in_a),
        (TraceSide::B, &comparison.threads.only_in_b),
    ] {
        if !threads.is_empty() {
            let (count, side) = (threads.len() as u64, side_name(side));
            parts.push(say!("differences-threads", count = count, side = side));
        }
    }
    parts.join(", ")
}

/// Returns `A` or `B`.
fn side_name(side: TraceSide) -> &'static str {
    match side {
        TraceSide::A => "A",
        TraceSide::B => "B",
    }
}

/// Makes the rows of two threads.
struct ThreadDifferences<'a> {
    session: &'a Session,
    other: &'a Session,
    slides: &'a Slides,
    threads: &'a ThreadComparison,
    numbers_a: StepNumbers<'a>,
    numbers_b: StepNumbers<'a>,
    cancel: &'a Cancel,
    rows: Vec<TableRow>,
    /// Rules of each row.
    rules: Vec<RowRules>,
    stops: Vec<u64>,
    /// Number of rows for which there was no room.
    left: u64,
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
    fn add(&mut self) -> Result<(), QueryError> {
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
            return Ok(());
        };
        let mut values = origin_words(&cause.origin);
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
fn forgiven_row(forgiven: &Forgiven, key: u64) -> TableRow {
    let rule = ComparisonRule::from(forgiven.rule.clone());
    let mut words = vec![rule.to_string()];
    if forgiven.values > 0 {
        words.push(say!("differences-ignored-values", count = forgiven.values));
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
