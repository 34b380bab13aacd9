//! Options and outcome of a run in a window.

use std::path::PathBuf;

use stepback_debugger::desk::TraceChoice;

/// Options of a run in a window.
#[derive(Clone, Debug, Default)]
pub struct WindowOptions {
    /// The trace; without one the start screen is shown.
    pub trace: Option<TraceChoice>,
    /// Initial position, in the language of the command line.
    pub at: Option<String>,
    /// Path of a script of actions.
    pub script: Option<PathBuf>,
    /// Path for a picture of the window after the script.
    pub screenshot: Option<PathBuf>,
    /// Size of the window in points.
    pub size: Option<(u32, u32)>,
    /// Quits after the script and the picture.
    pub quit: bool,
    /// Path of the settings file that users edit; without one there is none.
    pub settings_file: Option<PathBuf>,
    /// Shows a trace as soon as a part of it is indexed. Never set in scripted runs, whose pictures
    /// must not depend on the machine's speed.
    pub shows_parts: bool,
}

/// Outcome of a run in a window.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum WindowOutcome {
    /// The user closed the window, or the script ended.
    Done,
    /// No window is possible; the reason is one sentence without a full stop.
    NoWindow(String),
}

impl WindowOptions {
    /// Returns true if the window runs unattended: errors then end the program.
    pub fn is_scripted(&self) -> bool {
        self.script.is_some() || self.screenshot.is_some() || self.quit
    }
}
