//! `stepback list --follow`: prints steps as they are recorded, like `tail -f`.

use std::sync::mpsc::{Receiver, RecvTimeoutError, channel};
use std::time::Duration;

use anyhow::{Result, anyhow, bail};
use stepback_index::{BuildProgress, Cancel};
use stepback_parsers::Position;

use super::listing::{Listing, ListingWishes, print_until};
use super::options::ReportOptions;
use super::progress;
use super::report::{Output, Report};
use super::trace_arguments::TraceArguments;
use stepback_debugger::place::PositionName;
use stepback_debugger::session::{self, OpeningObserver, Session};

/// Idle time after which the last step is printed. Until then its effects may still arrive.
const QUIET: Duration = Duration::from_millis(300);

/// Prints steps until the reader goes away, the count is reached, or the file is no longer the same
/// trace.
pub fn run(wishes: &ListingWishes, common: &TraceArguments) -> Result<()> {
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
        let mut printer = Printer {
            wishes,
            printing,
            listing: Listing::from(from, wishes),
            output: None,
        };
        let printed = printer.print_all(&parts);
        // Keeps the part that is indexed.
        cancel.cancel();
        let built = build
            .join()
            .unwrap_or_else(|_| Err(anyhow!("the index could not be built: {trace:?}")));
        match printed? {
            Ended::ByCount => Ok(()),
            Ended::ByTrace => built,
        }
    })
}

/// Reason why printing ends.
enum Ended {
    ByCount,
    ByTrace,
}

struct Printer<'a> {
    wishes: &'a ListingWishes,
    printing: &'a ReportOptions,
    listing: Listing,
    /// None before the first part.
    output: Option<Output>,
}

impl Printer<'_> {
    fn print_all(&mut self, parts: &Receiver<Session>) -> Result<Ended> {
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
                        return Ok(Ended::ByTrace);
                    }
                }
            }
            if self.listing.left == 0 {
                return Ok(Ended::ByCount);
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
