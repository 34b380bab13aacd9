//! Shared parsers for companion files of a trace: most are lines of text, and each part may be
//! invalid.

use std::fmt;

/// Maximum number of problems kept per file; all are counted.
const PROBLEM_LIMIT: usize = 20;

/// Problems found in a companion file of the trace.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct CompanionProblems {
    /// First problems of the file.
    pub first: Vec<CompanionProblem>,
    /// Number of problems.
    pub count: u64,
}

/// Place in a companion file that could not be read.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CompanionProblem {
    /// Byte offset of the line or entry.
    pub offset: u64,
    /// Description of the problem, as a phrase.
    pub message: String,
}

impl fmt::Display for CompanionProblem {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "byte {}: {}", self.offset, self.message)
    }
}

impl CompanionProblems {
    /// Adds a problem at `offset`.
    pub(super) fn push(&mut self, offset: usize, message: String) {
        self.count += 1;
        if self.first.len() < PROBLEM_LIMIT {
            self.first.push(CompanionProblem {
                offset: offset as u64,
                message,
            });
        }
    }
}

/// Iterates over lines with their offsets, without line ends.
pub(super) fn lines(bytes: &[u8]) -> impl Iterator<Item = (usize, &[u8])> {
    let mut offset = 0;
    bytes
        .split_inclusive(|byte| *byte == b'\n')
        .map(move |line| {
            let start = offset;
            offset += line.len();
            (start, line.trim_ascii_end())
        })
}

/// Parses a decimal number, surrounded by blanks.
pub(super) fn decimal(field: &[u8]) -> Option<u64> {
    std::str::from_utf8(field).ok()?.trim().parse().ok()
}

/// Parses a hexadecimal number with or without `0x`, surrounded by blanks.
pub(super) fn hexadecimal(field: &[u8]) -> Option<u64> {
    let text = std::str::from_utf8(field).ok()?.trim();
    let digits = text
        .strip_prefix("0x")
        .or_else(|| text.strip_prefix("0X"))
        .unwrap_or(text);
    // The library would also accept a sign.
    digits
        .bytes()
        .all(|digit| digit.is_ascii_hexdigit())
        .then(|| u64::from_str_radix(digits, 16).ok())?
}

/// Parses a number: hexadecimal with the prefix `0x`, decimal otherwise.
pub(super) fn number(field: &[u8]) -> Option<u64> {
    let field = field.trim_ascii();
    if field.starts_with(b"0x") || field.starts_with(b"0X") {
        hexadecimal(field)
    } else {
        decimal(field)
    }
}
