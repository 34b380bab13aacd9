//! Lines of the trace.

use stepback_parsers::{Line, Position};

use crate::oracle::record::{Oracle, Replay};
use crate::query::raw_lines::{RawLine, RawLines, SHOWN_BYTES};
use crate::query::steps::PositionOfLine;

impl Replay for PositionOfLine {
    fn replay(&self, oracle: &Oracle) -> Option<Position> {
        oracle.made_lines.is_none().then_some(())?;
        Some(oracle.position_of_line(self.0.0.saturating_sub(1)))
    }
}

impl Replay for RawLines {
    fn replay(&self, oracle: &Oracle) -> Option<Vec<RawLine>> {
        let first = self.first.0.saturating_sub(1);
        let end = first.saturating_add(self.count).min(oracle.line_count());
        Some(
            (first..end)
                .filter_map(|line| oracle.raw_line(line))
                .collect(),
        )
    }
}

impl Oracle {
    /// Returns the position after the steps whose text begins at or before a line, counted from 0.
    fn position_of_line(&self, line: u64) -> Position {
        let begun = self.steps.iter().filter(|step| step.first_line <= line);
        Position(begun.count() as u64)
    }

    fn raw_line(&self, line: u64) -> Option<RawLine> {
        let number = usize::try_from(line).ok()?;
        let start = usize::try_from(*self.line_starts.get(number)?).ok()?;
        let next = self
            .line_starts
            .get(number + 1)
            .and_then(|next| usize::try_from(*next).ok());
        let text = self.text.get(start..next.unwrap_or(self.text.len()))?;
        let shown = String::from_utf8_lossy(text.get(..SHOWN_BYTES).unwrap_or(text)).into_owned();
        let text = shown.trim_end_matches(['\r', '\n']).to_owned();
        Some(RawLine {
            line: Line(line + 1),
            step: self.position_of_line(line).last_step(),
            text,
        })
    }
}
