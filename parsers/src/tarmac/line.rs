//! What a line is, before its fields are read.

use crate::tarmac::diagram_line::OpenDiagram;
use crate::tarmac::fault::Fault;
use crate::tarmac::fused::Fused;
use crate::tarmac::header::{Header, LineKind};
use crate::tarmac::instruction_line::InstructionLine;
use crate::tarmac::settings::StateField;
use crate::text::lines::without_return;

/// A line by its beginning.
#[derive(Clone, Copy, Debug)]
pub(super) enum Line<'a> {
    /// Nothing on it.
    Blank,
    /// Another row of the diagram on the line before.
    Row(OpenDiagram),
    /// Nothing that we know.
    Broken(Fault),
    /// A step.
    Instruction(Header<'a>, InstructionLine<'a>),
    /// Anything else.
    Other(Header<'a>),
    /// Two records.
    Fused(Fused),
}

impl<'a> Line<'a> {
    /// Reads a line without its line end. `open` is the diagram on the line before.
    ///
    /// Whether it is an instruction never depends on `open`.
    pub fn read(line: &'a [u8], open: Option<OpenDiagram>, state_field: StateField) -> Self {
        let header = Header::read(line);
        match Fused::find(line, header.ok().flatten(), state_field) {
            Some(fused) => Self::Fused(fused),
            None => Self::of_header(header, line, open, state_field),
        }
    }

    /// The same for a line that is taken as one record, whatever it holds.
    pub fn read_single(line: &'a [u8], open: Option<OpenDiagram>, state_field: StateField) -> Self {
        Self::of_header(Header::read(line), line, open, state_field)
    }

    fn of_header(
        header: Result<Option<Header<'a>>, Fault>,
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

    /// The diagram that the next line may go on with.
    pub fn open_diagram(&self) -> Option<OpenDiagram> {
        match self {
            Self::Row(open) => Some(*open),
            Self::Other(header) => OpenDiagram::of(header),
            _ => None,
        }
    }

    /// The line's own timestamp.
    pub fn time(&self) -> Option<u64> {
        match self {
            Self::Instruction(header, _) | Self::Other(header) => header.time,
            _ => None,
        }
    }
}

/// The thread of lines that name none and cannot inherit one.
pub(super) const FIRST_CPU: &[u8] = b"cpu0";

/// True when a line is most likely one of a Tarmac trace: its fields can be read, or it is the title.
pub(crate) fn is_plausible_line(line: &[u8]) -> bool {
    let is_instruction = |state_field| {
        matches!(
            Line::read(without_return(line), None, state_field),
            Line::Instruction(..)
        )
    };
    if is_instruction(StateField::ImplicitThumb) {
        return true;
    }
    match Line::read(without_return(line), None, StateField::Written) {
        Line::Instruction(..) => true,
        Line::Other(header) => match header.kind {
            LineKind::Title => true,
            LineKind::Register => crate::tarmac::register_line::is_plausible(&header),
            LineKind::Memory => crate::tarmac::memory_line::is_plausible(&header),
            LineKind::Diagram(_) => crate::tarmac::diagram_line::is_plausible(&header),
            _ => false,
        },
        Line::Fused(_) => true,
        _ => false,
    }
}
