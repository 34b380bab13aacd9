//! `stepback browse`: the browser in the terminal.

use std::path::PathBuf;

use anyhow::Result;
use clap::Args;

use super::options::TraceOptions;
use super::start::{Start, parse_size, trace_and_place};

/// Shown below the options.
pub const HELP: &str = "\
F1 shows the keys, `:` lists all commands by name, q ends it.
Everything is asked without a window as well: `stepback --help` names the questions.";

/// What the browser shows.
#[derive(Debug, Args)]
pub struct BrowseArguments {
    /// The trace, or TRACE@POS to begin at a position, or a session.
    #[arg(index = 1, value_name = "TRACE", required_unless_present = "demo")]
    pub trace: Option<PathBuf>,
    /// Open the demo that the program carries.
    #[arg(long, conflicts_with = "trace")]
    pub demo: bool,
    /// Perform the actions of a file, one a line.
    #[arg(long, value_name = "FILE")]
    pub run: Option<PathBuf>,
    /// Then save the screen as text; - for standard output.
    #[arg(long, value_name = "FILE")]
    pub screenshot: Option<PathBuf>,
    /// Columns and rows of the screen that is saved, where it is none of a terminal.
    #[arg(long, value_name = "WxH", value_parser = parse_size)]
    pub size: Option<(u32, u32)>,
    /// Then end; no terminal is needed.
    #[arg(long)]
    pub quit: bool,
    /// Nothing but ASCII.
    #[arg(long)]
    pub ascii: bool,
    /// How the trace is opened.
    #[command(flatten)]
    pub options: TraceOptions,
}

/// Shows the browser that was asked for and waits for its end.
///
/// `main` hands it over, because the command line must not depend on the terminal.
pub type OpenBrowser = fn(&BrowseArguments) -> Result<Browsed>;

/// Whether the browser was shown.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Browsed {
    /// It was, and has ended.
    Done,
    /// There is no terminal; why, as one sentence without a full stop.
    NoTerminal(String),
}

impl BrowseArguments {
    /// The trace, and where in it to begin.
    pub fn trace_and_place(&self) -> Start {
        trace_and_place(self.trace.as_deref())
    }
}
