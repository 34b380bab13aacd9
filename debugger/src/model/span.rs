//! Text with meaning: the window paints each meaning in its colour.

/// What a piece of text says by its colour.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum TextRole {
    /// Content.
    #[default]
    Plain,
    /// Of the second rank.
    Second,
    /// A label; also what was not executed.
    Label,
    /// A call, return or branch.
    Branch,
    /// A register.
    Register,
    /// A number in code.
    Number,
    /// A symbol.
    Symbol,
    /// Punctuation in code.
    Punctuation,
    /// A comment.
    Comment,
    /// A load.
    Read,
    /// A load of what something wrote that the trace does not show.
    External,
    /// A store.
    Write,
    /// A branch that was taken.
    Taken,
    /// A value that the trace does not state, and that follows from what it states.
    Inferred,
    /// A value that nothing states.
    Unknown,
    /// An exception.
    Exception,
}

/// A piece of text.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct TextSpan {
    /// What it is.
    pub meaning: TextRole,
    /// How it reads.
    pub text: String,
}

impl TextSpan {
    /// A piece of text with a meaning.
    pub fn new(meaning: TextRole, text: impl Into<String>) -> Self {
        Self {
            meaning,
            text: text.into(),
        }
    }
}
