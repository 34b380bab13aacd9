//! Splits text into lines.

/// A contiguous part of a text.
#[derive(Clone, Copy, Debug)]
pub(crate) struct TextPart<'a> {
    pub text: &'a [u8],
    /// True if the text ends with this part.
    pub is_last: bool,
}

impl<'a> TextPart<'a> {
    /// Returns the line that starts at `start`, without its line end, and the start of the next
    /// line. Returns none if there is no newline before the end of this part and more text follows.
    pub fn line_at(self, start: usize) -> Option<(&'a [u8], usize)> {
        let rest = self.text.get(start..)?;
        let (line, next) = match memchr::memchr(b'\n', rest) {
            Some(length) => (rest.get(..length)?, start + length + 1),
            None if self.is_last => (rest, self.text.len()),
            None => return None,
        };
        Some((line, next))
    }
}

/// Strips the carriage returns at the end of a line.
pub(crate) fn without_return(line: &[u8]) -> &[u8] {
    let mut line = line;
    while let [rest @ .., b'\r'] = line {
        line = rest;
    }
    line
}
