//! Errors in a description of records or lines ([`TemplateError`]).

/// Maximum length of a record in bytes. No trace has longer ones.
pub(super) const LONGEST: usize = 1 << 16;
/// Maximum number of patterns, which bounds the time for a line.
pub(super) const PATTERNS: usize = 100;

/// An invalid description of records or lines.
#[non_exhaustive]
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum TemplateError {
    /// The text is not TOML, or has a key that a layout does not have.
    #[error("it is not a description of a record: {0}")]
    Syntax(String),
    /// The record length is 0 or too large.
    #[error("a record has 1 to {LONGEST} bytes, not {0}")]
    RecordBytes(usize),
    /// A field exceeds the record, has no or too many bytes, or selects bits outside its bytes.
    #[error(
        "the field {0:?} must have 1 to 8 bytes inside of the record, and its bits must lie in these"
    )]
    Field(String),
    /// A field that the format does not have.
    #[error("there is no field {name:?}: known are {known}")]
    Unknown {
        /// Name of the field.
        name: String,
        /// The field names that the format has, separated by commas.
        known: String,
    },
    /// A field that the format requires.
    #[error("the field {0:?} is missing")]
    Missing(&'static str),
    /// The text is not TOML.
    #[error("it is not TOML: {0}")]
    Toml(String),
    /// The description of lines has a key that a layout does not have.
    #[error("it is not a description of lines: {0}")]
    Lines(String),
    /// A pattern is no regular expression, or its groups do not belong together.
    #[error("the pattern {pattern:?}: {problem}")]
    Pattern {
        /// The pattern.
        pattern: String,
        /// The problem, as a sentence.
        problem: String,
    },
    /// There are too many patterns.
    #[error("at most {PATTERNS} patterns are allowed, found {0}")]
    PatternCount(usize),
    /// No pattern begins a step.
    #[error("one of the lines needs a pattern with a group pc: it begins a step")]
    NoStep,
    /// An unknown instruction set.
    #[error("there is no instruction set {name:?}: known are {known}")]
    InstructionSet {
        /// The unknown name.
        name: String,
        /// The known names, separated by commas.
        known: String,
    },
}

/// Formats a TOML error and its place in a text on one line. Lines and columns are counted from 1.
pub(super) fn one_line(error: &toml::de::Error, text: &str) -> String {
    let before = error.span().and_then(|span| text.get(..span.start));
    let place = before.map_or_else(String::new, |before| {
        let line = before.matches('\n').count() + 1;
        let last = before.rsplit('\n').next().unwrap_or_default();
        format!(" (line {line}, column {})", last.chars().count() + 1)
    });
    format!(
        "{}{place}",
        error.message().lines().collect::<Vec<_>>().join("; ")
    )
}
