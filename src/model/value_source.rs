//! Where a value comes from, in words.

use stepback_index::ValueSource;

/// What is said of values from one source.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct SourceWords {
    /// For a byte among others.
    pub letter: char,
    /// For other programs, which rely on it.
    pub word: &'static str,
    /// For people, behind a value.
    pub phrase: &'static str,
    /// What that means.
    pub meaning: &'static str,
}

/// The sources in the order in which they are explained.
pub const SOURCES: [ValueSource; 4] =
    [ValueSource::Recorded, ValueSource::Inferred, ValueSource::External, ValueSource::Unknown];

impl SourceWords {
    /// Of a source.
    pub fn of(source: ValueSource) -> Self {
        match source {
            ValueSource::Recorded => Self {
                letter: 'r',
                word: "recorded",
                phrase: "recorded",
                meaning: "recorded: the trace states it at or before the position",
            },
            ValueSource::Inferred => Self {
                letter: 'i',
                word: "inferred",
                phrase: "inferred",
                meaning: "inferred: a later read with no write between, or the program image, says it",
            },
            ValueSource::External => Self {
                letter: 'x',
                word: "external",
                phrase: "external change",
                meaning: "external: a read differs from the last write; something else wrote there",
            },
            ValueSource::Unknown => {
                Self { letter: '?', word: "unknown", phrase: "unknown", meaning: "unknown: nothing states it" }
            }
        }
    }
}
