//! The report of `stepback compare --markdown`: everything that differs, as a document.

use anyhow::Result;
use stepback_compare::{
    CellDifference, ParallelEnd, RegionKind, StepDifference, ThreadComparison, TraceSide,
};

use crate::cli::compare_words::{
    blocks_text, cause_words, cell_value, compare_function, distance_text, function_text, interval,
    listed_chain, lone_threads, missing_head, moved_objects, place_text, rule_text, side_word,
    unexamined_text, unrecorded_cause,
};
use crate::cli::compared_traces::{ComparedTraces, ThreadSteps, thread_of};
use crate::cli::question::problems_text;
use crate::cli::report::Report;
use crate::cli::text::{counted, grouped, printable};

/// Prints a comparison as Markdown.
pub fn print(traces: &ComparedTraces<'_>, report: &mut Report<'_>) -> Result<()> {
    let mut document = Document {
        traces,
        report,
        text: String::new(),
    };
    document.head();
    for threads in &traces.comparison.compared {
        document.thread(threads)?;
    }
    document.functions();
    document.forgiven();
    let text = document.text;
    report.text(&text)
}

struct Document<'a, 'r> {
    traces: &'a ComparedTraces<'a>,
    report: &'r Report<'r>,
    text: String,
}

impl Document<'_, '_> {
    fn line(&mut self, line: &str) {
        self.text.push_str(line);
        self.text.push('\n');
    }

    fn heading(&mut self, heading: &str) {
        self.line(&format!("\n## {heading}\n"));
    }

    fn table(&mut self, columns: &[&str]) {
        self.row(columns.iter().map(|column| (*column).to_owned()));
        self.row(columns.iter().map(|_| "---".to_owned()));
    }

    fn row(&mut self, cells: impl IntoIterator<Item = String>) {
        let cells: Vec<String> = cells.into_iter().collect();
        self.line(&format!("| {} |", cells.join(" | ")));
    }

    fn head(&mut self) {
        let comparison = self.traces.comparison;
        let verdict = match comparison.is_equal() {
            true => "The traces are equal",
            false => "The traces differ",
        };
        self.line(&format!("# {verdict}\n"));
        self.table(&["", "trace", "steps"]);
        for side in [TraceSide::A, TraceSide::B] {
            let session = self.traces.session(side);
            self.row([
                side_word(side).to_owned(),
                code(&session.path.display().to_string()),
                grouped(session.index.step_count()),
            ]);
        }
        for side in [TraceSide::A, TraceSide::B] {
            if let Some(problems) = problems_text(self.traces.session(side)) {
                let problems = problems.replace('`', "'");
                self.line(&format!("\n{}: `{problems}`", side_word(side)));
            }
        }
        for threads in lone_threads(self.traces) {
            self.line(&format!("\n{threads}."));
        }
        self.moved();
    }

    fn moved(&mut self) {
        let comparison = self.traces.comparison;
        let objects = moved_objects(comparison, &comparison.compared);
        let blocks = blocks_text(&comparison.compared);
        if objects.is_empty() && blocks.is_none() {
            return;
        }
        self.heading("Code and memory that moved");
        self.table(&["what", "in a", "moved by", "pointers to it"]);
        for object in objects {
            self.row([
                object.kind.to_owned(),
                code(&format!(
                    "{:#x} to {:#x}",
                    object.extent.start, object.extent.end
                )),
                code(&distance_text(object.distance)),
                grouped(object.pointers),
            ]);
        }
        if let Some(blocks) = blocks {
            self.line(&format!("\n{blocks}."));
        }
        let compared = comparison.compared.iter();
        let computed: u64 = compared.map(|threads| threads.pointers.computed).sum();
        if computed > 0 {
            let line = format!(
                "\n{} computed from such pointers; these are no differences.",
                counted(computed, "value")
            );
            self.line(&line);
        }
    }

    fn thread(&mut self, threads: &ThreadComparison) -> Result<()> {
        let several = self.traces.comparison.compared.len() > 1;
        if several && threads.is_equal() {
            return Ok(());
        }
        if several {
            let name = |side| {
                let thread = thread_of(threads.threads, side);
                printable(self.traces.session(side).index.thread_name(thread))
            };
            let heading = format!("Threads {} and {}", name(TraceSide::A), name(TraceSide::B));
            self.heading(&heading);
        }
        self.path(threads)?;
        let first = threads.first_difference();
        if !threads.initial.is_empty() {
            self.heading("Before the first step");
            self.table(&["what", "where", "a", "b"]);
            for cell in &threads.initial {
                self.row(cell_columns(cell));
            }
        }
        let [mut in_a, mut in_b] =
            [TraceSide::A, TraceSide::B].map(|side| self.traces.steps(threads, side));
        if let Some(first) = first {
            self.heading("First difference");
            self.steps(&[first], &mut in_a, &mut in_b)?;
        }
        if let Some(cause) = &threads.cause {
            self.heading("Cause, back to its origin");
            let listed = listed_chain(&cause.chain);
            self.steps(&listed, &mut in_a, &mut in_b)?;
            let left = (cause.chain.len() - listed.len()) as u64;
            if left > 0 {
                let steps = counted(left, "step");
                self.line(&format!("\n{steps} before the last row are not listed."));
            }
            let words = cause_words(cause);
            self.line(&format!("\nThe last row is the origin: {words}."));
        }
        if let Some(words) = unrecorded_cause(threads) {
            self.heading("Cause");
            self.line(&format!("{words}."));
        }
        self.regions(threads)
    }

