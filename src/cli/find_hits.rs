//! Printing of `find` results as they are found.

use std::ops::ControlFlow;

use anyhow::Result;
use serde::Serialize;
use stepback_index::{Hit, QueryError, SearchBatch, StepRecord};
use stepback_parsers::Line;

use super::extent::Extent;
use super::find_stacks::{StackWish, print_groups, print_stack, with_stack};
use super::find_words::Tally;
use super::json::HitJson;
use super::progress::say;
use super::report::Report;
use super::text::{access_text, grouped, step_line};
use stepback_debugger::analysis::stack_groups::StackGroups;
use stepback_debugger::analysis::walk::{HitCursor, HitOutcome};
use stepback_debugger::model::so_far::doubt_words;

/// Callback that receives the hits of a search.
type Taker<'a> = &'a mut dyn FnMut(SearchBatch) -> ControlFlow<()>;

/// Limits and output options of a search.
pub struct Asked {
    /// First hit or all hits.
    pub extent: Extent,
    /// Maximum number of hits.
    pub wanted: usize,
    /// Message if there are no hits.
    pub nothing: String,
    /// Amount of call stack to print with each hit.
    pub stacks: StackWish,
}

/// Prints hits.
pub struct HitPrinter {
    asked: Asked,
    tally: Tally,
    /// Hits grouped by call stack, for text output.
    groups: StackGroups,
    has_said: bool,
    /// Note about values that the search skips.
    passed_over: Option<&'static str>,
}

/// JSON answer without `--all`.
#[derive(Serialize)]
struct AnswerJson {
    hit: Option<HitJson>,
    #[serde(skip_serializing_if = "Option::is_none")]
    initial: Option<InitialJson>,
    #[serde(skip_serializing_if = "Option::is_none")]
    note: Option<&'static str>,
}

/// Value stated by the trace before its first step.
#[derive(Serialize)]
struct InitialJson {
    /// None in formats without lines.
    line: Option<u64>,
}

impl HitPrinter {
    /// Creates a printer that has printed nothing yet.
    pub fn new(asked: Asked) -> Self {
        let tally = Tally::new(asked.wanted);
        Self {
            asked,
            tally,
            groups: StackGroups::default(),
            has_said: false,
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
    pub fn print_walk(mut self, walk: &mut HitCursor<'_>, report: &mut Report<'_>) -> Result<()> {
        if self.asked.extent == Extent::First {
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
                    self.has_said = true;
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
        search: impl FnOnce(Taker<'_>) -> Result<(), QueryError>,
    ) -> Result<()> {
        if let Some(passed_over) = self.passed_over.filter(|_| !report.is_quiet) {
            say(&format!("note: {passed_over}"));
        }
        let mut printed = Ok(());
        search(&mut |found| {
            let mut hits = found.hits.into_iter();
            let print = |hit: Hit| match self.asked.extent {
                Extent::All => self.take(&hit, report),
                Extent::First => {
                    self.tally.count += 1;
                    self.print_first(HitOutcome::Hit(Box::new(hit)), report)
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
        match self.asked.extent {
            Extent::All => self.finish(report),
            Extent::First if self.tally.count == 0 => self.print_first(HitOutcome::Nothing, report),
            Extent::First => Ok(()),
        }
    }

    /// Prints or collects one hit of a search for all.
    fn take(&mut self, hit: &Hit, report: &mut Report<'_>) -> Result<()> {
        self.tally.count += 1;
        match self.asked.stacks {
            _ if report.is_json => report.json(&self.json(hit, report)),
            StackWish::LeftOut => print_hit(hit, report),
            StackWish::Frames(_) => {
                self.groups.take(hit, report.session.index.calls());
                Ok(())
            }
        }
    }

    /// Prints the summary after the last hit.
    fn finish(self, report: &mut Report<'_>) -> Result<()> {
        if self.tally.count == 0 && !self.has_said && !report.is_json {
            report.text(&self.asked.nothing)?;
        }
        if let StackWish::Frames(frames) = self.asked.stacks
            && !report.is_json
        {
            print_groups(&self.groups, frames, report)?;
        }
        self.tally.tell(report)
    }

    fn print_first(&self, found: HitOutcome, report: &mut Report<'_>) -> Result<()> {
        if report.is_json {
            let is_text = report.session.index.source().is_text();
            let (hit, initial) = match &found {
                HitOutcome::Hit(hit) => (Some(self.json(hit, report)), None),
                HitOutcome::Initial(line) => (
                    None,
                    Some(InitialJson {
                        line: is_text.then_some(line.0),
                    }),
                ),
                HitOutcome::Nothing => (None, None),
            };
            return report.json(&AnswerJson {
                hit,
                initial,
                note: self.passed_over,
            });
        }
        match (&found, self.asked.stacks) {
            (HitOutcome::Hit(hit), StackWish::Frames(frames)) => {
                print_hit(hit, report)?;
                print_stack(&hit.record, frames, report)
            }
            (HitOutcome::Hit(hit), StackWish::LeftOut) => print_hit(hit, report),
            (HitOutcome::Initial(line), _) => print_initial(*line, report),
            (HitOutcome::Nothing, _) => report.text(&self.asked.nothing),
        }
    }

    fn json(&self, hit: &Hit, report: &Report<'_>) -> HitJson {
        let json = HitJson::new(hit, &report.session.index);
        match self.asked.stacks {
            StackWish::LeftOut => json,
            StackWish::Frames(frames) => with_stack(json, &hit.record, frames, report.session),
        }
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
