//! Lists steps block by block, so that memory stays small for long lists. `stepback list --follow`
//! ([`follow`]) prints steps as they are recorded, like `tail -f`: the last ones wait until they are
//! complete or nothing more arrives.

use std::sync::atomic::Ordering;
use std::sync::mpsc::{Receiver, RecvTimeoutError, channel};
use std::time::Duration;

use anyhow::{Result, anyhow, bail};
use stepback_debugger::analysis::step_blocks::StepBlocks;
use stepback_debugger::place::PositionName;
use stepback_debugger::session;
use stepback_debugger::session::{OpeningObserver, Session};
use stepback_index::Cancel;
use stepback_index::answer::StepRecord;
use stepback_index::build::BuildProgress;
use stepback_parsers::Position;

use crate::cli::cells::thread_id;
use crate::cli::error::CommandError;
use crate::cli::json::StepEffectsJson;
use crate::cli::list::ListArguments;
use crate::cli::progress;
use crate::cli::question::TraceArguments;
use crate::cli::report::{Destination, Report, ResumableOutput, inputs_of};
use crate::cli::text::{line_text, step_line};

/// Progress of a listing.
#[derive(Debug)]
pub struct ListingCursor {
    blocks: StepBlocks,
    /// Number of steps left to print.
    pub left: u64,
}

impl ListingCursor {
    /// Starts at a position, with at most `left` steps.
    pub fn new(from: Position, left: u64) -> Self {
        Self {
            blocks: StepBlocks::new(from),
            left,
        }
    }
}

/// Prints the steps of a list before a position.
pub fn print_until(
    listing: &mut ListingCursor,
    until: u64,
    arguments: &ListArguments,
    report: &mut Report<'_>,
) -> Result<()> {
    let session = report.session;
    // The thread may still appear later.
    let Ok(thread) = thread_id(session, arguments.thread.as_deref()) else {
        return Ok(());
    };
    while listing.left > 0 {
        // Steps of other threads do not count, so the number to read is known only without a thread
        // filter.
        let left = until.saturating_sub(listing.blocks.next().0);
        let most = if thread.is_some() {
            left
        } else {
            left.min(listing.left)
        };
        let block = listing.blocks.read(most, &session.index, &report.cancel)?;
        if block.is_empty() {
            break;
        }
        let is_meant = |record: &&StepRecord| thread.is_none_or(|thread| record.thread == thread);
        let limit = usize::try_from(listing.left).unwrap_or(usize::MAX);
        for record in block.iter().filter(is_meant).take(limit) {
            print_step(record, arguments, report)?;
            listing.left -= 1;
        }
        report.progress.bytes_total.store(until, Ordering::Relaxed);
        report
            .progress
            .bytes_done
            .store(listing.blocks.next().0, Ordering::Relaxed);
        report.flush()?;
    }
    Ok(())
}

fn print_step(
    record: &StepRecord,
    arguments: &ListArguments,
    report: &mut Report<'_>,
) -> Result<()> {
    let session = report.session;
    let source = arguments.lines.then(|| session.source_text(record.pc));
    if !report.is_json {
        let line = step_line(record, &session.index);
        return report.text(&format!("{line}{}\n", line_text(source)));
    }
    let json = StepEffectsJson::new(record, &session.index);
    report.json(&match source {
        Some(source) => json.with_source(source),
        None => json,
    })
}

/// Idle time after which the last steps are printed. Until then their effects may still arrive.
const QUIET: Duration = Duration::from_millis(300);

/// Prints steps until the reader goes away, the count is reached, or the file is no longer the same
/// trace.
pub fn follow(arguments: &ListArguments) -> Result<()> {
    let TraceArguments {
        report: printing,
        trace,
        options,
    } = &arguments.common;
    let (open, name) = (&options.to_open_options(trace), trace.display().to_string());
    // Any position other than the start needs the part that is already recorded.
    let is_at_start = matches!(arguments.from, PositionName::Start);
    let first = if is_at_start {
        None
    } else {
        Some(progress::open(open, printing)?)
    };
    let from = match &first {
        Some(session) => arguments.from.resolve(session, &Cancel::default())?,
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
            arguments,
            listing: ListingCursor::new(from, arguments.count.unwrap_or(u64::MAX)),
            output: None,
        };
        let printed = printer.print_all(&parts);
        // Keeps the part that is indexed.
        cancel.cancel();
        let built = build
            .join()
            .unwrap_or_else(|_| Err(anyhow!("{name}: the index could not be built")));
        printed.map_err(|error| CommandError::about(&name, error))?;
        match printer.listing.left {
            0 => Ok(()),
            // The trace is no longer the same.
            _ => built,
        }
    })
}

struct FollowPrinter<'a> {
    arguments: &'a ListArguments,
    listing: ListingCursor,
    /// None before the first part.
    output: Option<ResumableOutput<Destination>>,
}

impl FollowPrinter<'_> {
    fn print_all(&mut self, parts: &Receiver<Session>) -> Result<()> {
        let mut newest: Option<Session> = None;
        while self.listing.left > 0 {
            let part = match &newest {
                Some(_) => parts.recv_timeout(QUIET),
                None => parts.recv().map_err(|_| RecvTimeoutError::Disconnected),
            };
            match part {
                Ok(part) => {
                    let part = newest.insert(parts.try_iter().last().unwrap_or(part));
                    let open_steps = part.index.source().open_steps();
                    self.print(part, part.index.step_count().saturating_sub(open_steps))?;
                }
                Err(ended) => {
                    if let Some(part) = newest.take() {
                        self.print(&part, part.index.step_count())?;
                    }
                    if ended == RecvTimeoutError::Disconnected {
                        break;
                    }
                }
            }
        }
        self.output.take().map_or(Ok(()), ResumableOutput::finish)
    }

    /// Prints all new steps before a position.
    fn print(&mut self, session: &Session, until: u64) -> Result<()> {
        let printing = &self.arguments.common.report;
        let out = match (self.output.take(), session.follow_refusal()) {
            (Some(out), _) => out,
            (None, Some(why)) => bail!("{why}"),
            (None, None) => ResumableOutput::new(Destination::open_growing(
                printing.output.as_deref(),
                inputs_of(session),
            )?),
        };
        let progress = BuildProgress::default();
        let mut report = Report::new(session, printing, &progress, self.output.insert(out));
        print_until(&mut self.listing, until, self.arguments, &mut report)
    }
}
