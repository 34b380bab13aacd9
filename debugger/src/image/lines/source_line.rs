//! Where an instruction comes from.

use std::fmt;
use std::sync::Arc;

/// A line of the source, and how it came to be where the instruction is.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct SourceLine {
    /// As the compiler wrote it, with the directory that it ran in and without detours through `..`;
    /// the file may be elsewhere by now.
    pub file: Arc<str>,
    /// From 1.
    pub line: u32,
    /// From 1; none where the compiler did not say.
    pub column: Option<u32>,
    /// The function that the line belongs to.
    pub function: Option<Arc<str>>,
    /// Where that function was inlined, the innermost place first; empty when it is there by itself.
    pub inlined_at: Vec<InlineSite>,
}

/// A call whose callee was put in its place.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct InlineSite {
    /// The function with the call in it.
    pub function: Option<Arc<str>>,
    /// The file of the call.
    pub file: Arc<str>,
    /// The line of the call.
    pub line: u32,
}

impl SourceLine {
    /// The name of the file without its directories.
    pub fn file_name(&self) -> &str {
        self.file.rsplit(['/', '\\']).next().unwrap_or_default()
    }

    /// `overflow.c:42`.
    pub fn short(&self) -> String {
        format!("{}:{}", self.file_name(), self.line)
    }
}

impl fmt::Display for SourceLine {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}:{}", self.file, self.line)
    }
}
