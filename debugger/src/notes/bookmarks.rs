//! The bookmarks of a trace, and the places that they mark: moments and ranges by time, then memory
//! by address.

use std::sync::{Arc, Mutex, PoisonError};

use serde::{Deserialize, Serialize};

use crate::messages::{say, thousands};

/// Maximum number of bookmarks: nobody would find one among more.
pub const MOST: usize = 2000;
/// Maximum number of characters of a name.
const NAME: usize = 200;
/// Maximum number of characters of a note.
const NOTE: usize = 4000;

fn too_many() -> String {
    say!("marks-too-many", most = MOST.to_string())
}

/// All bookmarks of a trace: moments and ranges by time, then memory by address.
#[derive(Clone, Debug, Default)]
pub struct Bookmarks {
    list: Vec<Bookmark>,
    newest: u64,
    /// Field to edit next. The panel that edits it takes the value. Copies share it, so that it is
    /// taken once.
    wish: Arc<Mutex<Option<(BookmarkId, BookmarkField)>>>,
}

/// Compares the bookmarks only, not the field to edit next.
impl PartialEq for Bookmarks {
    fn eq(&self, other: &Self) -> bool {
        self.list == other.list
    }
}

impl Bookmarks {
    /// Returns all bookmarks, in order.
    pub fn list(&self) -> &[Bookmark] {
        &self.list
    }

    /// Returns a bookmark by its id.
    pub fn get(&self, id: BookmarkId) -> Option<&Bookmark> {
        self.list.iter().find(|bookmark| bookmark.id == id)
    }

    /// Returns the bookmark of exactly this place. O(log n).
    pub fn at(&self, place: BookmarkPlace) -> Option<&Bookmark> {
        let start = self
            .list
            .partition_point(|bookmark| bookmark.place.rank() < place.rank());
        let same = self
            .list
            .get(start..)?
            .iter()
            .take_while(|bookmark| bookmark.place.rank() == place.rank());
        same.into_iter().find(|bookmark| bookmark.place == place)
    }

    /// Returns the first bookmark of a moment between two positions, both inclusive. O(log n +
    /// ranges that begin there).
    pub fn moment_in(&self, first: u64, last: u64) -> Option<&Bookmark> {
        let start = self
            .list
            .partition_point(|bookmark| bookmark.place.rank() < (0, first, 0));
        let near = self
            .list
            .get(start..)?
            .iter()
            .take_while(|bookmark| bookmark.place.rank() <= (0, last, u64::MAX));
        near.into_iter()
            .find(|bookmark| matches!(bookmark.place, BookmarkPlace::Position(_)))
    }

    /// Returns the bookmarks of ranges that overlap the steps between two positions. Cost: all
    /// bookmarks.
    pub fn ranges_in(&self, from: u64, to: u64) -> impl Iterator<Item = (&Bookmark, u64, u64)> {
        self.list
            .iter()
            .filter_map(move |bookmark| match bookmark.place {
                BookmarkPlace::Range { first, last } if first < to && last > from => {
                    Some((bookmark, first, last))
                }
                _ => None,
            })
    }

    /// Returns the first bookmark of memory that overlaps the `len_bytes` bytes at an address.
    /// Cost: all bookmarks.
    pub fn memory_in(&self, from: u64, len_bytes: u64) -> Option<&Bookmark> {
        let end = from.saturating_add(len_bytes);
        self.list.iter().find(|bookmark| match bookmark.place {
            BookmarkPlace::Memory { address, len_bytes } => {
                address < end && from < address.saturating_add(len_bytes)
            }
            _ => false,
        })
    }

    /// Returns the nearest bookmark before a position.
    pub fn before(&self, position: u64) -> Option<&Bookmark> {
        self.list.iter().rev().find(|bookmark| {
            bookmark
                .place
                .position()
                .is_some_and(|place| place < position)
        })
    }

    /// Returns the nearest bookmark after a position.
    pub fn after(&self, position: u64) -> Option<&Bookmark> {
        self.list.iter().find(|bookmark| {
            bookmark
                .place
                .position()
                .is_some_and(|place| place > position)
        })
    }

    /// Takes the field to edit next.
    pub fn take_wish(&self) -> Option<(BookmarkId, BookmarkField)> {
        self.wish
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
            .take()
    }

