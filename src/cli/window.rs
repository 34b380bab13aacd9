//! The window, and what is said where no window is possible.

use std::io::{self, Write as _};
use std::process::ExitCode;

use anyhow::{Result, bail};

use super::arguments::WindowArguments;
use super::info;
use super::options::ReportOptions;
use super::progress::{self, say};
use super::report::Report;
use crate::session::{OpenOptions, demo_path, is_same_file};
use crate::window::{Outcome, TraceChoice, WindowOptions, run as run_window};

/// How to go on without a window.
const HOW_TO_ASK: &str = "\
Every question can be asked on the command line as well:
  stepback info TRACE                        what the trace is
  stepback list TRACE --from 100 --count 20  steps with what they did
  stepback at TRACE 50%                      registers and memory at a position
  stepback find TRACE last-write x0          who wrote it last
  stepback calltree TRACE                    the calls as a tree
  stepback diff TRACE start end              what differs between two positions
  stepback --help                            all of it
";

/// Opens the window and waits for its end.
pub fn run(arguments: &WindowArguments) -> Result<ExitCode> {
    if arguments.options.only_index {
        let Some(open) = open_options(arguments)? else { bail!("a trace is needed to build its index") };
        progress::open(&open, &ReportOptions::default())?;
        return Ok(ExitCode::SUCCESS);
    }
    if let (Some(picture), Some(trace)) = (&arguments.screenshot, &arguments.trace)
        && is_same_file(picture, trace)
    {
        bail!("the picture would overwrite the trace: {picture:?}");
    }
    let outcome = run_window(WindowOptions {
        trace: trace_choice(arguments),
        script: arguments.run.clone(),
        screenshot: arguments.screenshot.clone(),
        size: arguments.size,
        quit: arguments.quit,
        shows_parts: true,
    })?;
    match outcome {
        Outcome::Done => Ok(ExitCode::SUCCESS),
        Outcome::NoWindow(why) => do_without(arguments, &why),
    }
}

fn trace_choice(arguments: &WindowArguments) -> Option<TraceChoice> {
    let path = arguments.trace.as_deref();
    let of_path = || path.map(|path| TraceChoice::Path(arguments.options.to_open_options(path)));
    if arguments.demo { Some(TraceChoice::Demo) } else { of_path() }
}

fn do_without(arguments: &WindowArguments, why: &str) -> Result<ExitCode> {
    say(&format!("no window is possible: {why}"));
    if arguments.screenshot.is_some() {
        return Ok(ExitCode::FAILURE);
    }
    if let Some(open) = open_options(arguments)? {
        print_info(&open)?;
    }
    // That nobody reads it is no error.
    let _unread = io::stdout().write_all(HOW_TO_ASK.as_bytes());
    Ok(ExitCode::SUCCESS)
}

/// None without a trace.
fn open_options(arguments: &WindowArguments) -> Result<Option<OpenOptions>> {
    let trace = match (&arguments.trace, arguments.demo) {
        (_, true) => demo_path()?,
        (Some(path), false) => path.clone(),
        (None, false) => return Ok(None),
    };
    Ok(Some(arguments.options.to_open_options(&trace)))
}

fn print_info(open: &OpenOptions) -> Result<()> {
    let printing = ReportOptions::default();
    let session = progress::open(open, &printing)?;
    let mut report = Report::new(&session, &printing)?;
    info::run(&mut report)?;
    report.text("\n")?;
    report.flush()
}
