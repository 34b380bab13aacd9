//! Opens the window, or the browser in the terminal if no window is possible, or explains how to
//! use the program without either. `main` passes both front ends in ([`FrontEnds`]), because the
//! command line must not depend on them.

use std::io;
use std::io::{ErrorKind, IsTerminal as _, Write as _};
use std::path::{Path, PathBuf};
use std::process::ExitCode;

use anyhow::{Error, Result, bail};
use clap::Args;
use stepback_debugger::session::{OpenOptions, demo_path, is_same_file};
use stepback_debugger::sync::SyncPorts;
use stepback_index::build::BuildProgress;

use crate::cli::arguments::neither;
use crate::cli::browse::{
    BrowseArguments, FrontEndLaunch, OpenBrowser, parse_size, trace_and_place,
};
use crate::cli::info::print_info;
use crate::cli::mcp::ServeMcp;
use crate::cli::options::{ReportOptions, TraceOptions};
use crate::cli::progress;
use crate::cli::progress::say;
use crate::cli::report::{Destination, Report, ResumableOutput};

/// Help on using the program without a window.
const HOW_TO_ASK: &str = "\
Every question can be asked on the command line as well:
  stepback browse TRACE                      the browser in a terminal
  stepback info TRACE                        a description of the trace
  stepback list TRACE --from 100 --count 20  steps with what they did
  stepback at TRACE 50%                      registers and memory at a position
  stepback find TRACE last-write x0          the last write of a register
  stepback calltree TRACE                    the calls as a tree
  stepback diff TRACE start end              what differs between two positions
  stepback --help                            all commands
";

#[derive(Debug, Args)]
pub struct WindowArguments {
    /// The trace to open, or TRACE@POS to begin at a position, or a session; without one the start
    /// screen is shown.
    #[arg(value_name = "TRACE")]
    pub trace: Option<PathBuf>,
    /// Open the built-in demo; --demo@POS begins at a position.
    #[arg(long, conflicts_with = "trace")]
    pub demo: bool,
    /// The position at which the demo begins: typed as --demo@POS.
    #[arg(long, value_name = "POS", requires = "demo", hide = true)]
    pub demo_at: Option<String>,
    /// Another trace to compare with, as Compare with trace… does.
    #[arg(long, value_name = "B")]
    pub compare: Option<PathBuf>,
    /// Keep IDA, Ghidra or Binary Ninja (ret-sync, port 9100) and Surfer (port 54321) at the
    /// position, on this machine. Other ports: --sync=9200,12345.
    #[arg(long, value_name = "PORTS", num_args = 0..=1, require_equals = true, default_missing_value = "9100")]
    pub sync: Option<SyncPorts>,
    /// Perform the actions listed in a file, one per line.
    #[arg(long, value_name = "FILE", hide_short_help = true)]
    pub run: Option<PathBuf>,
    /// Save a picture of the window afterwards.
    #[arg(long, value_name = "PNG", hide_short_help = true)]
    pub screenshot: Option<PathBuf>,
    /// Size of the window.
    #[arg(long, value_name = "WxH", value_parser = parse_size, hide_short_help = true)]
    pub size: Option<(u32, u32)>,
    /// Quit afterwards.
    #[arg(long, hide_short_help = true)]
    pub quit: bool,
    #[command(flatten)]
    pub options: TraceOptions,
}

impl WindowArguments {
    /// Returns the trace and the position: `TRACE@44012`, unless a file has this name.
    pub fn trace_and_place(&self) -> (Option<PathBuf>, Option<String>) {
        match &self.demo_at {
            Some(at) => (None, Some(at.clone())),
            None => trace_and_place(self.trace.as_deref()),
        }
    }

    /// Returns the arguments for the browser in a terminal.
    fn browse(&self) -> BrowseArguments {
        BrowseArguments {
            trace: self.trace.clone(),
            demo: self.demo,
            demo_at: self.demo_at.clone(),
            compare: self.compare.clone(),
            sync: self.sync,
            run: self.run.clone(),
            screenshot: None,
            size: None,
            quit: false,
            ascii: false,
            options: self.options.clone(),
        }
    }
}

/// The front ends. `main` passes both in because the command line must depend on neither.
#[derive(Clone, Copy)]
pub struct FrontEnds {
    /// The window.
    pub window: OpenWindow,
    /// The browser in the terminal.
    pub browser: OpenBrowser,
    /// The server for agents.
    pub mcp: ServeMcp,
}

