//! Opens a trace and shows on standard error how far its index is.

use std::io::{self, IsTerminal as _, Write as _};
use std::sync::atomic::Ordering;
use std::sync::mpsc::{Receiver, RecvTimeoutError, channel};
use std::sync::{Mutex, PoisonError};
use std::time::{Duration, Instant};

use anyhow::Result;
use indicatif::{ProgressBar, ProgressStyle};
use stepback_index::{BuildProgress, Cancel};

use super::options::ReportOptions;
use stepback_debugger::session::{self, IndexPolicy, OpenOptions, OpeningObserver, Session};

/// How often the meter is looked at.
const INTERVAL: Duration = Duration::from_millis(100);
/// How long an index is built at most for an answer that is so far.
const SO_FAR: Duration = Duration::from_millis(800);
/// The same where it takes long until there is anything.
const PATIENCE: Duration = Duration::from_secs(10);

/// How the meter is shown.
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
    watched("indexing", report, |progress| {
        session::open(options, progress, &Cancel::default())
    })
}

/// Opens as much of a trace as can be had in a short time. What is indexed is kept for the next run.
pub fn open_so_far(options: &OpenOptions, report: &ReportOptions) -> Result<Session> {
    let (cancel, newest) = (Cancel::default(), Mutex::new(None));
    let kept = || newest.lock().unwrap_or_else(PoisonError::into_inner);
    let on_part = |part| *kept() = Some(part);
    let opened = watched("indexing", report, |progress| {
        std::thread::scope(|scope| {
            let (done, is_done) = channel::<()>();
            let (cancel, kept) = (&cancel, &kept);
            scope.spawn(move || stop_soon(&is_done, cancel, || kept().is_some()));
            let watch = OpeningObserver {
                on_part: &on_part,
                follow: None,
            };
            let opened = session::open_watched(options, progress, cancel, Some(watch));
            drop(done);
            opened
        })
    });
    match (opened, kept().take()) {
        (Err(_), Some(part)) if cancel.is_cancelled() => Ok(part),
        // Another program is at work on the index: what it has done so far is there.
        (Err(error), None) if cancel.is_cancelled() => {
            let there = OpenOptions {
                policy: IndexPolicy::Never,
                ..options.clone()
            };
            session::open(&there, &BuildProgress::default(), &Cancel::default()).map_err(|_| error)
        }
        (opened, _) => opened,
    }
}

/// Stops a build when its time is over, but not before there is a part to answer from, unless that takes too long.
fn stop_soon(is_done: &Receiver<()>, cancel: &Cancel, has_part: impl Fn() -> bool) {
    let began = Instant::now();
    while is_done.recv_timeout(INTERVAL / 5) == Err(RecvTimeoutError::Timeout) {
        let time = began.elapsed();
        if time > PATIENCE || (time > SO_FAR && has_part()) {
            return cancel.cancel();
        }
    }
}

/// Does some work and shows how far it is on a meter with its name; the meter is gone when this returns.
pub fn watched<T>(
    name: &'static str,
    report: &ReportOptions,
    work: impl FnOnce(&BuildProgress) -> T,
) -> T {
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
    let style = format!(
        "{name} {{wide_bar}} {{bytes}} of {{total_bytes}}  {{bytes_per_sec}}  {{eta}}{{msg}}"
    );
    let bar = ProgressBar::new(0);
    bar.set_style(
        ProgressStyle::with_template(&style).unwrap_or_else(|_| ProgressStyle::default_bar()),
    );
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
    done.saturating_mul(10)
        .checked_div(progress.bytes_total.load(Ordering::Relaxed))
}

/// Prints a line on standard error. It does not matter whether that is still read.
pub fn say(line: &str) {
    let _unread = writeln!(io::stderr(), "{line}");
}
