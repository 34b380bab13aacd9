//! Cost of a build: time, memory and size of the index.

use std::fs::File;
use std::path::Path;
use std::process::Command;
use std::sync::OnceLock;
use std::time::{Duration, Instant};

use anyhow::{Context as _, Result, ensure};
use stepback_benches::places::ask;
use stepback_benches::{Trace, cpu_time, status_kib, with_peak_memory};
use stepback_index::build::{Build, BuildOptions, BuildProgress, Fingerprint};
use stepback_index::query::{MemoryAt, RegistersAt, Steps};
use stepback_index::{Cancel, Index};
use stepback_machine::Address;
use stepback_parsers::{Position, ReadAt as _, Step};

/// First argument of a child process that builds.
pub const CHILD: &str = "--build";
/// Number of threads: one per core, with parts shown before the build is complete.
const TELLING: usize = 0;
/// Number of threads of a large machine, for which memory has a goal.
const MANY: usize = 16;
/// Number of builds; the median counts.
const BUILDS: usize = 5;

/// Cost of a build.
#[derive(Clone, Copy, Debug)]
pub struct Cost {
    wall: f64,
    cpu: f64,
    /// Seconds until something could be shown.
    first: f64,
    /// Seconds in which segments were taken in order.
    ordered: f64,
    /// Seconds of the call search.
    calls: f64,
    /// Seconds after the last segment.
    finish: f64,
    anonymous_kib: u64,
    resident_kib: u64,
    steps: u64,
    index_bytes: u64,
}

/// Modification time in all fingerprints: benches open indexes that they built themselves.
pub const MODIFIED: u64 = 0;

/// Builds once and prints the cost.
pub fn run_child(trace: &Path, index: &Path, threads: usize) -> Result<()> {
    let first = OnceLock::new();
    let trace = Trace {
        name: String::new(),
        path: trace.to_owned(),
    };
    let (start, cpu) = (Instant::now(), cpu_time().unwrap_or_default());
    let (built, anonymous) = with_peak_memory(|| {
        let source = trace.open()?;
        let fingerprint = Fingerprint::of(source.as_ref(), MODIFIED)?;
        let options = BuildOptions {
            threads,
            ..BuildOptions::default()
        };
        let (progress, cancel) = (BuildProgress::default(), Cancel::default());
        let build = Build::new(&source, &fingerprint, &options, &progress, &cancel).anew();
        let on_part = |part| {
            first.get_or_init(|| screen(&part).then(|| start.elapsed()));
        };
        let build = if threads == TELLING {
            build.reporting_parts(&on_part)
        } else {
            build
        };
        anyhow::Ok(build.to_file(index)?)
    });
    let (wall, cpu) = (
        start.elapsed(),
        cpu_time().unwrap_or_default().saturating_sub(cpu),
    );
    let summary = built?;
    let stages = summary.stages;
    let resident = status_kib("VmHWM").unwrap_or_default();
    let (wall, cpu) = (wall.as_secs_f64(), cpu.as_secs_f64());
    // A trace of few segments is complete before a part of it is shown.
    let first = first
        .into_inner()
        .flatten()
        .map_or(wall, |first: Duration| first.as_secs_f64());
    println!(
        "{wall} {cpu} {first} {} {} {} {anonymous} {resident} {} {}",
        stages.ordered.as_secs_f64(),
        stages.calls.as_secs_f64(),
        stages.finish.as_secs_f64(),
        summary.steps,
        summary.index_bytes
    );
    Ok(())
}

/// Runs the queries of the first screen: steps, registers, memory.
fn screen(part: &Index) -> bool {
    let position = Position(part.step_count().min(40));
    let steps = ask(
        part,
        Steps {
            first: Step(0),
            count: 60,
        },
    );
    let registers = ask(
        part,
        RegistersAt {
            position,
            thread: None,
        },
    );
    let memory = ask(
        part,
        MemoryAt {
            position,
            address: Address(0),
            len_bytes: 512,
        },
    );
    steps.is_ok() && registers.is_ok() && memory.is_ok()
}

/// Builds in a separate process.
pub fn build_apart(trace: &Trace, index: &Path, threads: usize) -> Result<Cost> {
    let mut command = Command::new(std::env::current_exe()?);
    let output = command
        .arg(CHILD)
        .arg(&trace.path)
        .arg(index)
        .arg(threads.to_string())
        .output()?;
    let text = String::from_utf8_lossy(&output.stdout);
    ensure!(
        output.status.success(),
        "{}",
        String::from_utf8_lossy(&output.stderr)
    );
    let numbers: Vec<f64> = text
        .split_whitespace()
        .map(str::parse)
        .collect::<Result<_, _>>()?;
    let [
        wall,
        cpu,
        first,
        ordered,
        calls,
        finish,
        anonymous,
        resident,
        steps,
        index_bytes,
    ] = numbers[..]
    else {
        anyhow::bail!("the build says {text:?}");
    };
    let [anonymous_kib, resident_kib, steps, index_bytes] =
        [anonymous, resident, steps, index_bytes].map(|number| number as u64);
    Ok(Cost {
        wall,
        cpu,
        first,
        ordered,
        calls,
        finish,
        anonymous_kib,
        resident_kib,
        steps,
        index_bytes,
    })
}

