//! Stepback: a time-travel debugger for recorded CPU instruction traces.
//!
//! Parses the command line and opens the front end of a command; see ARCHITECTURE.md for the map.

mod cli;
mod servers;

use std::process::ExitCode;

use anyhow::Result;

use crate::cli::{BrowseArguments, FrontEndLaunch, FrontEnds, WindowArguments, parse, run};
#[cfg(any(feature = "window", feature = "terminal"))]
use crate::servers::gdb::serve_shared;
use crate::servers::mcp::serve;

#[cfg(any(feature = "window", feature = "terminal"))]
use stepback_debugger::desk::TraceChoice;
#[cfg(any(feature = "window", feature = "terminal"))]
use stepback_debugger::paths::settings_path;
#[cfg(feature = "terminal")]
use stepback_terminal::{BrowserOptions, BrowserOutcome, run as run_browser};
#[cfg(feature = "window")]
use stepback_window::{WindowOptions, WindowOutcome, run as run_window};

fn main() -> ExitCode {
    run(
        &parse(),
        FrontEnds {
            window: open_window,
            browser: open_browser,
            mcp: serve,
        },
    )
}

#[cfg(feature = "window")]
fn open_window(arguments: &WindowArguments) -> Result<FrontEndLaunch> {
    let (trace, at) = arguments.trace_and_place();
    let of_path = || {
        trace
            .as_deref()
            .map(|path| TraceChoice::of(arguments.options.to_open_options(path)))
    };
    let outcome = run_window(WindowOptions {
        trace: if arguments.demo {
            Some(TraceChoice::Demo)
        } else {
            of_path()
        },
        at,
        compare: arguments.compare.clone(),
        sync: arguments.sync,
        gdb_server: Some(serve_shared),
        script: arguments.run.clone(),
        screenshot: arguments.screenshot.clone(),
        size: arguments.size,
        quit: arguments.quit,
        shows_parts: true,
        settings_file: settings_path(),
    })?;
    Ok(match outcome {
        WindowOutcome::Done => FrontEndLaunch::Done,
        WindowOutcome::NoWindow(why) => FrontEndLaunch::Impossible(why),
    })
}

#[cfg(not(feature = "window"))]
fn open_window(_: &WindowArguments) -> Result<FrontEndLaunch> {
    Ok(FrontEndLaunch::Impossible(
        "this program was built without a window".to_owned(),
    ))
}

#[cfg(feature = "terminal")]
fn open_browser(arguments: &BrowseArguments) -> Result<FrontEndLaunch> {
    let (trace, at) = arguments.trace_and_place();
    let of_path = || {
        trace
            .as_deref()
            .map(|path| TraceChoice::of(arguments.options.to_open_options(path)))
    };
    let side = |side: u32| u16::try_from(side).unwrap_or(u16::MAX);
    let outcome = run_browser(BrowserOptions {
        trace: if arguments.demo {
            Some(TraceChoice::Demo)
        } else {
            of_path()
        },
        at,
        compare: arguments.compare.clone(),
        sync: arguments.sync,
        gdb_server: Some(serve_shared),
        script: arguments.run.clone(),
        screenshot: arguments.screenshot.clone(),
        size: arguments
            .size
            .map(|(columns, rows)| (side(columns), side(rows))),
        quit: arguments.quit,
        is_ascii: arguments.ascii,
        settings_file: settings_path(),
    })?;
    Ok(match outcome {
        BrowserOutcome::Done => FrontEndLaunch::Done,
        BrowserOutcome::NoTerminal(why) => FrontEndLaunch::Impossible(why),
    })
}

#[cfg(not(feature = "terminal"))]
fn open_browser(_: &BrowseArguments) -> Result<FrontEndLaunch> {
    Ok(FrontEndLaunch::Impossible(
        "this program was built without the browser".to_owned(),
    ))
}
