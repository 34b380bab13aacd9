//! `stepback browse`: the browser in the terminal.

use std::path::PathBuf;

use anyhow::Result;
use clap::Args;

use super::options::TraceOptions;
use super::start::{Start, parse_size, trace_and_place};

/// Help text below the options.
pub const HELP: &str = "\
F1 shows the keys, `:` lists all commands by name, q ends it.
Everything is asked without a window as well: `stepback --help` names the questions.";

#[derive(Debug, Args)]
pub struct BrowseArguments {
    /// The trace, or TRACE@POS to begin at a position, or a session.
    #[arg(index = 1, value_name = "TRACE", required_unless_present = "demo")]
    pub trace: Option<PathBuf>,
    /// Open the demo that the program carries.
    #[arg(long, conflicts_with = "trace")]
    pub demo: bool,
    /// Perform the actions listed in a file, one per line.
    #[arg(long, value_name = "FILE")]
    pub run: Option<PathBuf>,
    /// Then save the screen as text; - for standard output.
    #[arg(long, value_name = "FILE")]
    pub screenshot: Option<PathBuf>,
    /// Columns and rows of the saved screen if there is no terminal.
    #[arg(long, value_name = "WxH", value_parser = parse_size)]
    pub size: Option<(u32, u32)>,
    /// Then quit; no terminal is needed.
    #[arg(long)]
    pub quit: bool,
    /// Use only ASCII characters.
    #[arg(long)]
    pub ascii: bool,
    #[command(flatten)]
    pub options: TraceOptions,
}

/// Shows the browser and waits until the user closes it.
///
/// `main` passes this in because the command line must not depend on the terminal.
pub type OpenBrowser = fn(&BrowseArguments) -> Result<Browsed>;

/// Outcome of opening the browser.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Browsed {
    /// The browser was shown and has been closed.
    Done,
    /// There is no terminal. The reason is one sentence without a full stop.
    NoTerminal(String),
}

impl BrowseArguments {
    /// Returns the trace and the position to open it at.
    pub fn trace_and_place(&self) -> Start {
        trace_and_place(self.trace.as_deref())
    }
}
