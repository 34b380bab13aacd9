//! Arguments of `stepback browse`, the browser in the terminal ([`BrowseArguments`]), and the trace
//! and position that the window or the browser opens first ([`StartPlace`]).

use std::path::{Path, PathBuf};

use anyhow::Result;
use clap::Args;

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
    /// Open the built-in demo.
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
pub type OpenBrowser = fn(&BrowseArguments) -> Result<BrowserLaunch>;

/// Outcome of opening the browser.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum BrowserLaunch {
    /// The browser was shown and has been closed.
    Done,
    /// There is no terminal. The reason is one sentence without a full stop.
    NoTerminal(String),
}

impl BrowseArguments {
    /// Returns the trace and the position to open it at.
    pub fn trace_and_place(&self) -> StartPlace {
        trace_and_place(self.trace.as_deref())
    }
}

#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct StartPlace {
    /// The trace to open.
    pub trace: Option<PathBuf>,
    /// Position to open it at, in the syntax of positions.
    pub at: Option<String>,
}

/// Splits `TRACE@44012`, unless a file has this name.
pub fn trace_and_place(whole: Option<&Path>) -> StartPlace {
    let Some(whole) = whole else {
        return StartPlace::default();
    };
    let parts = whole
        .to_str()
        .filter(|_| !whole.exists())
        .and_then(|text| text.rsplit_once('@'));
    match parts.filter(|(trace, at)| !trace.is_empty() && !at.is_empty()) {
        Some((trace, at)) => StartPlace {
            trace: Some(trace.into()),
            at: Some(at.to_owned()),
        },
        None => StartPlace {
            trace: Some(whole.to_owned()),
            at: None,
        },
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
