//! What a user keeps about a trace from one run to the next: taken in when the trace is shown, saved when it changed.
//!
//! It is saved unasked in one place, the trace's own; a file that the user named is written when the user says so.
//! Where the trace's own session was not taken in, since the user named another one, it is set aside before it is
//! written over first.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use super::app::App;
use super::file_dialog::Purpose;
use super::kept_layout;
use super::workspace::Workspace;
use stepback_debugger::action::{Action, FileAction};
use stepback_debugger::desk::Tone;
use stepback_debugger::desk::{Demand, SaveNews};
use stepback_debugger::messages::{say, spoken};

/// Why what is marked is kept nowhere, and the way out.
const NOT_KEPT: &str = "kept-not-kept";

impl Workspace {
    /// Panels of a session that a newer version wrote stay in it, and the user is told.
    pub(super) fn look_at_kept_panels(&mut self) -> Option<&'static str> {
        if !kept_layout::is_damaged(&self.places.panels) {
            return None;
        }
        self.places.unread_panels = Some(self.places.panels.clone());
        Some(say!("kept-the-panels-of-the-session"))
    }

    /// What is kept, as text: in the trace's own place what a newer version, or somebody else, wrote of the panels
    /// is not lost by looking at the trace.
    fn own_text(&self) -> Option<String> {
        self.session_text(self.places.unread_panels.clone().map_or_else(|| self.panels_text(), Some)?)
    }
}

impl App {
    /// Saves the session of the open trace where it changed. Runs from a script keep nothing unasked.
    pub(super) fn keep_session(&mut self) {
        if self.mode.is_scripted {
            return;
        }
        let Some(workspace) = self.workspace.as_mut() else { return };
        let Some(text) = workspace.own_text() else { return };
        if workspace.loses_marks(&text) {
            workspace.places.is_loss_told = true;
            let save = (say!("kept-save-session-as").to_owned(), Action::File(FileAction::SaveSession(None)));
            self.toasts.show_with(Tone::Warning, say!("kept-what-is-marked-is-not"), spoken(NOT_KEPT), [save]);
        }
        let Some(place) = workspace.places.own.clone().filter(|place| place.wants(&text)) else { return };
        self.saver.write(place, text, Demand::Unasked);
        if self.mode.is_deterministic {
            self.saver.finish();
        }
    }

    /// Saves the session in a place that the user chose, which is from now on the one that is saved by a key.
    pub(super) fn save_session_as(&mut self, place: PathBuf) {
        let Some(workspace) = self.workspace.as_mut() else { return };
        workspace.places.choose(place);
        self.save_named(Demand::Asked);
    }

    /// Saves the session in the file that was named last; asks for one where there is none.
    pub(super) fn save_session_again(&mut self) {
        match self.workspace.as_ref().is_some_and(|workspace| workspace.places.named.is_some()) {
            true => self.save_named(Demand::AskedAgain),
            false => self.ask_for_file(Purpose::SessionPlace),
        }
    }

    fn save_named(&mut self, demand: Demand) {
        let Some(workspace) = self.workspace.as_mut() else { return };
        let places = &mut workspace.places;
        let Some(place) = places.named.clone() else { return };
        // Who saves the session wants what is seen, where it is saved.
        if places.own.as_ref().is_some_and(|own| Arc::ptr_eq(own, &place)) {
            places.unread_panels = None;
        }
        let Some(text) = workspace.panels_text().and_then(|panels| workspace.session_text(panels)) else { return };
        self.saver.write(place, text, demand);
        if self.mode.is_deterministic || self.mode.is_scripted {
            self.saver.finish();
        }
        self.tell_saved();
    }

    /// Tells of sessions that were saved, or could not be.
    pub(super) fn tell_saved(&mut self) {
        while let Some(news) = self.saver.news() {
            match news {
                SaveNews::Saved(path) => {
                    self.toasts.show(Tone::Info, &say!("kept-session-saved", path = path.display().to_string()))
                }
                SaveNews::Elsewhere(path) => {
                    let text = say!("kept-elsewhere", path = path.display().to_string());
                    self.toasts.show_with(Tone::Info, say!("kept-the-session-has-another-place"), &text, None);
                }
                SaveNews::SetAside(path) => {
                    let text = say!("kept-as", path = path.display().to_string());
                    let open =
                        (say!("kept-open-it-again").to_owned(), Action::File(FileAction::OpenSession(Some(path))));
                    self.toasts.show_with(Tone::Info, say!("kept-the-session-made-way"), &text, [open]);
                }
                SaveNews::Foreign(path) => self.tell_foreign(&path),
                SaveNews::Failed(error) => self.report(&error),
            }
        }
    }

    fn tell_foreign(&mut self, path: &Path) {
        let text = say!("kept-of-another", path = path.display().to_string());
        let replace =
            (say!("kept-replace-it").to_owned(), Action::File(FileAction::SaveSession(Some(path.to_owned()))));
        let save = (say!("kept-save-session-as").to_owned(), Action::File(FileAction::SaveSession(None)));
        self.toasts.show_with(Tone::Warning, say!("kept-the-session-is-not-saved"), &text, [replace, save]);
    }
}