/// Shows the window and waits until the user closes it.
///
/// `main` passes this in because the command line must not depend on the window.
pub type OpenWindow = fn(&WindowArguments) -> Result<FrontEndLaunch>;

/// Opens the window and waits until the user closes it.
pub fn run(arguments: &WindowArguments, front: FrontEnds) -> Result<ExitCode> {
    if arguments.options.only_index {
        let Some(open) = open_options(arguments)? else {
            bail!("a trace is needed to build its index")
        };
        progress::open(&open, &ReportOptions::default())?;
        return Ok(ExitCode::SUCCESS);
    }
    if let (Some(picture), Some(trace)) = (&arguments.screenshot, &arguments.trace)
        && is_same_file(picture, trace)
    {
        bail!(
            "{}: the picture would overwrite the trace",
            picture.display()
        );
    }
    if let Some(trace) = arguments.trace_and_place().0.as_deref() {
        refuse_missing(trace)?;
    }
    if let Some(other) = arguments.compare.as_deref() {
        refuse_missing(other)?;
    }
    match (front.window)(arguments)? {
        FrontEndLaunch::Done => Ok(ExitCode::SUCCESS),
        FrontEndLaunch::Impossible(why) => do_without(arguments, &why, front.browser),
    }
}

/// Returns an error for a missing file. Otherwise a window without a trace would stay open.
pub fn refuse_missing(trace: &Path) -> Result<()> {
    let is_missing = trace
        .metadata()
        .is_err_and(|error| error.kind() == ErrorKind::NotFound);
    let why = || {
        trace
            .to_str()
            .and_then(neither)
            .unwrap_or_else(|| format!("{}: there is no such file", trace.display()))
    };
    if is_missing {
        Err(Error::msg(why()))
    } else {
        Ok(())
    }
}

fn do_without(
    arguments: &WindowArguments,
    why: &str,
    open_browser: OpenBrowser,
) -> Result<ExitCode> {
    let is_requested_itself = arguments.screenshot.is_none() && !arguments.quit;
    let has_trace = arguments.demo || arguments.trace.is_some();
    if is_requested_itself
        && has_trace
        && has_terminal()
        && open_browser(&arguments.browse())? == FrontEndLaunch::Done
    {
        return Ok(ExitCode::SUCCESS);
    }
    say(&format!("cannot open a window: {why}"));
    if arguments.screenshot.is_some() {
        return Ok(ExitCode::FAILURE);
    }
    if let Some(open) = open_options(arguments)? {
        tell_of(&open)?;
    }
    // It does not matter whether standard output is still open.
    let _unread = io::stdout().write_all(HOW_TO_ASK.as_bytes());
    Ok(ExitCode::SUCCESS)
}

/// Returns true if input and output are terminals.
fn has_terminal() -> bool {
    io::stdin().is_terminal() && io::stdout().is_terminal()
}

/// Returns the options to open the trace. None without a trace.
fn open_options(arguments: &WindowArguments) -> Result<Option<OpenOptions>> {
    let trace = match (arguments.trace_and_place().0, arguments.demo) {
        (_, true) => demo_path()?,
        (Some(path), false) => path,
        (None, false) => return Ok(None),
    };
    Ok(Some(arguments.options.to_open_options(&trace)))
}

/// Prints a summary of the trace.
fn tell_of(open: &OpenOptions) -> Result<()> {
    let printing = ReportOptions::default();
    let session = progress::open(open, &printing)?;
    let progress = BuildProgress::default();
    let mut out = ResumableOutput::new(Destination::standard_output());
    let mut report = Report::new(&session, &printing, &progress, &mut out);
    print_info(&mut report)?;
    report.text("\n")?;
    out.finish()
}

/// Opens the browser and waits until the user closes it.
pub fn run_browser(arguments: &BrowseArguments, open_browser: OpenBrowser) -> Result<ExitCode> {
    let trace = arguments.trace_and_place().0;
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
        bail!(
            "{}: the picture would overwrite the trace",
            picture.display()
        );
    }
    match open_browser(arguments)? {
        FrontEndLaunch::Done => Ok(ExitCode::SUCCESS),
        FrontEndLaunch::Impossible(why) => {
            bail!(
                "the terminal browser cannot run: {why} (a script with --run, --screenshot and --quit needs none)"
            )
        }
    }
}