    /// Adds a bookmark that was stored elsewhere. Returns false if there are [`MOST`], or the place
    /// has one.
    pub fn add(&mut self, bookmark: Bookmark) -> bool {
        let is_new = self.list.len() < MOST && self.at(bookmark.place).is_none();
        if is_new {
            self.insert(bookmark.place, |added| {
                added.name = line(&bookmark.name);
                added.note = cut(&bookmark.note, NOTE);
                added.color = bookmark.color;
            });
        }
        is_new
    }

    /// Makes a change.
    ///
    /// # Errors
    /// There are [`MOST`] bookmarks.
    pub fn change(&mut self, change: &BookmarkChange) -> Result<(), String> {
        match change {
            BookmarkChange::Toggle(place) => match self.at(*place).map(|bookmark| bookmark.id) {
                Some(id) => self.remove(id),
                None => _ = self.put(*place)?,
            },
            BookmarkChange::Put { place, name } => self.put(*place)?.name = line(name),
            BookmarkChange::Annotate { place, note } => {
                self.put(*place)?.note = cut(note.trim(), NOTE)
            }
            BookmarkChange::Color { place, color } => self.put(*place)?.color = *color,
            BookmarkChange::Write(id, part, text) => {
                if let Some(bookmark) = self.list.iter_mut().find(|bookmark| bookmark.id == *id) {
                    match part {
                        BookmarkField::Name => bookmark.name = line(text),
                        BookmarkField::Note => bookmark.note = cut(text.trim(), NOTE),
                    }
                }
            }
            BookmarkChange::Remove(id) => self.remove(*id),
            BookmarkChange::Clear => self.list.clear(),
            BookmarkChange::Call(place) => {
                let id = self.put(*place)?.id;
                self.want(id, BookmarkField::Name);
            }
            BookmarkChange::Edit(id, part) => self.want(*id, *part),
        }
        Ok(())
    }

    fn want(&mut self, id: BookmarkId, part: BookmarkField) {
        *self.wish.lock().unwrap_or_else(PoisonError::into_inner) = Some((id, part));
    }

    /// Returns the names of addresses: address, length in bytes, name.
    pub fn names(&self) -> impl Iterator<Item = (u64, u64, &str)> {
        self.list
            .iter()
            .filter_map(|bookmark| match bookmark.place {
                BookmarkPlace::Memory { address, len_bytes } if !bookmark.name.is_empty() => {
                    Some((address, len_bytes, bookmark.name.as_str()))
                }
                _ => None,
            })
    }

    fn remove(&mut self, id: BookmarkId) {
        self.list.retain(|bookmark| bookmark.id != id);
    }

    /// Returns the bookmark of a place; creates it if necessary.
    fn put(&mut self, place: BookmarkPlace) -> Result<&mut Bookmark, String> {
        let known = self.at(place).map(|bookmark| bookmark.id);
        if known.is_none() && self.list.len() >= MOST {
            return Err(too_many());
        }
        let id = known.unwrap_or_else(|| self.insert(place, |_| {}));
        self.list
            .iter_mut()
            .find(|bookmark| bookmark.id == id)
            .ok_or_else(too_many)
    }

    fn insert(&mut self, place: BookmarkPlace, fill: impl FnOnce(&mut Bookmark)) -> BookmarkId {
        self.newest += 1;
        let id = BookmarkId(self.newest);
        let (name, note, color) = (String::new(), String::new(), BookmarkColor::default());
        let mut bookmark = Bookmark {
            id,
            place,
            name,
            note,
            color,
        };
        fill(&mut bookmark);
        let start = self
            .list
            .partition_point(|known| known.place.rank() <= place.rank());
        self.list.insert(start, bookmark);
        id
    }
}

/// Cuts a name to its maximum length and replaces line breaks by spaces.
fn line(text: &str) -> String {
    let spaced: String = text
        .trim()
        .chars()
        .map(|letter| if letter.is_control() { ' ' } else { letter })
        .collect();
    cut(&spaced, NAME)
}

