//! Search for a place where a trace can be cut, using only the text around it.
//!
//! A chunk begins where [`crate::tarmac::run`] would begin one, which depends on the time of the
//! line before. So the search starts after an instruction line: the state after it does not depend
//! on anything before it.

use std::ops::{ControlFlow, Range};

use crate::error::SourceError;
use crate::read_at::ReadAt;
use crate::source::ParseScratch;
use crate::tarmac::diagram_line::OpenDiagram;
use crate::tarmac::line::{FIRST_CPU, LookAhead, LookAheadResult, RunStart, TarmacLine};
use crate::tarmac::run::{LastTimestamp, TarmacScratch};
use crate::tarmac::settings::{LineOrder, TarmacSettings};
use crate::text::window::{InputWindow, without_return};

/// Returns the first certain chunk start in a range; `end` is the end of the input.
pub(super) fn cut(
    settings: &TarmacSettings,
    input: &dyn ReadAt,
    range: Range<u64>,
    end: u64,
    scratch: &mut ParseScratch,
) -> Result<Option<u64>, SourceError> {
    let limit = range.end;
    let Some(before) = range.start.checked_sub(1) else {
        return Ok((limit > 0).then_some(0));
    };
    let limits = settings.limits;
    // No later place can be the answer. A line without an end must not be followed to the end of
    // the input.
    let far = limit.saturating_add(limits.run as u64);
    let TarmacScratch { buffer, .. } = scratch.of();
    let mut window = InputWindow::new(input, before..end, limits.window, buffer);
    window.advance(0)?;
    let mut has_more = window.skip_line(0, far)?;
    let mut search = CutSearch {
        settings,
        limit,
        seen: None,
    };
    while has_more {
        let done = match search.lines(&window) {
            ControlFlow::Break(cut) => return Ok(cut),
            ControlFlow::Continue(done) => done,
        };
        let is_too_long = done == window.whole_lines() && window.text().len() - done > limits.line;
        has_more = match () {
            () if window.is_last() => false,
            () if is_too_long => {
                search.seen = search.seen.map(|seen| CutLineState { open: None, ..seen });
                window.skip_line(done, far)?
            }
            () => window.advance(done).map(|()| true)?,
        };
    }
    Ok(None)
}

/// State of a search.
struct CutSearch<'t> {
    settings: &'t TarmacSettings,
    limit: u64,
    /// `None` before the first instruction line.
    seen: Option<CutLineState>,
}

/// State since an instruction line.
#[derive(Clone, Copy, Debug, Default)]
struct CutLineState {
    clock: LastTimestamp,
    open: Option<OpenDiagram>,
}

impl CutSearch<'_> {
    /// Examines whole lines. Breaks with the answer, or continues with the offset reached.
    fn lines(&mut self, window: &InputWindow<'_>) -> ControlFlow<Option<u64>, usize> {
        let ahead = LookAhead {
            text: window.text(),
            lines_end: window.whole_lines(),
            is_last: window.is_last(),
            limits: self.settings.limits,
            state_field: self.settings.state_field,
        };
        let mut at = 0;
        while at < ahead.lines_end {
            let offset = window.base() + at as u64;
            if offset >= self.limit {
                return ControlFlow::Break(None);
            }
            let Some((line, next)) = ahead.part().line_at(at) else {
                break;
            };
            let is_too_long = line.len() > ahead.limits.line;
            let open = self.seen.and_then(|seen| seen.open);
            let line = TarmacLine::read(
                without_return(if is_too_long { b"" } else { line }),
                open,
                ahead.state_field,
            );
            if let Some(run) = self.run_start(&line, at, offset) {
                match ahead.follow(run) {
                    LookAheadResult::Instruction { .. } => return ControlFlow::Break(Some(offset)),
                    LookAheadResult::NeedsMore => break,
                    LookAheadResult::Nothing => {}
                }
            }
            self.line(&line, offset)?;
            at = next;
        }
        ControlFlow::Continue(at)
    }

    /// Returns the run that a line begins if its timestamp is certainly new.
    fn run_start<'a>(
        &self,
        line: &TarmacLine<'a>,
        start: usize,
        offset: u64,
    ) -> Option<RunStart<'a>> {
        let TarmacLine::Other(header) = line else {
            return None;
        };
        let clock = self.seen?.clock;
        let time = header
            .time
            .filter(|time| clock.is_new(*time, offset, self.settings.limits))?;
        Some(RunStart {
            start,
            time,
            cpu: header.cpu.unwrap_or(FIRST_CPU),
        })
    }

    /// Notes a line that begins no run; breaks if the line is the answer.
    fn line(&mut self, line: &TarmacLine<'_>, offset: u64) -> ControlFlow<Option<u64>> {
        if matches!(line, TarmacLine::Fused(_)) {
            self.seen = None;
            return ControlFlow::Continue(());
        }
        let is_instruction = matches!(line, TarmacLine::Instruction(..));
        if is_instruction && self.settings.order != LineOrder::Plain {
            // In such a trace a chunk begins with its instruction, regardless of the lines before
            // it.
            return ControlFlow::Break(Some(offset));
        }
        if is_instruction && self.seen.is_some() {
            return ControlFlow::Break(Some(offset));
        }
        let Some(seen) = self.seen.or(is_instruction.then(CutLineState::default)) else {
            return ControlFlow::Continue(());
        };
        let mut clock = seen.clock;
        if is_instruction {
            clock.note_step(line.time(), offset)
        } else {
            clock.note(line.time(), offset)
        }
        self.seen = Some(CutLineState {
            clock,
            open: line.open_diagram(),
        });
        ControlFlow::Continue(())
    }
}
