//! Words for the provenance of values.

use stepback_index::ValueSource;

use crate::messages::say;

/// Words for one provenance.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct SourceWords {
    /// Letter for a byte in a row.
    pub letter: char,
    /// Word for other programs, which rely on it.
    pub word: &'static str,
    /// Phrase shown after a value.
    pub phrase: &'static str,
    /// Explanation.
    pub meaning: &'static str,
}

/// Provenances in the order in which they are explained.
pub const SOURCES: [ValueSource; 4] = [
    ValueSource::Recorded,
    ValueSource::Inferred,
    ValueSource::External,
    ValueSource::Unknown,
];

impl SourceWords {
    /// Returns the words for a provenance.
    pub fn of(source: ValueSource) -> Self {
        match source {
            ValueSource::Recorded => Self {
                letter: 'r',
                word: "recorded",
                phrase: say!("source-recorded"),
                meaning: say!("source-recorded-the-trace-states-it"),
            },
            ValueSource::Inferred => Self {
                letter: 'i',
                word: "inferred",
                phrase: say!("source-inferred"),
                meaning: say!("source-inferred-a-later-read-with"),
            },
            ValueSource::External => Self {
                letter: 'x',
                word: "external",
                phrase: say!("source-external-change"),
                meaning: say!("source-external-a-read-differs-from"),
            },
            ValueSource::Unknown => Self {
                letter: '?',
                word: "unknown",
                phrase: say!("source-unknown"),
                meaning: say!("source-unknown-nothing-states-it"),
            },
        }
    }
}
