//! Origin of an instruction in source files ([`CodeOrigin`]).

use std::fmt;
use std::sync::Arc;

/// Source line of an instruction, or only its functions.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum CodeOrigin {
    Line(Arc<SourceLine>),
    /// The compiler made the instruction for no line.
    Lineless(Arc<LinelessCode>),
}

/// Functions of an instruction without a line.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct LinelessCode {
    /// Function that contains the instruction.
    pub function: Option<Arc<str>>,
    /// Calls at which the function was inlined, innermost first.
    pub inlined_at: Vec<InlineSite>,
}

impl CodeOrigin {
    /// Returns the line; none for an instruction without one.
    pub fn line(&self) -> Option<&Arc<SourceLine>> {
        match self {
            Self::Line(line) => Some(line),
            Self::Lineless(_) => None,
        }
    }

    /// Returns the function that contains the instruction.
    pub fn function(&self) -> Option<&Arc<str>> {
        match self {
            Self::Line(line) => line.function.as_ref(),
            Self::Lineless(code) => code.function.as_ref(),
        }
    }

    /// Returns the calls at which the function was inlined, innermost first.
    pub fn inlined_at(&self) -> &[InlineSite] {
        match self {
            Self::Line(line) => &line.inlined_at,
            Self::Lineless(code) => &code.inlined_at,
        }
    }
}

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
    /// False for an instruction at which debuggers do not stop: its row of the line table begins no
    /// statement.
    pub is_statement: bool,
}

/// A call whose callee was inlined.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct InlineSite {
    /// Function that contains the call.
    pub function: Option<Arc<str>>,
    pub file: Arc<str>,
    pub line: u32,
    /// Column of the call, from 1; none if the compiler did not record it.
    pub column: Option<u32>,
}

impl SourceLine {
    /// Returns the line for code of some functions.
    pub fn in_functions(&self, code: &LinelessCode) -> Self {
        Self {
            function: code.function.clone(),
            inlined_at: code.inlined_at.clone(),
            ..self.clone()
        }
    }

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
