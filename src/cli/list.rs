//! `stepback list`: steps with what they did.

use anyhow::Result;
use clap::Args;

use super::cells::{resolved, thread_id};
use super::command::Command;
use super::follow;
use super::listing::{Listing, ListingWishes, print_until};
use super::question::Question;
use super::records;
use super::report::Report;
use super::trace_arguments::TraceArguments;

/// Which steps.
#[derive(Debug, Args)]
pub struct ListArguments {
    /// Which, and how they are shown.
    #[command(flatten)]
    pub wishes: ListingWishes,
    /// Go on as the trace grows, until interrupted.
    #[arg(long, conflicts_with_all = ["so_far", "no_index", "only_index"])]
    pub follow: bool,
    /// Which trace.
    #[command(flatten)]
    pub common: TraceArguments,
}

impl Command for ListArguments {
    fn run(&self) -> Result<()> {
        match self.follow {
            true => follow::run(&self.wishes, &self.common),
            false => Question::new(&self.common).ask(|report| answer(&self.wishes, report)),
        }
    }
}

/// Prints the steps, or the records that they were read from.
fn answer(wishes: &ListingWishes, report: &mut Report<'_>) -> Result<()> {
    let session = report.session;
    let from = resolved(&wishes.from, report)?;
    thread_id(session, wishes.thread.as_deref())?;
    if let Some(trace) = session.drmemtrace().filter(|_| wishes.records) {
        return records::print_records(trace, from, wishes, report);
    }
    print_until(&mut Listing::from(from, wishes), session.index.step_count(), wishes, report)
}
