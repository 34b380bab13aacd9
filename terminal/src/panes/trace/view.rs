//! Scroll position of a step list, and how it follows the current position ([`ScrollView`]). The
//! list becomes screen lines ([`TraceLine`]): steps, the lines below the last step, and the line of
//! the position, which lies between two rows.

use stepback_debugger::messages::say;
use stepback_debugger::model::TraceWindow;
use stepback_debugger::model::ending::EndingReport;
use stepback_debugger::model::hit_rows::ShownRow;
use stepback_debugger::model::step_rows::StepRow;
use stepback_debugger::model::text::thousands;
use stepback_debugger::model::trace_notes::fatal_words;
use stepback_index::answer::CallId;
use stepback_parsers::Step;

/// Minimum number of rows to keep visible around the position while it moves.
const MARGIN: u64 = 2;

/// Screen row of the position; Ctrl-L cycles through them.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum PositionAnchor {
    #[default]
    Middle,
    Top,
    Bottom,
}

impl PositionAnchor {
    /// Returns the next anchor in the cycle.
    pub fn next(self) -> Self {
        match self {
            Self::Middle => Self::Top,
            Self::Top => Self::Bottom,
            Self::Bottom => Self::Middle,
        }
    }
}

/// Scroll position of a list. The line of the position lies between two rows; `gap` is the number
/// of rows above it.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct ScrollView {
    pub top: u64,
    /// Number of rows in the last frame.
    pub height: u64,
}

impl ScrollView {
    /// Scrolls the line at `gap` into view, with some rows around it.
    ///
    /// The text does not move while the line moves through it. If the line would leave the screen,
    /// the text scrolls by about two thirds of the screen. That is easier to read than continuous
    /// scrolling, and sends a tenth of the data to a remote terminal.
    pub fn reveal(&mut self, gap: u64) {
        let margin = MARGIN.min(self.height.saturating_sub(1) / 3);
        let last = self.height.saturating_sub(1);
        let kept = (self.height / 4).max(margin);
        if gap < self.top.saturating_add(margin) {
            self.top = gap.saturating_sub(last.saturating_sub(kept));
        } else if gap.saturating_add(margin) > self.top.saturating_add(last) {
            self.top = gap.saturating_sub(kept);
        }
    }

    /// Changes the height. If the line at `gap` was in view, it stays in view.
    pub fn resize(&mut self, height: u64, gap: Option<u64>) {
        let was_seen = gap.is_some_and(|gap| self.has(gap));
        self.height = height;
        if let Some(gap) = gap.filter(|gap| was_seen && !self.has(*gap)) {
            self.reveal(gap);
        }
    }

    /// Scrolls so that the line at `gap` is at an anchor of the screen.
    pub fn anchor(&mut self, gap: u64, anchor: PositionAnchor) {
        let above = match anchor {
            PositionAnchor::Middle => self.height.saturating_sub(1) / 2,
            PositionAnchor::Top => 0,
            PositionAnchor::Bottom => self.height.saturating_sub(1),
        };
        self.top = gap.saturating_sub(above);
    }

    /// Scrolls by rows, at most to the last of `rows` rows.
    pub fn scroll(&mut self, by: i64, rows: u64) {
        self.top = self
            .top
            .saturating_add_signed(by)
            .min(rows.saturating_sub(1));
    }

    /// Returns true if the line at `gap` is in view.
    pub fn has(&self, gap: u64) -> bool {
        gap >= self.top && gap < self.top.saturating_add(self.height)
    }
}

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

/// Returns the lines below the last step: how the trace ends badly, where, and where the value that
/// caused it came from.
pub fn report_lines(report: &EndingReport) -> Vec<String> {
    let title = match report.fatal() {
        Some(fatal) => say!(
            "terminal-died",
            words = fatal_words(fatal),
            step = fatal.step.0
        ),
        None => report.title.clone(),
    };
    let origin = report.origin.iter();
    let origin = origin.map(|line| format!("{}  {}", thousands(line.step.0), line.words()));
    let advice = report.ending.culprit.as_ref().map(|(cell, at)| {
        say!(
            "terminal-ending-why",
            cell = cell.to_string(),
            at = thousands(at.0)
        )
    });
    // The step is above, unless more followed.
    let place = report.fatal().is_some().then(|| report.place.clone());
    std::iter::once(title)
        .chain(place)
        .chain(origin)
        .chain(advice)
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_line_stays_in_view_with_rows_around_it() {
        let mut view = ScrollView { top: 0, height: 10 };
        let mut at = |gap| {
            view.reveal(gap);
            view.top
        };
        assert_eq!(
            [at(0), at(5), at(7), at(8), at(9), at(13)],
            [0, 0, 0, 6, 6, 6]
        );
        assert_eq!([at(8), at(7), at(2)], [6, 0, 0]);
    }

    #[test]
    fn the_line_stays_in_view_where_rows_are_lost() {
        let mut view = ScrollView {
            top: 20,
            height: 20,
        };
        view.resize(5, Some(38));
        assert!(view.has(38), "{view:?}");
        // A list that was scrolled away from the line stays there.
        let mut view = ScrollView {
            top: 20,
            height: 20,
        };
        view.resize(5, Some(100));
        assert_eq!(view.top, 20);
    }

    #[test]
    fn the_line_goes_through_the_middle_the_top_and_the_bottom() {
        let mut view = ScrollView { top: 0, height: 11 };
        let (mut anchor, mut tops) = (PositionAnchor::Middle, Vec::new());
        for _ in 0..3 {
            view.anchor(100, anchor);
            tops.push(view.top);
            anchor = anchor.next();
        }
        assert_eq!(tops, [95, 100, 90]);
    }

    #[test]
    fn a_list_without_room_has_its_line_at_the_top() {
        let mut view = ScrollView::default();
        view.reveal(7);
        view.anchor(7, PositionAnchor::Bottom);
        view.scroll(100, 5);
        assert_eq!(view.top, 4);
        view.scroll(-100, 5);
        assert_eq!(view.top, 0);
    }
}
