//! From a command to an exit status.

use std::process::ExitCode;
use std::time::{Duration, Instant};

use anyhow::{Result, anyhow, bail};
use clap::CommandFactory as _;
use clap::error::ErrorKind;

use super::arguments::{Arguments, Command, TraceArguments};
use super::progress::{self, say};
use super::report::{OutputError, Report};
use super::text::{counted, printable};
use super::{
    at, callinfo, calltree, convert, counts, diff, find, flamegraph, follow, heap, heat, index, info, list, profile,
    syscalls, threads, truncate, vcd, window,
};
use crate::model::so_far::SoFar;
use crate::session::{Session, TraceFiles, no_tail_calls};

/// Does what was typed.
pub fn run(arguments: &Arguments) -> ExitCode {
    let outcome = match &arguments.command {
        Some(command) => {
            if let Err(message) = command.check() {
                return wrong_command_line(&message);
            }
            answer(command).map(|()| ExitCode::SUCCESS)
        }
        None => window::run(&arguments.window),
    };
    match outcome {
        Ok(code) => code,
        Err(error) if error.downcast_ref().is_some_and(OutputError::is_reader_gone) => ExitCode::SUCCESS,
        Err(error) => {
            say(&format!("error: {error:#}"));
            ExitCode::FAILURE
        }
    }
}

/// Says it as clap says what it finds itself: with status 2.
fn wrong_command_line(message: &str) -> ExitCode {
    let _unread = Arguments::command().error(ErrorKind::ValueValidation, message).print();
    ExitCode::from(2)
}

impl Command {
    /// Says what is wrong with the spelling, as far as it shows without the trace.
    fn check(&self) -> Result<(), String> {
        match self {
            Self::At(at) => at.check(),
            Self::Find(find) => find.check(),
            Self::Heap(heap) => heap.check(),
            Self::Vcd(vcd) => vcd.check(),
            Self::Truncate(truncate) => truncate.check(),
            Self::Convert(convert) => convert.check(),
            _ => Ok(()),
        }
    }
}

impl Command {
    /// Says what to use instead where a command is for another format: before an index is built in vain.
    fn refuse_formats(&self) -> Result<()> {
        let (trace, advice) = match self {
            Self::Vcd(vcd) => (
                Some(&vcd.common.trace),
                "a drmemtrace trace has no values that a waveform could show: use calltree or flamegraph",
            ),
            Self::Truncate(truncate) => (
                truncate.trace.as_ref(),
                "only Tarmac traces can be cut: list --records prints a part of a drmemtrace trace, DynamoRIO's record_filter copies one",
            ),
            Self::Convert(convert) => (
                Some(&convert.common.trace),
                "only Tarmac traces can be converted: list --records --json prints a drmemtrace trace for other programs",
            ),
            _ => return Ok(()),
        };
        match trace.filter(|trace| TraceFiles::are_at(trace)) {
            Some(trace) => bail!("{advice}: {trace:?}"),
            None => Ok(()),
        }
    }
}

fn answer(command: &Command) -> Result<()> {
    command.refuse_formats()?;
    let Some(TraceArguments { trace, options, report: printing }) = command.common() else {
        return match command {
            Command::Truncate(truncate) => truncate::run(truncate),
            Command::Convert(convert) => convert::run(convert),
            _ => Ok(()),
        };
    };
    let began = Instant::now();
    let mut open = options.to_open_options(trace);
    open.is_index_wanted |= matches!(command, Command::Index(_));
    if let Command::List(list) = command
        && list.follow
    {
        return follow::run(list, &open);
    }
    let session = match options.so_far {
        true => progress::open_so_far(&open, printing)?,
        false => progress::open(&open, printing)?,
    };
    let took = began.elapsed();
    if !printing.quiet {
        tell(&session);
        if options.so_far {
            tell_so_far(&session);
        }
    }
    if options.only_index && !matches!(command, Command::Index(_)) {
        return Ok(());
    }
    let mut report = match command {
        // Its file is the waveform, and what it prints is about that.
        Command::Vcd(_) => Report::on_standard_output(&session, printing),
        _ => Report::new(&session, printing)?,
    };
    let asked = ask(command, took, &mut report).map_err(|error| match error.is::<OutputError>() {
        true => error,
        false => anyhow!("{error:#}: {trace:?}"),
    });
    if let Some(error) = session.index.tail_call_error().filter(|_| !printing.quiet) {
        say(&format!("note: {}", no_tail_calls(error)));
    }
    asked
}

/// Errors do not name the trace.
fn ask(command: &Command, took: Duration, report: &mut Report<'_>) -> Result<()> {
    match command {
        Command::Index(_) => index::run(took, report)?,
        Command::Info(_) => info::run(report)?,
        Command::List(list) => list::run(list, report)?,
        Command::At(at) => at::run(at, report)?,
        Command::Find(find) => find::run(find, report)?,
        Command::Calltree(calltree) => calltree::run(calltree, report)?,
        Command::Callinfo(callinfo) => callinfo::run(callinfo, report)?,
        Command::Profile(profile) => profile::run(profile, report)?,
        Command::Flamegraph(flamegraph) => flamegraph::run(flamegraph, report)?,
        Command::Diff(diff) => diff::run(diff, report)?,
        Command::Counts(_) => counts::run(report)?,
        Command::Syscalls(syscalls) => syscalls::run(syscalls, report)?,
        Command::Threads(_) => threads::run(report)?,
        Command::Heap(heap) => heap::run(heap, report)?,
        Command::Heat(heat) => heat::run(heat, report)?,
        Command::Vcd(vcd) => vcd::run(vcd, report)?,
        // Done without a session.
        Command::Truncate(_) | Command::Convert(_) => {}
    }
    report.flush()
}

/// Says on standard error what an answer is worth that is so far.
fn tell_so_far(session: &Session) {
    if let Some(part) = SoFar::of(session) {
        let (steps, share) = (counted(part.steps, "step"), part.per_cent());
        say(&format!("note: so far: the first {steps} ({share} % of the trace); the next run goes on from there"));
    }
}

/// Says on standard error what the user should know about the trace before he trusts the answers.
fn tell(session: &Session) {
    for notice in &session.notices {
        say(&format!("note: {notice}"));
    }
    if session.index.step_count() == 0 {
        say(&format!("note: the trace shows no instruction: {:?}", session.path));
    }
    if let Some(first) = session.index.warnings().first() {
        let problems = counted(session.index.info().warning_count, "problem");
        let (line, offset, message) = (first.line, first.offset, printable(&first.message));
        say(&format!(
            "note: {problems} in the trace, the first in line {line}, byte {offset}: {message}: {:?}",
            session.path
        ));
    }
}
