//! What tests and the frame around the program may look at.

use super::app::App;
use super::settings::Settings;
use super::toasts::Toast;
use super::workspace::Workspace;
use stepback_debugger::action::Action;
use stepback_debugger::desk::{Desk, Opening};

impl App {
    /// The panels of the open trace; none on the start screen.
    pub fn workspace(&self) -> Option<&Workspace> {
        self.workspace.as_ref()
    }

    /// The open trace.
    pub fn desk(&self) -> Option<&Desk> {
        self.program.desk.as_ref()
    }

    /// The trace that is being opened.
    pub fn opening(&self) -> Option<&Opening> {
        self.program.opening.as_ref()
    }

    /// What is kept from run to run.
    pub fn settings(&self) -> &Settings {
        &self.settings
    }

    /// The messages that are shown.
    pub fn toasts(&self) -> &[Toast] {
        self.toasts.list()
    }

    /// What is wrong with the text in the box "Go to".
    pub fn go_to_error(&self) -> Option<&str> {
        self.go_to.error.as_deref()
    }

    /// Whether the command palette is open.
    pub fn is_palette_open(&self) -> bool {
        self.palette.is_some()
    }

    /// Whether the page of keys or the page about the program is open.
    pub fn is_page_open(&self) -> bool {
        self.page.is_some()
    }

    /// Why the program is about to end with an error.
    pub fn failure(&self) -> Option<String> {
        self.program.failure()
    }

    /// Asks for an action, as a menu would; it is applied in the next frame.
    pub fn perform(&mut self, action: Action) {
        self.program.queue.push(action);
        self.context.request_repaint();
    }

    /// Whether the page of settings is open.
    pub fn is_settings_open(&self) -> bool {
        self.settings_page.is_some()
    }

    /// Whether the file browser is open.
    pub fn is_browsing(&self) -> bool {
        self.browser.is_some()
    }

    /// Whether nothing is on its way: no trace being opened (but one that is followed may have more to come), no question unanswered, no action waiting.
    /// Panels may still have to draw the last answers.
    pub fn is_idle(&self) -> bool {
        self.program.is_idle() && self.folder_worker.is_idle()
    }

    /// Whether the script and the picture are done, if any were asked for.
    pub fn is_script_done(&self) -> bool {
        self.program.is_script_over
    }
}
