//! What the browser is asked to show and do, and how it ended.

use std::path::PathBuf;

use stepback_debugger::desk::TraceChoice;

/// What the browser is asked to show and do.
#[derive(Clone, Debug, Default)]
pub struct BrowserOptions {
    /// The trace; none: it says how to open one.
    pub trace: Option<TraceChoice>,
    /// The place to begin at, in the language of the command line.
    pub at: Option<String>,
    /// A script of actions.
    pub script: Option<PathBuf>,
    /// Where the screen is saved as text when the script is done; `-` for standard output.
    pub screenshot: Option<PathBuf>,
    /// Columns and rows of the screen where it is none of a terminal.
    pub size: Option<(u16, u16)>,
    /// The program ends when the script is done and the screen is saved.
    pub quit: bool,
    /// Nothing but ASCII.
    pub is_ascii: bool,
}

impl BrowserOptions {
    /// Whether it runs unattended: errors then end the program, and nothing is kept.
    pub fn is_scripted(&self) -> bool {
        self.script.is_some() || self.screenshot.is_some() || self.quit
    }
}

/// How the browser ended.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum BrowserOutcome {
    /// The user left it, or the script was done.
    Done,
    /// There is no terminal; why, as one sentence without a full stop.
    NoTerminal(String),
}
