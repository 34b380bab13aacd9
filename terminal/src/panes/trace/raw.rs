//! The raw text of the trace, line by line.

use ratatui::layout::Rect;
use ratatui::style::{Modifier, Style};
use stepback_debugger::desk::BlockItem;
use stepback_debugger::messages::say;
use stepback_debugger::model::span::{RawTokenKind, runs};
use stepback_debugger::model::text::thousands;
use stepback_debugger::model::{TextRole, TextSpan, TraceWindow};
use stepback_debugger::views::RawTextView;
use stepback_parsers::Position;

use super::steps::{CodeStyle, StepListContext};
use super::view::{PositionAnchor, ScrollView};
use crate::look::StyleRole;
use crate::pane::PaneContext;
use crate::pen::{CellRun, Pen};

/// Raw text of one window.
#[derive(Default)]
pub struct RawList {
    /// Scroll position, in lines from 0.
    pub view: ScrollView,
    text: RawTextView,
    revealed: Option<Position>,
    /// The line after the position, once it is known.
    gap: Option<u64>,
}

impl RawList {
    /// Returns the lines of the step before the position; empty until they are known.
    pub fn lines_of_last(&self, window: &TraceWindow) -> Vec<String> {
        let Some((gap, last)) = self.gap.zip(window.position.last_step()) else {
            return Vec::new();
        };
        let known = |row: u64| self.text.line(row).filter(|line| line.step == Some(last));
        let mut lines: Vec<String> = (0..gap)
            .rev()
            .map_while(known)
            .map(|line| line.text.clone())
            .collect();
        lines.reverse();
        lines
    }

    /// Moves the position's line to another row of the screen.
    pub fn arrange(&mut self, anchor: PositionAnchor) {
        if let Some(gap) = self.gap {
            self.view.anchor(gap, anchor);
        }
    }

    /// Returns the position after the line at a row of the screen.
    pub fn position_at(&self, row: u16) -> Option<Position> {
        // Rows below the position are shifted down by the position's own row.
        let row = self.view.top.saturating_add(u64::from(row));
        let below = self
            .gap
            .is_some_and(|gap| row > gap && gap >= self.view.top);
        let line = self.text.line(if below { row - 1 } else { row })?;
        Some(line.step.map_or(Position(0), |step| step.after()))
    }

    /// Starts queries for the visible lines, and draws them.
    pub fn draw(
        &mut self,
        area: Rect,
        pen: &mut Pen<'_>,
        cx: &PaneContext<'_>,
        scene: &StepListContext<'_>,
    ) {
        let lines = cx.desk.session.index.info().lines;
        if lines == 0 {
            pen.role(
                CellRun::of(area, 0),
                say!("terminal-no-text"),
                StyleRole::Text(TextRole::Label),
            );
            return;
        }
        self.view.resize(area.height.into(), self.gap);
        self.follow(lines, cx, scene.window);
        let rows = self.view.top..self.view.top.saturating_add(self.view.height).min(lines);
        // The lines of the last step may be above the screen.
        let above = self.gap.map(|gap| gap.saturating_sub(1));
        self.text.fetch(rows, above, cx.desk);
        self.draw_lines(area, lines, pen, scene);
    }

    /// Scrolls to the position if it moved.
    fn follow(&mut self, lines: u64, cx: &PaneContext<'_>, window: &TraceWindow) {
        if let Some(gap) = self.text.poll_gap(window, cx.desk) {
            self.gap = Some(gap);
            if self.revealed.replace(window.position) != Some(window.position) {
                let is_near =
                    self.view.has(gap) || self.view.has(gap.saturating_sub(self.view.height / 2));
                if is_near {
                    self.view.reveal(gap)
                } else {
                    self.view.anchor(gap, PositionAnchor::Middle)
                }
                // Near its end, the text ends at the bottom of the screen.
                let least = (lines + 1).saturating_sub(self.view.height);
                self.view.top = self.view.top.min(least);
            }
        }
    }

    fn draw_lines(&self, area: Rect, lines: u64, pen: &mut Pen<'_>, scene: &StepListContext<'_>) {
        let width = u16::try_from(thousands(lines).chars().count()).unwrap_or(8);
        let mut row = self.view.top;
        let last = scene.window.position.last_step();
        let of_last = self
            .gap
            .map(|gap| gap.saturating_sub(self.lines_of_last(scene.window).len() as u64));
        for y in 0..area.height {
            let run = CellRun::of(area, y);
            if self.gap == Some(row) && y == u16::try_from(row - self.view.top).unwrap_or(u16::MAX)
            {
                let role = StyleRole::Position(scene.window.id.0);
                pen.line(run, pen.look.style(role));
                pen.role(
                    run.after(2),
                    &format!(" {} ", thousands(scene.window.position.0)),
                    role,
                );
                continue;
            }
            match self.text.row(row) {
                BlockItem::Known(line) => {
                    let number = format!(
                        "{:>width$} ",
                        thousands(line.line.0),
                        width = usize::from(width)
                    );
                    let rest = pen.role(run, &number, StyleRole::Text(TextRole::Label));
                    pen.spans(rest, &line_spans(&line.text, scene.code));
                    if line.step.is_some() && line.step == last {
                        pen.mark(rest, Style::new().add_modifier(Modifier::BOLD));
                    }
                    let place =
                        of_last.and_then(|first| usize::try_from(row.checked_sub(first)?).ok());
                    let is_picked = scene
                        .picked
                        .is_some_and(|picked| Some(picked.place) == place);
                    if is_picked && line.step == last {
                        pen.mark(rest, pen.look.style(StyleRole::Picked));
                    }
                }
                BlockItem::Failed(error) => _ = pen.role(run, error, StyleRole::Error),
                BlockItem::Loading => {}
            }
            row += 1;
        }
    }
}

fn line_spans(text: &str, style: CodeStyle) -> Vec<TextSpan> {
    if !style.has_colors {
        return vec![TextSpan::new(TextRole::Plain, text)];
    }
    let meaning = |kind| match kind {
        RawTokenKind::Number => TextRole::Number,
        RawTokenKind::Name => TextRole::Plain,
        RawTokenKind::Sign => TextRole::Punctuation,
    };
    runs(text)
        .map(|(kind, word)| TextSpan::new(meaning(kind), word))
        .collect()
}
