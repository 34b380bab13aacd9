//! Text with semantic roles; the front ends choose the colour of each.

/// Role of a piece of text, which determines its colour.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum TextRole {
    /// Ordinary content.
    #[default]
    Plain,
    /// Secondary content.
    Second,
    /// A label; also instructions that were not executed.
    Label,
    Branch,
    Register,
    /// A number in code.
    Number,
    Symbol,
    /// Punctuation in code.
    Punctuation,
    Comment,
    /// A load.
    Read,
    /// A load of a value that was written without a record in the trace.
    External,
    /// A store.
    Write,
    /// A branch that was taken.
    Taken,
    /// A value that the trace does not state but that follows from it.
    Inferred,
    /// An unknown value.
    Unknown,
    Exception,
}

/// Piece of text with one role.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct TextSpan {
    pub meaning: TextRole,
    pub text: String,
}

impl TextSpan {
    pub fn new(meaning: TextRole, text: impl Into<String>) -> Self {
        Self {
            meaning,
            text: text.into(),
        }
    }
}
