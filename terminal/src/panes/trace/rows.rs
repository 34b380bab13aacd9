//! The rows of a list of steps as they stand below each other, the line of the position among them.

use stepback_index::CallId;
use stepback_parsers::Step;

use stepback_debugger::model::TraceWindow;
use stepback_debugger::model::hit_rows::ShownRow;
use stepback_debugger::model::step_rows::StepRow;

/// More lines of one kind are not shown below a step.
const MOST_BELOW: usize = 3;

/// A line of the screen.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum TraceLine {
    /// A step.
    Step(Step),
    /// A line below it, by its number: exceptions first, then what happened at it.
    Below(Step, usize),
    /// A folded call.
    Folded {
        /// Which.
        call: CallId,
        /// Its first step.
        first: Step,
        /// Its last step.
        last: Step,
    },
    /// Steps between two hits.
    Hidden {
        /// The first of them.
        first: Step,
        /// The last of them.
        last: Step,
    },
    /// The line of the position.
    Position,
    /// What stands below the last step.
    End,
    /// A line, from 0, that tells where the program died.
    Died(usize),
}

/// How many lines stand below a step.
pub fn lines_below(row: &StepRow) -> usize {
    row.exceptions.len().min(MOST_BELOW) + row.lines.len().min(MOST_BELOW)
}

/// The lines of the screen from a row of the list on, as many as fit. Costs what is seen.
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
