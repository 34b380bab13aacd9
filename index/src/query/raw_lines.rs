//! Raw lines of the trace.

use stepback_parsers::{Line, Position, Step};

use crate::answers::cancel::Cancel;
use crate::answers::error::QueryError;
use crate::index::Index;
use crate::query::question::Query;
use crate::read::lines::LineReader;
use crate::read::slots::SlotReader;

/// Reads the raw lines of the trace from a line on, without their line ends (lossy UTF-8).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct RawLines {
    /// First line.
    pub first: Line,
    /// Number of lines; fewer are returned at the end of the trace.
    pub count: u64,
}

/// A raw line of the trace.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RawLine {
    /// Line number.
    pub line: Line,
    /// Step that it belongs to; none before the first step.
    pub step: Option<Step>,
    /// Text, cut after [`SHOWN_BYTES`].
    pub text: String,
}

/// Length in bytes at which lines are cut, more than any reader needs.
pub const SHOWN_BYTES: usize = 4096;
const WINDOW: u64 = 64 << 10;

impl Query for RawLines {
    type Answer = Vec<RawLine>;

    fn run(&self, index: &Index, cancel: &Cancel) -> Result<Vec<RawLine>, QueryError> {
        if !index.source().is_text() {
            return Ok(Vec::new());
        }
        let wanted = self.first.0.saturating_sub(1);
        let chunk = LineReader(index).chunk_of_line(wanted)?;
        let (mut slot, mut slot_end) = (chunk.slot, SlotReader(index).text_start(chunk.slot + 1)?);
        let (mut line, mut offset, length) = (chunk.line, chunk.offset, index.contents.text_end);
        let mut lines = Vec::new();
        let mut text = Vec::new();
        let mut window = Vec::new();
        while offset < length && (lines.len() as u64) < self.count {
            cancel.check()?;
            window.clear();
            index.source().read_raw(
                offset..offset.saturating_add(WINDOW).min(length),
                &mut window,
            )?;
            if window.is_empty() {
                return Err(QueryError::TraceChanged);
            }
            let window_end = offset + window.len() as u64;
            for piece in window.split_inclusive(|byte| *byte == b'\n') {
                let is_shown = line >= wanted && (lines.len() as u64) < self.count;
                if is_shown {
                    text.extend(piece.iter().take(SHOWN_BYTES.saturating_sub(text.len())));
                }
                offset += piece.len() as u64;
                let is_whole = piece.ends_with(b"\n") || offset == length;
                if !is_whole {
                    continue;
                }
                let begin = offset - 1;
                while begin >= slot_end && slot < index.step_count() {
                    slot += 1;
                    slot_end = SlotReader(index).text_start(slot + 1)?;
                }
                if is_shown {
                    let shown = String::from_utf8_lossy(&text)
                        .trim_end_matches(['\r', '\n'])
                        .to_owned();
                    lines.push(RawLine {
                        line: Line(line + 1),
                        step: Position(slot).last_step(),
                        text: shown,
                    });
                    text.clear();
                }
                line += 1;
            }
            offset = window_end;
        }
        Ok(lines)
    }
}
