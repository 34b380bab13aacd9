//! Prints the results of `find` as they are found ([`HitPrinter`]), and the call stacks around
//! them, one for each hit or grouped by stack ([`print_groups`]).

use std::ops::ControlFlow;

use crate::cli::answer_forms::AnswerForms;
use anyhow::Result;
use schemars::JsonSchema;
use serde::Serialize;
use stepback_debugger::analysis::stack_groups::{GroupKey, StackGroup, StackGroups, frame_around};
use stepback_debugger::analysis::walk::{HitCursor, HitOutcome};
use stepback_debugger::model::so_far::doubt_words;
use stepback_debugger::session::Session;
use stepback_index::QueryError;
use stepback_index::answer::{Call, Hit, StepRecord};
use stepback_index::query::SearchBatch;
use stepback_machine::Address;
use stepback_parsers::Line;

use crate::cli::find::FindArguments;
use crate::cli::find_words::note_count;
use crate::cli::json::{CallJson, HitJson};
use crate::cli::report::Report;
use crate::cli::text::{access_text, counted, grouped, printable, step_line};

/// Callback that receives the hits of a search.
type BatchSink<'a> = &'a mut dyn FnMut(SearchBatch) -> ControlFlow<()>;

/// Prints hits.
pub struct HitPrinter<'a> {
    arguments: &'a FindArguments,
    /// Message if there are no hits.
    nothing: String,
    /// Number of hits until now.
    count: u64,
    /// The text shows that the cell has its value from the start.
    has_initial: bool,
    /// Hits grouped by call stack, for text output.
    groups: StackGroups,
    /// Note about values that the search skips.
    passed_over: Option<&'static str>,
}

/// JSON answer without `--all`.
#[derive(Serialize, JsonSchema)]
pub struct FirstHitJson<T> {
    pub hit: Option<T>,
    #[serde(skip_serializing_if = "Option::is_none")]
    initial: Option<InitialStateJson>,
    #[serde(skip_serializing_if = "Option::is_none")]
    note: Option<&'static str>,
}

impl<T> FirstHitJson<T> {
    /// Creates an answer without an initial state.
    pub fn new(hit: Option<T>) -> Self {
        Self {
            hit,
            initial: None,
            note: None,
        }
    }
}

/// Value stated by the trace before its first step.
#[derive(Serialize, JsonSchema)]
struct InitialStateJson {
    /// None in formats without lines.
    line: Option<u64>,
}

impl<'a> HitPrinter<'a> {
    /// Creates a printer that has printed nothing yet.
    pub fn new(arguments: &'a FindArguments, nothing: String) -> Self {
        Self {
            arguments,
            nothing,
            count: 0,
            has_initial: false,
            groups: StackGroups::default(),
            passed_over: None,
        }
    }

    /// Adds a note about values that the search skips.
    pub fn passing_over(self, passed_over: Option<&'static str>) -> Self {
        Self {
            passed_over,
            ..self
        }
    }

    /// Prints the hits of a walk: the first, or all.
    pub fn print_walk(mut self, walk: &mut HitCursor<'_>, report: &mut Report<'_>) -> Result<bool> {
        if !self.arguments.all {
            return self.print_first(walk.next_hit()?, report);
        }
        loop {
            match walk.next_hit()? {
                HitOutcome::Hit(hit) => self.take(&hit, report)?,
                // In JSON every line is a hit. The initial state is no step, so only the text shows
                // it.
                HitOutcome::Initial(_) if report.is_json => {}
                HitOutcome::Initial(line) => {
                    print_initial(line, report)?;
                    self.has_initial = true;
                }
                HitOutcome::Nothing => return self.finish(report),
            }
            report.flush()?;
        }
    }

