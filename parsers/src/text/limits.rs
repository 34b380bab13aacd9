//! Limits on the amount of text held in memory.

/// Maximum length of a line in bytes. A longer one is reported as a [`crate::events::Problem`] and
/// skipped.
pub const LINE_LIMIT: usize = 64 << 10;

/// Limits for normal use. Tests use smaller ones.
pub(crate) const LIMITS: TextLimits = TextLimits {
    window: 1 << 20,
    run: 256 << 10,
    line: LINE_LIMIT,
};

/// Limits on the amount of text held at once.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct TextLimits {
    /// Size of the window in bytes; more than the other two together.
    pub window: usize,
    /// Maximum bytes of lines before an instruction that can belong to it.
    pub run: usize,
    /// Maximum length of a line in bytes.
    pub line: usize,
}
