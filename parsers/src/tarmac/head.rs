//! Properties of a trace that follow from its beginning.

use stepback_machine::InstructionSet;

use crate::error::SourceError;
use crate::read_at::ReadAt;
use crate::tarmac::line::TarmacLine;
use crate::tarmac::settings::LineOrder;
use crate::tarmac::settings::StateField;
use crate::text::limits::LIMITS;
use crate::text::lines::without_return;
use crate::text::window::InputWindow;

/// Maximum number of bytes searched for the first instruction.
const HEAD: u64 = 4 << 20;

/// Properties that follow from the beginning of a trace.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct TarmacHead {
    /// Instruction set of the first instruction; AArch64 if there is none.
    pub instruction_set: InstructionSet,
    /// First unit after a timestamp.
    pub time_unit: Option<String>,
    /// Order of the lines of an instruction.
    pub order: LineOrder,
}

impl TarmacHead {
    /// Reads up to the first instruction, including its unit.
    pub fn read(input: &dyn ReadAt, state_field: StateField) -> Result<Self, SourceError> {
        let mut buffer = Vec::new();
        let mut window = InputWindow::new(input, 0..HEAD, LIMITS.window, &mut buffer);
        let mut head = Self::default();
        window.advance(0)?;
        head.order = LineOrder::of(window.text(), state_field);
        while !head.has_instruction(&window, state_field) && !window.is_last() {
            let whole_lines = window.whole_lines();
            // A window without a newline is discarded: no line is that long.
            window.advance(if whole_lines == 0 {
                LIMITS.window
            } else {
                whole_lines
            })?;
        }
        Ok(head)
    }

    /// Reads the lines in the window; returns true if one of them is an instruction.
    fn has_instruction(&mut self, window: &InputWindow<'_>, state_field: StateField) -> bool {
        let mut at = 0;
        let lines_end = window.whole_lines();
        while at < lines_end {
            let Some((line, next)) = window.part().line_at(at) else {
                return false;
            };
            at = next;
            if line.len() > LIMITS.line {
                continue;
            }
            let line = without_return(line);
            let line = match TarmacLine::read(line, None, state_field) {
                TarmacLine::Fused(fused) => TarmacLine::read_single(
                    line.get(fused.at..).unwrap_or_default(),
                    None,
                    state_field,
                ),
                line => line,
            };
            if let (None, TarmacLine::Instruction(header, _) | TarmacLine::Other(header)) =
                (&self.time_unit, line)
            {
                self.time_unit = header
                    .unit
                    .map(|unit| String::from_utf8_lossy(unit).into_owned());
            }
            if let TarmacLine::Instruction(_, instruction) = line {
                self.instruction_set = instruction.set;
                return true;
            }
        }
        false
    }
}
