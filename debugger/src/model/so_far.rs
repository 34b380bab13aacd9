//! Words that qualify an answer: the provenance of a value, a reason to doubt it, and the part of
//! the trace that is indexed.
//!
//! While the index is incomplete, nothing is presented as final that the rest may change.

use stepback_index::answer::{Call, Doubt, FrameExit, ValueSource};
use stepback_machine::InstructionSet;

use crate::messages::say;
use crate::model::call_stack::left_words;
use crate::session::Session;

/// Indexed part of a trace.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct IndexedPart {
    /// Number of indexed steps.
    pub steps: u64,
    /// Number of indexed bytes of the trace.
    pub bytes: u64,
    /// Length of the trace in bytes, possibly an estimate.
    pub total: u64,
}

impl IndexedPart {
    /// Returns none if the whole trace is indexed.
    pub fn of(session: &Session) -> Option<Self> {
        let index = &session.index;
        let (bytes, length) = (index.text_end(), index.source().length());
        // The length is an estimate while a compressed trace is unpacked: the rest is assumed to
        // compress equally well.
        let guess = session
            .packed()
            .filter(|_| !index.source().is_settled())
            .map(|text| {
                let total = u128::from(length) * u128::from(session.file_bytes())
                    / u128::from(text.packed_done().max(1));
                u64::try_from(total)
                    .unwrap_or(u64::MAX)
                    .max(length.saturating_add(1))
            });
        (!index.is_whole()).then(|| Self {
            steps: index.step_count(),
            bytes,
            total: guess.unwrap_or(length),
        })
    }

    /// Returns the indexed share in percent. Never 100 while something is left.
    pub fn per_cent(&self) -> u64 {
        let share = u128::from(self.bytes) * 100 / u128::from(self.total.max(1));
        let most = if self.bytes < self.total { 99 } else { 100 };
        u64::try_from(share).unwrap_or(most).min(most)
    }

    /// Describes an interrupted index: `Indexed up to step 1,250 (34 %)`.
    pub fn stopped(&self) -> String {
        say!("sofar-stopped", step = self.steps, share = self.per_cent())
    }

    /// Describes a live trace: `Following: 1,250 steps`, with the share while the index catches up.
    pub fn following(&self) -> String {
        match self.per_cent() {
            99 | 100 => say!("sofar-following", count = self.steps),
            share => say!("sofar-following-share", count = self.steps, share = share),
        }
    }

    /// Explains why an answer may not be final.
    pub fn caveat(&self) -> String {
        say!("sofar-caveat", step = self.steps, share = self.per_cent())
    }
}

/// Adds ` so far` to a number or sentence if the rest of the trace may change it.
pub fn so_far(session: &Session, text: &str) -> String {
    if session.index.is_whole() {
        text.to_owned()
    } else {
        say!("sofar-so-far", text = text)
    }
}

/// Qualifies the provenance of a value: a later read may still reveal a value that is unknown or
/// inferred.
pub fn source_so_far(session: &Session, source: ValueSource, words: &str) -> String {
    match source {
        ValueSource::Inferred | ValueSource::Unknown => so_far(session, words),
        ValueSource::Recorded | ValueSource::External => words.to_owned(),
    }
}

/// Describes the end of a frame, with the step. If the frame is open and the trace is not fully
/// indexed, says that it has not ended yet.
pub fn left_so_far(session: &Session, call: &Call) -> String {
    match IndexedPart::of(session) {
        Some(part) if call.left == FrameExit::Open => {
            say!("sofar-not-left", caveat = part.caveat())
        }
        _ => left_words(call),
    }
}

/// Qualifies a sentence that reports that nothing was found.
pub fn nothing_so_far(session: &Session, sentence: String) -> String {
    match IndexedPart::of(session) {
        None => sentence,
        Some(part) => say!("sofar-nothing", sentence = sentence, caveat = part.caveat()),
    }
}

