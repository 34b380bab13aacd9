//! A sliding window over the input: whole lines at a time, in bounded memory ([`InputWindow`]). The
//! bytes after the text are newlines, so that readers of several bytes need no special case at the
//! end. Lines beyond [`LINE_LIMIT`] are skipped.

use std::ops::Range;

use crate::error::SourceError;
use crate::read_at::ReadAt;

/// Readable bytes after the text, all newlines, so that the last lines need no special case.
pub(crate) const PADDING: usize = 256;

/// A part of the input, held in memory.
pub(crate) struct InputWindow<'a> {
    input: &'a dyn ReadAt,
    buffer: &'a mut Vec<u8>,
    /// Offset in the input of the first byte of the buffer.
    base: u64,
    /// Number of bytes of the buffer that are text.
    filled: usize,
    /// Offset in the input where reading ends.
    end: u64,
    size: usize,
    is_last: bool,
}

impl<'a> InputWindow<'a> {
    /// Creates a window at the start of `range`, empty until the first [`Self::advance`].
    pub fn new(
        input: &'a dyn ReadAt,
        range: Range<u64>,
        size: usize,
        buffer: &'a mut Vec<u8>,
    ) -> Self {
        Self {
            input,
            buffer,
            base: range.start,
            filled: 0,
            end: range.end.max(range.start),
            size,
            is_last: false,
        }
    }

    /// Returns the offset of the window in the input.
    pub fn base(&self) -> u64 {
        self.base
    }

    /// Returns true if nothing follows the text in the window.
    pub fn is_last(&self) -> bool {
        self.is_last
    }

    /// Returns the text with its padding.
    pub fn padded(&self) -> &[u8] {
        self.buffer.get(..self.filled + PADDING).unwrap_or_default()
    }

    /// Returns the text.
    pub fn text(&self) -> &[u8] {
        self.buffer.get(..self.filled).unwrap_or_default()
    }

    /// Returns the text, with a flag that says if more follows.
    pub fn part(&self) -> TextPart<'_> {
        TextPart {
            text: self.text(),
            is_last: self.is_last,
        }
    }

    /// Returns the length in bytes of the complete lines in the window.
    pub fn whole_lines(&self) -> usize {
        if self.is_last {
            self.filled
        } else {
            memchr::memrchr(b'\n', self.text()).map_or(0, |newline| newline + 1)
        }
    }

    /// Drops the first `count` bytes and fills the window after the rest.
    pub fn advance(&mut self, count: usize) -> Result<(), SourceError> {
        let count = count.min(self.filled);
        self.buffer.copy_within(count..self.filled, 0);
        self.base += count as u64;
        self.filled -= count;
        let read_at = self.base + self.filled as u64;
        let left = usize::try_from(self.end - read_at.min(self.end)).unwrap_or(usize::MAX);
        let wanted = left.min(self.size - self.filled.min(self.size));
        let needed = self.filled + wanted + PADDING;
        if self.buffer.len() < needed {
            self.buffer.resize(needed, b'\n');
        }
        let room = self
            .buffer
            .get_mut(self.filled..self.filled + wanted)
            .unwrap_or_default();
        let count = self
            .input
            .read_at(read_at, room)
            .map_err(|error| SourceError::Read {
                offset: read_at,
                error,
            })?;
        self.filled += count.min(wanted);
        self.is_last = count < wanted || wanted == left;
        if let Some(padding) = self.buffer.get_mut(self.filled..self.filled + PADDING) {
            padding.fill(b'\n');
        }
        Ok(())
    }

    /// Skips to the start of the next line, reading on as needed. Returns false if there is none,
    /// or none before `limit` (give or take one window).
    pub fn skip_line(&mut self, from: usize, limit: u64) -> Result<bool, SourceError> {
        let mut from = from;
        loop {
            if let Some(length) = memchr::memchr(b'\n', self.text().get(from..).unwrap_or_default())
            {
                self.advance(from + length + 1)?;
                return Ok(true);
            }
            let was_last = self.is_last;
            self.advance(self.filled)?;
            if was_last || self.base >= limit {
                return Ok(false);
            }
            from = 0;
        }
    }
}

/// Passes all whole lines of a range to `each`, a window at a time. A line longer than a window is
/// left out.
pub(crate) fn each_window(
    input: &dyn ReadAt,
    range: Range<u64>,
    mut each: impl FnMut(&[u8]),
) -> Result<(), SourceError> {
    let mut buffer = Vec::new();
    let mut window = InputWindow::new(input, range, LIMITS.window, &mut buffer);
    window.advance(0)?;
    loop {
        let whole = window.whole_lines();
        each(window.text().get(..whole).unwrap_or_default());
        if window.is_last() {
            return Ok(());
        }
        let left_out = window.text().len();
        window.advance(if whole == 0 { left_out } else { whole })?;
    }
}

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

    /// Returns whether the byte before an offset is a newline.
    pub fn ends_line_at(self, offset: usize) -> bool {
        let last = offset.checked_sub(1).and_then(|last| self.text.get(last));
        last == Some(&b'\n')
    }
}

/// Iterates over the lines of a text, without their newlines; the last one may be empty.
pub(crate) fn lines_of(text: &[u8]) -> impl Iterator<Item = &[u8]> {
    let ends = memchr::memchr_iter(b'\n', text).chain([text.len()]);
    let mut start = 0;
    ends.map(move |end| {
        let line = text.get(start..end).unwrap_or_default();
        start = end + 1;
        line
    })
}

/// Strips the carriage returns at the end of a line.
pub(crate) fn without_return(line: &[u8]) -> &[u8] {
    let mut line = line;
    while let [rest @ .., b'\r'] = line {
        line = rest;
    }
    line
}

/// Maximum length of a line in bytes. A longer one is reported as a [`crate::problem::Problem`] and
/// skipped.
pub const LINE_LIMIT: usize = 64 << 10;

/// Limits for normal use. Tests use smaller ones.
pub(crate) const LIMITS: TextLimits = TextLimits {
    window: 512 << 10,
    run: 256 << 10,
    line: LINE_LIMIT,
};
const _: () = assert!(LIMITS.window > LIMITS.run + LIMITS.line);

/// Limits on the amount of text held at once.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct TextLimits {
    /// Size of the window in bytes; more than the other two together.
    pub window: usize,
    /// Maximum bytes of lines before an instruction that can belong to it.
    pub run: usize,
    /// Maximum length of a line in bytes.
    pub line: usize,
}
