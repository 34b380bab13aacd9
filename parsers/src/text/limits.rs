//! How much of a text is held at once.

/// The longest line in bytes. A longer one is a [`crate::events::Problem`] and is skipped.
pub const LINE_LIMIT: usize = 64 << 10;

/// The limits of a program that is not a test.
pub(crate) const LIMITS: TextLimits = TextLimits {
    window: 1 << 20,
    run: 256 << 10,
    line: LINE_LIMIT,
};

/// How much is held at once. Tests use small ones.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct TextLimits {
    /// Bytes in the window; more than the other two together.
    pub window: usize,
    /// The longest run of lines before an instruction that can belong to it.
    pub run: usize,
    /// The longest line.
    pub line: usize,
}
