//! Opens a trace and shows the progress of its index on standard error.

use std::io;
use std::io::{IsTerminal as _, Write as _};
use std::sync::atomic::Ordering;
use std::sync::mpsc::{Receiver, RecvTimeoutError, channel};
use std::sync::{Mutex, PoisonError};
use std::time::{Duration, Instant};

use anyhow::Result;
use indicatif::{ProgressBar, ProgressStyle};
use stepback_debugger::session;
use stepback_debugger::session::{IndexPolicy, OpenOptions, OpeningObserver, Session};
use stepback_index::Cancel;
use stepback_index::build::BuildProgress;

use super::options::ReportOptions;

/// Refresh interval of the meter.
const INTERVAL: Duration = Duration::from_millis(100);
/// Time budget for building an index for `--so-far`.
const SO_FAR: Duration = Duration::from_millis(800);
/// Time budget if no part is available sooner.
const PATIENCE: Duration = Duration::from_secs(10);

/// Form of the meter.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum MeterStyle {
    Hidden,
    /// A bar on a terminal.
    Bar,
    /// A line for every tenth of the work, for logs.
    Lines,
}

/// Opens a trace. Removes the meter before it returns.
pub fn open(options: &OpenOptions, report: &ReportOptions) -> Result<Session> {
    watched("indexing", report, |progress| {
        session::open(options, progress, &Cancel::default())
    })
}

/// Opens the part of a trace that can be indexed quickly. Keeps that part for the next run.
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
        // Another program is building the index: its finished part can be used.
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

/// Stops a build when its time is over. Waits longer for a first part, up to `PATIENCE`.
fn stop_soon(is_done: &Receiver<()>, cancel: &Cancel, has_part: impl Fn() -> bool) {
    let began = Instant::now();
    while is_done.recv_timeout(INTERVAL / 5) == Err(RecvTimeoutError::Timeout) {
        let time = began.elapsed();
        if time > PATIENCE || (time > SO_FAR && has_part()) {
            return cancel.cancel();
        }
    }
}

/// Does some work and shows its progress on a meter with this name. Removes the meter before it
/// returns.
pub fn watched<T>(
    name: &'static str,
    report: &ReportOptions,
    work: impl FnOnce(&BuildProgress) -> T,
) -> T {
    let is_terminal = io::stderr().is_terminal();
    let meter = match (is_terminal, report.show_progress_meter) {
        (true, is_forced) if is_forced || !report.quiet => MeterStyle::Bar,
        (false, true) => MeterStyle::Lines,
        _ => MeterStyle::Hidden,
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

fn show(name: &str, meter: MeterStyle, progress: &BuildProgress, is_done: Receiver<()>) {
    match meter {
        MeterStyle::Hidden => {}
        MeterStyle::Bar => show_bar(name, progress, &is_done),
        MeterStyle::Lines => show_lines(name, progress, &is_done),
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

/// Returns the tenths of the work done. None before a build has begun.
fn tenths_done(progress: &BuildProgress) -> Option<u64> {
    let done = progress.bytes_done.load(Ordering::Relaxed);
    done.saturating_mul(10)
        .checked_div(progress.bytes_total.load(Ordering::Relaxed))
}

/// Prints a line on standard error. Ignores a closed stream.
pub fn say(line: &str) {
    let _unread = writeln!(io::stderr(), "{line}");
}
