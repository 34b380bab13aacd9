//! What a desk tells those who draw it.

use super::kept_marks::NotesSnapshot;
use crate::action::{Action, PanelKind, StepRange};
use crate::session::Notice;
use crate::session::OpenOptions;
use stepback_parsers::Position;

/// How serious a message is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Tone {
    /// Good to know; it leaves by itself.
    Info,
    /// Something to look at.
    Warning,
    /// Something that did not work.
    Error,
}

/// Something to tell the user.
#[derive(Clone, Debug, PartialEq)]
pub struct Message {
    /// How serious it is.
    pub tone: Tone,
    /// What happened: one sentence, or without a full stop what stands above the text.
    pub title: String,
    /// Where or why, and what now; empty where the title says it all: then what stands before its first colon counts as
    /// the title.
    pub text: String,
    /// What can be done: a word and an action each.
    pub offers: Vec<(String, Action)>,
}

/// What came of actions and answers.
#[derive(Clone, Debug)]
pub enum DeskEvent {
    /// The user is told something.
    Message(Message),
    /// What was asked for could not be done; why.
    Failed(String),
    /// A place that was typed was found: the window goes there.
    Arrived,
    /// A place that was typed was not found, and why.
    Refused {
        /// As it was typed.
        place: String,
        /// Why.
        error: String,
    },
    /// The two ends of a part of the trace are compared.
    CompareEnds(StepRange),
    /// The active window's position is compared with another.
    CompareAt(Position),
    /// Something else is to be done.
    Do(Action),
    /// A panel is shown, and gets the keyboard.
    Show(PanelKind),
    /// A panel is shown; the keyboard stays where it is.
    Reveal(PanelKind),
    /// Somebody is asked what to look for.
    AskWhatToFind,
    /// What the user keeps was changed: what was there before, so that it can be had back.
    Changed(NotesSnapshot),
    /// Another part of the trace is shown.
    Part,
    /// The whole of the trace is shown now; what was told of it before.
    Whole(Vec<Notice>),
    /// The index is damaged: the trace is to be opened again in this way.
    Mend(Box<OpenOptions>),
}

impl Message {
    /// One sentence.
    pub fn new(tone: Tone, title: impl Into<String>) -> Self {
        Self {
            tone,
            title: title.into(),
            text: String::new(),
            offers: Vec::new(),
        }
    }

    /// The same with a text below it.
    #[must_use]
    pub fn with(mut self, text: impl Into<String>) -> Self {
        self.text = text.into();
        self
    }

    /// The same with something to do about it.
    #[must_use]
    pub fn offering(mut self, word: &str, action: Action) -> Self {
        self.offers.push((word.to_owned(), action));
        self
    }
}
