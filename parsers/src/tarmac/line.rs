//! Classification of a line before its fields are read.

use crate::tarmac::diagram_line::OpenDiagram;
use crate::tarmac::fault::LineFault;
use crate::tarmac::fused::RecordSplit;
use crate::tarmac::header::{LineHeader, LineKind};
use crate::tarmac::instruction_line::InstructionLine;
use crate::tarmac::settings::StateField;
use crate::text::lines::without_return;

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
