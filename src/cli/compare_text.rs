//! The text answer of `stepback compare`: at most [`LINES`] lines, whatever differs.

use anyhow::Result;
use stepback_compare::{CellDifference, ParallelEnd, StepPair, ThreadComparison, TraceSide};
use stepback_index::answer::StepRecord;

use crate::cli::compare_words::{
    blocks_text, cause_words, cell_value, distance_text, lone_threads, missing_head, moved_objects,
    place_text, rule_text, side_word, unrecorded_cause,
};
use crate::cli::compared_traces::{ComparedTraces, thread_of};
use crate::cli::question::problems_text;
use crate::cli::report::Report;
use crate::cli::text::{counted, grouped, printable};

/// Maximum number of lines.
const LINES: usize = 20;
/// Number of cells of the first difference that are shown.
const CELLS: usize = 3;
/// Number of moved objects that are shown.
const OBJECTS: usize = 4;
/// Number of further pairs of threads that are shown.
const THREADS: usize = 3;
/// Number of rules that are shown.
const RULES: usize = 2;

/// Prints a comparison.
pub fn print(traces: &ComparedTraces<'_>, report: &mut Report<'_>) -> Result<()> {
    let mut text = CompareText {
        traces,
        lines: Vec::new(),
    };
    text.traces();
    text.threads();
    match text.different()?.split_first() {
        Some((first, others)) => {
            text.thread(first, report)?;
            text.other_threads(others)?;
        }
        None => text.equal(),
    }
    text.costs();
    text.forgiven();
    let left = text.lines.len().saturating_sub(LINES);
    if left > 0 {
        text.lines.truncate(LINES - 1);
        text.lines.push(format!(
            "{} more (--json shows all)",
            counted(left as u64 + 1, "line")
        ));
    }
    report.text(&format!("{}\n", text.lines.join("\n")))
}

pub(super) struct CompareText<'a> {
    pub traces: &'a ComparedTraces<'a>,
    pub lines: Vec<String>,
}

impl<'a> CompareText<'a> {
    fn traces(&mut self) {
        for side in [TraceSide::A, TraceSide::B] {
            let session = self.traces.session(side);
            let name = printable(&session.path.display().to_string());
            let steps = counted(session.index.step_count(), "step");
            let side = side_word(side);
            self.lines.push(match problems_text(session) {
                Some(problems) => format!("{side}: {name}, {steps}, {problems}"),
                None => format!("{side}: {name}, {steps}"),
            });
        }
        self.moved();
    }

    /// Names what lies elsewhere in b, and counts the pointers to it.
    fn moved(&mut self) {
        let comparison = self.traces.comparison;
        let objects = moved_objects(comparison, &comparison.compared);
        let more = objects.len().saturating_sub(OBJECTS);
        for object in objects.iter().take(OBJECTS) {
            let place = match object.kind {
                "stack" => String::new(),
                _ => format!(" at {:#x} to {:#x}", object.extent.start, object.extent.end),
            };
            let pointers = match object.pointers {
                0 => String::new(),
                count => format!(", {} to it", counted(count, "pointer")),
            };
            let (kind, distance) = (object.kind, distance_text(object.distance));
            self.lines.push(format!(
                "{kind}{place} is moved by {distance} in b{pointers}"
            ));
        }
        if more > 0 {
            let more = counted(more as u64, "other distance");
            self.lines.push(format!("memory is moved by {more}"));
        }
        self.lines.extend(blocks_text(&comparison.compared));
        let compared = comparison.compared.iter();
        let computed: u64 = compared.map(|threads| threads.pointers.computed).sum();
        if computed > 0 {
            let line = format!("{} computed from such pointers", counted(computed, "value"));
            self.lines.push(line);
        }
    }

    fn threads(&mut self) {
        let comparison = self.traces.comparison;
        self.lines.extend(lone_threads(self.traces));
        let different = comparison
            .compared
            .iter()
            .filter(|threads| !threads.is_equal())
            .count();
        if comparison.compared.len() > 1 && different > 0 {
            let (different, all) = (
                grouped(different as u64),
                grouped(comparison.compared.len() as u64),
            );
            self.lines.push(format!(
                "{different} of {all} pairs of threads differ, the first:"
            ));
        }
    }