fn median(mut numbers: Vec<f64>) -> f64 {
    numbers.sort_by(f64::total_cmp);
    numbers.get(numbers.len() / 2).copied().unwrap_or_default()
}

/// Returns the CPU seconds of a pass that only finds line ends, with the parser's way of reading.
fn floor(trace: &Trace) -> Result<f64> {
    let file = File::open(&trace.path).with_context(|| format!("{:?}", trace.path))?;
    let mut buffer = vec![0; 1 << 20];
    let mut pass = || -> Result<f64> {
        let (start, mut offset, mut lines) = (cpu_time().unwrap_or_default(), 0, 0);
        loop {
            let count = file.read_at(offset, &mut buffer)?;
            if count == 0 {
                std::hint::black_box(lines);
                return Ok(cpu_time()
                    .unwrap_or_default()
                    .saturating_sub(start)
                    .as_secs_f64());
            }
            let mut rest = &buffer[..count];
            // Finds one line at a time, as any line-based reader must.
            while let Some(end) = memchr::memchr(b'\n', rest) {
                rest = std::hint::black_box(&rest[end + 1..]);
                lines += 1;
            }
            offset += count as u64;
        }
    };
    let times: Result<Vec<f64>> = (0..3).map(|_| pass()).collect();
    Ok(median(times?))
}

/// Builds with one and with two threads and prints the results.
pub fn report(trace: &Trace, index: &Path) -> Result<()> {
    let bytes = trace.path.metadata()?.len() as f64;
    let floor = floor(trace)?;
    let count = if bytes > 4e9 { 1 } else { BUILDS };
    let builds = |threads| {
        (0..count)
            .map(|_| build_apart(trace, index, threads))
            .collect::<Result<Vec<_>>>()
    };
    let (one, telling, two) = (builds(1)?, builds(TELLING)?, builds(2)?);
    let many = build_apart(trace, index, MANY)?;
    let Some(last) = two.last() else {
        return Ok(());
    };
    let of = |costs: &[Cost], number: fn(&Cost) -> f64| median(costs.iter().map(number).collect());
    let (cpu, wall) = (of(&one, |cost| cost.cpu), of(&one, |cost| cost.wall));
    let (cpu_two, wall_two) = (of(&two, |cost| cost.cpu), of(&two, |cost| cost.wall));
    let steps = last.steps as f64;
    let speed = |seconds: f64| bytes / seconds / 1e9;
    println!(
        "\n== {}: {:.0} MB, {} steps, {:.1} bytes a step",
        trace.name,
        bytes / 1e6,
        last.steps,
        bytes / steps
    );
    println!("line ends alone         {:6.2} GB/s of CPU", speed(floor));
    println!(
        "build, one thread       {:6.2} GB/s of CPU, {:.2} GB/s wall, {:.1} times the line ends, {:.1} ns a step",
        speed(cpu),
        speed(wall),
        cpu / floor,
        cpu / steps * 1e9
    );
    println!(
        "build, two threads      {:6.2} GB/s of CPU, {:.2} GB/s wall, {:.1} million steps/s wall",
        speed(cpu_two),
        speed(wall_two),
        steps / wall_two / 1e6
    );
    let ordered = of(&one, |cost| cost.ordered / cost.wall);
    let calls = of(&one, |cost| cost.calls / cost.wall);
    let finish = of(&one, |cost| cost.finish / cost.wall);
    // Threads parse while one takes segments and one searches for calls, so the slowest of the
    // three counts. By Amdahl's law the end, where all others wait, is added.
    let times_faster =
        |threads: f64| 1.0 / (((1.0 - finish) / threads).max(ordered).max(calls) + finish);
    println!(
        "one worker at a time    {:6.1} % in order, {:.1} % calls, {:.1} % end: at most {:.1} times faster on 16 threads, {:.1} on 64",
        ordered * 100.0,
        calls * 100.0,
        finish * 100.0,
        times_faster(16.0),
        times_faster(64.0)
    );
    println!(
        "first screen            {:6.0} ms",
        of(&telling, |cost| cost.first) * 1e3
    );
    let index_bytes = last.index_bytes as f64;
    println!(
        "index                   {:6.4} of the text, {:.2} bytes a step",
        index_bytes / bytes,
        index_bytes / steps
    );
    let mib = |costs: &[Cost], number: fn(&Cost) -> u64| {
        costs.iter().map(number).max().unwrap_or_default() >> 10
    };
    println!(
        "memory, one / two / {MANY}  anonymous {} / {} / {} MiB, resident {} / {} / {} MiB",
        mib(&one, |cost| cost.anonymous_kib),
        mib(&two, |cost| cost.anonymous_kib),
        many.anonymous_kib >> 10,
        mib(&one, |cost| cost.resident_kib),
        mib(&two, |cost| cost.resident_kib),
        many.resident_kib >> 10
    );
    Ok(())
}
