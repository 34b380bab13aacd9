//! Source position of an instruction.

use std::fmt;
use std::sync::Arc;

/// A source line, and the calls through which it was inlined.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct SourceLine {
    /// Path as the compiler wrote it, with its working directory and normalised. The file may have
    /// moved since.
    pub file: Arc<str>,
    /// Line number, from 1.
    pub line: u32,
    /// Column, from 1; none if the compiler did not record it.
    pub column: Option<u32>,
    /// Function that contains the line.
    pub function: Option<Arc<str>>,
    /// Calls at which the function was inlined, innermost first; empty if it is not inlined.
    pub inlined_at: Vec<InlineSite>,
}

/// A call whose callee was inlined.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct InlineSite {
    /// Function that contains the call.
    pub function: Option<Arc<str>>,
    pub file: Arc<str>,
    pub line: u32,
}

impl SourceLine {
    /// Returns the file name without directories.
    pub fn file_name(&self) -> &str {
        self.file.rsplit(['/', '\\']).next().unwrap_or_default()
    }

    /// Formats the line as `overflow.c:42`.
    pub fn short(&self) -> String {
        format!("{}:{}", self.file_name(), self.line)
    }
}

impl fmt::Display for SourceLine {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}:{}", self.file, self.line)
    }
}
