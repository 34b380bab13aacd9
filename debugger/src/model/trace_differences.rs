//! The differences of two traces: a table of the regions of their alignment, and the positions at
//! which they differ ([`TraceDifferences`]).
//!
//! The first rows of a pair of threads are the first divergence, the first differing value, and the
//! cause with the differing steps from there to the divergence. Steps are those of the whole trace,
//! as everywhere in the program; the comparison numbers them within their threads.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use anyhow::Result;
use stepback_compare::{Comparison, RegionKind, StepNumbers, Tolerances, TraceSide};
use stepback_index::answer::ThreadId;
use stepback_index::build::BuildProgress;
use stepback_index::{Cancel, QueryError};
use stepback_parsers::Position;

use super::difference_rows::{HEADS, RowRules, ThreadDifferences, forgiven_row};
use super::table::{Table, TableRow};
use crate::action::Direction;
use crate::analysis::compare_traces::compare_traces;
use crate::messages::say;
use crate::session::{OpenOptions, SecondTrace, Session, open};

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
        let progress = self.progress;
        let open_second = |options: &OpenOptions| open(options, &progress.opening, cancel);
        let SecondTrace {
            session: other,
            answer: comparison,
            ..
        } = SecondTrace::ask(self.second, other, open_second, |other| {
            let steps = session.index.step_count().min(other.index.step_count());
            progress.steps.store(steps.max(1), Ordering::Relaxed);
            let (rules, compared) = (self.rules.clone(), &progress.compared);
            compare_traces(session, other, rules, compared, cancel)
        })?;
        Ok(TraceDifferences::new(session, other, comparison, cancel)?)
    }
}

impl TraceDifferences {
    /// Lists the differences of two compared traces.
    ///
    /// # Errors
    /// See [`QueryError`].
    pub(crate) fn new(
        session: &Session,
        other: Arc<Session>,
        comparison: Comparison,
        cancel: &Cancel,
    ) -> Result<Self, QueryError> {
        let (a, b) = (&session.index, &other.index);
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

    /// Returns the index of the pair of a thread of the first trace, or that of the first pair.
    pub fn pair_of(&self, thread: Option<ThreadId>) -> usize {
        let mut pairs = self.comparison.compared.iter();
        let pair = pairs.position(|pair| Some(pair.threads.a) == thread);
        pair.unwrap_or_default()
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
