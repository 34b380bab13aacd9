//! Words of assembly language, as far as architectures share them.

/// A word in its parts: `xmm3` is `xmm` and 3, `v0.16b` is `v` and 0.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct AssemblyWord<'a> {
    /// All before a dot.
    pub base: &'a str,
    /// The letters that it begins with.
    pub family: &'a str,
    /// The digits behind them, when nothing else stands there.
    pub number: Option<u8>,
}

impl<'a> AssemblyWord<'a> {
    /// Of a word in lower case.
    pub fn of(word: &'a str) -> Self {
        let base = word.split('.').next().unwrap_or(word);
        let digits = base.trim_start_matches(|character: char| character.is_ascii_alphabetic());
        Self {
            base,
            family: base.strip_suffix(digits).unwrap_or(base),
            number: digits.parse().ok(),
        }
    }

    /// True for a number below 32 behind one of some families.
    pub fn is_numbered(self, families: &[&str]) -> bool {
        families.contains(&self.family) && self.number.is_some_and(|number| number < 32)
    }
}
