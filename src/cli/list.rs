//! `stepback list`: steps and their effects.

use std::io;
use std::io::IsTerminal as _;

use anyhow::Result;
use clap::Args;
use stepback_debugger::place::PositionName;
use stepback_parsers::Position;
use stepback_parsers::btrace::Btrace;
use stepback_parsers::rst::Rst;

use super::cells::{resolved, thread_id};
use super::listing::{ListingCursor, ListingOptions, print_until};
use super::question::Question;
use super::records::{
    FirstRecord, print_branch_records, print_drmemtrace_records, print_rst_records,
};
use super::report::Report;
use crate::cli::answer_forms::AnswerForms;
use crate::cli::json::StepEffectsJson;
use crate::cli::listing;
use crate::cli::progress::say;
use crate::cli::question::{Command, TraceArguments};
use crate::cli::records;

/// Maximum number of rows on a terminal, unless --count is given.
const ON_TERMINAL: u64 = 500;

#[derive(Debug, Args)]
pub struct ListArguments {
    #[command(flatten)]
    pub wishes: ListingOptions,
    /// Continue as the trace grows, until interrupted.
    #[arg(long, conflicts_with_all = ["so_far", "no_index", "only_index"])]
    pub follow: bool,
    #[command(flatten)]
    pub common: TraceArguments,
}

/// Returns the forms of the JSON output.
pub fn forms(forms: AnswerForms) -> AnswerForms {
    records::forms(forms.or::<StepEffectsJson>()).by_line()
}

impl Command for ListArguments {
    fn run(&self) -> Result<()> {
        if self.follow {
            return listing::follow(&self.wishes, &self.common);
        }
        let printing = &self.common.report;
        let is_read_by_person =
            io::stdout().is_terminal() && !printing.json && printing.output.is_none();
        if !is_read_by_person || self.wishes.count.is_some() {
            return Question::new(&self.common).ask(|report| answer(&self.wishes, report));
        }
        let wishes = ListingOptions {
            count: Some(ON_TERMINAL),
            ..self.wishes.clone()
        };
        Question::new(&self.common).ask(|report| answer(&wishes, report))?;
        if !printing.quiet {
            say(&format!(
                "note: at most {ON_TERMINAL} rows are printed on a terminal: --count N prints more, a pipe or -o FILE gets all"
            ));
        }
        Ok(())
    }
}

/// Prints the steps, or the records they were read from.
fn answer(wishes: &ListingOptions, report: &mut Report<'_>) -> Result<()> {
    let session = report.session;
    let from = resolved(&wishes.from, report)?;
    thread_id(session, wishes.thread.as_deref())?;
    if let Some(trace) = session.drmemtrace().filter(|_| wishes.records) {
        let number = if let PositionName::Record(number) = wishes.from {
            Some(number)
        } else {
            None
        };
        return print_drmemtrace_records(trace, FirstRecord { from, number }, wishes, report);
    }
    if let Some(trace) = session
        .index
        .source()
        .downcast::<Rst>()
        .filter(|_| wishes.records)
    {
        return print_rst_records(
            trace,
            first_record(trace, &wishes.from, from)?,
            wishes,
            report,
        );
    }
    if let Some(trace) = session
        .index
        .source()
        .downcast::<Btrace>()
        .filter(|_| wishes.records)
    {
        let first = if let PositionName::Record(number) = wishes.from {
            number
        } else {
            trace.first_record_from(from)?
        };
        return print_branch_records(trace, first, wishes, report);
    }
    print_until(
        &mut ListingCursor::from(from, wishes),
        session.index.step_count(),
        wishes,
        report,
    )
}

/// Returns the first record to list: the named one, or the first record of the step at the
/// position.
fn first_record(trace: &Rst, place: &PositionName, from: Position) -> Result<u64> {
    Ok(match place {
        PositionName::Record(number) => *number,
        _ if from.0 == 0 => 1,
        _ => trace.records_of_item(from.0 + 1)?.start,
    })
}
