//! `stepback compare`: two traces, where they part, and what differs.

use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::Ordering;

use anyhow::Result;
use clap::Args;
use stepback_compare::Comparison;
use stepback_debugger::analysis::compare_rules::{read_rules, unknown_registers};
use stepback_debugger::analysis::compare_traces::compare_traces;
use stepback_debugger::analysis::profile_differences::{FunctionDifference, profile_differences};
use stepback_debugger::place::PositionName;
use stepback_debugger::session::{OpenOptions, SecondTrace, Session};
use stepback_index::build::BuildProgress;
use stepback_parsers::Position;

use crate::cli::answer_forms::AnswerForms;
use crate::cli::cells::resolved;
use crate::cli::compare_json::{self, CompareJson};
use crate::cli::compare_json_threads::ComparePage;
use crate::cli::compare_markdown;
use crate::cli::compare_text;
use crate::cli::compared_traces::ComparedTraces;
use crate::cli::error::CommandError;
use crate::cli::options::{ImageArgument, TraceOptions};
use crate::cli::progress::{open, watched_answer};
use crate::cli::question::{Command, Question, TraceArguments, print_notices};
use crate::cli::report::Report;

/// Identifier of the argument that is another trace.
pub const OTHER_TRACE: &str = "other_trace";

/// Help text below the options.
pub const HELP: &str = "\
Steps are aligned by their addresses; code at another address in B is recognised. Only what both
traces record is compared, so a run equals itself in another format. Options about the index apply
to TRACE, and --image to both traces unless B has images of its own (--other-image).

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
    /// An image of B, if those of TRACE are of another build or lie elsewhere in B; may be given
    /// several times.
    #[arg(long = "other-image", value_name = "ELF[@OFFSET]")]
    pub other_images: Vec<ImageArgument>,
    /// With --json: list what begins at or after this position of TRACE (default: start).
    #[arg(long, value_name = "POS", allow_negative_numbers = true)]
    pub from: Option<PositionName>,
    /// With --json: maximum number of regions, and of differing steps (default: all, and 2,000).
    #[arg(long, value_name = "N")]
    pub limit: Option<usize>,
    #[command(flatten)]
    pub common: TraceArguments,
}

/// Returns the forms of the JSON output.
pub fn forms(forms: AnswerForms) -> AnswerForms {
    compare_json::forms(forms)
}

impl Command for CompareArguments {
    fn check(&self) -> Result<(), String> {
        let is_paged = self.from.is_some() || self.limit.is_some();
        match is_paged && !self.common.report.json {
            true => Err(
                "--from and --limit choose a page of the JSON lists: add --json, or leave them out"
                    .to_owned(),
            ),
            false => Ok(()),
        }
    }

    fn has_exit_code(&self) -> bool {
        true
    }

    fn run(&self) -> Result<()> {
        Question::new(&self.common)
            .with_own_meter()
            .ask(|report| answer(self, report))
    }
}

/// The second trace, how it is opened, and the file of differences that do not count.
pub struct SecondRequest<'a> {
    pub options: &'a OpenOptions,
    pub known: Option<Arc<Session>>,
    pub rules: Option<&'a Path>,
}

/// The second trace and what differs in it.
pub type SecondAnswer = SecondTrace<(Comparison, Vec<FunctionDifference>)>;

/// Compares a report's trace with another, with the differences that a file of rules forgives, and
/// finds the functions with different costs; none if the traces are equal.
///
/// # Errors
/// The rules or a trace cannot be read, or the traces cannot be compared.
pub fn compared(
    request: SecondRequest<'_>,
    open: impl Fn(&OpenOptions) -> Result<Session>,
    progress: &BuildProgress,
    report: &Report<'_>,
) -> Result<SecondAnswer> {
    let SecondRequest {
        options,
        known,
        rules,
    } = request;
    let rules = rules
        .map(|path| read_rules(path, report.session))
        .transpose();
    let tolerances = rules.map_err(|error| CommandError::Elsewhere(error.to_string()))?;
    let tolerances = tolerances.unwrap_or_default();
    let answer = SecondTrace::ask(options, known, open, |other| {
        let (a, b) = (report.session, other);
        let steps = a.index.step_count().min(b.index.step_count());
        progress.bytes_total.store(steps, Ordering::Relaxed);
        let (rules, done) = (tolerances.clone(), &progress.bytes_done);
        let comparison = compare_traces(a, b, rules, done, &report.cancel)?;
        let functions = match comparison.is_equal() || comparison.has_same_paths() {
            true => Vec::new(),
            false => profile_differences(&a.index, &b.index, &comparison, &report.cancel)?,
        };
        Ok((comparison, functions))
    })?;
    for name in unknown_registers(&tolerances, [report.session, &answer.session]) {
        report.note(&format!(
            "ignore_registers: neither trace has a register {name:?}"
        ));
    }
    Ok(answer)
}

/// Returns the options for opening the trace to compare with. Without images of its own, it has
/// those of the first trace.
pub fn options_of_other(
    options: &TraceOptions,
    other: &Path,
    images: &[ImageArgument],
) -> OpenOptions {
    let mut options = TraceOptions {
        index: None,
        with: Vec::new(),
        ..options.clone()
    };
    if !images.is_empty() {
        options.images = images.to_vec();
    }
    options.to_open_options(other)
}

fn answer(arguments: &CompareArguments, report: &mut Report<'_>) -> Result<()> {
    let (options, printing) = (&arguments.common.options, &arguments.common.report);
    let second = options_of_other(options, &arguments.other, &arguments.other_images);
    let open_second = |options: &OpenOptions| {
        let session = open(options, printing)
            .map_err(|error| CommandError::Elsewhere(format!("{error:#}")))?;
        if !printing.quiet {
            print_notices(&session);
        }
        Ok(session)
    };
    let request = SecondRequest {
        options: &second,
        known: Some(Arc::new(open_second(&second)?)),
        rules: arguments.rules.as_deref(),
    };
    let SecondTrace {
        session: other,
        answer: (comparison, functions),
        mended,
    } = watched_answer(printing, |progress| {
        compared(request, open_second, progress, report)
    })?;
    if let Some(damage) = mended {
        report.note(&format!("{}: {}", other.path.display(), damage.notice()));
    }
    let traces = ComparedTraces {
        a: report.session,
        b: &other,
        comparison: &comparison,
        functions: &functions,
    };
    match (report.is_json, arguments.markdown) {
        (true, _) => {
            let from = arguments.from.as_ref();
            let from = from.map(|place| resolved(place, report)).transpose()?;
            let page = ComparePage {
                from: from.unwrap_or(Position(0)),
                limit: arguments.limit,
            };
            report.json(&CompareJson::new(&traces, page, report)?)?;
        }
        (false, true) => compare_markdown::print(&traces, report)?,
        (false, false) => compare_text::print(&traces, report)?,
    }
    match comparison.is_equal() {
        true => Ok(()),
        false => Err(CommandError::Negative.into()),
    }
}
