//! File selection by the user, with the desktop's dialog or the program's file browser.

use crate::file_dialog::DialogResult;
use crate::file_dialog::FileDialog;
use std::path::{Path, PathBuf};

use stepback_debugger::desk::Tone;
use stepback_debugger::messages::say;
use stepback_debugger::paths::home;
use stepback_debugger::program::FilePurpose;
use stepback_debugger::session::TracesInside;

use crate::app::App;
use crate::browser::{BrowserContext, BrowserStart, FileBrowser, FileBrowserOutcome, places};

impl App {
    /// Lets the user choose a file. Only one dialog is open at a time.
    pub(super) fn ask_for_file(&mut self, purpose: FilePurpose) {
        // Pictures and tests must not depend on the desktop.
        let is_own =
            self.program.mode.is_synchronous || self.program.mode.is_scripted || self.has_no_dialog;
        if is_own || self.settings.uses_own_browser {
            return self.browse(purpose);
        }
        match &self.file_dialog {
            Some(_) => {
                let title = say!("files-dialog-is-open");
                self.toasts.show_with(Tone::Info, title, "", None);
            }
            None => self.file_dialog = Some(FileDialog::open(purpose, self.context.clone())),
        }
    }

    fn browse(&mut self, purpose: FilePurpose) {
        let trace = self.trace_path();
        let around_trace = trace.as_deref().and_then(Path::parent).map(Path::to_owned);
        let folder = around_trace
            .or_else(|| self.settings.file_folder.clone())
            .or_else(home)
            .unwrap_or_else(|| std::path::MAIN_SEPARATOR_STR.into());
        self.browse_in(purpose, folder, None);
    }

    fn browse_in(&mut self, purpose: FilePurpose, folder: PathBuf, notice: Option<String>) {
        let places = places(self.trace_path().as_deref(), &self.settings.recent);
        self.browser = Some(FileBrowser::new(BrowserStart {
            purpose,
            folder,
            places,
            notice,
        }));
    }

    fn trace_path(&self) -> Option<PathBuf> {
        let path = &self.program.desk.as_ref()?.session.path;
        std::path::absolute(path).ok()
    }

    /// Lets the user choose one of several traces in a directory that was opened as a trace.
    pub(super) fn choose_inside(&mut self, inside: &TracesInside) {
        let notice = say!("files-traces-inside", number = inside.names.len() as u64);
        let folder =
            std::path::absolute(&inside.directory).unwrap_or_else(|_| inside.directory.clone());
        self.browse_in(FilePurpose::Trace, folder, Some(notice));
    }

    /// Handles the outcome of the dialog.
    pub(super) fn take_picked(&mut self) {
        let Some(answer) = self.file_dialog.as_ref().and_then(FileDialog::poll) else {
            return;
        };
        let Some(dialog) = self.file_dialog.take() else {
            return;
        };
        match answer {
            Ok(DialogResult::Paths(paths)) => {
                dialog
                    .stated(&paths)
                    .iter()
                    .for_each(|words| self.toasts.show(Tone::Info, words));
                match dialog.action(&paths) {
                    Ok(action) => self.program.queue.extend(action),
                    Err(error) => self.report(&format!("{error:#}")),
                }
            }
            Ok(DialogResult::Nothing) => {}
            Ok(DialogResult::NoDialog) => {
                self.has_no_dialog = true;
                let title = say!("files-no-dialog");
                let text = say!("files-own-instead");
                self.toasts.show_with(Tone::Info, title, text, None);
                self.browse(dialog.into_purpose());
            }
            Err(error) => self.report(&say!("files-dialog-failed", error = format!("{error:#}"))),
        }
    }

    /// Draws the file browser and handles its outcome.
    pub(super) fn browser_ui(&mut self, ui: &egui::Ui) {
        let Some(browser) = &mut self.browser else {
            return;
        };
        let around = BrowserContext {
            worker: &self.folder_worker,
            order: &mut self.settings.file_order,
        };
        let outcome = browser.ui(ui, around);
        if outcome == FileBrowserOutcome::Open {
            return;
        }
        let Some(browser) = self.browser.take() else {
            return;
        };
        self.settings.file_folder = Some(browser.folder().to_owned());
        if let FileBrowserOutcome::Chosen(paths) = outcome {
            self.file_dialog = Some(FileDialog::answered(
                browser.purpose,
                paths,
                &self.program.worker,
            ));
            self.context.request_repaint();
        }
    }
}
