//! The rule about what the trace says in words.

use std::collections::VecDeque;

/// So many sayings are remembered.
const WINDOW: usize = 32;
/// Fewer in a row are no repetition.
const SHORTEST: usize = 8;

/// Notices when at least eight sayings in a row are followed by the same again, with no step and no register write between,
/// and with a further saying before them all: the comparison of Arm's tool ends where it meets the oldest it remembers, so what
/// begins its memory is never part of a repetition.
#[derive(Clone, Debug, Default)]
pub struct RepetitionDetector {
    /// Whose, and what was said without its time, the last at the end.
    said: VecDeque<(u16, Vec<u8>)>,
}

impl RepetitionDetector {
    /// Something was said; true when that ends a repetition.
    pub fn say(&mut self, thread: u16, text: &[u8]) -> bool {
        // The room of the oldest is used again.
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

    /// Something happened.
    pub fn clear(&mut self) {
        self.said.clear();
    }

    /// True when the last so many are what was said before them.
    fn is_repeated(&self, count: usize) -> bool {
        let last = self.said.iter().rev().take(count);
        let before = self.said.iter().rev().skip(count).take(count);
        last.eq(before)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The number of the saying, from 1, that ends a repetition.
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
