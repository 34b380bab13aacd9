//! What is said where only a part of the trace is indexed: nothing is called exact that the rest may change.

use stepback_index::{Call, FrameExit, ValueSource};

use super::frame_words::left_words;
use crate::messages::say;
use crate::session::Session;

/// How much of a trace is indexed, when it is not all of it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct IndexedPart {
    /// Steps indexed.
    pub steps: u64,
    /// Bytes of the trace that are indexed.
    pub bytes: u64,
    /// Bytes of the trace as far as they are known.
    pub total: u64,
}

impl IndexedPart {
    /// None when the index is that of the whole trace.
    pub fn of(session: &Session) -> Option<Self> {
        let index = &session.index;
        let (bytes, length) = (index.text_end(), index.source().length());
        // While a compressed trace is unpacked its length is a guess: as if the rest were packed as well.
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

    /// The share that is indexed. Never 100 while something is left.
    pub fn per_cent(&self) -> u64 {
        let share = u128::from(self.bytes) * 100 / u128::from(self.total.max(1));
        let most = if self.bytes < self.total { 99 } else { 100 };
        u64::try_from(share).unwrap_or(most).min(most)
    }

    /// Where indexing stopped: `Indexed up to step 1,250 (34 %)`.
    pub fn stopped(&self) -> String {
        say!("sofar-stopped", step = self.steps, share = self.per_cent())
    }

    /// What is followed: `Following: 1,250 steps`, with the share while there is something to catch up with.
    pub fn following(&self) -> String {
        match self.per_cent() {
            99 | 100 => say!("sofar-following", count = self.steps),
            share => say!("sofar-following-share", count = self.steps, share = share),
        }
    }

    /// Why an answer may not be the last word.
    pub fn caveat(&self) -> String {
        say!("sofar-caveat", step = self.steps, share = self.per_cent())
    }
}

/// A number or a sentence that the rest of the trace may change: ` so far` is added where there is a rest.
pub fn so_far(session: &Session, text: &str) -> String {
    if session.index.is_whole() {
        text.to_owned()
    } else {
        say!("sofar-so-far", text = text)
    }
}

/// Words for where a value comes from: a later read may still state what is unknown or inferred.
pub fn source_so_far(session: &Session, source: ValueSource, words: &str) -> String {
    match source {
        ValueSource::Inferred | ValueSource::Unknown => so_far(session, words),
        ValueSource::Recorded | ValueSource::External => words.to_owned(),
    }
}

/// How a frame was left, with the step; where the rest of the trace may leave it, that it is not left so far.
pub fn left_so_far(session: &Session, call: &Call) -> String {
    match IndexedPart::of(session) {
        Some(part) if call.left == FrameExit::Open => {
            say!("sofar-not-left", caveat = part.caveat())
        }
        _ => left_words(call),
    }
}

/// A sentence that says that something is not there, and what that is worth.
pub fn nothing_so_far(session: &Session, sentence: String) -> String {
    match IndexedPart::of(session) {
        None => sentence,
        Some(part) => say!("sofar-nothing", sentence = sentence, caveat = part.caveat()),
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
