//! Opens a trace and shows the progress of its index on standard error.

use std::io;
use std::io::{IsTerminal as _, Write as _};
use std::sync::atomic::Ordering;
use std::sync::mpsc::{Receiver, RecvTimeoutError, channel};
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use anyhow::Result;
use indicatif::{ProgressBar, ProgressStyle};
use stepback_debugger::session;
use stepback_debugger::session::{IndexPolicy, OpenOptions, OpeningObserver, Session};
use stepback_index::Cancel;
use stepback_index::build::BuildProgress;

use crate::cli::options::ReportOptions;
use crate::cli::report::named_file;

/// Refresh interval of the meter.
const INTERVAL: Duration = Duration::from_millis(100);
/// Time after which a meter is shown for work of unknown extent.
const DELAY: Duration = Duration::from_secs(1);
/// Time budget for building an index for `--so-far`.
const SO_FAR: Duration = Duration::from_millis(800);
/// Time budget if no part is available sooner.
const PATIENCE: Duration = Duration::from_secs(10);

/// Shows a meter with a name and a form until the work is done.
type ShowMeter = fn(&str, &str, &BuildProgress, &Receiver<()>);

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

/// Does some work and shows its progress in bytes on a meter with this name. Removes the meter
/// before it returns.
pub fn watched<T>(
    name: &'static str,
    report: &ReportOptions,
    work: impl FnOnce(&BuildProgress) -> T,
) -> T {
    let form = "{wide_bar} {bytes} of {total_bytes}  {bytes_per_sec}  {eta}{msg}";
    metered(name, form, meter(report), work)
}

/// Answers a query. Shows a meter if that takes more than a second and the answer does not appear
/// on the same terminal.
pub fn watched_answer<T>(report: &ReportOptions, work: impl FnOnce(&BuildProgress) -> T) -> T {
    let is_visible = io::stdout().is_terminal() && named_file(report.output.as_deref()).is_none();
    let meter = meter(report).filter(|_| !is_visible);
    metered("answering", "{wide_bar} {percent} %  {eta}", meter, work)
}

/// Returns the meter to show: a bar on a terminal; in a log, a line for every tenth of the work.
fn meter(report: &ReportOptions) -> Option<ShowMeter> {
    match (io::stderr().is_terminal(), report.show_progress_meter) {
        (true, is_forced) if is_forced || !report.quiet => Some(show_bar),
        (false, true) => Some(show_lines),
        _ => None,
    }
}

fn metered<T>(
    name: &'static str,
    form: &'static str,
    meter: Option<ShowMeter>,
    work: impl FnOnce(&BuildProgress) -> T,
) -> T {
    let progress = BuildProgress::default();
    let Some(show) = meter else {
        return work(&progress);
    };
    std::thread::scope(|scope| {
        let (done, is_done) = channel::<()>();
        let shown = &progress;
        scope.spawn(move || show(name, form, shown, &is_done));
        let answer = work(&progress);
        drop(done);
        answer
    })
}

/// The bar on the terminal. Messages are printed above it.
static BAR: Mutex<Option<ProgressBar>> = Mutex::new(None);

fn visible_bar() -> MutexGuard<'static, Option<ProgressBar>> {
    BAR.lock().unwrap_or_else(PoisonError::into_inner)
}

fn show_bar(name: &str, form: &str, progress: &BuildProgress, is_done: &Receiver<()>) {
    let delay = delay(progress, is_done);
    if delay == Err(RecvTimeoutError::Disconnected) {
        return;
    }
    let total = || progress.bytes_total.load(Ordering::Relaxed);
    let form = match total() {
        0 => "{spinner} {elapsed}",
        _ => form,
    };
    let bar = ProgressBar::new(0);
    bar.set_style(
        ProgressStyle::with_template(&format!("{name} {form}"))
            .unwrap_or_else(|_| ProgressStyle::default_bar()),
    );
    *visible_bar() = Some(bar.clone());
    while is_done.recv_timeout(INTERVAL) == Err(RecvTimeoutError::Timeout) {
        bar.set_length(total());
        bar.set_position(progress.bytes_done.load(Ordering::Relaxed));
        let (done, total) = (&progress.host_calls_done, &progress.host_calls_total);
        let (done, total) = (done.load(Ordering::Relaxed), total.load(Ordering::Relaxed));
        if total > 0 {
            bar.set_message(format!("  semihosting calls: {done} of {total}"));
        }
        bar.tick();
    }
    *visible_bar() = None;
    bar.finish_and_clear();
}

/// Waits until a meter is worth showing: a second, or less if the amount of work is known.
fn delay(progress: &BuildProgress, is_done: &Receiver<()>) -> Result<(), RecvTimeoutError> {
    let began = Instant::now();
    while began.elapsed() < DELAY && progress.bytes_total.load(Ordering::Relaxed) == 0 {
        match is_done.recv_timeout(INTERVAL) {
            Err(RecvTimeoutError::Timeout) => {}
            ended => return ended,
        }
    }
    Ok(())
}

fn show_lines(name: &str, _: &str, progress: &BuildProgress, is_done: &Receiver<()>) {
    let mut printed = None;
    let mut is_waiting = true;
    while is_waiting {
        is_waiting = is_done.recv_timeout(INTERVAL) == Err(RecvTimeoutError::Timeout);
        let tenths = tenths_done(progress);
        if tenths.is_some() && printed != tenths {
            printed = tenths;
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
    let print = || {
        let _unread = writeln!(io::stderr(), "{line}");
    };
    match &*visible_bar() {
        Some(bar) => bar.suspend(print),
        None => print(),
    }
}
