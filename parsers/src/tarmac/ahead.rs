//! Look-ahead that decides if lines with a new timestamp belong to the instruction that follows
//! them.

use crate::tarmac::diagram_line::OpenDiagram;
use crate::tarmac::line::{FIRST_CPU, TarmacLine};
use crate::tarmac::settings::StateField;
use crate::text::limits::TextLimits;
use crate::text::lines::{TextPart, without_return};

/// Lines that may belong to the instruction that follows them.
#[derive(Clone, Copy, Debug)]
pub(super) struct LookAhead<'a> {
    /// Whole lines, followed by more of the input unless `is_last`.
    pub text: &'a [u8],
    /// End of the whole lines.
    pub lines_end: usize,
    /// True if nothing follows the text.
    pub is_last: bool,
    pub limits: TextLimits,
    pub state_field: StateField,
}

/// Result of the look-ahead.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum LookAheadResult {
    /// The lines belong to the instruction at `start`, after `lines` lines.
    Instruction { start: usize, lines: u64 },
    /// The lines belong to the step before.
    Nothing,
    /// More of the input is needed to decide.
    NeedsMore,
}

/// First line of a run: it has a new timestamp.
#[derive(Clone, Copy, Debug)]
pub(super) struct RunStart<'a> {
    pub start: usize,
    pub time: u64,
    /// CPU word of its thread.
    pub cpu: &'a [u8],
}

impl<'a> LookAhead<'a> {
    /// Returns the text, with a flag if more follows.
    pub fn part(&self) -> TextPart<'a> {
        TextPart {
            text: self.text,
            is_last: self.is_last,
        }
    }

    /// Follows the lines from `run.start` on while they have its time and thread.
    ///
    /// The cost is linear over a whole trace. After an unsuccessful look-ahead the time of its
    /// lines is no longer new, so none of them starts another one.
    pub fn follow(&self, run: RunStart<'_>) -> LookAheadResult {
        let mut at = run.start;
        let mut lines = 0;
        let mut open: Option<OpenDiagram> = None;
        while at - run.start <= self.limits.run {
            if at >= self.lines_end
                && (self.is_last || self.text.len() - self.lines_end > self.limits.line)
            {
                return LookAheadResult::Nothing;
            }
            let Some((line, next)) = self.part().line_at(at).filter(|_| at < self.lines_end) else {
                return LookAheadResult::NeedsMore;
            };
            if line.len() > self.limits.line {
                return LookAheadResult::Nothing;
            }
            let line = TarmacLine::read(without_return(line), open, self.state_field);
            match line {
                TarmacLine::Instruction(header, _)
                    if run.has(header.time, Some(header.cpu.unwrap_or(FIRST_CPU))) =>
                {
                    return LookAheadResult::Instruction { start: at, lines };
                }
                TarmacLine::Other(header)
                    if run.has(header.time, cpu_of_other(header.time, header.cpu)) => {}
                TarmacLine::Instruction(..) | TarmacLine::Other(_) | TarmacLine::Fused(_) => {
                    return LookAheadResult::Nothing;
                }
                TarmacLine::Blank | TarmacLine::Row(_) | TarmacLine::Broken(_) => {}
            }
            open = line.open_diagram();
            at = next;
            lines += 1;
        }
        LookAheadResult::Nothing
    }
}

/// Returns the CPU word of a line other than an instruction; `None` if it inherits that of the line
/// before.
pub(super) fn cpu_of_other(time: Option<u64>, cpu: Option<&[u8]>) -> Option<&[u8]> {
    cpu.or(time.map(|_| FIRST_CPU))
}

impl RunStart<'_> {
    fn has(&self, time: Option<u64>, cpu: Option<&[u8]>) -> bool {
        time.is_none_or(|time| time == self.time) && cpu.is_none_or(|cpu| cpu == self.cpu)
    }
}
