//! Loads the saved session when a trace is shown, and serialises the current one.

use crate::action::Moment;
use crate::action::WindowId;
use crate::desk::desk::Desk;
use crate::desk::kept::SavedSession;
use crate::desk::news::{Message, Tone};
use crate::desk::recent::{RecentTrace, now};
use crate::desk::saver::{PlaceContent, SavePlace};
use crate::image::ImageSpec;
use crate::messages::say;
use crate::notes::{SessionFile, SessionWindow};
use crate::session::session_place;
use stepback_parsers::Format;

impl Desk {
    /// Loads a saved session and reports what the user should know about it.
    pub fn take_kept(&mut self, kept: SavedSession) {
        let own = self
            .session
            .index_path
            .as_deref()
            .filter(|_| self.session.index.is_whole())
            .map(session_place);
        // While the trace is indexed, or with the index in memory, it is not known which place will
        // be used.
        let others = kept
            .own_places
            .iter()
            .cloned()
            .skip_while(|place| own.as_ref().is_some_and(|own| own != place));
        let own = kept
            .own_place
            .clone()
            .into_iter()
            .chain(own.clone())
            .chain(others);
        let standing = match kept.is_named {
            true => PlaceContent::Unread,
            false => PlaceContent::Known(kept.text.clone()),
        };
        self.places.is_unread = kept.error.is_some();
        // The user must repair an unreadable session: never replace it.
        self.places.own = SavePlace::new(own, standing).filter(|_| !self.places.is_unread);
        let is_set_aside = kept.is_set_aside();
        kept.error
            .into_iter()
            .for_each(|error| self.say(Message::new(Tone::Error, error)));
        let Some(file) = kept.file else { return };
        let now = self.session.kept_trace(&self.options);
        let is_same = file.trace.is_same(&now);
        if !is_same && (kept.is_named || !file.bookmarks.list().is_empty()) {
            let words = say!(
                "kept-other-trace",
                before = file.trace.steps,
                now = now.steps
            );
            self.say(Message::new(Tone::Warning, words));
        }
        kept.missing
            .words()
            .into_iter()
            .for_each(|words| self.say(Message::new(Tone::Warning, words)));
        // The front end parses the panels. Panels that it does not know stay in the session.
        self.places.panels = file.panels;
        // A session of another trace or a backup is not overwritten by a single key press.
        let named = kept
            .place
            .filter(|_| kept.is_named && is_same && !is_set_aside);
        self.places.named = SavePlace::new(named, PlaceContent::Known(kept.text));
        self.places.missing = kept.missing;
        self.bookmarks = file.bookmarks;
        self.watches = file.watches;
        self.searches = file.searches;
        self.slices = file.slices;
        self.waves = file.waves;
        self.timeline_share = file.timeline_share;
        self.windows.is_synced = file.is_synced;
    }

    /// Takes the notes over when the same trace is opened again.
    pub fn take_over(&mut self, before: Self) {
        self.bookmarks = before.bookmarks;
        self.watches = before.watches;
        self.searches = before.searches;
        self.slices = before.slices;
        self.waves = before.waves;
        self.timeline_share = before.timeline_share;
        self.windows.is_synced = before.windows.is_synced;
        self.places = before.places;
        self.comparison = before.comparison.renewed();
    }

    /// Returns true if there are notes that are saved nowhere and the user was not warned yet.
    pub fn loses_marks(&self, text: &str) -> bool {
        let is_marked = !self.bookmarks.list().is_empty()
            || !self.watches.list().is_empty()
            || !self.searches.list().is_empty()
            || !self.slices.list().is_empty()
            || !self.waves.list().is_empty();
        let is_saved = self
            .places
            .named
            .as_ref()
            .is_some_and(|place| !place.wants(text));
        is_marked && self.places.own.is_none() && !is_saved && !self.places.is_loss_stated
    }

    /// Serialises the session with these panels.
    pub fn session_text(&self, panels: String) -> Option<String> {
        let positions = self.saved_positions();
        let window = |(id, moment): &(WindowId, Moment)| SessionWindow {
            number: id.0,
            position: moment.position.0,
        };
        let recent = self.recent();
        let (mut images, mut sysroots) = (recent.images, recent.sysroots);
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
            slices: self.slices.clone(),
            waves: self.waves.clone(),
            timeline_share: self.timeline_share,
        };
        file.text()
    }

    /// Returns the entry for the list of recent traces.
    pub fn recent(&self) -> RecentTrace {
        let info = self.session.index.info();
        RecentTrace {
            path: std::path::absolute(&self.session.path)
                .unwrap_or_else(|_| self.session.path.clone()),
            more: self
                .options
                .more
                .iter()
                .filter_map(|path| std::path::absolute(path).ok())
                .collect(),
            kind: format!("{} · {}", format_name(&info.format), self.architecture()),
            steps: info.steps,
            trace_bytes: self.session.file_bytes(),
            opened: now(),
            images: self.named_images(),
            sysroots: self
                .options
                .sysroots()
                .iter()
                .filter_map(|root| std::path::absolute(root).ok())
                .collect(),
            reading: self.options.reading_choices(),
        }
    }

    /// Returns the images in use unless they were merely found next to the trace.
    fn named_images(&self) -> Vec<ImageSpec> {
        if self.options.images.is_empty() && self.options.remembered_images.is_empty() {
            return Vec::new();
        }
        let whole = |spec: &ImageSpec| ImageSpec {
            path: std::path::absolute(&spec.path).unwrap_or_else(|_| spec.path.clone()),
            offset: spec.offset,
        };
        self.session
            .images
            .infos()
            .iter()
            .map(|info| whole(&info.spec))
            .collect()
    }
}

fn format_name(format: &str) -> String {
    Format::named(format).map_or_else(|| format.to_owned(), |format| format.maker().to_owned())
}
