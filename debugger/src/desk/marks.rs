//! Actions on the user's notes about a trace: bookmarks, watches, waveforms, saved searches.

use stepback_parsers::Position;

use crate::action::{Action, Direction, MarkAction, PanelKind};
use crate::desk::NotesSnapshot;
use crate::desk::desk::Desk;
use crate::desk::news::{DeskEvent, Message, Tone};
use crate::messages::{MessageValue, say, spoken_with};
use crate::model::WindowMove;
use crate::notes::{
    BookmarkChange, SavedQueries, SavedQuery, SavedQueryChange, SavedSearch, WatchChange,
};

impl Desk {
    /// Restores the notes of before a change. Returns the notes that they replace.
    pub fn exchange(&mut self, before: NotesSnapshot) -> NotesSnapshot {
        match before {
            NotesSnapshot::Bookmarks(bookmarks) => {
                NotesSnapshot::Bookmarks(std::mem::replace(&mut self.bookmarks, bookmarks))
            }
            NotesSnapshot::Watches(watches) => {
                NotesSnapshot::Watches(std::mem::replace(&mut self.watches, watches))
            }
            NotesSnapshot::Waves(waves) => {
                NotesSnapshot::Waves(std::mem::replace(&mut self.waves, waves))
            }
            NotesSnapshot::Searches(searches) => {
                NotesSnapshot::Searches(std::mem::replace(&mut self.searches, searches))
            }
            NotesSnapshot::Slices(slices) => {
                NotesSnapshot::Slices(std::mem::replace(&mut self.slices, slices))
            }
        }
    }

    /// Adds, edits or removes bookmarks.
    pub fn change_bookmarks(&mut self, change: &BookmarkChange) {
        let before = self.bookmarks.clone();
        if let Err(error) = self.bookmarks.change(change) {
            return self.fail(&say!("marks-full", error = error));
        }
        if matches!(change, BookmarkChange::Edit(..) | BookmarkChange::Call(_)) {
            self.tell(DeskEvent::Show(PanelKind::Bookmarks));
        }
        if self.bookmarks == before {
            return;
        }
        let lost = before
            .list()
            .len()
            .saturating_sub(self.bookmarks.list().len());
        // A bookmark without a note needs no offer to undo: the same key sets it again.
        let has_note = matches!(change, BookmarkChange::Toggle(place) if before.at(*place).is_some_and(|mark| !mark.note.is_empty()));
        self.tell(DeskEvent::Changed(NotesSnapshot::Bookmarks(before)));
        let words = match (change, lost) {
            (BookmarkChange::Remove(_), 1..) => say!("marks-the-bookmark-was-deleted").to_owned(),
            (BookmarkChange::Toggle(_), 1..) if has_note => {
                say!("marks-the-bookmark-and-its-note").to_owned()
            }
            (BookmarkChange::Clear, 1..) => {
                say!("marks-deleted", count = lost)
            }
            _ => return,
        };
        self.say(
            Message::new(Tone::Info, words)
                .offering(say!("marks-undo"), Action::Mark(MarkAction::Undo)),
        );
    }

    /// Travels to the bookmark before or after the position.
    pub fn go_to_bookmark(&mut self, direction: Direction) {
        let at = self.windows.active().position.0;
        let found = match direction {
            Direction::Back => self.bookmarks.before(at),
            Direction::Forward => self.bookmarks.after(at),
        };
        match found.and_then(|bookmark| bookmark.place.position()) {
            Some(to) => self.begin(WindowMove::Travel(Position(to))),
            None => self.inform_here(match direction {
                Direction::Back => say!("marks-there-is-no-bookmark-before"),
                Direction::Forward => say!("marks-there-is-no-bookmark-behind"),
            }),
        }
    }

    /// Adds or changes the values of the timeline's waveforms.
    pub fn change_waves(&mut self, change: &WatchChange) {
        let before = self.waves.clone();
        if let Err(error) = self.waves.change(change) {
            return self.fail(&say!("watches-waves-full", error = error));
        }
        if self.waves != before {
            self.tell(DeskEvent::Changed(NotesSnapshot::Waves(before)));
        }
    }

    /// Adds or changes watches.
    pub fn change_watches(&mut self, change: &WatchChange) {
        let before = self.watches.clone();
        if let Err(error) = self.watches.change(change) {
            return self.fail(&say!("watches-full", error = error));
        }
        if matches!(change, WatchChange::Add(_)) {
            self.tell(DeskEvent::Reveal(PanelKind::Watches));
        }
        if self.watches == before {
            return;
        }
        self.tell(DeskEvent::Changed(NotesSnapshot::Watches(before)));
        let words = match change {
            WatchChange::Remove(_) => say!("watches-the-watch-was-removed"),
            WatchChange::Clear => say!("watches-all-watches-were-removed"),
            _ => return,
        };
        self.say(
            Message::new(Tone::Info, words)
                .offering(say!("watches-undo"), Action::Mark(MarkAction::Undo)),
        );
    }

    /// Saves the search under a name.
    pub fn keep_search(&mut self, name: &str) {
        let Some(search) = self.find.question().cloned() else {
            self.inform(say!("find-first-for-keeping"));
            return self.tell(DeskEvent::AskWhatToFind);
        };
        self.change_searches(&SavedQueryChange::Keep(SavedSearch {
            name: name.to_owned(),
            search,
        }));
    }

    /// Changes the saved searches.
    pub fn change_searches(&mut self, change: &SavedQueryChange<SavedSearch>) {
        let before = self.searches.clone();
        let changed = self.searches.change(change);
        let is_other = self.searches != before;
        self.tell_change(
            change,
            changed,
            &before,
            is_other.then(|| NotesSnapshot::Searches(before.clone())),
        );
    }

    /// Reports the outcome of a change to saved queries. `undo`: the notes before, if they differ.
    pub(super) fn tell_change<K: SavedQuery>(
        &mut self,
        change: &SavedQueryChange<K>,
        changed: Result<(), String>,
        before: &SavedQueries<K>,
        undo: Option<NotesSnapshot>,
    ) {
        if let SavedQueryChange::Rename(name, _) | SavedQueryChange::Forget(name) = change
            && before.named(name).is_none()
        {
            return self.fail(&before.none_of(name));
        }
        if let Err(error) = changed {
            return self.fail(&spoken_with(
                K::NOT_KEPT,
                &[("error", MessageValue::from(error))],
            ));
        }
        let Some(undo) = undo else { return };
        self.tell(DeskEvent::Changed(undo));
        let (id, name) = match change {
            SavedQueryChange::Keep(kept) => (K::KEPT_AS, kept.name().trim()),
            SavedQueryChange::Forget(name) => (K::FORGOTTEN, name.as_str()),
            SavedQueryChange::Rename(..) => return,
        };
        let words = spoken_with(id, &[("name", MessageValue::from(name))]);
        self.say(
            Message::new(Tone::Info, words)
                .offering(say!("command-undo"), Action::Mark(MarkAction::Undo)),
        );
    }

    /// Returns a saved search. Reports an error if no search has this name.
    pub fn kept_search(&mut self, name: &str) -> Option<SavedSearch> {
        let kept = self.searches.named(name).cloned();
        if kept.is_none() {
            self.fail(&self.searches.none_of(name));
        }
        kept
    }
}
