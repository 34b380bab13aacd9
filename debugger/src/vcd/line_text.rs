//! Raw lines of events.

use stepback_parsers::{Source, SourceError, text::LINE_LIMIT};

/// Number of bytes read at once.
const WINDOW: u64 = 1 << 20;

/// Reader of raw trace lines, from front to back.
pub struct LineText<'a> {
    source: &'a dyn Source,
    start: u64,
    text: Vec<u8>,
}

impl<'a> LineText<'a> {
    /// Creates a reader; reads nothing yet.
    pub fn new(source: &'a dyn Source) -> Self {
        Self {
            source,
            start: 0,
            text: Vec::new(),
        }
    }

    /// Returns the line that begins at an offset, without its end. Cost: a read if the offset is
    /// past the buffered text.
    pub fn line_at(&mut self, offset: u64) -> Result<&[u8], SourceError> {
        let end = offset
            .saturating_add(LINE_LIMIT as u64)
            .min(self.source.length());
        if offset < self.start || end > self.start + self.text.len() as u64 {
            self.text.clear();
            self.source
                .read_raw(offset..offset.saturating_add(WINDOW), &mut self.text)?;
            self.start = offset;
        }
        let begin = usize::try_from(offset - self.start).unwrap_or(usize::MAX);
        let rest = self.text.get(begin..).unwrap_or_default();
        Ok(rest.split(|byte| *byte == b'\n').next().unwrap_or_default())
    }
}
