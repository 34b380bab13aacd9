//! `stepback list`: steps and their effects.

use std::io;
use std::io::IsTerminal as _;

use anyhow::{Result, bail};
use clap::Args;
use stepback_debugger::place::PositionName;
use stepback_parsers::btrace::Btrace;
use stepback_parsers::rst::Rst;
use stepback_parsers::stf::Stf;

use crate::cli::answer_forms::AnswerForms;
use crate::cli::cells::{resolved, thread_id};
use crate::cli::error::CommandError;
use crate::cli::json::StepEffectsJson;
use crate::cli::listing::{self, ListingCursor, print_until};
use crate::cli::progress::say;
use crate::cli::question::{Command, Question, TraceArguments};
use crate::cli::records::{
    self, print_branch_records, print_drmemtrace_records, print_rst_records, print_stf_records,
};
use crate::cli::report::Report;

/// Maximum number of rows on a terminal, unless --count is given.
const ON_TERMINAL: u64 = 500;

#[derive(Debug, Args)]
pub struct ListArguments {
    /// Start with the step after this position.
    #[arg(
        long,
        value_name = "POS",
        allow_negative_numbers = true,
        default_value = "start"
    )]
    pub from: PositionName,
    /// Maximum number of steps or records (default: all).
    #[arg(long, value_name = "N")]
    pub count: Option<u64>,
    /// Show only steps or records of this thread.
    #[arg(long, value_name = "T")]
    pub thread: Option<String>,
    /// List records instead of steps; only binary formats have records.
    #[arg(long)]
    pub records: bool,
    /// Add the source line of each step.
    #[arg(long)]
    pub lines: bool,
    /// Continue as the trace grows, until interrupted.
    #[arg(long, conflicts_with_all = ["so_far", "no_index", "only_index", "records"])]
    pub follow: bool,
    #[command(flatten)]
    pub common: TraceArguments,
}

impl ListArguments {
    /// Returns the number of the first record, from 1. None to begin with the records of the step at
    /// the position.
    pub fn first_record(&self) -> Option<u64> {
        match self.from {
            PositionName::Record(number) => Some(number),
            _ => None,
        }
    }
}

/// Returns the forms of the JSON output.
pub fn forms(forms: AnswerForms) -> AnswerForms {
    records::forms(forms.or::<StepEffectsJson>()).by_line()
}

impl Command for ListArguments {
    fn run(&self) -> Result<()> {
        if self.follow {
            return listing::follow(self);
        }
        let printing = &self.common.report;
        let is_read_by_person =
            io::stdout().is_terminal() && !printing.json && printing.output.is_none();
        let is_limited = is_read_by_person && self.count.is_none();
        let usual = if is_limited { ON_TERMINAL } else { u64::MAX };
        let count = self.count.unwrap_or(usual);
        Question::new(&self.common).ask(|report| answer(self, count, report))?;
        if is_limited && !printing.quiet {
            say(&format!(
                "note: at most {ON_TERMINAL} rows are printed on a terminal: --count N prints more, a pipe or -o FILE gets all"
            ));
        }
        Ok(())
    }
}

/// Prints at most `count` steps, or the records they were read from.
///
/// # Errors
/// A name or position has no meaning, or the trace or the report fails.
pub fn answer(arguments: &ListArguments, count: u64, report: &mut Report<'_>) -> Result<()> {
    let session = report.session;
    let from = resolved(&arguments.from, report)?;
    thread_id(session, arguments.thread.as_deref())?;
    let source = session.index.source();
    if !arguments.records {
        let end = session.index.step_count();
        return print_until(&mut ListingCursor::new(from, count), end, arguments, report);
    }
    if let Some(trace) = session.drmemtrace() {
        print_drmemtrace_records(trace, from, arguments, count, report)
    } else if let Some(trace) = source.downcast::<Rst>() {
        print_rst_records(trace, from, arguments, count, report)
    } else if let Some(trace) = source.downcast::<Btrace>() {
        print_branch_records(trace, from, arguments, count, report)
    } else if let Some(trace) = source.downcast::<Stf>() {
        print_stf_records(trace, from, arguments, count, report)
    } else {
        bail!(CommandError::Usage(format!(
            "{} is a text format without records; leave --records out",
            session.index.info().format
        )))
    }
}
