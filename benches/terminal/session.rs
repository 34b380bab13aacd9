//! A session of keys.

use std::path::Path;
use std::process::Command;
use std::time::{Duration, Instant};

use anyhow::{Context as _, Result};
use stepback_benches::PseudoTerminal;
use stepback_benches::percentiles::milliseconds;

const SIZE: (u16, u16) = (100, 40);
/// Longer than the answer to any key takes.
const QUIET: Duration = Duration::from_millis(60);
/// Number of keys pressed one after another.
const PRESSED: u32 = 200;
/// Number of steps for which a key is held.
const HELD: u32 = 1000;
/// Interval of a held key; a keyboard repeats some thirty times a second.
const REPEAT: Duration = Duration::from_millis(2);
/// Duration of the idle phase.
const IDLE: Duration = Duration::from_secs(5);

const DOWN: &[u8] = b"\x1b[B";
const UP: &[u8] = b"\x1b[A";
const PAGE_DOWN: &[u8] = b"\x1b[6~";

/// Opens a trace, walks through it, holds a key, stays idle, and prints the costs.
pub fn measure(trace: &Path) -> Result<()> {
    let place = std::env::temp_dir().join(format!("stepback-bench-{}", std::process::id()));
    let measured = measure_in(trace, &place);
    std::fs::remove_dir_all(&place)?;
    measured
}

fn measure_in(trace: &Path, place: &Path) -> Result<()> {
    let mut command = Command::new(env!("CARGO_BIN_EXE_stepback"));
    command
        .arg("browse")
        .arg(trace)
        .env("TERM", "xterm-256color")
        .env("LC_ALL", "C.UTF-8");
    // No existing index, session or setting is used or changed.
    for name in ["HOME", "XDG_CACHE_HOME", "XDG_CONFIG_HOME", "XDG_DATA_HOME"] {
        command.env(name, place.join(name));
    }
    std::fs::create_dir_all(place)?;
    command.arg("--index").arg(place.join("it.sbi"));
    let start = Instant::now();
    let mut terminal = PseudoTerminal::run(command, SIZE)?;
    let first = terminal
        .until("\u{2500} 0 \u{2500}")
        .context("no step was shown")?;
    println!("first screen      {:>7} ms", milliseconds(first - start));
    // The index is still being built.
    terminal.until_quiet(Duration::from_secs(3));
    println!(
        "whole index       {:>7} ms of CPU",
        milliseconds(terminal.cpu_time().unwrap_or_default())
    );
    for (name, key) in [("step", DOWN), ("step back", UP), ("page", PAGE_DOWN)] {
        press(&mut terminal, name, key)?;
    }
    terminal.send(b"\x1b[F")?;
    terminal.until_quiet(QUIET);
    press(&mut terminal, "step at the end", UP)?;
    terminal.send(b"\x0750%\r")?;
    terminal.until_quiet(QUIET);
    hold(&mut terminal)?;
    idle(&terminal);
    for name in ["RssAnon", "VmRSS"] {
        println!(
            "{name:<17} {:>7} KiB",
            terminal.status_kib(name).unwrap_or_default()
        );
    }
    terminal.send(b"q")
}

/// Presses a key repeatedly, each time after the previous screen is complete.
fn press(terminal: &mut PseudoTerminal, name: &str, key: &[u8]) -> Result<()> {
    let (before, mut bytes, mut waited) = (terminal.cpu_time(), 0, Duration::ZERO);
    for _ in 0..PRESSED {
        let pressed = Instant::now();
        terminal.send(key)?;
        let sent = terminal.until_quiet(QUIET);
        bytes += sent.bytes.len();
        waited += sent.first.map_or(Duration::ZERO, |first| first - pressed);
    }
    println!(
        "{name:<17} {:>7} ms of CPU, {:>6} ms to the first byte, {} bytes",
        milliseconds(since(terminal, before) / PRESSED),
        milliseconds(waited / PRESSED),
        bytes / PRESSED as usize
    );
    Ok(())
}

/// Holds a key. The drawing left after its release shows the length of the queue.
fn hold(terminal: &mut PseudoTerminal) -> Result<()> {
    let before = terminal.cpu_time();
    for _ in 0..HELD {
        terminal.send(DOWN)?;
        std::thread::sleep(REPEAT);
    }
    let released = Instant::now();
    let sent = terminal.until_quiet(4 * QUIET);
    let left = sent.last.map_or(Duration::ZERO, |last| {
        last.saturating_duration_since(released)
    });
    println!(
        "held for {HELD}     {:>7} ms of CPU a step, {} bytes, {} ms from the last key to the last byte",
        milliseconds(since(terminal, before) / HELD),
        sent.bytes.len() / HELD as usize,
        milliseconds(left)
    );
    Ok(())
}

fn idle(terminal: &PseudoTerminal) {
    let before = terminal.cpu_time();
    std::thread::sleep(IDLE);
    println!(
        "idle for {} s      {:>7} ms of CPU",
        IDLE.as_secs(),
        milliseconds(since(terminal, before))
    );
}

fn since(terminal: &PseudoTerminal, before: Option<Duration>) -> Duration {
    let now = terminal.cpu_time().unwrap_or_default();
    now.saturating_sub(before.unwrap_or_default())
}
