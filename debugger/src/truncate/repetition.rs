//! Detects repeated messages.

use std::collections::VecDeque;

/// Number of messages remembered.
const WINDOW: usize = 32;
/// Minimum length of a repeated sequence.
const SHORTEST: usize = 8;

/// Detects a sequence of at least eight messages that occurs twice in a row, without a step or a
/// register write in between.
///
/// Another message must precede both: the comparison of Arm's tool ends at the oldest message that
/// it remembers. The first message in its memory is therefore never part of a repetition.
#[derive(Clone, Debug, Default)]
pub struct RepetitionDetector {
    /// Thread and text, without the time; the newest last.
    said: VecDeque<(u16, Vec<u8>)>,
}

impl RepetitionDetector {
    /// Records a message. Returns true if it completes a repetition.
    pub fn say(&mut self, thread: u16, text: &[u8]) -> bool {
        // Reuse the buffer of the oldest message.
        let mut room = if self.said.len() == WINDOW {
            self.said.pop_front().unwrap_or_default().1
        } else {
            Vec::new()
        };
        room.clear();
        room.extend_from_slice(text);
        self.said.push_back((thread, room));
        (SHORTEST..=self.said.len().saturating_sub(1) / 2).any(|count| self.is_repeated(count))
    }

    /// Forgets all messages: another event happened.
    pub fn clear(&mut self) {
        self.said.clear();
    }

    /// Returns true if the last `count` messages equal the `count` before them.
    fn is_repeated(&self, count: usize) -> bool {
        let last = self.said.iter().rev().take(count);
        let before = self.said.iter().rev().skip(count).take(count);
        last.eq(before)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// `expected` is the number of the message, from 1, that completes a repetition.
    #[track_caller]
    fn check(sayings: impl IntoIterator<Item = (u16, u32)>, expected: Option<usize>) {
        let mut rule = RepetitionDetector::default();
        let mut sayings = sayings.into_iter();
        let found =
            sayings.position(|(thread, number)| rule.say(thread, number.to_string().as_bytes()));
        assert_eq!(found.map(|place| place + 1), expected);
    }

    #[test]
    fn eight_to_fifteen_sayings_with_one_before_may_repeat() {
        check((0..100).map(|number| (0, number % 7)), Some(28 + 1));
        check((0..16).map(|number| (0, number % 8)), None);
        check((0..100).map(|number| (0, number % 8)), Some(16 + 1));
        check((7..100).map(|number| (0, number.max(8) % 8)), Some(16 + 1));
        check((0..100).map(|number| (0, number % 11)), Some(22 + 1));
        check((0..100).map(|number| (0, number % 15)), Some(30 + 1));
        check((0..100).map(|number| (0, number % 16)), None);
        check((0..100).map(|number| (0, number % 17)), None);
        check((0..100).map(|_| (0, 5)), Some(16 + 1));
        check((0..100).map(|number| (0, number)), None);
    }

    #[test]
    fn who_says_it_matters() {
        check((0..64).map(|number| (number / 4 % 2, 5)), Some(16 + 1));
        check((0..20).map(|number| (number / 8 % 2, 5)), None);
    }

    #[test]
    fn what_happens_between_breaks_the_row() {
        let mut rule = RepetitionDetector::default();
        assert!(!(0..16).any(|_| rule.say(0, b"BR")));
        rule.clear();
        assert!(!(0..16).any(|_| rule.say(0, b"BR")));
        assert!(rule.say(0, b"BR"));
    }
}
