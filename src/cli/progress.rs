//! Opens a trace and shows on standard error how far its index is.

use std::io::{self, IsTerminal as _, Write as _};
use std::sync::atomic::Ordering;
use std::sync::mpsc::{Receiver, RecvTimeoutError, channel};
use std::time::Duration;

use anyhow::Result;
use indicatif::{ProgressBar, ProgressStyle};
use stepback_index::{BuildProgress, Cancel};

use super::options::ReportOptions;
use crate::session::{self, OpenOptions, Session};

/// How often the meter is looked at.
const INTERVAL: Duration = Duration::from_millis(100);

/// Who looks at the meter.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Meter {
    Hidden,
    /// A bar on a terminal.
    Bar,
    /// A line every tenth of the way, for logs.
    Lines,
}

/// Opens a trace; the meter is gone when this returns.
pub fn open(options: &OpenOptions, report: &ReportOptions) -> Result<Session> {
    watched("indexing", report, |progress| session::open(options, progress, &Cancel::default()))
}

/// Does some work under a meter that bears its name; the meter is gone when this returns.
pub fn watched<T>(name: &'static str, report: &ReportOptions, work: impl FnOnce(&BuildProgress) -> T) -> T {
    let is_terminal = io::stderr().is_terminal();
    let meter = match (is_terminal, report.show_progress_meter) {
        (true, is_forced) if is_forced || !report.quiet => Meter::Bar,
        (false, true) => Meter::Lines,
        _ => Meter::Hidden,
    };
    let progress = BuildProgress::default();
    std::thread::scope(|scope| {
        let (done, is_done) = channel::<()>();
        scope.spawn(|| show(name, meter, &progress, is_done));
        let answer = work(&progress);
        drop(done);
        answer
    })
}

fn show(name: &str, meter: Meter, progress: &BuildProgress, is_done: Receiver<()>) {
    match meter {
        Meter::Hidden => {}
        Meter::Bar => show_bar(name, progress, &is_done),
        Meter::Lines => show_lines(name, progress, &is_done),
    }
}

fn show_bar(name: &str, progress: &BuildProgress, is_done: &Receiver<()>) {
    let style = format!("{name} {{wide_bar}} {{bytes}} of {{total_bytes}}  {{bytes_per_sec}}  {{eta}}{{msg}}");
    let bar = ProgressBar::new(0);
    bar.set_style(ProgressStyle::with_template(&style).unwrap_or_else(|_| ProgressStyle::default_bar()));
    while is_done.recv_timeout(INTERVAL) == Err(RecvTimeoutError::Timeout) {
        bar.set_length(progress.bytes_total.load(Ordering::Relaxed));
        bar.set_position(progress.bytes_done.load(Ordering::Relaxed));
        let (done, total) = (&progress.host_calls_done, &progress.host_calls_total);
        let (done, total) = (done.load(Ordering::Relaxed), total.load(Ordering::Relaxed));
        if total > 0 {
            bar.set_message(format!("  semihosting calls: {done} of {total}"));
        }
    }
    bar.finish_and_clear();
}

fn show_lines(name: &str, progress: &BuildProgress, is_done: &Receiver<()>) {
    let mut told = None;
    let mut is_waiting = true;
    while is_waiting {
        is_waiting = is_done.recv_timeout(INTERVAL) == Err(RecvTimeoutError::Timeout);
        let tenths = tenths_done(progress);
        if tenths.is_some() && told != tenths {
            told = tenths;
            say(&format!("{name}: {} %", tenths.unwrap_or(0) * 10));
        }
    }
}

/// None before a build began.
fn tenths_done(progress: &BuildProgress) -> Option<u64> {
    let done = progress.bytes_done.load(Ordering::Relaxed);
    done.saturating_mul(10).checked_div(progress.bytes_total.load(Ordering::Relaxed))
}

/// A line on standard error; that nobody reads it is no error.
pub fn say(line: &str) {
    let _unread = writeln!(io::stderr(), "{line}");
}
