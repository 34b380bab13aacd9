//! What a user keeps about a trace from one run to the next: taken in when the trace is shown, saved when it changed.

use std::path::PathBuf;

use super::app::App;
use super::kept::Kept;
use super::kept_layout;
use super::toasts::ToastKind;
use super::workspace::Workspace;
use crate::action::{Moment, WindowId};
use crate::image::ImageSpec;
use crate::notes::{KeptImage, KeptWindow, SessionFile};
use crate::session::session_place;

impl Workspace {
    /// Takes in what was kept. Returns what the user should know.
    pub(super) fn take_kept(&mut self, kept: Kept) -> Vec<(ToastKind, String)> {
        let mut told = Vec::new();
        let own = self.session.index_path.as_deref().map(session_place);
        let is_unreadable = kept.error.is_some();
        told.extend(kept.error.map(|error| (ToastKind::Error, error)));
        let Some(file) = kept.file else {
            // What cannot be read is the user's to mend: nothing takes its place.
            self.places.list = own.into_iter().filter(|_| !is_unreadable).collect();
            return told;
        };
        let now = self.session.kept_trace(&self.options);
        let is_same = file.trace.is_same(&now);
        if !is_same && (kept.is_named || !file.bookmarks.list().is_empty()) {
            let steps = |count| crate::model::text::counted(count, "step", "steps");
            told.push((ToastKind::Warning, format!(
                "this is not the trace that the session was kept of: it had {}, this one has {}; what was marked may be elsewhere",
                steps(file.trace.steps), steps(now.steps),
            )));
        }
        told.extend(kept.missing.words().map(|words| (ToastKind::Warning, words)));
        if kept_layout::is_damaged(&file.panels) {
            told.push((ToastKind::Warning, "the panels of the session could not be read: they are as at first".into()));
        }
        // A session that the user named takes the place of none that the trace has of its own.
        self.places.list = match kept.is_named && !is_same {
            true => own.into_iter().filter(|own| !own.exists()).collect(),
            false => kept.place.into_iter().collect(),
        };
        self.places.missing = kept.missing;
        self.bookmarks = file.bookmarks;
        self.watches = file.watches;
        told
    }

    /// The same trace was opened once more: what is kept stays.
    pub(super) fn take_over(&mut self, before: Self) {
        self.bookmarks = before.bookmarks;
        self.watches = before.watches;
        self.undo = before.undo;
        self.places = before.places;
    }

    /// What is kept, as text.
    fn session_text(&self) -> Option<String> {
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
            panels: kept_layout::text_of(&self.dock)?,
            bookmarks: self.bookmarks.clone(),
            watches: self.watches.clone(),
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
        let Some(text) = workspace.session_text().filter(|text| workspace.places.text.as_ref() != Some(text)) else {
            return;
        };
        workspace.places.text = Some(text.clone());
        self.saver.write(workspace.places.list.clone(), text);
        if self.mode.is_deterministic {
            self.saver.finish();
        }
    }

    /// Saves the session in a place that the user chose, and from now on there too.
    pub(super) fn save_session_as(&mut self, place: &str) {
        let Some(workspace) = self.workspace.as_mut() else { return };
        let place = PathBuf::from(place);
        let place = if place.extension().is_some() { place } else { place.with_extension("session.toml") };
        let Some(text) = workspace.session_text() else { return };
        if !workspace.places.list.contains(&place) {
            workspace.places.list.push(place.clone());
        }
        self.saver.write(vec![place.clone()], text);
        if self.mode.is_deterministic || self.mode.is_scripted {
            self.saver.finish();
        }
        match self.saver.error() {
            Some(error) => self.report(&error),
            None => self.toasts.show(ToastKind::Info, &format!("Session saved: {}", place.display())),
        }
    }

    /// Tells of sessions that could not be saved.
    pub(super) fn tell_unsaved(&mut self) {
        while let Some(error) = self.saver.error() {
            self.report(&error);
        }
    }
}
