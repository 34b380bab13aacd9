//! How `find` prints its hits, as they are found.

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
use stepback_debugger::model::doubt::doubt_words;

/// What a search hands its hits to.
type Taker<'a> = &'a mut dyn FnMut(SearchBatch) -> ControlFlow<()>;

/// What a search is to find, and what is said of it.
pub struct Asked {
    /// The first hit or all.
    pub extent: Extent,
    /// It ends after so many hits.
    pub wanted: usize,
    /// What is said when there is nothing.
    pub nothing: String,
    /// Whether the call stacks around hits are told.
    pub stacks: StackWish,
}

/// Prints hits.
pub struct HitPrinter {
    asked: Asked,
    tally: Tally,
    /// The text has hits with stacks by these.
    groups: StackGroups,
    has_said: bool,
    /// What the search does not look at.
    passed_over: Option<&'static str>,
}

/// The answer without `--all`.
#[derive(Serialize)]
struct AnswerJson {
    hit: Option<HitJson>,
    #[serde(skip_serializing_if = "Option::is_none")]
    initial: Option<InitialJson>,
    #[serde(skip_serializing_if = "Option::is_none")]
    note: Option<&'static str>,
}

/// What the trace states before its first step.
#[derive(Serialize)]
struct InitialJson {
    /// None in formats without lines.
    line: Option<u64>,
}

impl HitPrinter {
    /// Nothing is printed yet.
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

    /// The same, which says what the search does not look at.
    pub fn passing_over(self, passed_over: Option<&'static str>) -> Self {
        Self {
            passed_over,
            ..self
        }
    }

    /// Prints what a walk meets: its first hit, or all of them.
    pub fn print_walk(mut self, walk: &mut HitCursor<'_>, report: &mut Report<'_>) -> Result<()> {
        if self.asked.extent == Extent::First {
            return self.print_first(walk.next_hit()?, report);
        }
        loop {
            match walk.next_hit()? {
                HitOutcome::Hit(hit) => self.take(&hit, report)?,
                // In JSON every line is a hit, so the initial state, which is no step, shows in the text only.
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

    /// Prints what a search through the trace finds, while it goes on.
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

    /// One of all hits.
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

    /// What is said behind the last of all hits.
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
    // What was asked for stands first; what else the step did is in `list` and `at`.
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
