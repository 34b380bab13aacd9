//! A set of bytes of a register.

use std::ops::Range;

/// Set of bytes of a register, up to the widest one.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct ByteSet([u64; 4]);

impl ByteSet {
    /// Capacity in bytes.
    const BYTES: u16 = 256;

    /// Returns the bytes of a range.
    pub fn of(range: Range<u16>) -> Self {
        let mut words = [0u64; 4];
        for (word, first) in words.iter_mut().zip((0..Self::BYTES).step_by(64)) {
            let (start, end) = (range.start.max(first), range.end.min(first + 64));
            if start < end {
                let count = u32::from(end - start);
                *word = (u64::MAX >> (64 - count)) << (start - first);
            }
        }
        Self(words)
    }

    /// Adds the bytes of another set.
    pub fn add(&mut self, other: Self) {
        self.0
            .iter_mut()
            .zip(other.0)
            .for_each(|(word, other)| *word |= other);
    }

    /// Removes the bytes of another set.
    pub fn without(self, other: Self) -> Self {
        let mut words = self.0;
        words
            .iter_mut()
            .zip(other.0)
            .for_each(|(word, other)| *word &= !other);
        Self(words)
    }

    fn has(self, byte: u16) -> bool {
        self.0
            .get(usize::from(byte / 64))
            .is_some_and(|word| word >> (byte % 64) & 1 != 0)
    }

    /// Iterates over runs of bytes without gaps, ascending.
    pub fn runs(self) -> impl Iterator<Item = Range<u16>> {
        let mut next = 0;
        std::iter::from_fn(move || {
            let start = (next..Self::BYTES).find(|byte| self.has(*byte))?;
            let end = (start..Self::BYTES)
                .find(|byte| !self.has(*byte))
                .unwrap_or(Self::BYTES);
            next = end;
            Some(start..end)
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(added: &[Range<u16>], removed: Range<u16>, expected: &[Range<u16>]) {
        let mut set = ByteSet::default();
        added
            .iter()
            .for_each(|range| set.add(ByteSet::of(range.clone())));
        assert_eq!(
            set.without(ByteSet::of(removed)).runs().collect::<Vec<_>>(),
            expected
        );
    }

    #[test]
    fn bytes_are_added_taken_away_and_told_in_runs() {
        check(&[0..4, 4..8, 16..17], 2..3, &[0..2, 3..8, 16..17]);
        check(&[0..100, 90..256], 63..65, &[0..63, 65..256]);
        check(&[10..20, 30..40], 0..300, &[]);
        check(&[200..210, 220..400], 0..0, &[200..210, 220..256]);
    }
}
