//! `stepback compare`: two traces, where they part, and what differs.

use std::path::PathBuf;
use std::sync::atomic::Ordering;

use anyhow::Result;
use clap::Args;
use stepback_compare::{
    CompareOptions, Comparison, StepNumbers, ThreadComparison, ThreadPair, Tolerances, TraceSide,
};
use stepback_debugger::analysis::step_places::step_record;
use stepback_debugger::session::{OpenOptions, Session};
use stepback_index::answer::{StepRecord, ThreadId};
use stepback_machine::Address;

use crate::cli::answer_forms::AnswerForms;
use crate::cli::compare_json::{self, CompareJson};
use crate::cli::compare_markdown;
use crate::cli::compare_rules::read_rules;
use crate::cli::compare_text;
use crate::cli::error::CommandError;
use crate::cli::progress::{open, watched_answer};
use crate::cli::question::{Command, Question, TraceArguments};
use crate::cli::report::Report;

/// Identifier of the argument that is another trace.
pub const OTHER_TRACE: &str = "other_trace";

/// Help text below the options.
pub const HELP: &str = "\
Steps are aligned by their addresses; code at another address in B is recognised. Only what both
traces record is compared, so a run equals itself in another format. Options about the index and the
images apply to TRACE; names of functions come from its images.

A file of rules is TOML, every line optional:
  ignore_registers = [\"x18\", \"fpsr\"]
  ignore_memory = [\"0x80001000..0x80001400\"]    addresses in TRACE
  counters = true                               results of reading cntvct, rdtsc, mcycle, time
  polling = [\"wait_for_uart\"]                   functions or ranges that may wait longer
What a rule forgives is counted and listed.

Exit status: 0 equal, 1 different, 2 not compared.";

#[derive(Debug, Args)]
pub struct CompareArguments {
    /// The trace to compare with.
    #[arg(index = 2, value_name = "B", id = OTHER_TRACE)]
    pub other: PathBuf,
    /// A file of differences that do not count (TOML).
    #[arg(long, value_name = "FILE")]
    pub rules: Option<PathBuf>,
    /// Print a report of everything that differs, as Markdown.
    #[arg(long, conflicts_with = "json")]
    pub markdown: bool,
    #[command(flatten)]
    pub common: TraceArguments,
}

/// Returns the forms of the JSON output.
pub fn forms(forms: AnswerForms) -> AnswerForms {
    compare_json::forms(forms)
}

impl Command for CompareArguments {
    fn has_exit_code(&self) -> bool {
        true
    }

    fn run(&self) -> Result<()> {
        Question::new(&self.common)
            .with_own_meter()
            .ask(|report| answer(self, report))
    }
}

fn answer(arguments: &CompareArguments, report: &mut Report<'_>) -> Result<()> {
    let (options, printing) = (&arguments.common.options, &arguments.common.report);
    let other = open(
        &OpenOptions {
            index: None,
            more: Vec::new(),
            ..options.to_open_options(&arguments.other)
        },
        printing,
    )
    .map_err(|error| CommandError::about(&arguments.other.display().to_string(), error))?;
    let tolerances = match &arguments.rules {
        Some(path) => read_rules(path, report.session)?,
        None => Tolerances::default(),
    };
    let (a, b) = (&report.session.index, &other.index);
    let comparison = watched_answer(printing, |progress| {
        let steps = a.step_count().min(b.step_count());
        progress.bytes_total.store(steps, Ordering::Relaxed);
        let options = CompareOptions {
            tolerances,
            progress: Some(&progress.bytes_done),
        };
        Comparison::run(a, b, options, &report.cancel)
    })?;
    let traces = ComparedTraces {
        a: report.session,
        b: &other,
        comparison: &comparison,
    };
    match (report.is_json, arguments.markdown) {
        (true, _) => report.json(&CompareJson::new(&traces, report)?)?,
        (false, true) => compare_markdown::print(&traces, report)?,
        (false, false) => compare_text::print(&traces, report)?,
    }
    match comparison.is_equal() {
        true => Ok(()),
        false => Err(CommandError::Negative.into()),
    }
}

/// Two open traces and their comparison.
#[derive(Clone, Copy)]
pub struct ComparedTraces<'a> {
    pub a: &'a Session,
    pub b: &'a Session,
    pub comparison: &'a Comparison,
}

impl<'a> ComparedTraces<'a> {
    /// Returns the session of a side.
    pub fn session(&self, side: TraceSide) -> &'a Session {
        match side {
            TraceSide::A => self.a,
            TraceSide::B => self.b,
        }
    }

    /// Returns an address as the first trace has it.
    pub fn in_first(&self, side: TraceSide, address: Address) -> Address {
        match side {
            TraceSide::A => address,
            TraceSide::B => Address(self.comparison.slides.to_first(address)),
        }
    }

    /// Returns a reader of the steps of a thread on a side.
    pub fn steps(&self, threads: &ThreadComparison, side: TraceSide) -> ThreadSteps<'a> {
        let session = self.session(side);
        let thread = thread_of(threads.threads, side);
        ThreadSteps {
            session,
            numbers: StepNumbers::new(&session.index, thread),
        }
    }
}

/// Returns the thread of a side.
pub fn thread_of(threads: ThreadPair, side: TraceSide) -> ThreadId {
    match side {
        TraceSide::A => threads.a,
        TraceSide::B => threads.b,
    }
}

/// The steps of a thread by their numbers within it.
pub struct ThreadSteps<'a> {
    session: &'a Session,
    numbers: StepNumbers<'a>,
}

impl ThreadSteps<'_> {
    /// Returns the step of the trace.
    pub fn number(&mut self, number: u64) -> Result<u64> {
        Ok(self.numbers.step(number)?.0)
    }

    /// Returns the contents of a step without its effects; `None` past the end.
    pub fn record(&mut self, number: u64, report: &Report<'_>) -> Result<Option<StepRecord>> {
        let step = self.numbers.step(number)?;
        let record = step_record(step, &self.session.index, &report.cancel)?;
        Ok(record.map(|record| StepRecord {
            effects: Vec::new(),
            ..record
        }))
    }
}
