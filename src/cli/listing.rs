//! The steps of a list, block by block.

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

/// Steps asked for at once: memory stays small however long the list.
/// Of steps that did very much fewer are told whole at once: such are asked for again.
const BLOCK_STEPS: u64 = 1024;

/// What is listed, and how.
#[derive(Debug, Args)]
pub struct ListingWishes {
    /// The first step is the one just after this position.
    #[arg(
        long,
        value_name = "POS",
        allow_negative_numbers = true,
        default_value = "start"
    )]
    pub from: PositionName,
    /// How many steps or records (default: all).
    #[arg(long, value_name = "N")]
    pub count: Option<u64>,
    /// Only those of this thread.
    #[arg(long, value_name = "T")]
    pub thread: Option<String>,
    /// Every record instead of every step; only binary formats have records.
    #[arg(long)]
    pub records: bool,
    /// With the source line of each step.
    #[arg(long)]
    pub lines: bool,
}

/// How far a list is.
#[derive(Debug)]
pub struct Listing {
    /// The next step.
    next: u64,
    /// Steps asked for at once.
    block_steps: u64,
    /// How many steps are left to print.
    pub left: u64,
}

impl Listing {
    /// Everything from a position on, or as much of it as was asked for.
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
    // A thread may appear later.
    let Ok(thread) = thread_id(session, wishes.thread.as_deref()) else {
        return Ok(());
    };
    while listing.left > 0 && listing.next < until {
        // Steps of other threads do not count, so how many to read is known only without a thread.
        let most = listing.block_steps.min(until - listing.next);
        let count = if thread.is_some() {
            most
        } else {
            most.min(listing.left)
        };
        let first = Position(listing.next).next_step();
        let mut block = Steps { first, count }.run(&session.index, &report.cancel)?;
        // The first step of an answer is told as far as any is.
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

/// What to print of a block.
#[derive(Clone, Copy)]
struct Wanted {
    /// Only steps of this one.
    thread: Option<ThreadId>,
    /// At most so many.
    limit: u64,
    /// With source lines.
    has_lines: bool,
}

/// Prints steps; returns how many it were.
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
