//! Arguments of `stepback browse`, the browser in the terminal ([`BrowseArguments`]), and the trace
//! and position that the window or the browser opens first ([`StartPlace`]).

use std::path::{Path, PathBuf};

use anyhow::Result;
use clap::Args;
use stepback_debugger::sync::SyncPorts;

use crate::cli::options::TraceOptions;

/// Help text below the options.
pub const HELP: &str = "\
F1 shows the keys, `:` lists all commands by name, and q quits.
Every query is also a subcommand: see `stepback --help`.";

#[derive(Debug, Args)]
pub struct BrowseArguments {
    /// The trace, or TRACE@POS to begin at a position, or a session.
    #[arg(index = 1, value_name = "TRACE", required_unless_present = "demo")]
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
    #[arg(long, value_name = "FILE")]
    pub run: Option<PathBuf>,
    /// Save the screen as text afterwards; - for standard output.
    #[arg(long, value_name = "FILE")]
    pub screenshot: Option<PathBuf>,
    /// Columns and rows of the saved screen if there is no terminal.
    #[arg(long, value_name = "WxH", value_parser = parse_size)]
    pub size: Option<(u32, u32)>,
    /// Quit afterwards; no terminal is needed.
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
pub type OpenBrowser = fn(&BrowseArguments) -> Result<FrontEndLaunch>;

/// Outcome of opening the window or the browser.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum FrontEndLaunch {
    /// It was shown and has been closed.
    Done,
    /// There is no window or terminal. The reason is one sentence without a full stop.
    Impossible(String),
}

impl BrowseArguments {
    /// Returns the trace and the position to open it at.
    pub fn trace_and_place(&self) -> (Option<PathBuf>, Option<String>) {
        match &self.demo_at {
            Some(at) => (None, Some(at.clone())),
            None => trace_and_place(self.trace.as_deref()),
        }
    }
}

/// Splits `TRACE@44012` into the trace and the position to open it at, unless a file has this name.
pub fn trace_and_place(whole: Option<&Path>) -> (Option<PathBuf>, Option<String>) {
    let parts = whole
        .filter(|whole| !whole.exists())
        .and_then(|whole| whole.to_str()?.rsplit_once('@'));
    match parts.filter(|(trace, at)| !trace.is_empty() && !at.is_empty()) {
        Some((trace, at)) => (Some(trace.into()), Some(at.to_owned())),
        None => (whole.map(Path::to_owned), None),
    }
}

/// Parses `1280x800`.
///
/// # Errors
/// The text is not a size; the message shows the syntax.
pub fn parse_size(text: &str) -> Result<(u32, u32), String> {
    let sides = text
        .split_once(['x', 'X'])
        .and_then(|(width, height)| Some((width.parse().ok()?, height.parse().ok()?)));
    sides
        .filter(|(width, height)| *width > 0 && *height > 0)
        .ok_or_else(|| "a size is written 1280x800".to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check_size(text: &str, expected: Option<(u32, u32)>) {
        assert_eq!(parse_size(text).ok(), expected, "{text}");
    }

    #[test]
    fn a_size_is_two_numbers_above_zero() {
        check_size("1280x800", Some((1280, 800)));
        check_size("0x800", None);
        check_size("1280", None);
        check_size("-1x5", None);
    }
}
