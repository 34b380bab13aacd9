//! What a user keeps about a trace from one run to the next: taken in when the trace is shown, saved when it changed.
//!
//! It is saved unasked in one place, the trace's own; a file that the user named is written when the user says so.
//! Where the trace's own session was not taken in, since the user named another one, it is set aside before it is
//! written over first.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use super::app::App;
use super::file_dialog::Purpose;
use super::kept::Kept;
use super::kept_layout;
use super::saver::{Demand, SaveNews, SavePlace, Standing};
use super::toasts::ToastKind;
use super::workspace::Workspace;
use crate::action::{Action, Moment, WindowId};
use crate::image::ImageSpec;
use crate::messages::{say, spoken};
use crate::notes::{KeptImage, KeptWindow, SessionFile};
use crate::session::session_place;

/// Why what is marked is kept nowhere, and the way out.
const NOT_KEPT: &str = "kept-not-kept";

impl Workspace {
    /// Takes in what was kept. Returns what the user should know.
    pub(super) fn take_kept(&mut self, kept: Kept) -> Vec<(ToastKind, String)> {
        let mut told = Vec::new();
        let own = self.session.index_path.as_deref().filter(|_| self.session.index.is_whole()).map(session_place);
        // While the trace is indexed, and where the index is in memory, none of them is known to be the one.
        let others = kept.own_places.iter().cloned().skip_while(|place| own.as_ref().is_some_and(|own| own != place));
        let own = kept.own_place.clone().into_iter().chain(own.clone()).chain(others);
        let standing = match kept.is_named {
            true => Standing::Unread,
            false => Standing::Known(kept.text.clone()),
        };
        self.places.is_unread = kept.error.is_some();
        // What cannot be read is the user's to mend: nothing takes its place.
        self.places.own = SavePlace::new(own, standing).filter(|_| !self.places.is_unread);
        let is_set_aside = kept.is_set_aside();
        told.extend(kept.error.map(|error| (ToastKind::Error, error)));
        let Some(file) = kept.file else { return told };
        let now = self.session.kept_trace(&self.options);
        let is_same = file.trace.is_same(&now);
        if !is_same && (kept.is_named || !file.bookmarks.list().is_empty()) {
            told.push((ToastKind::Warning, say!("kept-other-trace", before = file.trace.steps, now = now.steps)));
        }
        told.extend(kept.missing.words().map(|words| (ToastKind::Warning, words)));
        if kept_layout::is_damaged(&file.panels) {
            // A file that the user named stays as it is anyway.
            self.places.unread_panels = Some(file.panels).filter(|_| !kept.is_named);
            told.push((ToastKind::Warning, say!("kept-the-panels-of-the-session").into()));
        }
        // A session of another trace, and what made way for another, are saved over by no single key.
        let named = kept.place.filter(|_| kept.is_named && is_same && !is_set_aside);
        self.places.named = SavePlace::new(named, Standing::Known(kept.text));
        self.places.missing = kept.missing;
        self.bookmarks = file.bookmarks;
        self.watches = file.watches;
        self.searches = file.searches;
        self.waves = file.waves;
        self.windows.is_synced = file.is_synced;
        told
    }

    /// The same trace was opened once more: what is kept stays.
    pub(super) fn take_over(&mut self, before: Self) {
        self.bookmarks = before.bookmarks;
        self.watches = before.watches;
        self.searches = before.searches;
        self.waves = before.waves;
        self.windows.is_synced = before.windows.is_synced;
        self.undo = before.undo;
        self.places = before.places;
    }

    /// Whether the user marked something and it is kept nowhere; once.
    fn loses_marks(&self, text: &str) -> bool {
        let is_marked = !self.bookmarks.list().is_empty()
            || !self.watches.list().is_empty()
            || !self.searches.list().is_empty()
            || !self.waves.list().is_empty();
        let is_saved = self.places.named.as_ref().is_some_and(|place| !place.wants(text));
        is_marked && self.places.own.is_none() && !is_saved && !self.places.is_loss_told
    }

    /// What is kept, as text: in the trace's own place what a newer version, or somebody else, wrote of the panels
    /// is not lost by looking at the trace.
    fn own_text(&self) -> Option<String> {
        self.session_text(self.places.unread_panels.clone().map_or_else(|| self.panels_text(), Some)?)
    }

    /// What is kept, with panels, as text.
    fn session_text(&self, panels: String) -> Option<String> {
        let positions = self.saved_positions();
        let window = |(id, moment): &(WindowId, Moment)| KeptWindow { number: id.0, position: moment.position };
        let recent = self.recent();
        let image = |spec: &ImageSpec| KeptImage { path: spec.path.display().to_string(), offset: spec.offset };
        let mut images: Vec<KeptImage> = recent.images.iter().map(image).collect();
        let mut sysroots: Vec<String> = recent.sysroots.iter().map(|path| path.display().to_string()).collect();
        self.places.missing.add_to(&mut images, &mut sysroots);
        let file = SessionFile {
            trace: self.session.kept_trace(&self.options),
            images,
            sysroots,
            windows: positions.iter().map(window).collect(),
            active: self.windows.active.0,
            panels,
            is_synced: self.windows.is_synced,
            bookmarks: self.bookmarks.clone(),
            watches: self.watches.clone(),
            searches: self.searches.clone(),
            waves: self.waves.clone(),
        };
        file.text()
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
            let save = (say!("kept-save-session-as").to_owned(), Action::SaveSession(None));
            self.toasts.show_with(ToastKind::Warning, say!("kept-what-is-marked-is-not"), spoken(NOT_KEPT), [save]);
        }
        let Some(place) = workspace.places.own.clone().filter(|place| place.wants(&text)) else { return };
        self.saver.write(place, text, Demand::Unasked);
        if self.mode.is_deterministic {
            self.saver.finish();
        }
    }

    /// Saves the session in a place that the user chose, which is from now on the one that is saved by a key.
    pub(super) fn save_session_as(&mut self, place: &str) {
        let Some(workspace) = self.workspace.as_mut() else { return };
        let place = PathBuf::from(place);
        let place = if place.extension().is_some() { place } else { place.with_extension("session.toml") };
        let places = &mut workspace.places;
        let known = places.named.iter().chain(&places.own).find(|known| known.is_at(&place)).cloned();
        places.named = known.or_else(|| SavePlace::new([place], Standing::Known(None)));
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
                    self.toasts.show(ToastKind::Info, &say!("kept-session-saved", path = path.display().to_string()))
                }
                SaveNews::Elsewhere(path) => {
                    let text = say!("kept-elsewhere", path = path.display().to_string());
                    self.toasts.show_with(ToastKind::Info, say!("kept-the-session-has-another-place"), &text, None);
                }
                SaveNews::SetAside(path) => {
                    let path = path.display().to_string();
                    let text = say!("kept-as", path = &*path);
                    let open = (say!("kept-open-it-again").to_owned(), Action::OpenSession(Some(path)));
                    self.toasts.show_with(ToastKind::Info, say!("kept-the-session-made-way"), &text, [open]);
                }
                SaveNews::Foreign(path) => self.tell_foreign(&path),
                SaveNews::Failed(error) => self.report(&error),
            }
        }
    }

    fn tell_foreign(&mut self, path: &Path) {
        let text = say!("kept-of-another", path = path.display().to_string());
        let replace = (say!("kept-replace-it").to_owned(), Action::SaveSession(Some(path.display().to_string())));
        let save = (say!("kept-save-session-as").to_owned(), Action::SaveSession(None));
        self.toasts.show_with(ToastKind::Warning, say!("kept-the-session-is-not-saved"), &text, [replace, save]);
    }
}
