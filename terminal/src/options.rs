//! Options and outcome of a run in the terminal.

use std::path::PathBuf;

use stepback_debugger::desk::TraceChoice;

/// Options of a run in the terminal.
#[derive(Clone, Debug, Default)]
pub struct BrowserOptions {
    /// The trace; without one the screen shows how to open a trace.
    pub trace: Option<TraceChoice>,
    /// Initial position, in the language of the command line.
    pub at: Option<String>,
    /// Path of a script of actions.
    pub script: Option<PathBuf>,
    /// Path for a text picture of the screen after the script; `-` is standard output.
    pub screenshot: Option<PathBuf>,
    /// Columns and rows of the screen if there is no terminal.
    pub size: Option<(u16, u16)>,
    /// Quits after the script and the picture.
    pub quit: bool,
    /// Restricts output to ASCII.
    pub is_ascii: bool,
}

impl BrowserOptions {
    /// Returns true if the run is unattended: errors then end the program, and nothing is saved.
    pub fn is_scripted(&self) -> bool {
        self.script.is_some() || self.screenshot.is_some() || self.quit
    }
}

/// Outcome of a run in the terminal.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum BrowserOutcome {
    /// The user quit, or the script ended.
    Done,
    /// No terminal is available; the reason is one sentence without a full stop.
    NoTerminal(String),
}
