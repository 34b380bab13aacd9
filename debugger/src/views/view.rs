//! The trait that every view of rows implements ([`PanelView`]), with the gestures and context
//! menus of rows.

use std::ops::Range;

use stepback_parsers::Position;

use crate::action::{Action, AppAction, CellName, Follow, PanelKind};
use crate::desk::Desk;
use crate::icons;
use crate::messages::say;
use crate::worker::Answer;

/// A panel of rows without its drawing.
pub trait PanelView {
    fn kind(&self) -> PanelKind;

    /// Returns the window or moment whose state is shown; none for a panel that shows no single
    /// moment.
    fn follow(&self) -> Option<Follow> {
        None
    }

    /// Binds the view to a window or a moment, if it can be bound.
    fn bind(&mut self, _follow: Follow) {}

    /// Takes answers that arrived and requests missing ones. Call it once before each drawing.
    fn poll(&mut self, desk: &Desk) -> ViewStatus;

    /// Requests the details of the rows in sight. Returns the error if they cannot be read.
    fn fetch(&mut self, _seen: Range<usize>, _desk: &Desk) -> Option<String> {
        None
    }

    /// Applies a gesture to a row. Returns false if the gesture has no meaning for it.
    fn act(&mut self, row: usize, gesture: RowGesture, desk: &Desk, out: &mut Vec<Action>) -> bool;

    /// Returns the gesture of the Enter key.
    fn entered(&self) -> RowGesture {
        RowGesture::Go
    }

    /// Returns true if a move of the cursor performs [`RowGesture::Go`].
    fn follows_cursor(&self) -> bool {
        false
    }

    /// Returns the parent of a row in a tree.
    fn parent(&self, _row: usize) -> Option<usize> {
        None
    }

    /// Returns the register or memory that a row is about.
    fn cell(&self, _row: usize, _desk: &Desk) -> Option<CellName> {
        None
    }

    /// Returns the position at which that cell has the displayed value; none: the position of the
    /// active window.
    fn cell_at(&self, _row: usize, desk: &Desk) -> Option<Position> {
        self.follow().map(|follow| desk.windows.position_of(follow))
    }

    /// Returns the text that is copied from a row.
    fn copied(&self, _row: usize) -> Option<String> {
        None
    }

    /// Returns the text of the whole list, if that is copied.
    fn copied_whole(&self) -> Option<String> {
        None
    }

    /// Returns true while an answer is under way.
    fn is_waiting(&self) -> bool {
        false
    }

    /// Returns true if the rows have belonged to an earlier query for so long that the user should
    /// see it.
    fn is_late(&self) -> bool {
        false
    }

    /// Returns the number of rows around the marked row that stay in sight.
    fn margin(&self) -> usize {
        0
    }

    /// Shows only rows that contain a text. Returns false if the view cannot filter.
    fn filter(&mut self, _text: &str) -> bool {
        false
    }

    /// Applies an action that is meant for a view of this kind. Returns false if it is not.
    fn take(&mut self, _action: &Action, _desk: &Desk) -> bool {
        false
    }

    /// Forgets everything about the trace; another one is open.
    fn forget(&mut self);
}

/// Result of polling a view.
#[derive(Clone, Debug, PartialEq)]
pub enum ViewStatus {
    /// There are rows.
    Rows(RowListing),
    /// The rows are under way; a progress text, which may be empty.
    Loading(String),
    /// There are no rows.
    Empty {
        /// Reason.
        title: String,
        /// Advice for the user.
        advice: String,
    },
    /// The rows cannot be read; the error.
    Failed(String),
}

impl ViewStatus {
    /// Creates a status without rows, with the reason and advice.
    pub fn empty(title: impl Into<String>, advice: impl Into<String>) -> Self {
        Self::Empty {
            title: title.into(),
            advice: advice.into(),
        }
    }

    /// Returns the value of an answer, fresh or not.
    ///
    /// # Errors
    /// The status to show instead, if there is no answer.
    pub fn of_answer<A: Clone>(answer: &Answer<'_, A>) -> Result<A, Self> {
        match answer {
            Answer::Failed(error) => Err(Self::Failed((*error).to_owned())),
            answer => answer
                .any()
                .cloned()
                .ok_or_else(|| Self::Loading(String::new())),
        }
    }
}

/// The rows of a view.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct RowListing {
    /// Number of rows.
    pub count: usize,
    /// Summary of the list.
    pub summary: String,
    /// Row that the cursor moves to, once for each key.
    pub marked: Option<CursorRow>,
}

/// A row that the cursor moves to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct CursorRow {
    /// The cursor moves again when this changes.
    pub key: (u64, u64),
    /// Index of the row.
    pub row: usize,
}

/// Gesture of the user on a row.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum RowGesture {
    /// Goes where the row leads, or opens it.
    Go,
    /// Goes to the alternative target of the row: the end of a call, the next write.
    GoOn,
    /// Shows the children; goes to the next change of a value.
    Open,
    /// Hides the children; goes to the previous change of a value.
    Close,
    /// Restricts stepping to the thread or range of the row.
    Stay,
    /// Removes the object of the row.
    Remove,
}

/// Direction in which a cursor moves.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum CursorDirection {
    /// A row up.
    Up,
    /// A row down.
    Down,
    /// A column to the left.
    Left,
    /// A column to the right.
    Right,
    PageUp,
    PageDown,
    /// To the first row.
    First,
    /// To the last row.
    Last,
}

impl CursorDirection {
    /// Returns the row of a list to which a cursor moves; sideways moves keep the row.
    pub fn moved(self, cursor: usize, last: usize, page: usize) -> usize {
        let row = match self {
            Self::Up => cursor.saturating_sub(1),
            Self::Down => cursor.saturating_add(1),
            Self::PageUp => cursor.saturating_sub(page),
            Self::PageDown => cursor.saturating_add(page),
            Self::First => 0,
            Self::Last => last,
            Self::Left | Self::Right => cursor,
        };
        row.min(last)
    }
}

/// Context menu of a row.
pub struct RowMenu {
    /// Subject of the menu.
    pub title: String,
    /// Value or explanation at the right of the title.
    pub note: String,
    /// Entries from the top.
    pub entries: Vec<MenuEntry>,
}

/// Entry of a context menu.
pub enum MenuEntry {
    /// Line between groups of entries.
    Line,
    /// Entry that can be chosen.
    Choice {
        /// Icon in front of the label.
        icon: Option<char>,
        label: String,
        /// Key that does the same; empty for none.
        key: &'static str,
        actions: Vec<Action>,
    },
}

impl MenuEntry {
    /// Creates an entry with a label.
    pub fn new(label: impl Into<String>, actions: impl Into<Vec<Action>>) -> Self {
        Self::Choice {
            icon: None,
            label: label.into(),
            key: "",
            actions: actions.into(),
        }
    }

    /// Creates an entry that copies a text.
    pub fn copy(text: String) -> Self {
        Self::new(say!("table-copy"), [Action::App(AppAction::Copy(text))])
            .icon(icons::COPY)
            .key("Ctrl+C")
    }

    /// Adds an icon.
    #[must_use]
    pub fn icon(mut self, shape: char) -> Self {
        if let Self::Choice { icon, .. } = &mut self {
            *icon = Some(shape);
        }
        self
    }

    /// Adds a key.
    #[must_use]
    pub fn key(mut self, name: &'static str) -> Self {
        if let Self::Choice { key, .. } = &mut self {
            *key = name;
        }
        self
    }
}
