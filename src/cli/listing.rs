//! Lists steps block by block, so that memory stays small for long lists. `stepback list --follow`
//! ([`follow`]) prints steps as they are recorded, like `tail -f`: the last one waits until it is
//! complete or nothing more arrives.

use std::sync::mpsc::{Receiver, RecvTimeoutError, channel};
use std::time::Duration;

use anyhow::{Result, anyhow, bail};
use clap::Args;
use stepback_debugger::place::PositionName;
use stepback_debugger::session;
use stepback_debugger::session::{OpeningObserver, Session};
use stepback_index::answer::{StepRecord, ThreadId};
use stepback_index::build::BuildProgress;
use stepback_index::query::Steps;
use stepback_index::{Cancel, Query as _};
use stepback_parsers::Position;

use crate::cli::cells::{UsageError, thread_id};
use crate::cli::json::StepEffectsJson;
use crate::cli::options::ReportOptions;
use crate::cli::progress;
use crate::cli::question::TraceArguments;
use crate::cli::report::{Output, Report};
use crate::cli::text::{line_text, step_line};

/// Maximum number of steps per query, so that memory stays small for long lists. If steps have many
/// effects, the answer shortens later ones, which are queried again.
const BLOCK_STEPS: u64 = 1024;

#[derive(Clone, Debug, Args)]
pub struct ListingOptions {
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
}

/// Progress of a listing.
#[derive(Debug)]
pub struct ListingCursor {
    /// Number of the next step.
    next: u64,
    /// Number of steps to query at once.
    block_steps: u64,
    /// Number of steps left to print.
    pub left: u64,
}

impl ListingCursor {
    /// Starts at a position. The count option limits the number of steps.
    pub fn from(from: Position, wishes: &ListingOptions) -> Self {
        Self {
            next: from.0,
            block_steps: BLOCK_STEPS,
            left: wishes.count.unwrap_or(u64::MAX),
        }
    }
}

/// Prints the steps of a list before a position.
pub fn print_until(
    listing: &mut ListingCursor,
    until: u64,
    wishes: &ListingOptions,
    report: &mut Report<'_>,
) -> Result<()> {
    let session = report.session;
    if wishes.records {
        let format = &session.index.info().format;
        bail!(UsageError(format!(
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
        let wanted = BlockSelection {
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
struct BlockSelection {
    /// Restricts the output to this thread.
    thread: Option<ThreadId>,
    /// Maximum number of steps.
    limit: u64,
    /// Adds source lines.
    has_lines: bool,
}

/// Prints steps and returns their number.
fn print(block: &[StepRecord], wanted: BlockSelection, report: &mut Report<'_>) -> Result<u64> {
    let BlockSelection {
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
                report.json(&StepEffectsJson::new(record, index).with_source(source))?
            }
            (true, None) => report.json(&StepEffectsJson::new(record, index))?,
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

/// Idle time after which the last step is printed. Until then its effects may still arrive.
const QUIET: Duration = Duration::from_millis(300);

/// Prints steps until the reader goes away, the count is reached, or the file is no longer the same
/// trace.
pub fn follow(wishes: &ListingOptions, common: &TraceArguments) -> Result<()> {
    let TraceArguments {
        report: printing,
        trace,
        options,
    } = common;
    let open = &options.to_open_options(trace);
    // Any position other than the start needs the part that is already recorded.
    let is_at_start = matches!(wishes.from, PositionName::Start);
    let first = if is_at_start {
        None
    } else {
        Some(progress::open(open, printing)?)
    };
    let from = match &first {
        Some(session) => wishes.from.resolve(session, &Cancel::default())?,
        None => Position(0),
    };
    drop(first);
    let (progress, cancel, never) = (
        BuildProgress::default(),
        Cancel::default(),
        Cancel::default(),
    );
    std::thread::scope(|scope| {
        let (sender, parts) = channel();
        let (progress, cancel) = (&progress, &cancel);
        let build = scope.spawn(move || {
            // If the printer has stopped, the part is dropped.
            let on_part = move |part| drop(sender.send(part));
            let watch = OpeningObserver {
                on_part: &on_part,
                follow: Some(&never),
            };
            session::open_watched(open, progress, cancel, Some(watch)).map(drop)
        });
        let mut printer = FollowPrinter {
            wishes,
            printing,
            listing: ListingCursor::from(from, wishes),
            output: None,
        };
        let printed = printer.print_all(&parts);
        // Keeps the part that is indexed.
        cancel.cancel();
        let built = build
            .join()
            .unwrap_or_else(|_| Err(anyhow!("the index could not be built: {trace:?}")));
        match printed? {
            FollowEnd::ByCount => Ok(()),
            FollowEnd::ByTrace => built,
        }
    })
}

/// Reason why printing ends.
enum FollowEnd {
    ByCount,
    ByTrace,
}

struct FollowPrinter<'a> {
    wishes: &'a ListingOptions,
    printing: &'a ReportOptions,
    listing: ListingCursor,
    /// None before the first part.
    output: Option<Output>,
}

impl FollowPrinter<'_> {
    fn print_all(&mut self, parts: &Receiver<Session>) -> Result<FollowEnd> {
        let mut newest: Option<Session> = None;
        loop {
            let told = match &newest {
                Some(_) => parts.recv_timeout(QUIET),
                None => parts.recv().map_err(|_| RecvTimeoutError::Disconnected),
            };
            match told {
                Ok(part) => {
                    let part = newest.insert(parts.try_iter().last().unwrap_or(part));
                    self.print(part, part.index.step_count().saturating_sub(1))?;
                }
                Err(ended) => {
                    if let Some(part) = newest.take() {
                        self.print(&part, part.index.step_count())?;
                    }
                    if ended == RecvTimeoutError::Disconnected {
                        return Ok(FollowEnd::ByTrace);
                    }
                }
            }
            if self.listing.left == 0 {
                return Ok(FollowEnd::ByCount);
            }
        }
    }

    /// Prints all new steps before a position.
    fn print(&mut self, session: &Session, until: u64) -> Result<()> {
        let mut report = match self.output.take() {
            Some(output) => output.on(session),
            None => match session.follow_refusal() {
                Some(why) => bail!("{why}: {:?}", session.path),
                None => Report::new(session, self.printing)?,
            },
        };
        let printed = print_until(&mut self.listing, until, self.wishes, &mut report);
        self.output = Some(report.into_output());
        printed
    }
}
