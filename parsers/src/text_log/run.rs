//! Reads the lines of a range and emits the steps of its chunks ([`LogRun`]), and finds chunk
//! starts ([`cut`]).

use std::ops::Range;

use crate::error::SourceError;
use crate::events::{EventSink, Flow, InputLocation};
use crate::problem::LogFault;
use crate::read_at::ReadAt;
use crate::source::ParsedRange;
use crate::text::window::{InputWindow, LINE_LIMIT, TextLimits, without_return};
use crate::text_log::format::{AheadText, ChunkStart, LogFormat};
use crate::text_log::step::{LogNames, LoggedStep};

/// Buffers that are kept from call to call to save allocations.
#[derive(Debug, Default)]
pub(super) struct LogScratch {
    pub buffer: Vec<u8>,
    pub names: LogNames,
    pub step: LoggedStep,
}

/// A text and the limits for reading it.
#[derive(Clone, Copy)]
pub(super) struct LogText<'t> {
    pub input: &'t dyn ReadAt,
    pub length: u64,
    pub limits: TextLimits,
}

/// A run of the reader over a range.
pub(super) struct LogRun<'r, F: LogFormat, S: ?Sized> {
    format: &'r F,
    sink: &'r mut S,
    names: &'r mut LogNames,
    step: &'r mut LoggedStep,
    state: F::ChunkState,
    /// Number of lines of the range before the current one.
    line: u64,
    /// True before the first line of a range that begins in the middle of the text: its chunk has
    /// no text before that line.
    is_at_cut: bool,
    /// End of the range.
    end: u64,
    /// Longer lines are left out.
    line_limit: usize,
}

impl<'r, F: LogFormat, S: EventSink + ?Sized> LogRun<'r, F, S> {
    /// Pushes the events of the lines that begin in a range.
    pub fn parse(
        format: &'r F,
        text: LogText<'_>,
        range: Range<u64>,
        scratch: &'r mut LogScratch,
        sink: &'r mut S,
    ) -> Result<ParsedRange, SourceError> {
        let LogScratch {
            buffer,
            names,
            step,
        } = scratch;
        names.clear();
        step.begin(range.start);
        // Lines after the range may complete its last step.
        let read_end = range
            .end
            .saturating_add(format.look_ahead() as u64)
            .min(text.length.max(range.end));
        let mut window = InputWindow::new(
            text.input,
            range.start..read_end,
            text.limits.window,
            buffer,
        );
        let mut run = Self {
            format,
            sink,
            names,
            step,
            state: F::AT_START,
            line: 0,
            is_at_cut: range.start > 0,
            end: range.end,
            line_limit: text.limits.line,
        };
        run.lines(&mut window, text.limits)
    }

    fn lines(
        &mut self,
        window: &mut InputWindow<'_>,
        limits: TextLimits,
    ) -> Result<ParsedRange, SourceError> {
        window.advance(0)?;
        loop {
            let done = self.window_lines(window);
            let end = window.base() + done as u64;
            if end >= self.end || window.is_last() && done == window.text().len() {
                self.finish_step(AheadText {
                    text: window.text().get(done..).unwrap_or_default(),
                });
                return Ok(ParsedRange {
                    lines: self.line,
                    end: end.min(self.end),
                });
            }
            if done == window.whole_lines() && window.text().len() - done > limits.line {
                self.too_long(end);
                window.skip_line(done, u64::MAX)?;
            } else {
                window.advance(done)?;
            }
            if self.sink.progress(window.base()) == Flow::Stop {
                return Ok(ParsedRange {
                    lines: self.line,
                    end: self.step.chunk_offset,
                });
            }
        }
    }

