//! What the files beside a trace have in common: they are text by lines, mostly, and anything may be wrong in them.

use std::fmt;

/// As many problems of a file are kept with their place; all are counted.
const PROBLEM_LIMIT: usize = 20;

/// What could not be read in a file beside the trace.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct CompanionProblems {
    /// The first of them.
    pub first: Vec<CompanionProblem>,
    /// How many there are in all.
    pub count: u64,
}

/// A place of a file beside the trace that could not be read.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CompanionProblem {
    /// Byte offset of the line or entry.
    pub offset: u64,
    /// What is wrong, as a phrase.
    pub message: String,
}

impl fmt::Display for CompanionProblem {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "byte {}: {}", self.offset, self.message)
    }
}

impl CompanionProblems {
    /// Notes that something at `offset` could not be read.
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

/// Lines with their offsets, without their ends.
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

/// A decimal number, blanks around it.
pub(super) fn decimal(field: &[u8]) -> Option<u64> {
    std::str::from_utf8(field).ok()?.trim().parse().ok()
}

/// A hexadecimal number with or without `0x`, blanks around it.
pub(super) fn hexadecimal(field: &[u8]) -> Option<u64> {
    let text = std::str::from_utf8(field).ok()?.trim();
    let digits = text
        .strip_prefix("0x")
        .or_else(|| text.strip_prefix("0X"))
        .unwrap_or(text);
    // The library would also take a sign.
    digits
        .bytes()
        .all(|digit| digit.is_ascii_hexdigit())
        .then(|| u64::from_str_radix(digits, 16).ok())?
}

/// A number that is hexadecimal with `0x` before it, decimal otherwise.
pub(super) fn number(field: &[u8]) -> Option<u64> {
    let field = field.trim_ascii();
    if field.starts_with(b"0x") || field.starts_with(b"0X") {
        hexadecimal(field)
    } else {
        decimal(field)
    }
}
