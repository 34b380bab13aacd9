//! Which format an input has, by its first bytes.

use std::str::FromStr;

use crate::read_at::ReadAt;
use crate::source::SourceError;
use crate::tarmac::line::is_plausible_line;
use crate::text::limits::LINE_LIMIT;

/// A trace format.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Format {
    /// Arm Tarmac text.
    Tarmac,
    /// DynamoRIO drmemtrace.
    Drmemtrace,
}

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
    #[error("looks like an ELF file: that is a program, give its trace and name the program with --image")]
    Elf,
    /// Text in 16-bit units.
    #[error("looks like UTF-16 text: save it as UTF-8 or ASCII")]
    Utf16,
    /// No text.
    #[error("looks like binary data, not like a trace")]
    Binary,
    /// Text of another kind.
    #[error("no Tarmac line in the first {lines} lines: is this a trace?")]
    NoTarmacLine {
        /// Lines that were looked at.
        lines: usize,
    },
    /// A name that the command line does not know.
    #[error("unknown format {0:?}: known are tarmac and drmemtrace")]
    UnknownName(String),
}

/// The first bytes of files that people take for traces.
const MAGICS: [(&[u8], FormatError); 9] = [
    (b"\x1f\x8b", FormatError::Packed { kind: "gzip", command: "gzip -d" }),
    (b"\x28\xb5\x2f\xfd", FormatError::Packed { kind: "zstd", command: "zstd -d" }),
    (b"\xfd7zXZ\0", FormatError::Packed { kind: "xz", command: "xz -d" }),
    (b"PK\x03\x04", FormatError::Packed { kind: "zip", command: "unzip" }),
    (b"BZh", FormatError::Packed { kind: "bzip2", command: "bzip2 -d" }),
    (b"\x04\x22\x4d\x18", FormatError::Packed { kind: "lz4", command: "lz4 -d" }),
    (b"\x7fELF", FormatError::Elf),
    (b"\xff\xfe", FormatError::Utf16),
    (b"\xfe\xff", FormatError::Utf16),
];

impl Format {
    /// As many first bytes decide.
    pub const HEAD_BYTES: usize = 1 << 20;

    /// The format's name on the command line.
    pub fn name(self) -> &'static str {
        match self {
            Self::Tarmac => "tarmac",
            Self::Drmemtrace => "drmemtrace",
        }
    }

    /// The format of a text, by its first [`Format::HEAD_BYTES`]; binary formats are recognised by their own modules.
    ///
    /// # Errors
    /// The input could not be read, or is of no known format.
    pub fn of_input(input: &dyn ReadAt) -> Result<Self, SourceError> {
        let mut head = vec![0; Self::HEAD_BYTES];
        let count = input.read_at(0, &mut head).map_err(|error| SourceError::Read { offset: 0, error })?;
        head.truncate(count);
        Ok(detect(&head)?)
    }
}

impl FromStr for Format {
    type Err = FormatError;

    fn from_str(name: &str) -> Result<Self, FormatError> {
        match name {
            "tarmac" => Ok(Self::Tarmac),
            "drmemtrace" => Ok(Self::Drmemtrace),
            _ => Err(FormatError::UnknownName(name.into())),
        }
    }
}

/// The format of an input that begins with `head`. One line that can only be Tarmac decides, whatever stands before it.
///
/// # Errors
/// It is of no known format: the message says what it looks like, and what to do.
pub fn detect(head: &[u8]) -> Result<Format, FormatError> {
    if head.is_empty() {
        return Err(FormatError::Empty);
    }
    if let Some((_, error)) = MAGICS.iter().find(|(magic, _)| head.starts_with(magic)) {
        return Err(error.clone());
    }
    let mut lines = head.split(|byte| *byte == b'\n');
    if lines.clone().any(|line| line.len() <= LINE_LIMIT && is_plausible_line(line)) {
        return Ok(Format::Tarmac);
    }
    let is_control = |byte: &u8| *byte < b' ' && !byte.is_ascii_whitespace();
    if lines.any(|line| line.iter().any(is_control)) {
        return Err(FormatError::Binary);
    }
    let count = head.split_inclusive(|byte| *byte == b'\n').count();
    Err(FormatError::NoTarmacLine { lines: count })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(head: &[u8], expected: &str) {
        let found = detect(head).map_or_else(|error| error.to_string(), |format| format.name().into());
        assert!(found.starts_with(expected), "{found:?}");
    }

    #[test]
    fn one_tarmac_line_decides() {
        check(b"5 clk R X0 0000000000000000\n", "tarmac");
        check(b"Tarmac Text Rev 3t\n", "tarmac");
        check(b"Fast Models [11.20]\r\nCopyright\r\n\r\n1 clk IT (1) 0 e1a00000 A usr : NOP", "tarmac");
        check(b"\xff\x01\0junk\n5 tic ES (00001000:e1a00000) A usr : NOP\n\0\0", "tarmac");
        check(b"MR4 00001000 00000001", "tarmac");
        check(b"   LD 00001000 ........ ........ ........ 00000001", "tarmac");
        check(b"IT 00001000 2000 MOVS r0,#0", "tarmac");
    }

    #[test]
    fn everything_else_is_told_what_it_looks_like() {
        check(b"", "the file is empty");
        check(b"\x1f\x8b\x08\0", "looks like gzip: unpack it first (gzip -d)");
        check(b"\x28\xb5\x2f\xfd", "looks like zstd");
        check(b"\xfd7zXZ\0\0", "looks like xz");
        check(b"PK\x03\x04", "looks like zip");
        check(b"\x7fELF\x02", "looks like an ELF file");
        check(&[0; 100_000], "looks like binary data");
        check(b"Dear Sir,\nit is late.\n", "no Tarmac line in the first 2 lines");
        check(b"fn main() {}", "no Tarmac line in the first 1 lines");
    }

    #[test]
    fn names_are_those_of_the_command_line() {
        assert_eq!("tarmac".parse(), Ok(Format::Tarmac));
        assert_eq!(
            "Tarmac".parse::<Format>().unwrap_err().to_string(),
            "unknown format \"Tarmac\": known are tarmac and drmemtrace"
        );
    }

    #[test]
    fn an_input_is_read_no_further_than_its_head() {
        struct Endless;
        impl ReadAt for Endless {
            fn length(&self) -> std::io::Result<u64> {
                Ok(1 << 40)
            }
            fn read_at(&self, offset: u64, buffer: &mut [u8]) -> std::io::Result<usize> {
                assert_eq!((offset, buffer.len()), (0, Format::HEAD_BYTES));
                buffer.fill(0);
                Ok(buffer.len())
            }
        }
        assert_eq!(Format::of_input(&Endless).unwrap_err().to_string(), "looks like binary data, not like a trace");
    }
}
