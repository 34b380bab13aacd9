//! Runs `stepback browse`.

use std::process::ExitCode;

use anyhow::{Result, bail};

use super::browse::{BrowseArguments, Browsed, OpenBrowser};
use super::options::ReportOptions;
use super::progress;
use super::window::refuse_missing;
use stepback_debugger::session::{OpenOptions, demo_path, is_same_file};

/// Opens the browser and waits until the user closes it.
pub fn run(arguments: &BrowseArguments, open_browser: OpenBrowser) -> Result<ExitCode> {
    let trace = arguments.trace_and_place().trace;
    trace.as_deref().map_or(Ok(()), refuse_missing)?;
    if arguments.options.only_index {
        let open: OpenOptions = match trace {
            Some(trace) => arguments.options.to_open_options(&trace),
            None => arguments.options.to_open_options(&demo_path()?),
        };
        progress::open(&open, &ReportOptions::default())?;
        return Ok(ExitCode::SUCCESS);
    }
    if let (Some(picture), Some(trace)) = (&arguments.screenshot, &trace)
        && is_same_file(picture, trace)
    {
        bail!("the picture would overwrite the trace: {picture:?}");
    }
    match open_browser(arguments)? {
        Browsed::Done => Ok(ExitCode::SUCCESS),
        Browsed::NoTerminal(why) => {
            bail!(
                "no browser is possible: {why} (a script with --run, --screenshot and --quit needs none)"
            )
        }
    }
}