/// Formats a doubt about the access of a cell as a phrase.
pub fn doubt_words(doubt: Doubt, set: InstructionSet) -> String {
    let call = |number: u64| {
        let unnamed = || say!("doubt-system-call", number = number.to_string());
        let name = set.system_call_name(number);
        name.map_or_else(unnamed, str::to_owned)
    };
    match doubt {
        Doubt::SystemCall { step, number } => {
            say!("doubt-overwritten", name = call(number), step = step.0)
        }
        Doubt::BlockedCall {
            step,
            number,
            returned: Some(returned),
        } => say!(
            "doubt-overwritten-late",
            name = call(number),
            step = step.0,
            returned = returned.0
        ),
        Doubt::BlockedCall {
            step,
            number,
            returned: None,
        } => say!("doubt-overwritten-open", name = call(number), step = step.0),
        Doubt::KernelEvent { step } => {
            say!("doubt-signal", step = step.0.to_string())
        }
        Doubt::Gap { step } => say!("doubt-gap", step = step.0.to_string()),
        Doubt::SystemCallsUnsaid => say!("doubt-a-later-system-call-may").to_owned(),
        Doubt::Filtered => say!("doubt-the-trace-leaves-out-instructions").to_owned(),
        Doubt::Bank => say!("doubt-the-trace-does-not-say").to_owned(),
        Doubt::Undecoded => say!("doubt-guessed-the-instruction-cannot-be").to_owned(),
        Doubt::Conditional => say!("doubt-guessed-the-instruction-is-conditional").to_owned(),
    }
}

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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::session::test_session::overflow;

    fn part(bytes: u64) -> IndexedPart {
        IndexedPart {
            steps: 1250,
            bytes,
            total: 1000,
        }
    }

    #[test]
    fn a_part_says_how_far_it_goes() {
        assert_eq!(part(345).stopped(), "Indexed up to step 1,250 (34 %)");
        assert_eq!(
            part(345).caveat(),
            "the trace is indexed up to step 1,250 (34 %)"
        );
        assert_eq!(part(999).stopped(), "Indexed up to step 1,250 (99 %)");
        assert_eq!(
            IndexedPart {
                steps: 0,
                bytes: 0,
                total: 0
            }
            .per_cent(),
            0
        );
    }

    #[test]
    fn what_is_followed_tells_its_share_only_while_it_catches_up() {
        assert_eq!(part(345).following(), "Following: 1,250 steps (34 %)");
        assert_eq!(part(1000).following(), "Following: 1,250 steps");
        assert_eq!(
            IndexedPart {
                steps: 1,
                ..part(1000)
            }
            .following(),
            "Following: 1 step"
        );
    }

    #[test]
    fn of_a_whole_trace_nothing_is_so_far() {
        let session = overflow();
        assert_eq!(IndexedPart::of(&session), None);
        assert_eq!(so_far(&session, "3 warnings"), "3 warnings");
        assert_eq!(
            source_so_far(&session, ValueSource::Unknown, "unknown"),
            "unknown"
        );
        assert_eq!(
            nothing_so_far(&session, "x2 is not read".to_owned()),
            "x2 is not read"
        );
    }
}

#[cfg(test)]
mod doubt_tests {
    use stepback_parsers::Step;

    use super::*;

    #[test]
    fn a_system_call_that_came_between_is_named() {
        let words = |number| {
            doubt_words(
                Doubt::SystemCall {
                    step: Step(1234),
                    number,
                },
                InstructionSet::X86_64,
            )
        };
        assert_eq!(words(0), "possibly overwritten since by read at step 1,234");
        let blocked = |returned: Option<u64>| {
            let doubt = Doubt::BlockedCall {
                step: Step(1234),
                number: 230,
                returned: returned.map(Step),
            };
            doubt_words(doubt, InstructionSet::X86_64)
        };
        assert_eq!(
            blocked(Some(5678)),
            "possibly overwritten since by clock_nanosleep of step 1,234, which returned at step 5,678"
        );
        assert_eq!(
            blocked(None),
            "possibly overwritten since by clock_nanosleep of step 1,234, which had not returned"
        );
        assert_eq!(
            words(9999),
            "possibly overwritten since by system call 9999 at step 1,234"
        );
    }
}
