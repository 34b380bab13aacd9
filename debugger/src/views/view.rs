//! The trait that every view of rows implements.

use std::ops::Range;

use stepback_parsers::Position;

use crate::action::{Action, CellName, Follow, PanelKind};
use crate::desk::Desk;
use crate::worker::Answer;

/// A panel of rows without its drawing.
pub trait PanelView {
    /// Kind of the panel.
    fn kind(&self) -> PanelKind;

    /// Window or moment whose state is shown; none for a panel that shows no single moment.
    fn follow(&self) -> Option<Follow> {
        None
    }

    /// Binds the view to a window or a moment, if it can be bound.
    fn bind(&mut self, _follow: Follow) {}

    /// Takes answers that arrived and asks for what is missing. Call it once before each drawing.
    fn poll(&mut self, desk: &Desk) -> ViewStatus;

    /// Asks for the details of the rows in sight. Returns the error if they cannot be read.
    fn fetch(&mut self, _seen: Range<usize>, _desk: &Desk) -> Option<String> {
        None
    }

    /// Applies a gesture to a row. Returns false where the gesture means nothing.
    fn act(&mut self, row: usize, gesture: RowGesture, desk: &Desk, out: &mut Vec<Action>) -> bool;

    /// Gesture of the Enter key.
    fn entered(&self) -> RowGesture {
        RowGesture::Go
    }

    /// True where a move of the cursor does [`Gesture::Go`].
    fn follows_cursor(&self) -> bool {
        false
    }

    /// Parent of a row in a tree.
    fn parent(&self, _row: usize) -> Option<usize> {
        None
    }

    /// Register or memory that a row is about.
    fn cell(&self, _row: usize, _desk: &Desk) -> Option<CellName> {
        None
    }

    /// Position at which that cell has the value that is shown; none: the position of the active window.
    fn cell_at(&self, _row: usize, desk: &Desk) -> Option<Position> {
        self.follow().map(|follow| desk.windows.position_of(follow))
    }

    /// Text that is copied from a row.
    fn copied(&self, _row: usize) -> Option<String> {
        None
    }

    /// Text of the whole list, if that is what is copied.
    fn copied_whole(&self) -> Option<String> {
        None
    }

    /// True while an answer is on its way.
    fn is_waiting(&self) -> bool {
        false
    }

    /// True while the rows are those of an earlier question for so long that the user should see it.
    fn is_late(&self) -> bool {
        false
    }

    /// Number of rows around the marked row that stay in sight.
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
    /// The rows are on their way; a progress text, or an empty one.
    Loading(String),
    /// There are no rows.
    Empty {
        /// Why.
        title: String,
        /// Advice for the user.
        advice: String,
    },
    /// The rows cannot be read; the error.
    Failed(String),
}

impl ViewStatus {
    /// There are no rows: why, and what the user can do about it.
    pub fn empty(title: impl Into<String>, advice: impl Into<String>) -> Self {
        Self::Empty {
            title: title.into(),
            advice: advice.into(),
        }
    }

    /// The value of an answer, fresh or not.
    ///
    /// # Errors
    /// The status to show instead, where there is no answer.
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
    /// Summary of what is listed.
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
    /// Goes to the other place that the row leads to: the end of a call, the next write.
    GoOn,
    /// Shows the children; goes to the next change of a value.
    Open,
    /// Hides the children; goes to the previous change of a value.
    Close,
    /// Restricts stepping to what the row represents.
    Stay,
    /// Removes what the row represents.
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
    /// A page up.
    PageUp,
    /// A page down.
    PageDown,
    /// To the first row.
    First,
    /// To the last row.
    Last,
}

impl CursorDirection {
    /// Row of a list to which a cursor moves; to the side it stays.
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
