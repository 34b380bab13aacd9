//! Words of assembly language that are common to several architectures.

/// A word split into parts: `xmm3` is `xmm` and 3, `v0.16b` is `v` and 0.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct AssemblyWord<'a> {
    /// Text before a dot.
    pub base: &'a str,
    /// Leading letters.
    pub family: &'a str,
    /// Number after the letters, if the rest is only digits.
    pub number: Option<u8>,
}

impl<'a> AssemblyWord<'a> {
    /// Splits a word in lower case.
    pub fn of(word: &'a str) -> Self {
        let base = word.split('.').next().unwrap_or(word);
        let digits = base.trim_start_matches(|character: char| character.is_ascii_alphabetic());
        Self {
            base,
            family: base.strip_suffix(digits).unwrap_or(base),
            number: digits.parse().ok(),
        }
    }

    /// Returns true for one of some families with a number below 32.
    pub fn is_numbered(self, families: &[&str]) -> bool {
        families.contains(&self.family) && self.number.is_some_and(|number| number < 32)
    }
}
