//! Why an input gives no trace.

use std::io;

/// The input is of no format that we read.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum FormatError {
    /// Nothing in it.
    #[error("the file is empty: is the program that writes the trace still running?")]
    Empty,
    /// A compressed file.
    #[error("looks like {kind}: unpack it first ({command})")]
    Packed {
        /// What packed it.
        kind: &'static str,
        /// What unpacks it.
        command: &'static str,
    },
    /// A program instead of its trace.
    #[error(
        "looks like an ELF file: that is a program, give its trace and name the program with --image"
    )]
    Elf,
    /// Text in 16-bit units.
    #[error("looks like UTF-16 text: save it as UTF-8 or ASCII")]
    Utf16,
    /// No text.
    #[error("looks like binary data, not like a trace")]
    Binary,
    /// A format of others.
    #[error("this is {kind}; Stepback reads {formats}")]
    Foreign {
        /// Its name, with the article.
        kind: &'static str,
        /// What can be read.
        formats: String,
    },
    /// Text of another kind.
    #[error("no {formats} line in the first {}: is this a trace?", lines_text(*lines))]
    NoTraceLine {
        /// The formats that were looked for.
        formats: String,
        /// Lines that were looked at.
        lines: usize,
    },
    /// Several files of a format whose traces are one file.
    #[error("a trace of this format is one file")]
    OneFile,
    /// Records that nobody can read as they are described.
    #[error("the layout of the records: {0}")]
    Template(String),
    /// A name that the command line does not know.
    #[error("unknown format {name:?}: known are {known}")]
    UnknownName {
        /// The name.
        name: String,
        /// Those that it knows.
        known: String,
    },
}

/// `line`, `2 lines`.
fn lines_text(count: usize) -> String {
    if count == 1 {
        "line".to_owned()
    } else {
        format!("{count} lines")
    }
}

/// The input could not be read.
#[derive(Debug, thiserror::Error)]
pub enum SourceError {
    /// The operating system refused.
    #[error("byte {offset}: {error}")]
    Read {
        /// Where the read began.
        offset: u64,
        /// Why.
        #[source]
        error: io::Error,
    },
    /// The input holds no trace of the format.
    #[error("{0}")]
    NotATrace(#[from] FormatError),
}
