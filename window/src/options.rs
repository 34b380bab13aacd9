//! What the window is asked to show and do, and how it ended.

use std::path::PathBuf;

use stepback_debugger::desk::TraceChoice;

/// What the window is asked to show and do.
#[derive(Clone, Debug, Default)]
pub struct WindowOptions {
    /// The trace; none: the start screen.
    pub trace: Option<TraceChoice>,
    /// The place to begin at, in the language of the command line.
    pub at: Option<String>,
    /// A script of actions.
    pub script: Option<PathBuf>,
    /// Where a picture of the window is saved when the script is done.
    pub screenshot: Option<PathBuf>,
    /// The size of the window in points.
    pub size: Option<(u32, u32)>,
    /// The program ends when the script and the picture are done.
    pub quit: bool,
    /// Where the settings are kept that people edit by hand; none: nowhere.
    pub settings_file: Option<PathBuf>,
    /// A trace is shown as soon as a part of it is indexed. Never in runs from a script, whose pictures must not
    /// depend on the machine's speed.
    pub shows_parts: bool,
}

/// How the window ended.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum WindowOutcome {
    /// The user closed it, or the script was done.
    Done,
    /// There can be no window; why, as one sentence without a full stop.
    NoWindow(String),
}

impl WindowOptions {
    /// Whether the window runs unattended: errors then end the program.
    pub fn is_scripted(&self) -> bool {
        self.script.is_some() || self.screenshot.is_some() || self.quit
    }
}
