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
use crate::text_log::merge::{lines_of_core, split_core};
use crate::text_log::quick::QuickThread;
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
    /// End of the last line with a newline.
    pub whole_lines: u64,
    /// True if each line begins with the name of its core.
    pub has_cores: bool,
    pub limits: TextLimits,
}

/// A run of the reader over a range.
pub(super) struct LogRun<'r, F: LogFormat, S: ?Sized> {
    pub(super) format: &'r F,
    pub(super) sink: &'r mut S,
    pub(super) names: &'r mut LogNames,
    pub(super) step: &'r mut LoggedStep,
    pub(super) state: F::ChunkState,
    /// Number of lines of the range before the current one.
    pub(super) line: u64,
    /// True before the first line of a range that begins in the middle of the text: its chunk has
    /// no text before that line.
    is_at_cut: bool,
    /// Start of the range, which may be inside a line of several steps.
    start: u64,
    /// End of the range.
    end: u64,
    /// Length of the whole text.
    length: u64,
    /// End of the last line with a newline.
    whole_lines: u64,
    /// Longer lines are left out.
    pub(super) line_limit: usize,
    pub(super) quick_thread: QuickThread,
    /// Names of the cores of the current line and of the step, if each line begins with one.
    cores: Option<LineCores>,
}

/// Names of cores in a merged text.
#[derive(Debug, Default)]
struct LineCores {
    /// Core of the current line.
    line: Vec<u8>,
    /// Core of the step.
    step: Vec<u8>,
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
        let line_start = line_start(format, &text, range.start)?;
        // Lines after the range may complete its last step.
        let read_end = range
            .end
            .saturating_add(format.look_ahead() as u64)
            .min(text.length.max(range.end));
        let mut window =
            InputWindow::new(text.input, line_start..read_end, text.limits.window, buffer);
        let mut run = Self {
            format,
            sink,
            names,
            step,
            state: F::AT_START,
            line: 0,
            is_at_cut: range.start > 0,
            start: range.start,
            end: range.end,
            length: text.length,
            whole_lines: text.whole_lines,
            line_limit: text.limits.line,
            quick_thread: None,
            cores: text.has_cores.then(LineCores::default),
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
                self.finish_step(window, end.min(self.end));
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
        // A line that does not end in the window is text after the others too.
        let limit = window.text().len().saturating_sub(reserve);
        let limit = limit.min(whole).min(left);
        let (mut at, mut left_until) = (0, 0);
        while at < limit {
            if at >= left_until
                && let Some(left) = self.quick_steps(window, at, limit)
            {
                (at, left_until) = (left.start, left.end);
            }
            let Some((line, next)) = part.line_at(at) else {
                break;
            };
            let mut offset = window.base() + at as u64;
            if line.len() > self.line_limit {
                self.too_long(offset);
                at = next;
                continue;
            }
            let whole = without_return(line);
            // The window may end in the middle of a line.
            let is_cut_off = offset >= self.whole_lines
                && window.base() + next as u64 == self.length
                && !self.format.ends_whole(whole);
            let mut line = match is_cut_off {
                true => without_last_word(whole),
                false => whole,
            };
            if let Some(cores) = &mut self.cores
                && let Some((core, rest)) = split_core(line)
            {
                if cores.enter(core) {
                    self.state = F::AT_START;
                }
                line = rest;
            }
            let first_chunk = self.format.first_chunk();
            if offset == 0 && first_chunk > 0 {
                self.initial_line(line);
                if first_chunk >= self.end {
                    // The next range counts the line.
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
            if let Some(length) = self.records(line, offset, window).filter(|_| is_cut_off) {
                self.step.cut_off(length);
            }
            // The range ends between two records of a line.
            let line_end = window.base() + next as u64;
            if line_end == self.end && self.end < self.length && !part.ends_line_at(next) {
                self.step.fault(0, LogFault::Fused);
            }
            self.line += 1;
            at = next;
        }
        at
    }

    /// Adds the records of a line that begin in the range, usually one. Returns the length of the
    /// last record if these are all.
    fn records(&mut self, line: &[u8], offset: u64, window: &InputWindow<'_>) -> Option<usize> {
        let (mut line, mut offset) = (line, offset);
        while let Some(length) = self.format.second_record(line).filter(|length| *length > 0) {
            let (first, second) = line.split_at_checked(length).unwrap_or((line, b""));
            self.steps(first, offset, window);
            self.step.fault(0, LogFault::Fused);
            (line, offset) = (second, offset + first.len() as u64);
            if offset >= self.end {
                return None;
            }
        }
        self.steps(line, offset, window).then_some(line.len())
    }

    /// Adds the steps of a record that begin in the range, usually one. Returns whether these are
    /// all.
    fn steps(&mut self, line: &[u8], offset: u64, window: &InputWindow<'_>) -> bool {
        let parsed = self.format.read(line);
        let count = self.format.step_count(&parsed).min(line.len());
        if count < 2 {
            self.record(&parsed, offset, window);
            return true;
        }
        for (number, place) in (offset..self.end).enumerate().take(count) {
            if place >= self.start {
                let parsed = self.format.read_step(line, number);
                self.record(&parsed, place, window);
            }
        }
        offset + count as u64 <= self.end
    }

    /// Adds a line to its step.
    fn record(&mut self, parsed: &F::Line<'_>, offset: u64, window: &InputWindow<'_>) {
        let start = self.format.chunk_start(parsed, &mut self.state);
        if matches!(start, ChunkStart::Yes | ChunkStart::Apart) {
            self.finish_step(window, offset);
            self.step.begin(offset);
            if let Some(cores) = &mut self.cores {
                cores.step.clone_from(&cores.line);
            }
        }
        self.is_at_cut = false;
        self.step.at = InputLocation {
            offset,
            line_in_range: self.line,
        };
        self.format.add(parsed, self.step);
    }

    /// Adds the initial state of the first line.
    fn initial_line(&mut self, line: &[u8]) {
        self.step.at = InputLocation::default();
        let parsed = self.format.read(line);
        self.format.add_initial(&parsed, self.step);
    }

    /// Emits the step of the chunk that ends at an offset.
    pub(super) fn finish_step(&mut self, window: &InputWindow<'_>, end: u64) {
        if std::mem::take(&mut self.is_at_cut) {
            return;
        }
        if self.format.look_ahead() > 0 {
            let ahead = self.ahead(window, end);
            match &self.cores {
                Some(cores) => {
                    let text = &lines_of_core(ahead.text, Some(&cores.step));
                    self.format.complete(self.step, AheadText { text });
                }
                None => self.format.complete(self.step, ahead),
            }
        }
        if end >= self.whole_lines {
            self.step.cut_line = (self.whole_lines < self.length).then_some(self.whole_lines);
            self.format.forget_missing(self.step);
        }
        if let Some(cores) = &self.cores {
            self.step.thread.clone_from(&cores.step);
        }
        self.step.emit(self.names, self.sink);
    }

    /// Returns the complete lines after a chunk, up to the look-ahead of the format. They are the same
    /// whether the whole log is read or only this chunk.
    fn ahead<'w>(&self, window: &'w InputWindow<'_>, end: u64) -> AheadText<'w> {
        let start = usize::try_from(end.saturating_sub(window.base())).unwrap_or(usize::MAX);
        let text = window.text().get(start..).unwrap_or_default();
        let text = text.get(..self.format.look_ahead()).unwrap_or(text);
        let (whole, last) = text.split_at(start_of_last_line(text));
        let is_rest = end + text.len() as u64 == self.length;
        AheadText {
            text: match is_rest && self.format.ends_whole(without_return(last)) {
                true => text,
                false => whole,
            },
        }
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

impl LineCores {
    /// Notes the core of the next line. Returns true if that of the line before was another.
    fn enter(&mut self, core: &[u8]) -> bool {
        let is_other = self.line != core;
        self.line.clear();
        self.line.extend_from_slice(core);
        is_other
    }
}

/// Returns the start of the last line of a text, which is empty if the text ends with a newline.
fn start_of_last_line(text: &[u8]) -> usize {
    memchr::memrchr(b'\n', text).map_or(0, |newline| newline + 1)
}

/// Returns a line without its last word, which may be cut off.
pub(super) fn without_last_word(line: &[u8]) -> &[u8] {
    let word = line.iter().rev().take_while(|byte| is_word(**byte)).count();
    line.get(..line.len() - word).unwrap_or_default()
}

/// Returns whether a byte can be a part of a value.
fn is_word(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'?')
}

/// Returns the start of the line in which a chunk begins.
fn line_start<F: LogFormat>(
    format: &F,
    text: &LogText<'_>,
    offset: u64,
) -> Result<u64, SourceError> {
    if format.look_behind() == 0 {
        return Ok(offset);
    }
    let start = offset.saturating_sub(format.look_behind() as u64);
    let mut before = vec![0; usize::try_from(offset - start).unwrap_or_default()];
    let count = text
        .input
        .read_at(start, &mut before)
        .map_err(|error| SourceError::Read {
            offset: start,
            error,
        })?;
    before.truncate(count);
    Ok(match memchr::memrchr(b'\n', &before) {
        Some(newline) => start + newline as u64 + 1,
        None if start == 0 => 0,
        None => offset,
    })
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
    let mut cores = text.has_cores.then(LineCores::default);
    // The core of the lines before is not known.
    let mut is_first = true;
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
            let mut line = without_return(line);
            if offset >= text.whole_lines && !format.ends_whole(line) {
                line = without_last_word(line);
            }
            if let Some(cores) = &mut cores
                && let Some((core, rest)) = split_core(line)
            {
                if cores.enter(core) && !std::mem::take(&mut is_first) {
                    state = F::AT_START;
                }
                line = rest;
            }
            let second = format.second_record(line).unwrap_or(line.len());
            let parsed = format.read(line.get(..second).unwrap_or(line));
            if format.chunk_start(&parsed, &mut state) == ChunkStart::Yes {
                return Ok(Some(offset));
            }
            // No cut is made inside a line, but its last record decides about the next line.
            line = line.get(second..).unwrap_or_default();
            while !line.is_empty() {
                let next = format.second_record(line).unwrap_or(line.len());
                let (record, rest) = line.split_at_checked(next.max(1)).unwrap_or((line, b""));
                format.chunk_start(&format.read(record), &mut state);
                line = rest;
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
