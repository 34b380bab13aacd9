//! Text cut into lines.

/// Part of a text.
#[derive(Clone, Copy, Debug)]
pub(crate) struct TextPart<'a> {
    pub text: &'a [u8],
    /// True when nothing follows it.
    pub is_last: bool,
}

impl<'a> TextPart<'a> {
    /// The line that starts at `start`: its text without line end, and where the next one starts.
    /// None when it has no newline before the text ends, and more follows.
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

/// The line without the carriage returns at its end.
pub(crate) fn without_return(line: &[u8]) -> &[u8] {
    let mut line = line;
    while let [rest @ .., b'\r'] = line {
        line = rest;
    }
    line
}
