//! State that tests and the surrounding frame may read.

use super::app::App;
use super::settings::Settings;
use super::toasts::Toast;
use super::workspace::Workspace;
use stepback_debugger::action::Action;
use stepback_debugger::desk::{Desk, Opening};

impl App {
    /// Returns the panels of the open trace; none on the start screen.
    pub fn workspace(&self) -> Option<&Workspace> {
        self.workspace.as_ref()
    }

    pub fn desk(&self) -> Option<&Desk> {
        self.program.desk.as_ref()
    }

    /// Returns the trace that is being opened.
    pub fn opening(&self) -> Option<&Opening> {
        self.program.opening.as_ref()
    }

    /// Returns the settings that are saved between runs.
    pub fn settings(&self) -> &Settings {
        &self.settings
    }

    pub fn toasts(&self) -> &[Toast] {
        self.toasts.list()
    }

    /// Returns the error of the "Go to" box.
    pub fn go_to_error(&self) -> Option<&str> {
        self.go_to.error.as_deref()
    }

    pub fn is_palette_open(&self) -> bool {
        self.palette.is_some()
    }

    /// Returns true if the page of keys or the page about the program is open.
    pub fn is_page_open(&self) -> bool {
        self.page.is_some()
    }

    /// Returns the error with which the program is about to end.
    pub fn failure(&self) -> Option<String> {
        self.program.failure()
    }

    /// Queues an action, as a menu would. It is applied in the next frame.
    pub fn perform(&mut self, action: Action) {
        self.program.queue.push(action);
        self.context.request_repaint();
    }

    pub fn is_settings_open(&self) -> bool {
        self.settings_page.is_some()
    }

    pub fn is_browsing(&self) -> bool {
        self.browser.is_some()
    }

    /// Returns true if nothing is pending: no trace is being opened, no query is unanswered, no
    /// action is queued. A followed trace may still grow, and panels may still have to draw the
    /// last answers.
    pub fn is_idle(&self) -> bool {
        self.program.is_idle() && self.folder_worker.is_idle()
    }

    /// Returns true if the script and the picture, if any, are done.
    pub fn is_script_done(&self) -> bool {
        self.program.is_script_over
    }
}
