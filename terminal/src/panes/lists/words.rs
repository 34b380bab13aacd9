//! Texts of a pane without rows.

use ratatui::layout::Rect;
use ratatui::style::Style;

use crate::look::StyleRole;
use crate::pen::{CellRun, Pen};
use crate::wrapped::wrapped;
use stepback_debugger::messages::say;
use stepback_debugger::model::TextRole;

/// Draws the reason for an empty list, and advice.
pub fn empty(title: &str, advice: &str, area: Rect, pen: &mut Pen<'_>) {
    let below = lines(title, pen.look.style(StyleRole::Key), area, pen);
    lines(advice, pen.look.text(TextRole::Label), below, pen);
}

pub fn failed(error: &str, area: Rect, pen: &mut Pen<'_>) {
    lines(error, pen.look.style(StyleRole::Error), area, pen);
}

/// Draws a notice that an answer is pending, with the current activity.
pub fn loading(words: &str, area: Rect, pen: &mut Pen<'_>) {
    let words = if words.is_empty() {
        say!("list-loading")
    } else {
        words
    };
    lines(words, pen.look.text(TextRole::Label), area, pen);
}

/// Draws a text in wrapped lines. Returns the area below it.
fn lines(text: &str, style: Style, area: Rect, pen: &mut Pen<'_>) -> Rect {
    let clean = pen.look.signs.clean(text).into_owned();
    let lines = wrapped(&clean, usize::from(area.width.saturating_sub(1)));
    for (row, line) in (0u16..area.height).zip(&lines) {
        pen.text(CellRun::of(area, row).behind(1), line, style);
    }
    let taken = u16::try_from(lines.len())
        .unwrap_or(u16::MAX)
        .min(area.height);
    Rect {
        y: area.y.saturating_add(taken),
        height: area.height - taken,
        ..area
    }
}