    /// Counts the matched steps of threads without differences.
    fn equal(&mut self) {
        let comparison = self.traces.comparison;
        let compared = comparison.compared.iter();
        let matched: u64 = compared.map(|it| it.alignment.matched()).sum();
        let matched = counted(matched, "step");
        let line = match (comparison.is_equal(), comparison.forgiven.is_empty()) {
            (true, true) => format!("equal: {matched} with the same values"),
            (true, false) => format!("equal but for what rules forgive: {matched}"),
            (false, _) => format!("{matched} match, with the same values"),
        };
        self.lines.push(line);
    }

    /// Returns the pairs of threads that differ, the one that does so first in a before the others.
    fn different(&self) -> Result<Vec<&'a ThreadComparison>> {
        let compared = self.traces.comparison.compared.iter();
        let different = compared.filter(|threads| !threads.is_equal());
        let mut found: Vec<_> = different
            .map(|threads| Ok((self.first_step(threads)?, threads)))
            .collect::<Result<_>>()?;
        found.sort_by_key(|(step, _)| step.unwrap_or(u64::MAX));
        Ok(found.into_iter().map(|(_, threads)| threads).collect())
    }

    /// Returns the step of a at which two threads differ first; `None` if one only ends earlier.
    fn first_step(&self, threads: &ThreadComparison) -> Result<Option<u64>> {
        if !threads.initial.is_empty() {
            return Ok(Some(0));
        }
        let first = threads.first_difference().map(|first| first.steps);
        let Some(steps) = first.or(threads.divergence) else {
            return Ok(None);
        };
        Ok(Some(
            self.traces.steps(threads, TraceSide::A).number(steps.a)?,
        ))
    }

    /// Names two threads.
    fn names(&self, threads: &ThreadComparison) -> String {
        let name = |side| {
            let thread = thread_of(threads.threads, side);
            printable(self.traces.session(side).index.thread_name(thread))
        };
        format!("threads {} and {}", name(TraceSide::A), name(TraceSide::B))
    }

    /// Says where further threads differ.
    fn other_threads(&mut self, others: &[&ThreadComparison]) -> Result<()> {
        for threads in others.iter().take(THREADS) {
            let names = self.names(threads);
            self.lines.push(match self.first_step(threads)? {
                Some(step) => format!("{names} differ from step {} of a", grouped(step)),
                None => format!("{names}: one ends earlier"),
            });
        }
        if others.len() > THREADS {
            let more = counted((others.len() - THREADS) as u64, "more pair");
            self.lines.push(format!("{more} of threads differ"));
        }
        Ok(())
    }

    fn thread(&mut self, threads: &ThreadComparison, report: &Report<'_>) -> Result<()> {
        if self.traces.comparison.compared.len() > 1 {
            self.lines.push(self.names(threads));
        }
        if let Some((side, missing)) = missing_head(threads) {
            let (side, steps) = (side_word(side), counted(missing, "step"));
            self.lines.push(format!("{side} begins {steps} later"));
        }
        self.divergence(threads, report)?;
        self.difference(threads, report)?;
        self.cause(threads, report)?;
        self.regions(threads)
    }

    /// Formats the place of a step: `0x80000454 dispatch+0x10`.
    fn place(&self, side: TraceSide, record: Option<&StepRecord>) -> String {
        let Some(record) = record else {
            return "the end".to_owned();
        };
        let function = self.traces.function_at(side, record.pc);
        let function = function.map(|found| format!(" {}", printable(&found.symbol.to_string())));
        format!("{:#x}{}", record.pc.0, function.unwrap_or_default())
    }

    fn divergence(&mut self, threads: &ThreadComparison, report: &Report<'_>) -> Result<()> {
        let [mut in_a, mut in_b] =
            [TraceSide::A, TraceSide::B].map(|side| self.traces.steps(threads, side));
        let Some(StepPair { a, b }) = threads.divergence else {
            let line = match threads.parallel.end {
                ParallelEnd::Ended(side) => format!(
                    "the paths are the same until {} ends after {}",
                    side_word(side),
                    counted(threads.parallel.steps, "step")
                ),
                ParallelEnd::BothEnd | ParallelEnd::Diverged => "the paths are the same".to_owned(),
            };
            self.lines.push(line);
            return Ok(());
        };
        let (one, other) = (in_a.record(a, report)?, in_b.record(b, report)?);
        self.lines.push(format!(
            "first divergence: step {} of a goes to {}, step {} of b to {}",
            grouped(in_a.number(a)?),
            self.place(TraceSide::A, one.as_ref()),
            grouped(in_b.number(b)?),
            self.place(TraceSide::B, other.as_ref())
        ));
        let record = match a.checked_sub(1) {
            Some(last) => in_a.record(last, report)?,
            None => None,
        };
        let Some(record) = record else { return Ok(()) };
        let event = match threads.exception {
            Some(TraceSide::A) => "a takes an exception after",
            Some(TraceSide::B) => "b takes an exception after",
            None => "decided by",
        };
        self.lines.push(format!("  {event} {}", self.step(&record)));
        Ok(())
    }

    fn step(&self, record: &StepRecord) -> String {
        let (step, text) = (grouped(record.step.0), printable(&record.text));
        format!(
            "step {step} at {}: {text}",
            self.place(TraceSide::A, Some(record))
        )
    }

    fn difference(&mut self, threads: &ThreadComparison, report: &Report<'_>) -> Result<()> {
        if !threads.initial.is_empty() {
            self.lines.push("before the first step:".to_owned());
            self.cells(&threads.initial);
        }
        let (first, words) = match threads.first_difference() {
            Some(first) => {
                let values = threads.values_before_divergence();
                let words = match values.map(|values| values.differing).sum() {
                    1 => "first difference (the only one)".to_owned(),
                    count => format!("first difference (the first of {})", counted(count, "step")),
                };
                (first, words)
            }
            None => {
                let none = "no recorded value differs before it";
                self.lines
                    .extend(threads.divergence.map(|_| none.to_owned()));
                let Some(first) = threads.first_difference_after() else {
                    return Ok(());
                };
                (first, "first difference after it".to_owned())
            }
        };
        let record = self
            .traces
            .steps(threads, TraceSide::A)
            .record(first.steps.a, report)?;
        let step = record.map(|record| self.step(&record)).unwrap_or_default();
        self.lines.push(format!("{words}: {step}"));
        self.cells(&first.cells);
        Ok(())
    }

    /// Says what led to the divergence, or what the first difference is, in a line.
    fn cause(&mut self, threads: &ThreadComparison, report: &Report<'_>) -> Result<()> {
        let cause = threads.cause.as_ref();
        let Some((cause, oldest)) = cause.and_then(|cause| Some((cause, cause.chain.last()?)))
        else {
            // The line about the divergence says that there is an exception.
            let words = unrecorded_cause(threads).filter(|_| threads.exception.is_none());
            self.lines
                .extend(words.map(|words| format!("cause: {words}")));
            return Ok(());
        };
        let words = cause_words(cause);
        let is_shown = threads
            .first_difference()
            .is_some_and(|first| first.steps == oldest.steps);
        let mut line = match is_shown {
            true => format!("  {words}"),
            false => {
                let mut steps = self.traces.steps(threads, TraceSide::A);
                let record = steps.record(oldest.steps.a, report)?;
                let step = record.map(|record| self.step(&record)).unwrap_or_default();
                format!("cause: {step}: {words}")
            }
        };
        if threads.divergence.is_some() {
            let steps = counted(cause.chain.len() as u64, "differing step");
            line.push_str(&format!("; {steps} from there to the divergence"));
        }
        self.lines.push(line);
        Ok(())
    }

    fn cells(&mut self, cells: &[CellDifference]) {
        let shown = if cells.len() > CELLS {
            CELLS - 1
        } else {
            CELLS
        };
        for cell in cells.iter().take(shown) {
            let value =
                |value| cell_value(cell, value).unwrap_or_else(|| "not recorded".to_owned());
            self.lines.push(format!(
                "  {} {}: {} in a, {} in b",
                cell.kind.word(),
                place_text(&cell.place),
                value(&cell.a),
                value(&cell.b)
            ));
        }
        if cells.len() > shown {
            self.lines
                .push(format!("  {} more", grouped((cells.len() - shown) as u64)));
        }
    }

    fn forgiven(&mut self) {
        let forgiven = &self.traces.comparison.forgiven;
        for rule in forgiven.iter().take(RULES) {
            let mut counts = Vec::new();
            if rule.values > 0 {
                counts.push(counted(rule.values, "value"));
            }
            if rule.computed > 0 {
                counts.push(counted(rule.computed, "computed value"));
            }
            if rule.steps > 0 {
                counts.push(counted(rule.steps, "step"));
            }
            let (name, counts) = (printable(&rule_text(&rule.rule)), counts.join(", "));
            self.lines.push(format!("forgiven by {name}: {counts}"));
        }
        if forgiven.len() > RULES {
            self.lines.push(format!(
                "{} more",
                counted((forgiven.len() - RULES) as u64, "rule")
            ));
        }
    }
}
