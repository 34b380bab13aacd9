//! Bookmarks: what their actions do.

use stepback_parsers::Position;

use super::app::App;
use super::settings::Settings;
use super::toasts::ToastKind;
use super::undo::Before;
use super::workspace::Workspace;
use crate::action::{Action, PanelKind, StepRange, Way};
use crate::messages::say;
use crate::model::Move;
use crate::notes::{BookmarkChange, BookmarkPlace};

impl Workspace {
    /// Puts what was there before a change back. Returns what that replaces. Settings are no trace's, so they are handed in.
    fn exchange(&mut self, before: Before, settings: &mut Settings) -> Before {
        match before {
            Before::Bookmarks(bookmarks) => Before::Bookmarks(std::mem::replace(&mut self.bookmarks, bookmarks)),
            Before::Keys(keys) => {
                let now = Before::Keys(std::mem::replace(&mut settings.keys, keys));
                settings.keys.take_effect();
                now
            }
            Before::Layouts(layouts) => Before::Layouts(std::mem::replace(&mut settings.layouts, layouts)),
            Before::Panels(panels) => {
                let now = self.panels();
                self.put_panels(panels.clone());
                self.panels_seen = self.panels();
                Before::Panels(now.unwrap_or(panels))
            }
            Before::Searches(searches) => Before::Searches(std::mem::replace(&mut self.searches, searches)),
            Before::Waves(waves) => Before::Waves(std::mem::replace(&mut self.waves, waves)),
            Before::Watches(watches) => Before::Watches(std::mem::replace(&mut self.watches, watches)),
        }
    }
}

impl App {
    /// Marks places, or changes marks.
    pub(super) fn change_bookmarks(&mut self, change: &BookmarkChange) {
        let Some(workspace) = self.workspace.as_mut() else { return };
        let before = workspace.bookmarks.clone();
        if let Err(error) = workspace.bookmarks.change(change) {
            return self.report(&say!("marks-full", error = error.to_string()));
        }
        if matches!(change, BookmarkChange::Edit(..) | BookmarkChange::Call(_)) {
            workspace.show(PanelKind::Bookmarks);
        }
        if workspace.bookmarks == before {
            return;
        }
        let lost = before.list().len().saturating_sub(workspace.bookmarks.list().len());
        // Without a note it is made again by the same key.
        let has_note = matches!(change, BookmarkChange::Toggle(place) if before.at(*place).is_some_and(|mark| !mark.note.is_empty()));
        workspace.undo.keep(Before::Bookmarks(before));
        let words = match (change, lost) {
            (BookmarkChange::Remove(_), 1..) => say!("marks-the-bookmark-was-deleted").to_owned(),
            (BookmarkChange::Toggle(_), 1..) if has_note => say!("marks-the-bookmark-and-its-note").to_owned(),
            (BookmarkChange::Clear, 1..) => {
                say!("marks-deleted", count = lost)
            }
            _ => return,
        };
        let undo = Some((say!("marks-undo").to_owned(), Action::Undo));
        self.toasts.show_with(ToastKind::Info, &words, "", undo);
    }

    /// Marks what is selected in the timeline.
    pub(super) fn bookmark_selection(&mut self, name: String) {
        let selection = self.workspace.as_ref().and_then(|workspace| workspace.timeline.selection());
        let Some(StepRange { first, last }) = selection else {
            let advice = say!("marks-drag-with-shift-in-the");
            return self.toasts.show_with(ToastKind::Info, say!("marks-no-part-of-the-trace"), advice, None);
        };
        let place = BookmarkPlace::Range { first, last };
        let change = if name.is_empty() { BookmarkChange::Toggle(place) } else { BookmarkChange::Put { place, name } };
        self.change_bookmarks(&change);
    }

    /// Travels to the bookmark before or behind the position.
    pub(super) fn go_to_bookmark(&mut self, way: Way) {
        let Some(workspace) = self.workspace.as_ref() else { return };
        let at = workspace.windows.active().position.0;
        let found = match way {
            Way::Back => workspace.bookmarks.before(at),
            Way::Forward => workspace.bookmarks.behind(at),
        };
        match found.and_then(|bookmark| bookmark.place.position()) {
            Some(to) => self.begin(Move::Travel(Position(to))),
            None => {
                let words = match way {
                    Way::Back => say!("marks-there-is-no-bookmark-before"),
                    Way::Forward => say!("marks-there-is-no-bookmark-behind"),
                };
                self.toasts.show(ToastKind::Info, words);
            }
        }
    }

    /// Takes the last change back.
    pub(super) fn undo(&mut self) {
        self.turn_back(Way::Back);
    }

    /// Does again what was taken back.
    pub(super) fn redo(&mut self) {
        self.turn_back(Way::Forward);
    }

    fn turn_back(&mut self, way: Way) {
        let Some(workspace) = self.workspace.as_mut() else { return };
        let mut undo = std::mem::take(&mut workspace.undo);
        let exchange = |before| workspace.exchange(before, &mut self.settings);
        let (is_done, words) = match way {
            Way::Back => (undo.undo(exchange), say!("marks-there-is-nothing-to-undo")),
            Way::Forward => (undo.redo(exchange), say!("marks-there-is-nothing-to-redo")),
        };
        workspace.undo = undo;
        self.keep_settings();
        if !is_done {
            self.toasts.show(ToastKind::Info, words);
        }
    }
}
