//! Screen lines of a step list, including the line of the position.

use stepback_index::CallId;
use stepback_parsers::Step;

use stepback_debugger::model::TraceWindow;
use stepback_debugger::model::hit_rows::ShownRow;
use stepback_debugger::model::step_rows::StepRow;

/// Maximum number of lines of each kind shown below a step.
const MOST_BELOW: usize = 3;

/// A line of the screen.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum TraceLine {
    Step(Step),
    /// A line below the step, by its index: exceptions first, then other lines.
    Below(Step, usize),
    Folded {
        call: CallId,
        first: Step,
        last: Step,
    },
    /// Folded steps between two hits.
    Hidden {
        first: Step,
        last: Step,
    },
    Position,
    /// The line after the last step.
    End,
    /// A line of the text about the fatal end of the program, by its index.
    Died(usize),
}

/// Returns the number of lines below a step.
pub fn lines_below(row: &StepRow) -> usize {
    row.exceptions.len().min(MOST_BELOW) + row.lines.len().min(MOST_BELOW)
}

/// Returns the screen lines from a row of the list on. The cost depends on `height` only.
pub fn shown_lines<'a>(
    window: &TraceWindow,
    top: u64,
    height: usize,
    row_of: impl Fn(Step) -> Option<&'a StepRow>,
) -> Vec<TraceLine> {
    let (gap, count) = (window.gap_of(window.position), window.row_count());
    let mut lines = Vec::with_capacity(height.saturating_add(4));
    let mut row = top;
    while lines.len() < height {
        if row == gap {
            lines.push(TraceLine::Position);
        }
        if row >= count {
            lines.push(TraceLine::End);
            break;
        }
        match window.row(row) {
            Some(ShownRow::Step(step)) => {
                lines.push(TraceLine::Step(step));
                let below = row_of(step).map_or(0, lines_below);
                lines.extend((0..below).map(|line| TraceLine::Below(step, line)));
            }
            Some(ShownRow::Folded { call, first, last }) => {
                lines.push(TraceLine::Folded { call, first, last })
            }
            Some(ShownRow::Hidden { first, last }) => lines.push(TraceLine::Hidden { first, last }),
            None => break,
        }
        row = row.saturating_add(1);
    }
    lines.truncate(height);
    lines
}
