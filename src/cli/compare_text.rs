//! The text answer of `stepback compare`: at most [`LINES`] lines, whatever differs.

use std::collections::BTreeMap;

use anyhow::Result;
use stepback_compare::{
    CellDifference, ParallelEnd, Region, RegionDetails, RegionKind, StepPair, ThreadComparison,
    TraceSide,
};
use stepback_index::answer::{FrameEntry, StepRecord};
use stepback_parsers::Step;

use crate::cli::compare_words::{
    cell_value, compare_function, differing, distance_text, function_text, interval, missing_head,
    moved_objects, origin_words, place_text, rule_text, side_word,
};
use crate::cli::compared_traces::{ComparedTraces, thread_of};
use crate::cli::report::Report;
use crate::cli::text::{counted, grouped, printable};

/// Maximum number of lines.
const LINES: usize = 20;
/// Number of cells of the first difference that are shown.
const CELLS: usize = 3;
/// Number of regions that are shown.
const REGIONS: usize = 4;
/// Number of functions that are named.
const FUNCTIONS: usize = 4;
/// Number of moved objects that are shown.
const OBJECTS: usize = 4;
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
    let different = traces
        .comparison
        .compared
        .iter()
        .find(|threads| !threads.is_equal());
    match different {
        Some(threads) => text.thread(threads, report)?,
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

struct CompareText<'a> {
    traces: &'a ComparedTraces<'a>,
    lines: Vec<String>,
}

