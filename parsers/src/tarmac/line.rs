//! Classification of a line before its fields are read ([`TarmacLine`]), and the look-ahead that
//! decides if lines with a new timestamp belong to the instruction that follows them
//! ([`LookAhead`]; see [`crate::tarmac`]).

use crate::problem::LineFault;
use crate::tarmac::diagram_line::OpenDiagram;
use crate::tarmac::fused::RecordSplit;
use crate::tarmac::header::{LineHeader, LineKind};
use crate::tarmac::instruction_line::InstructionLine;
use crate::tarmac::settings::StateField;
use crate::text::window::{TextLimits, TextPart, without_return};

/// A line by its beginning.
#[derive(Clone, Copy, Debug)]
pub(super) enum TarmacLine<'a> {
    /// An empty line.
    Blank,
    /// Another row of the diagram on the line before.
    Row(OpenDiagram),
    /// A line without a known form.
    Broken(LineFault),
    /// An instruction.
    Instruction(LineHeader<'a>, InstructionLine<'a>),
    /// Any other record.
    Other(LineHeader<'a>),
    /// Two records on one line.
    Fused(RecordSplit),
}

impl<'a> TarmacLine<'a> {
    /// Reads a line without its line end. `open` is the diagram on the line before.
    ///
    /// The classification as an instruction never depends on `open`.
    pub fn read(line: &'a [u8], open: Option<OpenDiagram>, state_field: StateField) -> Self {
        let header = LineHeader::read(line);
        match RecordSplit::find(line, header.ok().flatten(), state_field) {
            Some(fused) => Self::Fused(fused),
            None => Self::of_header(header, line, open, state_field),
        }
    }

    /// Reads a line like [`Self::read`], but always as one record.
    pub fn read_single(line: &'a [u8], open: Option<OpenDiagram>, state_field: StateField) -> Self {
        Self::of_header(LineHeader::read(line), line, open, state_field)
    }

    fn of_header(
        header: Result<Option<LineHeader<'a>>, LineFault>,
        line: &'a [u8],
        open: Option<OpenDiagram>,
        state_field: StateField,
    ) -> Self {
        if let Some(open) = open.filter(|open| open.goes_on(line)) {
            return Self::Row(open);
        }
        let header = match header {
            Ok(Some(header)) => header,
            Ok(None) => return Self::Blank,
            Err(fault) => return Self::Broken(fault),
        };
        match header.kind {
            LineKind::Instruction => match InstructionLine::read(&header, state_field) {
                Ok(Some(instruction)) => Self::Instruction(header, instruction),
                _ => Self::Other(header),
            },
            _ => Self::Other(header),
        }
    }

    /// Returns the diagram that the next line may continue.
    pub fn open_diagram(&self) -> Option<OpenDiagram> {
        match self {
            Self::Row(open) => Some(*open),
            Self::Other(header) => OpenDiagram::of(header),
            _ => None,
        }
    }

    /// Returns the timestamp on the line.
    pub fn time(&self) -> Option<u64> {
        match self {
            Self::Instruction(header, _) | Self::Other(header) => header.time,
            _ => None,
        }
    }
}

/// Thread of lines that name none and cannot inherit one.
pub(super) const FIRST_CPU: &[u8] = b"cpu0";

/// Returns true if a line most likely belongs to a Tarmac trace: its fields can be read, or it is
/// the title.
pub(crate) fn is_plausible_line(line: &[u8]) -> bool {
    let is_instruction = |state_field| {
        matches!(
            TarmacLine::read(without_return(line), None, state_field),
            TarmacLine::Instruction(..)
        )
    };
    if is_instruction(StateField::ImplicitThumb) {
        return true;
    }
    match TarmacLine::read(without_return(line), None, StateField::Written) {
        TarmacLine::Instruction(..) => true,
        TarmacLine::Other(header) => match header.kind {
            LineKind::Title => true,
            LineKind::Register => crate::tarmac::register_line::is_plausible(&header),
            LineKind::Memory => crate::tarmac::memory_line::is_plausible(&header),
            LineKind::Diagram(_) => crate::tarmac::diagram_line::is_plausible(&header),
            _ => false,
        },
        TarmacLine::Fused(_) => true,
        _ => false,
    }
}

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
