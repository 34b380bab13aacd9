//! Listing of steps, block by block.

use anyhow::{Result, bail};
use clap::Args;
use stepback_index::{Query as _, StepRecord, Steps, ThreadId};
use stepback_parsers::Position;

use super::cells::thread_id;
use super::json::ListedJson;
use super::misspelt::Misspelt;
use super::report::Report;
use super::text::{line_text, step_line};
use stepback_debugger::place::PositionName;

/// Maximum number of steps per query, so that memory stays small for long lists. If steps have many
/// effects, the answer shortens later ones, which are queried again.
const BLOCK_STEPS: u64 = 1024;

#[derive(Debug, Args)]
pub struct ListingWishes {
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
    /// Show only those of this thread.
    #[arg(long, value_name = "T")]
    pub thread: Option<String>,
    /// List records instead of steps; only binary formats have records.
    #[arg(long)]
    pub records: bool,
    /// Add the source line of each step.
    #[arg(long)]
    pub lines: bool,
}

/// Progress of a listing.
#[derive(Debug)]
pub struct Listing {
    /// Number of the next step.
    next: u64,
    /// Number of steps to query at once.
    block_steps: u64,
    /// Number of steps left to print.
    pub left: u64,
}

impl Listing {
    /// Starts at a position. The count option limits the number of steps.
    pub fn from(from: Position, wishes: &ListingWishes) -> Self {
        Self {
            next: from.0,
            block_steps: BLOCK_STEPS,
            left: wishes.count.unwrap_or(u64::MAX),
        }
    }
}

/// Prints the steps of a list before a position.
pub fn print_until(
    listing: &mut Listing,
    until: u64,
    wishes: &ListingWishes,
    report: &mut Report<'_>,
) -> Result<()> {
    let session = report.session;
    if wishes.records {
        let format = &session.index.info().format;
        bail!(Misspelt(format!(
            "{format} is a text format without records, so leave --records out"
        )));
    }
    // The thread may still appear later.
    let Ok(thread) = thread_id(session, wishes.thread.as_deref()) else {
        return Ok(());
    };
    while listing.left > 0 && listing.next < until {
        // Steps of other threads do not count, so the number to read is known only without a thread
        // filter.
        let most = listing.block_steps.min(until - listing.next);
        let count = if thread.is_some() {
            most
        } else {
            most.min(listing.left)
        };
        let first = Position(listing.next).next_step();
        let mut block = Steps { first, count }.run(&session.index, &report.cancel)?;
        // The first step of an answer has all the effects that any query returns.
        let cut = block.iter().skip(1).position(StepRecord::is_cut_by_others);
        block.truncate(cut.map_or(usize::MAX, |place| place + 1));
        listing.block_steps = (2 * block.len() as u64).clamp(1, BLOCK_STEPS);
        let Some(last) = block.last() else { break };
        listing.next = last.step.after().0;
        let wanted = Wanted {
            thread,
            limit: listing.left,
            has_lines: wishes.lines,
        };
        listing.left -= print(&block, wanted, report)?;
        report.flush()?;
    }
    Ok(())
}

/// Filter and options for printing a block.
#[derive(Clone, Copy)]
struct Wanted {
    /// Restricts the output to this thread.
    thread: Option<ThreadId>,
    /// Maximum number of steps.
    limit: u64,
    /// Adds source lines.
    has_lines: bool,
}

/// Prints steps and returns their number.
fn print(block: &[StepRecord], wanted: Wanted, report: &mut Report<'_>) -> Result<u64> {
    let Wanted {
        thread,
        limit,
        has_lines,
    } = wanted;
    let session = report.session;
    let index = &report.session.index;
    let is_meant = |record: &&StepRecord| thread.is_none_or(|thread| record.thread == thread);
    let mut count = 0;
    for record in block
        .iter()
        .filter(is_meant)
        .take(usize::try_from(limit).unwrap_or(usize::MAX))
    {
        let source = has_lines.then(|| session.source_text(record.pc));
        match (report.is_json, source) {
            (true, Some(source)) => {
                report.json(&ListedJson::new(record, index).with_source(source))?
            }
            (true, None) => report.json(&ListedJson::new(record, index))?,
            (false, source) => report.text(&format!(
                "{}{}\n",
                step_line(record, index),
                line_text(source)
            ))?,
        }
        count += 1;
    }
    Ok(count)
}
