//! A place in a trace that the user marked.

use serde::{Deserialize, Serialize};

use crate::number::thousands;

/// A marked place.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Bookmark {
    /// Which of the trace's bookmarks; no two are ever the same while the trace is open.
    pub id: BookmarkId,
    /// What is marked.
    pub place: BookmarkPlace,
    /// What the user calls it; may be empty.
    pub name: String,
    /// What the user says of it; may be empty.
    pub note: String,
    /// The colour of its ribbon.
    pub color: BookmarkColor,
}

/// Tells the bookmarks of a trace apart.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub struct BookmarkId(pub u64);

/// What a bookmark marks. They are in order: moments before memory, earlier ones first.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub enum BookmarkPlace {
    /// A moment: how many steps are done.
    Position(u64),
    /// A part of the trace, from one position to a later one.
    Range {
        /// The first position.
        first: u64,
        /// The last position.
        last: u64,
    },
    /// Some memory.
    Memory {
        /// Its first byte.
        address: u64,
        /// How many bytes, at least one.
        len_bytes: u64,
    },
}

/// The colour of a ribbon.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum BookmarkColor {
    /// What a new one has.
    #[default]
    Yellow,
    /// Red.
    Red,
    /// Green.
    Green,
    /// Blue.
    Blue,
    /// Pink.
    Pink,
    /// Grey.
    Grey,
}

/// What of a bookmark is written.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub enum BookmarkField {
    /// What it is called.
    Name,
    /// What is said of it.
    Note,
}

/// What can be done to the bookmarks of a trace.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum BookmarkChange {
    /// Mark a place; where it is marked, the mark goes.
    Toggle(BookmarkPlace),
    /// Mark a place under a name; where it is marked, it gets the name.
    Put {
        /// What is marked.
        place: BookmarkPlace,
        /// Its name.
        name: String,
    },
    /// The same with a note.
    Annotate {
        /// What is marked.
        place: BookmarkPlace,
        /// What is said of it.
        note: String,
    },
    /// Mark a place in a colour; where it is marked, the mark gets the colour.
    Color {
        /// What is marked.
        place: BookmarkPlace,
        /// In which colour.
        color: BookmarkColor,
    },
    /// Write the name or note of a bookmark.
    Write(BookmarkId, BookmarkField, String),
    /// Take one away.
    Remove(BookmarkId),
    /// Take all away.
    Clear,
    /// Mark a place where it is not, show it in the panel, and put the cursor into its name.
    Call(BookmarkPlace),
    /// Show it in the panel of bookmarks, and put the cursor into its name or note.
    Edit(BookmarkId, BookmarkField),
}

impl Bookmark {
    /// Its name, else the place.
    pub fn title(&self) -> String {
        if self.name.is_empty() {
            self.place.text()
        } else {
            self.name.clone()
        }
    }

    /// Name and note, for tooltips.
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
    /// `1,250`, `1,250 – 1,300`, `80020340:8`.
    pub fn text(self) -> String {
        match self {
            Self::Position(position) => thousands(position),
            Self::Range { first, last } => format!("{} – {}", thousands(first), thousands(last)),
            Self::Memory { address, len_bytes } => format!("{address:x}:{len_bytes}"),
        }
    }

    /// The position to travel to; none for memory.
    pub fn position(self) -> Option<u64> {
        match self {
            Self::Position(position) => Some(position),
            Self::Range { first, .. } => Some(first),
            Self::Memory { .. } => None,
        }
    }

    /// By what places are in order.
    pub(super) fn rank(self) -> (u8, u64, u64) {
        match self {
            Self::Position(position) => (0, position, position),
            Self::Range { first, last } => (0, first, last),
            Self::Memory { address, len_bytes } => (1, address, len_bytes),
        }
    }
}

impl BookmarkColor {
    /// All of them.
    pub const ALL: [Self; 6] = [
        Self::Yellow,
        Self::Red,
        Self::Green,
        Self::Blue,
        Self::Pink,
        Self::Grey,
    ];

    /// What it is called.
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