impl CompareText<'_> {
    fn traces(&mut self) {
        for side in [TraceSide::A, TraceSide::B] {
            let session = self.traces.session(side);
            let name = printable(&session.path.display().to_string());
            let steps = counted(session.index.step_count(), "step");
            self.lines
                .push(format!("{}: {name}, {steps}", side_word(side)));
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
        let compared = comparison.compared.iter();
        let computed: u64 = compared.map(|threads| threads.pointers.computed).sum();
        if computed > 0 {
            let line = format!("{} computed from such pointers", counted(computed, "value"));
            self.lines.push(line);
        }
    }

    fn threads(&mut self) {
        let comparison = self.traces.comparison;
        for (side, threads) in [
            (TraceSide::A, &comparison.threads.only_in_a),
            (TraceSide::B, &comparison.threads.only_in_b),
        ] {
            if !threads.is_empty() {
                let (count, side) = (counted(threads.len() as u64, "thread"), side_word(side));
                self.lines.push(format!("{count} only in {side}"));
            }
        }
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

    fn equal(&mut self) {
        if self.traces.comparison.is_equal() {
            let compared = &self.traces.comparison.compared;
            let matched: u64 = compared
                .iter()
                .map(|threads| threads.alignment.matched())
                .sum();
            self.lines.push(format!(
                "equal: {} with the same values",
                counted(matched, "step")
            ));
        }
    }

    fn thread(&mut self, threads: &ThreadComparison, report: &Report<'_>) -> Result<()> {
        if self.traces.comparison.compared.len() > 1 {
            let name = |side| {
                let thread = thread_of(threads.threads, side);
                printable(self.traces.session(side).index.thread_name(thread))
            };
            let line = format!("threads {} and {}", name(TraceSide::A), name(TraceSide::B));
            self.lines.push(line);
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
        let known = self.traces.in_first(side, record.pc);
        let function = self.traces.a.images.code_at(known);
        let function = function.map(|found| format!(" {}", printable(&found.to_string())));
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
        let mut event = "decided by";
        for (side, number, words) in [
            (TraceSide::A, a, "a takes an exception after"),
            (TraceSide::B, b, "b takes an exception after"),
        ] {
            if self.takes_exception(threads, side, number)? {
                event = words;
            }
        }
        self.lines.push(format!("  {event} {}", self.step(&record)));
        Ok(())
    }

    /// Returns true if a step is the first of an exception handler.
    fn takes_exception(
        &self,
        threads: &ThreadComparison,
        side: TraceSide,
        number: u64,
    ) -> Result<bool> {
        let index = &self.traces.session(side).index;
        let step = Step(self.traces.steps(threads, side).number(number)?);
        let calls = index.plain_calls();
        let call = calls.innermost_at(thread_of(threads.threads, side), step.before());
        let call = call.and_then(|id| calls.get(id));
        Ok(call.is_some_and(|call| {
            call.entered == FrameEntry::Exception && call.entry_step == Some(step)
        }))
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
        let values = threads.values_before_divergence();
        let Some((values, first)) =
            values.and_then(|values| Some((values, values.first.as_ref()?)))
        else {
            let none = "no recorded value differs before it";
            self.lines
                .extend(threads.divergence.map(|_| none.to_owned()));
            return Ok(());
        };
        let record = self
            .traces
            .steps(threads, TraceSide::A)
            .record(first.steps.a, report)?;
        let step = record.map(|record| self.step(&record)).unwrap_or_default();
        let more = match values.differing {
            1 => "the only one".to_owned(),
            count => format!("the first of {}", counted(count, "step")),
        };
        self.lines
            .push(format!("first difference ({more}): {step}"));
        self.cells(&first.cells);
        Ok(())
    }

    /// Says what led to the divergence, or what the first difference is, in a line.
    fn cause(&mut self, threads: &ThreadComparison, report: &Report<'_>) -> Result<()> {
        let cause = threads.cause.as_ref();
        let Some((cause, oldest)) = cause.and_then(|cause| Some((cause, cause.chain.last()?)))
        else {
            return Ok(());
        };
        let is_shown = threads
            .first_difference()
            .is_some_and(|first| first.steps == oldest.steps);
        let mut line = match is_shown {
            true => "  ".to_owned(),
            false => {
                let mut steps = self.traces.steps(threads, TraceSide::A);
                let record = steps.record(oldest.steps.a, report)?;
                let step = record.map(|record| self.step(&record)).unwrap_or_default();
                format!("cause: {step}: ")
            }
        };
        line.push_str(&origin_words(&cause.origin));
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

    fn regions(&mut self, threads: &ThreadComparison) -> Result<()> {
        let others: Vec<_> = threads
            .regions()
            .filter(|(region, _)| region.kind != RegionKind::Same)
            .collect();
        let matched = counted(threads.alignment.matched(), "step");
        let later: u64 = threads
            .details
            .iter()
            .filter_map(|details| details.values.as_ref())
            .map(|values| values.differing)
            .sum();
        let differing = match later {
            0 => "with the same values".to_owned(),
            later => format!("{} of them with different values", grouped(later)),
        };
        let regions = match others.len() as u64 {
            0 => String::new(),
            count => format!("; {} without partners:", counted(count, "region")),
        };
        self.lines
            .push(format!("{matched} match, {differing}{regions}"));
        let shown = if others.len() > REGIONS {
            REGIONS - 1
        } else {
            REGIONS
        };
        for (region, details) in others.iter().take(shown) {
            let line = self.region(threads, region, details)?;
            self.lines.push(line);
        }
        if others.len() > shown {
            self.lines.push(format!(
                "  {} more (--json lists all)",
                grouped((others.len() - shown) as u64)
            ));
        }
        self.functions(threads, &others)
    }

    fn region(
        &self,
        threads: &ThreadComparison,
        region: &Region,
        details: &RegionDetails,
    ) -> Result<String> {
        let mut parts = Vec::new();
        for (side, numbers) in [(TraceSide::A, &region.a), (TraceSide::B, &region.b)] {
            let [from, to] = interval(&mut self.traces.steps(threads, side), numbers)?;
            let steps = counted(numbers.end - numbers.start, "step");
            let word = side_word(side);
            parts.push(match numbers.is_empty() {
                true => format!("{word} {}: none", grouped(from)),
                false => format!("{word} {} to {}: {steps}", grouped(from), grouped(to)),
            });
        }
        let mut line = format!("  {}", parts.join(", "));
        if region.kind == RegionKind::NotAligned {
            line.push_str(", not aligned (too long and too different)");
        }
        if let Some(after) = &details.after {
            match (after.cells.len() as u64, after.left, after.is_complete) {
                (0, _, true) => line.push_str("; nothing differs after it"),
                (0, _, false) => {}
                (count, 0, _) => {
                    line.push_str(&format!("; {} after it, which heal", differing(count)))
                }
                (count, ..) => line.push_str(&format!("; {} after it", differing(count))),
            }
        }
        if details.is_forgiven {
            line.push_str(" (forgiven)");
        }
        Ok(line)
    }

    /// Names the functions in which the regions begin, most regions first.
    fn functions(
        &mut self,
        threads: &ThreadComparison,
        regions: &[(&Region, &RegionDetails)],
    ) -> Result<()> {
        let mut counts: BTreeMap<String, u64> = BTreeMap::new();
        for (region, _) in regions {
            if let Some(function) = compare_function(self.traces, threads, region)? {
                let name = function.name.unwrap_or(function.address);
                *counts.entry(printable(&name)).or_default() += 1;
            }
        }
        let mut counts: Vec<_> = counts.into_iter().collect();
        counts.sort_by_key(|(_, count)| std::cmp::Reverse(*count));
        let mut names: Vec<String> = counts
            .iter()
            .take(FUNCTIONS)
            .map(|(name, count)| match count {
                1 => name.clone(),
                count => format!("{name} ({})", grouped(*count)),
            })
            .collect();
        if counts.len() > FUNCTIONS {
            names.push(format!(
                "{} more",
                grouped((counts.len() - FUNCTIONS) as u64)
            ));
        }
        if !names.is_empty() {
            self.lines.push(format!("in calls of {}", names.join(", ")));
        }
        Ok(())
    }

    /// Names the functions that are called more or less often in b.
    fn costs(&mut self) {
        let functions = self.traces.functions.iter();
        let functions: Vec<_> = functions.filter(|found| found.has_other_calls()).collect();
        let mut names: Vec<String> = functions
            .iter()
            .take(FUNCTIONS)
            .map(|found| {
                let name = function_text(found, self.traces);
                let [a, b] = [found.in_a, found.in_b].map(|cost| grouped(cost.calls));
                format!("{name} ({a} in a, {b} in b)")
            })
            .collect();
        if let more @ 1.. = functions.len().saturating_sub(FUNCTIONS) {
            names.push(format!("{} more", grouped(more as u64)));
        }
        if !names.is_empty() {
            let names = names.join(", ");
            self.lines
                .push(format!("called more or less often: {names}"));
        }
    }

    fn forgiven(&mut self) {
        let forgiven = &self.traces.comparison.forgiven;
        for rule in forgiven.iter().take(RULES) {
            let mut counts = Vec::new();
            if rule.values > 0 {
                counts.push(counted(rule.values, "value"));
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