    /// Prints the hits of a scan through the trace as they are found.
    pub fn print_search(
        mut self,
        report: &mut Report<'_>,
        search: impl FnOnce(BatchSink<'_>) -> Result<(), QueryError>,
    ) -> Result<bool> {
        if let Some(passed_over) = self.passed_over {
            report.note(passed_over);
        }
        let mut printed = Ok(());
        search(&mut |found| {
            let mut hits = found.hits.into_iter();
            let print = |hit: Hit| match self.arguments.all {
                true => self.take(&hit, report),
                false => {
                    self.count += 1;
                    let first = HitOutcome::Hit(Box::new(hit));
                    self.print_first(first, report).map(drop)
                }
            };
            printed = hits.try_for_each(print).and_then(|()| report.flush());
            if printed.is_ok() {
                ControlFlow::Continue(())
            } else {
                ControlFlow::Break(())
            }
        })?;
        printed?;
        match self.arguments.all {
            true => self.finish(report),
            false if self.count == 0 => self.print_first(HitOutcome::Nothing, report),
            false => Ok(true),
        }
    }

    /// Prints or collects one hit of a search for all.
    fn take(&mut self, hit: &Hit, report: &mut Report<'_>) -> Result<()> {
        self.count += 1;
        if report.is_json {
            let json = self.json(hit, report)?;
            return report.json(&json);
        }
        if !self.arguments.stack {
            return print_hit(hit, report);
        }
        self.groups.take(hit, report.session.index.calls());
        Ok(())
    }

    /// Prints the summary after the last hit.
    fn finish(self, report: &mut Report<'_>) -> Result<bool> {
        if self.count == 0 && !self.has_initial && !report.is_json {
            report.text(&self.nothing)?;
        }
        if let Some(frames) = self.arguments.stack_frames().filter(|_| !report.is_json) {
            print_groups(&self.groups, frames, report)?;
        }
        note_count(self.count, self.arguments, report)?;
        Ok(self.count > 0 || self.has_initial)
    }

    fn print_first(&self, found: HitOutcome, report: &mut Report<'_>) -> Result<bool> {
        let is_found = !matches!(found, HitOutcome::Nothing);
        if report.is_json {
            let is_text = report.session.index.source().is_text();
            let (hit, initial) = match &found {
                HitOutcome::Hit(hit) => (Some(self.json(hit, report)?), None),
                HitOutcome::Initial(line) => {
                    let line = is_text.then_some(line.0);
                    (None, Some(InitialStateJson { line }))
                }
                HitOutcome::Nothing => (None, None),
            };
            report.json(&FirstHitJson {
                hit,
                initial,
                note: self.passed_over,
            })?;
            return Ok(is_found);
        }
        match &found {
            HitOutcome::Hit(hit) => {
                print_hit(hit, report)?;
                if let Some(frames) = self.arguments.stack_frames() {
                    print_stack(&hit.record, frames, report)?;
                }
            }
            HitOutcome::Initial(line) => print_initial(*line, report)?,
            HitOutcome::Nothing => report.text(&self.nothing)?,
        }
        Ok(is_found)
    }

    fn json(&self, hit: &Hit, report: &Report<'_>) -> Result<HitJson> {
        let json = HitJson::new(hit, &report.session.index);
        let Some(limit) = self.arguments.stack_frames() else {
            return Ok(json);
        };
        let stack = frames(&hit.record, report.session)
            .take(limit)
            .map(|call| CallJson::new(&call, report.session, &report.cancel));
        Ok(json.with_stack(stack.collect::<Result<_>>()?))
    }
}

fn print_hit(hit: &Hit, report: &mut Report<'_>) -> Result<()> {
    // The requested access comes first; `list` and `at` show the other effects of the step.
    let access = hit
        .access
        .as_ref()
        .map(|access| format!("  {}", access_text(access)))
        .unwrap_or_default();
    let record = StepRecord {
        effects: Vec::new(),
        ..hit.record.clone()
    };
    let line = hit
        .record
        .line
        .map(|line| format!("  line {}", grouped(line.0)))
        .unwrap_or_default();
    let index = &report.session.index;
    let doubt = hit.doubt.map(|doubt| {
        format!(
            "  {}",
            doubt_words(doubt, index.source().traits().instruction_set)
        )
    });
    let doubt = doubt.unwrap_or_default();
    report.text(&format!(
        "{:<64}{access}{line}{doubt}\n",
        step_line(&record, index)
    ))
}

fn print_initial(line: Line, report: &mut Report<'_>) -> Result<()> {
    let is_text = report.session.index.source().is_text();
    let place = if is_text {
        format!(", in line {}", grouped(line.0))
    } else {
        String::new()
    };
    report.text(&format!("stated before the first step{place}\n"))
}

/// Iterates over the frames around a step, innermost first.
fn frames<'a>(record: &StepRecord, session: &'a Session) -> impl Iterator<Item = Call> + use<'a> {
    let calls = session.index.calls();
    let innermost = frame_around(record, calls).and_then(|id| calls.get(id));
    std::iter::successors(innermost, |call| calls.get(call.parent?))
}

/// Prints the frames around a step, one per line.
fn print_stack(record: &StepRecord, limit: usize, report: &mut Report<'_>) -> Result<()> {
    let session = report.session;
    let mut all = frames(record, session);
    for (number, call) in all.by_ref().take(limit).enumerate() {
        let called = call
            .call_step
            .map(|step| format!("  called by step {}", grouped(step.0)))
            .unwrap_or_default();
        report.text(&format!(
            "    #{number} {}{called}\n",
            function_text(call.function, session)
        ))?;
    }
    print_hidden(all.count(), report)
}

/// Prints the call stacks of grouped hits, largest group first.
fn print_groups(groups: &StackGroups, limit: usize, report: &mut Report<'_>) -> Result<()> {
    for (_, group) in groups.sorted() {
        report.text(&format!("{}\n", head(group)))?;
        match group.key {
            GroupKey::NoFrame => report.text("    no call is known around them\n")?,
            GroupKey::Others => {
                report.text("    other call stacks, beyond the maximum number\n")?
            }
            GroupKey::Stack(_) => {
                let mut all = groups.functions(group.key);
                for (number, function) in all.by_ref().take(limit).enumerate() {
                    report.text(&format!(
                        "    #{number} {}\n",
                        function_text(function, report.session)
                    ))?;
                }
                print_hidden(all.count(), report)?;
            }
        }
    }
    Ok(())
}

/// Formats the head of a group: `3 hits, steps 1,249 to 1,382`.
fn head(group: &StackGroup) -> String {
    let (first, last) = (group.first.0.0, group.last.0.0);
    match first == last {
        true => format!("{}, step {}", counted(group.count, "hit"), grouped(first)),
        false => format!(
            "{}, steps {} to {}",
            counted(group.count, "hit"),
            grouped(first),
            grouped(last)
        ),
    }
}

fn print_hidden(hidden: usize, report: &mut Report<'_>) -> Result<()> {
    match hidden {
        0 => Ok(()),
        _ => report.text(&format!(
            "    … {} more (--frames N)\n",
            grouped(hidden as u64)
        )),
    }
}

/// Formats a function as `decode_field (0x80000390)`.
fn function_text(function: Address, session: &Session) -> String {
    match session.images.code_at(function) {
        Some(at) => format!("{} ({function})", printable(&at.to_string())),
        None => function.to_string(),
    }
}

/// Returns the forms of the JSON output.
pub fn forms(forms: AnswerForms) -> AnswerForms {
    forms.or::<FirstHitJson<HitJson>>().or::<HitJson>()
}
