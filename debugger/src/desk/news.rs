//! Events that a desk reports to the front end.

use stepback_parsers::Position;

use crate::action::StepRange;
use crate::action::{Action, PanelKind};
use crate::desk::words::sentence;
use crate::notes::{Bookmarks, SavedQueries, SavedSearch, SavedSlice, Watches};
use crate::session::{Notice, OpenOptions};

/// Severity of a message.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Tone {
    /// Information; it disappears after a while.
    Info,
    Warning,
    /// An action failed.
    Error,
}

/// Message for the user.
#[derive(Clone, Debug, PartialEq)]
pub struct Message {
    pub tone: Tone,
    /// One sentence that says what happened, or, without a full stop, a heading above the text.
    pub title: String,
    /// Place, reason and advice; empty if the title says everything. In that case the part before
    /// the title's first colon counts as the title.
    pub text: String,
    /// Actions that the user may choose, with a label each.
    pub offers: Vec<(String, Action)>,
    /// Position of the active window, for a message that is only true there.
    pub at: Option<Position>,
}

/// One kind of notes as it was before a change.
#[derive(Clone, Debug, PartialEq)]
pub enum NotesSnapshot {
    Bookmarks(Bookmarks),
    Watches(Watches),
    /// Values that the timeline shows as waveforms.
    Waves(Watches),
    /// Saved searches.
    Searches(SavedQueries<SavedSearch>),
    /// Saved slices.
    Slices(SavedQueries<SavedSlice>),
}

/// Result of actions and answers.
#[derive(Clone, Debug)]
pub enum DeskEvent {
    /// A message for the user.
    Message(Message),
    /// A request failed; the reason.
    Failed(String),
    /// The position in the "Go to" box was found, and the window goes there.
    Arrived,
    /// The position in the "Go to" box was not found.
    Refused {
        /// Text that the user entered.
        place: String,
        /// Reason.
        error: String,
    },
    /// Compare the two ends of a part of the trace.
    CompareEnds(StepRange),
    /// Compare the active window's position with another.
    CompareAt(Position),
    /// Perform another action.
    Do(Action),
    /// Show a panel and give it the keyboard focus.
    Show(PanelKind),
    /// Show a panel; the keyboard focus stays.
    Reveal(PanelKind),
    /// Prompt for a search.
    AskWhatToFind,
    /// The user's notes changed; the notes before, for undo.
    Changed(NotesSnapshot),
    /// Another part of the trace is shown.
    Part,
    /// The whole trace is shown now; the notices that were shown before.
    Whole(Vec<Notice>),
    /// The index is damaged: open the trace again with these options.
    Mend(Box<OpenOptions>),
}

impl Message {
    /// Creates a message of one sentence.
    pub fn new(tone: Tone, title: impl Into<String>) -> Self {
        Self {
            tone,
            title: sentence(&title.into()),
            text: String::new(),
            offers: Vec::new(),
            at: None,
        }
    }

    /// Adds a text below the title.
    #[must_use]
    pub fn with(mut self, text: impl Into<String>) -> Self {
        self.text = text.into();
        self
    }

    /// Makes the message leave with the next move.
    #[must_use]
    pub fn at(mut self, position: Position) -> Self {
        self.at = Some(position);
        self
    }

    /// Adds an action that the user may choose.
    #[must_use]
    pub fn offering(mut self, word: &str, action: Action) -> Self {
        self.offers.push((word.to_owned(), action));
        self
    }
}
