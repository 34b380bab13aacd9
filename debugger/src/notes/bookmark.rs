//! A place in a trace that the user marked.

use serde::{Deserialize, Serialize};

use crate::number::thousands;

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
    Put { place: BookmarkPlace, name: String },
    /// Adds a note to a place; marks it if necessary.
    Annotate { place: BookmarkPlace, note: String },
    /// Colours a place; marks it if necessary.
    Color {
        place: BookmarkPlace,
        color: BookmarkColor,
    },
    /// Sets the name or note of a bookmark.
    Write(BookmarkId, BookmarkField, String),
    /// Removes a bookmark.
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