fn cut(text: &str, letters: usize) -> String {
    text.chars()
        .filter(|letter| !letter.is_control() || *letter == '\n')
        .take(letters)
        .collect()
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Bookmark {
    /// Unique among the trace's bookmarks as long as the trace is open.
    pub id: BookmarkId,
    pub place: BookmarkPlace,
    /// Name; may be empty.
    pub name: String,
    /// Note; may be empty.
    pub note: String,
    /// Colour of its ribbon.
    pub color: BookmarkColor,
}

/// Identifier of a bookmark within its trace.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub struct BookmarkId(pub u64);

/// Place that a bookmark marks. The order is: moments before memory, earlier ones first.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub enum BookmarkPlace {
    /// A moment: the number of steps done.
    Position(u64),
    /// A part of the trace, from one position to a later one.
    Range {
        /// The first position.
        first: u64,
        /// The last position.
        last: u64,
    },
    /// A range of memory.
    Memory {
        /// Address of the first byte.
        address: u64,
        /// Number of bytes, at least 1.
        len_bytes: u64,
    },
}

/// Colour of a ribbon.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum BookmarkColor {
    /// Colour of new bookmarks.
    #[default]
    Yellow,
    Red,
    Green,
    Blue,
    Pink,
    Grey,
}

/// Editable field of a bookmark.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub enum BookmarkField {
    Name,
    Note,
}

/// Change to the bookmarks of a trace.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum BookmarkChange {
    /// Marks a place, or removes its mark.
    Toggle(BookmarkPlace),
    /// Names a place; marks it if necessary.
    Put {
        place: BookmarkPlace,
        name: String,
    },
    /// Adds a note to a place; marks it if necessary.
    Annotate {
        place: BookmarkPlace,
        note: String,
    },
    /// Colours a place; marks it if necessary.
    Color {
        place: BookmarkPlace,
        color: BookmarkColor,
    },
    /// Sets the name or note of a bookmark.
    Write(BookmarkId, BookmarkField, String),
    Remove(BookmarkId),
    /// Removes all bookmarks.
    Clear,
    /// Marks a place if necessary, shows the bookmark in the panel, and starts editing its name.
    Call(BookmarkPlace),
    /// Shows a bookmark in the panel, and starts editing its name or note.
    Edit(BookmarkId, BookmarkField),
}

impl Bookmark {
    /// Returns the name, else the place as text.
    pub fn title(&self) -> String {
        if self.name.is_empty() {
            self.place.text()
        } else {
            self.name.clone()
        }
    }

    /// Returns name and note, for tooltips.
    pub fn words(&self) -> String {
        let title = self.title();
        if self.note.is_empty() {
            title
        } else {
            format!("{title}\n{}", self.note)
        }
    }
}

impl BookmarkPlace {
    /// Formats the place: `1,250`, `1,250 – 1,300`, `80020340:8`.
    pub fn text(self) -> String {
        match self {
            Self::Position(position) => thousands(position),
            Self::Range { first, last } => format!("{} – {}", thousands(first), thousands(last)),
            Self::Memory { address, len_bytes } => format!("{address:x}:{len_bytes}"),
        }
    }

    /// Returns the position to travel to; none for memory.
    pub fn position(self) -> Option<u64> {
        match self {
            Self::Position(position) => Some(position),
            Self::Range { first, .. } => Some(first),
            Self::Memory { .. } => None,
        }
    }

    /// Returns the sort key of places.
    pub(super) fn rank(self) -> (u8, u64, u64) {
        match self {
            Self::Position(position) => (0, position, position),
            Self::Range { first, last } => (0, first, last),
            Self::Memory { address, len_bytes } => (1, address, len_bytes),
        }
    }
}

impl BookmarkColor {
    /// All colours.
    pub const ALL: [Self; 6] = [
        Self::Yellow,
        Self::Red,
        Self::Green,
        Self::Blue,
        Self::Pink,
        Self::Grey,
    ];