    fn path(&mut self, threads: &ThreadComparison) -> Result<()> {
        self.heading("Path");
        if let Some((side, missing)) = missing_head(threads) {
            let (side, steps) = (side_word(side), counted(missing, "step"));
            self.line(&format!("{side} begins {steps} later."));
        }
        let line = match (threads.divergence, threads.parallel.end) {
            (Some(pair), _) => {
                let a = self.traces.steps(threads, TraceSide::A).number(pair.a)?;
                let b = self.traces.steps(threads, TraceSide::B).number(pair.b)?;
                format!(
                    "The paths part at step {} of a and step {} of b.",
                    grouped(a),
                    grouped(b)
                )
            }
            (None, ParallelEnd::Ended(side)) => format!(
                "The paths are the same until {} ends after {}.",
                side_word(side),
                counted(threads.parallel.steps, "step")
            ),
            (None, ParallelEnd::BothEnd | ParallelEnd::Diverged) => {
                "The paths are the same.".to_owned()
            }
        };
        self.line(&line);
        Ok(())
    }

    /// Writes steps with what differs in them, a row for each value.
    fn steps(
        &mut self,
        steps: &[&StepDifference],
        in_a: &mut ThreadSteps<'_>,
        in_b: &mut ThreadSteps<'_>,
    ) -> Result<()> {
        self.table(&[
            "step in a",
            "step in b",
            "instruction",
            "what",
            "where",
            "a",
            "b",
        ]);
        for difference in steps {
            let record = in_a.record(difference.steps.a, self.report)?;
            let text = record.map(|record| format!("{:#x} {}", record.pc.0, record.text));
            let mut head = [
                grouped(in_a.number(difference.steps.a)?),
                grouped(in_b.number(difference.steps.b)?),
                text.map_or_else(String::new, |text| code(&text)),
            ];
            for cell in &difference.cells {
                self.row(head.into_iter().chain(cell_columns(cell)));
                head = Default::default();
            }
        }
        Ok(())
    }

    fn regions(&mut self, threads: &ThreadComparison) -> Result<()> {
        self.heading("Regions without partners");
        let matched = counted(threads.alignment.matched(), "step");
        self.line(&format!("{matched} match.\n"));
        let others: Vec<_> = threads
            .regions()
            .filter(|(region, _)| region.kind != RegionKind::Same)
            .collect();
        if others.is_empty() {
            return Ok(());
        }
        self.table(&["steps of a", "steps of b", "in", "afterwards"]);
        for (region, details) in others {
            let mut steps = Vec::new();
            for (side, numbers) in [(TraceSide::A, &region.a), (TraceSide::B, &region.b)] {
                let [from, to] = interval(&mut self.traces.steps(threads, side), numbers)?;
                let count = grouped(numbers.end - numbers.start);
                steps.push(format!("{} to {} ({count})", grouped(from), grouped(to)));
            }
            let function = compare_function(self.traces, threads, region)?;
            let function = function.map(|function| function.name.unwrap_or(function.address));
            let after = match &details.after {
                _ if details.is_forgiven => "forgiven".to_owned(),
                _ if region.kind == RegionKind::NotAligned => "not aligned".to_owned(),
                None => String::new(),
                Some(after) => match (after.cells.len(), after.left) {
                    (0, _) => "nothing differs".to_owned(),
                    (count, 0) => format!("{}, healed later", counted(count as u64, "difference")),
                    (count, _) => counted(count as u64, "difference"),
                },
            };
            let function = function.map_or_else(String::new, |name| code(&name));
            self.row(steps.into_iter().chain([function, after]));
        }
        if let Some(unexamined) = unexamined_text(threads) {
            self.line(&format!("\n{unexamined}."));
        }
        Ok(())
    }

    fn functions(&mut self) {
        if self.traces.functions.is_empty() {
            return;
        }
        self.heading("Functions with other costs");
        self.table(&[
            "function",
            "calls in a",
            "calls in b",
            "own steps in a",
            "own steps in b",
        ]);
        for found in self.traces.functions {
            self.row([
                code(&function_text(found, self.traces)),
                grouped(found.in_a.calls),
                grouped(found.in_b.calls),
                grouped(found.in_a.self_steps),
                grouped(found.in_b.self_steps),
            ]);
        }
    }

    fn forgiven(&mut self) {
        let forgiven = &self.traces.comparison.forgiven;
        if forgiven.is_empty() {
            return;
        }
        self.heading("Forgiven by rules");
        self.table(&["rule", "values", "computed values", "steps"]);
        for rule in forgiven {
            self.row([
                code(&rule_text(&rule.rule)),
                grouped(rule.values),
                grouped(rule.computed),
                grouped(rule.steps),
            ]);
        }
    }
}

fn cell_columns(cell: &CellDifference) -> [String; 4] {
    let value = |value| match cell_value(cell, value) {
        Some(value) => code(&value),
        None => "not recorded".to_owned(),
    };
    [
        cell.kind.word().to_owned(),
        code(&place_text(&cell.place)),
        value(&cell.a),
        value(&cell.b),
    ]
}

/// Returns text of a trace as code in a cell of a table.
fn code(text: &str) -> String {
    let text = printable(text).replace('`', "'").replace('|', "\\|");
    format!("`{}`", text.trim())
}