    /// Reads the whole lines of a window that begin before the end of the range; returns the
    /// offset reached. Leaves lines without enough text after them to the next window.
    fn window_lines(&mut self, window: &InputWindow<'_>) -> usize {
        let part = window.part();
        let whole = window.whole_lines();
        let left = usize::try_from(self.end.saturating_sub(window.base())).unwrap_or(usize::MAX);
        let reserve = if window.is_last() {
            0
        } else {
            self.format.look_ahead()
        };
        let limit = whole.saturating_sub(reserve).min(left);
        let mut at = 0;
        while at < limit {
            let Some((line, next)) = part.line_at(at) else {
                break;
            };
            let mut offset = window.base() + at as u64;
            if line.len() > self.line_limit {
                self.too_long(offset);
                at = next;
                continue;
            }
            let mut line = without_return(line);
            let first_chunk = self.format.first_chunk();
            if offset == 0 && first_chunk > 0 {
                self.initial_line(line);
                if first_chunk >= self.end {
                    self.line += 1;
                    at = next;
                    break;
                }
                // The rest of the line begins the first step.
                offset = first_chunk;
                line = usize::try_from(first_chunk)
                    .ok()
                    .and_then(|first| line.get(first..))
                    .unwrap_or_default();
            }
            let parsed = self.format.read(line);
            if self.format.chunk_start(&parsed, &mut self.state) == ChunkStart::Yes {
                self.finish_step(AheadText {
                    text: part.text.get(at..whole).unwrap_or_default(),
                });
                self.step.begin(offset);
            }
            self.is_at_cut = false;
            self.step.at = InputLocation {
                offset,
                line_in_range: self.line,
            };
            self.format.add(&parsed, self.step);
            self.line += 1;
            at = next;
        }
        at
    }

    /// Adds the initial state of the first line.
    fn initial_line(&mut self, line: &[u8]) {
        self.step.at = InputLocation::default();
        let parsed = self.format.read(line);
        self.format.add_initial(&parsed, self.step);
    }

    fn finish_step(&mut self, ahead: AheadText<'_>) {
        if std::mem::take(&mut self.is_at_cut) {
            return;
        }
        if self.format.look_ahead() > 0 {
            self.format.complete(self.step, ahead);
        }
        self.step.emit(self.names, self.sink);
    }

    /// Reports a line that does not end in the window.
    fn too_long(&mut self, offset: u64) {
        self.step.at = InputLocation {
            offset,
            line_in_range: self.line,
        };
        self.step.fault(0, LogFault::LineTooLong(LINE_LIMIT));
        self.line += 1;
    }
}

/// Returns the first certain chunk start in a range.
pub(super) fn cut<F: LogFormat>(
    format: &F,
    text: LogText<'_>,
    range: Range<u64>,
    buffer: &mut Vec<u8>,
) -> Result<Option<u64>, SourceError> {
    let Some(before) = range.start.checked_sub(1) else {
        return Ok((range.end > 0).then_some(0));
    };
    let first = format.first_chunk();
    if range.start <= first && first < range.end && first > 0 {
        return Ok(Some(first));
    }
    let mut window = InputWindow::new(text.input, before..text.length, text.limits.window, buffer);
    window.advance(0)?;
    let mut has_more = window.skip_line(0, range.end)?;
    let mut state = F::UNKNOWN;
    while has_more {
        let part = window.part();
        let whole = window.whole_lines();
        let mut at = 0;
        while at < whole {
            let offset = window.base() + at as u64;
            if offset >= range.end {
                return Ok(None);
            }
            let Some((line, next)) = part.line_at(at) else {
                break;
            };
            at = next;
            if line.len() > text.limits.line {
                continue;
            }
            let parsed = format.read(without_return(line));
            if format.chunk_start(&parsed, &mut state) == ChunkStart::Yes {
                return Ok(Some(offset));
            }
        }
        let is_too_long = at == whole && window.text().len() - at > text.limits.line;
        has_more = match () {
            () if window.is_last() => false,
            () if is_too_long => window.skip_line(at, range.end)?,
            () => window.advance(at).map(|()| true)?,
        };
    }
    Ok(None)
}
