//! Errors of opening and reading a trace.

use std::io;
use std::io::ErrorKind;

/// The format of the input is unknown or cannot be read.
#[non_exhaustive]
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum FormatError {
    /// The input is empty.
    #[error("the file is empty: is the program that writes the trace still running?")]
    Empty,
    /// The input is a compressed file.
    #[error("looks like {kind}: unpack it first ({command})")]
    Packed {
        /// Name of the compression.
        kind: &'static str,
        /// Command that unpacks it.
        command: &'static str,
    },
    /// The input is a program instead of its trace.
    #[error("looks like an ELF file: that is a program, give its trace")]
    Elf,
    /// The input is text in 16-bit units.
    #[error("looks like UTF-16 text: save it as UTF-8 or ASCII")]
    Utf16,
    /// The input is binary and of no known format.
    #[error("looks like binary data, not like a trace")]
    Binary,
    /// The input has a known format that no parser reads.
    #[error("this is {kind}; only {formats} can be read")]
    Foreign {
        /// Name of that format, with its article.
        kind: &'static str,
        /// Names of the formats that can be read.
        formats: String,
    },
    /// The input is text, but not a trace.
    #[error(
        "no line of a trace in the first {}: is this a trace? Known texts are {formats}; \
         a log in a format of your own can be described (--record-layout)",
        lines_text(*lines)
    )]
    NoTraceLine {
        /// Names of the formats that were tried.
        formats: String,
        /// Number of lines that were examined.
        lines: usize,
    },
    /// Several files were given for a format whose traces are one file.
    #[error("a trace of this format is one file")]
    OneFile,
    /// The lines of several files have no times, so they cannot be merged.
    #[error(
        "its lines have no times, so the order of the steps in several files is not known: \
         open one of the files"
    )]
    NoTimes,
    /// The user's description of records is invalid.
    #[error("the layout of the records: {0}")]
    Template(String),
    /// A described log was opened without its description.
    #[error("the lines of this log are described in a file: name it with --record-layout")]
    NoTemplate,
    /// The command line names an unknown format.
    #[error("unknown format {name:?}: known are {known}")]
    UnknownName {
        /// The unknown name.
        name: String,
        /// The known names.
        known: String,
    },
}

/// Formats a number of lines: `line`, `2 lines`.
fn lines_text(count: usize) -> String {
    if count == 1 {
        "line".to_owned()
    } else {
        format!("{count} lines")
    }
}

/// Formats a failed read. A disk without space failed a write, which is at no byte of the input.
fn read_text(offset: u64, error: &io::Error) -> String {
    match error.kind() {
        ErrorKind::StorageFull | ErrorKind::QuotaExceeded => error.to_string(),
        _ => format!("byte {offset}: {error}"),
    }
}

/// The input could not be read.
#[non_exhaustive]
#[derive(Debug, thiserror::Error)]
pub enum SourceError {
    /// The operating system reported an error.
    #[error("{}", read_text(*offset, error))]
    Read {
        /// Byte offset at which the read began.
        offset: u64,
        /// The operating system's error.
        #[source]
        error: io::Error,
    },
    /// The input contains no trace of the format.
    #[error("{0}")]
    NotATrace(#[from] FormatError),
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_an_error_of_the_input_names_its_byte() {
        let text = |kind| {
            let error = io::Error::new(kind, "why");
            SourceError::Read { offset: 7, error }.to_string()
        };
        assert_eq!(text(ErrorKind::UnexpectedEof), "byte 7: why");
        assert_eq!(text(ErrorKind::StorageFull), "why");
    }
}