    pub fn name(self) -> &'static str {
        match self {
            Self::Yellow => "yellow",
            Self::Red => "red",
            Self::Green => "green",
            Self::Blue => "blue",
            Self::Pink => "pink",
            Self::Grey => "grey",
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn marked(places: &[BookmarkPlace]) -> Bookmarks {
        let mut bookmarks = Bookmarks::default();
        places
            .iter()
            .for_each(|place| bookmarks.change(&BookmarkChange::Toggle(*place)).unwrap());
        bookmarks
    }

    fn texts(bookmarks: &Bookmarks) -> Vec<String> {
        bookmarks.list().iter().map(Bookmark::title).collect()
    }

    const RANGE: BookmarkPlace = BookmarkPlace::Range { first: 5, last: 9 };
    const WORD: BookmarkPlace = BookmarkPlace::Memory {
        address: 0x100,
        len_bytes: 8,
    };

    #[test]
    fn they_are_in_the_order_of_time_and_then_of_memory() {
        let bookmarks = marked(&[
            WORD,
            BookmarkPlace::Position(7),
            RANGE,
            BookmarkPlace::Position(5),
        ]);
        assert_eq!(texts(&bookmarks), ["5", "5 – 9", "7", "100:8"]);
        assert_eq!(
            bookmarks.moment_in(6, 9).map(Bookmark::title).as_deref(),
            Some("7")
        );
        assert_eq!(
            bookmarks.moment_in(5, 5).map(Bookmark::title).as_deref(),
            Some("5")
        );
        assert!(bookmarks.moment_in(6, 6).is_none() && bookmarks.moment_in(8, u64::MAX).is_none());
        assert_eq!(bookmarks.ranges_in(8, 20).count(), 1);
        assert_eq!(bookmarks.ranges_in(9, 20).count(), 0);
        assert!(bookmarks.memory_in(0x107, 1).is_some() && bookmarks.memory_in(0x108, 1).is_none());
        assert_eq!(
            bookmarks.after(5).map(Bookmark::title).as_deref(),
            Some("7")
        );
        assert_eq!(bookmarks.before(5), None);
    }

    #[test]
    fn a_place_is_marked_once_and_the_mark_goes_by_marking_it_again() {
        let mut bookmarks = marked(&[RANGE]);
        bookmarks
            .change(&BookmarkChange::Put {
                place: RANGE,
                name: " a\nname ".to_owned(),
            })
            .unwrap();
        bookmarks
            .change(&BookmarkChange::Color {
                place: RANGE,
                color: BookmarkColor::Red,
            })
            .unwrap();
        assert_eq!(texts(&bookmarks), ["a name"]);
        assert_eq!(
            bookmarks.at(RANGE).map(|bookmark| bookmark.color),
            Some(BookmarkColor::Red)
        );
        bookmarks.change(&BookmarkChange::Toggle(RANGE)).unwrap();
        assert!(bookmarks.list().is_empty());
    }

    #[test]
    fn more_than_anybody_reads_are_refused() {
        let places: Vec<BookmarkPlace> = (0..MOST as u64).map(BookmarkPlace::Position).collect();
        let mut bookmarks = marked(&places);
        let more = BookmarkChange::Toggle(BookmarkPlace::Position(u64::MAX));
        assert_eq!(bookmarks.change(&more), Err(too_many()));
        let long = BookmarkChange::Annotate {
            place: BookmarkPlace::Position(3),
            note: "x".repeat(100_000),
        };
        bookmarks.change(&long).unwrap();
        assert!(
            bookmarks
                .list()
                .iter()
                .all(|bookmark| bookmark.note.len() <= NOTE)
        );
    }

    #[test]
    fn an_id_is_never_given_again() {
        let mut bookmarks = marked(&[RANGE]);
        let first = bookmarks.list()[0].id;
        bookmarks.change(&BookmarkChange::Clear).unwrap();
        bookmarks.change(&BookmarkChange::Toggle(RANGE)).unwrap();
        assert_ne!(bookmarks.list()[0].id, first);
    }
}

#[cfg(test)]
mod bookmark_tests {
    use super::*;

    #[test]
    fn places_are_written_as_the_window_shows_them() {
        let texts = [
            BookmarkPlace::Position(0),
            BookmarkPlace::Position(1_234_567),
            BookmarkPlace::Range {
                first: 999,
                last: 1000,
            },
            BookmarkPlace::Memory {
                address: 0x8002_0340,
                len_bytes: 8,
            },
        ]
        .map(BookmarkPlace::text);
        assert_eq!(texts, ["0", "1,234,567", "999 – 1,000", "80020340:8"]);
    }
}
