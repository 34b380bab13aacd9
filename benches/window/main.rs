//! Cost of a frame of the window during use: `cargo bench --bench window`.
//!
//! A thousand actions by key, wheel and mouse, always the same ones, on a trace of ten million
//! steps. The bench counts the CPU time of the window's thread, without drawing pixels, which the
//! graphics card does. `cargo bench --bench window -- TRACE` uses another trace.

#![expect(clippy::print_stdout, reason = "a report")]

mod actions;
mod user;

use std::path::{Path, PathBuf};
use std::time::Duration;

use anyhow::Result;
use stepback_benches::percentiles::Times;
use stepback_benches::{long_trace, status_kib};

use crate::actions::Actions;
use crate::user::User;

/// Goal for the 99th percentile of frames, from the issue and the design.
const FRAME: Duration = Duration::from_millis(16);
/// Goal for the window's memory, without mapped pages.
const MEMORY_KIB: u64 = 300 * 1024;

const ACTIONS: usize = 1000;

fn main() -> Result<()> {
    let arguments: Vec<PathBuf> = std::env::args_os().skip(1).map(PathBuf::from).collect();
    if cfg!(debug_assertions) {
        // `cargo test --benches` runs this too.
        println!("nothing is measured without optimisation");
        return Ok(());
    }
    let given = arguments
        .into_iter()
        .find(|argument| argument.as_path() != Path::new("--bench"));
    let trace = match given {
        Some(path) => path,
        None => long_trace(Path::new(env!("CARGO_TARGET_TMPDIR")))?.path,
    };
    measure(&trace)
}

/// Works on one trace and prints the cost of each kind of action.
fn measure(trace: &Path) -> Result<()> {
    let mut user = User::open(trace)?;
    println!("{}: {} steps", trace.display(), user.step_count());
    println!(
        "{:<16} {:>7} {:>7} {:>7} {:>7}",
        "frames, ms", "number", "p50", "p99", "longest"
    );
    let mut all = Times::default();
    let mut by_kind: Vec<(&str, Times)> = Vec::new();
    for action in Actions::new(user.step_count()).take(ACTIONS) {
        let place = by_kind
            .iter()
            .position(|(kind, _)| *kind == action.kind)
            .unwrap_or_else(|| {
                by_kind.push((action.kind, Times::default()));
                by_kind.len() - 1
            });
        for time in user.act(action)? {
            all.add(Some(time));
            by_kind[place].1.add(Some(time));
        }
    }
    for (kind, times) in &mut by_kind {
        println!("{kind:<16} {:>7}{}", times.count(), times.summary());
    }
    println!("{:<16} {:>7}{}", "all", all.count(), all.summary());
    let p99 = all.per_mille(990);
    println!(
        "p99 is {:.2} of the goal of {} ms",
        p99.as_secs_f64() / FRAME.as_secs_f64(),
        FRAME.as_millis()
    );
    match status_kib("RssAnon") {
        Some(own) => println!(
            "{} MB of memory are the window's own, {:.2} of the goal of {} MB",
            own / 1024,
            own as f64 / MEMORY_KIB as f64,
            MEMORY_KIB / 1024
        ),
        None => println!("this system does not tell how much memory is the window's own"),
    }
    Ok(())
}
