//! One frame of the screen: panes, bottom line and overlays.

use ratatui::Frame;
use ratatui::buffer::Buffer;
use ratatui::layout::{Position as Spot, Rect};
use stepback_debugger::action::PanelKind;
use stepback_debugger::desk::words::{bytes, count, sentence, span};
use stepback_debugger::desk::{
    Desk, Opening, PlaceLookup, StatusSlot, Tone, position_label, status_at,
};
use stepback_debugger::messages::say;
use stepback_debugger::model::so_far::so_far;
use stepback_debugger::model::{TextRole, TextSpan};
use stepback_debugger::program::Program;
use stepback_index::Cancel;

use super::browser::{Overlay, TerminalBrowser};
use super::layout;
use super::layout::PaneSpec;
use super::look::{StyleRole, TerminalStyle};
use super::pane::PaneContext;
use super::pen::{CellRun, Pen};
use crate::pen::wrapped;
use crate::prompt::Question;

/// Minimum width and height of a usable screen, in cells.
const SMALLEST: (u16, u16) = (20, 5);
/// Number of rows from which the program opens extra panes unprompted.
const ROOMY: u16 = 36;
/// Number of columns from which the position is shown with the number of steps.
const ROOMY_COLUMNS: usize = 110;
/// Maximum number of rows of a message.
const MESSAGE: u16 = 5;

impl TerminalBrowser {
    /// Draws the frame. The cost depends on the screen size, not on the trace.
    pub fn draw(&mut self, frame: &mut Frame<'_>) {
        let cursor = self.draw_into(frame.buffer_mut());
        if let Some((x, y)) = cursor {
            frame.set_cursor_position(Spot { x, y });
        }
    }

    /// Draws the frame into cells. Returns the cursor's cell while a text is typed.
    pub fn draw_into(&mut self, buffer: &mut Buffer) -> Option<(u16, u16)> {
        // Painters query the worker: this thread must never wait for a disk.
        let _drawing = stepback_index::read::forbid_reads();
        let whole = buffer.area;
        self.has_room = whole.height >= ROOMY || layout::is_wide(whole);
        if whole.width < SMALLEST.0 || whole.height < SMALLEST.1 {
            let look = self.look;
            let mut pen = Pen {
                buffer,
                look: &look,
            };
            pen.role(
                CellRun::of(whole, 0),
                say!("terminal-too-small"),
                StyleRole::Warning,
            );
            return None;
        }
        let [above, bottom] = [
            Rect {
                height: whole.height - 1,
                ..whole
            },
            Rect {
                y: whole.bottom() - 1,
                height: 1,
                ..whole
            },
        ];
        let look = self.look;
        let greeting = self
            .greeting()
            .map(|text| AboveLines::new(&text, above, &look));
        let for_panes = match &greeting {
            Some(lines) => lines.rest(above),
            None => above,
        };
        match self.program.desk.is_some() {
            true => self.draw_panes(for_panes, buffer),
            false => self.draw_nothing(for_panes, buffer),
        }
        let mut pen = Pen {
            buffer,
            look: &look,
        };
        let situation = self.situation();
        match &mut self.over {
            Overlay::Palette(palette) => {
                clear(whole, pen.buffer);
                palette.look(&situation, self.program.desk.as_ref());
                return Some(palette.draw(whole, &mut pen));
            }
            Overlay::Help(page) => {
                clear(whole, pen.buffer);
                page.draw(whole, &mut pen);
                return None;
            }
            Overlay::Question(question) => {
                let message = self.message.as_ref().map(|message| message.title.clone());
                let label = question.requested.words(situation.registers);
                return Some(draw_question(
                    question,
                    &label,
                    message,
                    [above, bottom],
                    &mut pen,
                ));
            }
            Overlay::Nothing => {}
        }
        if let Some(lines) = greeting {
            lines.draw(StyleRole::Text(TextRole::Plain), above, &mut pen);
        }
        self.draw_bottom(above, CellRun::of(bottom, 0), &mut pen);
        None
    }

    fn draw_panes(&mut self, area: Rect, buffer: &mut Buffer) {
        let Self {
            panes,
            program: Program {
                desk: Some(desk), ..
            },
            look,
            ..
        } = self
        else {
            return;
        };
        let focus = panes.focus_id();
        let is_zoomed = panes.is_zoomed;
        let wanted: Vec<PaneSpec> = panes
            .list()
            .iter()
            .filter(|open| !is_zoomed || open.id == focus)
            .map(|open| PaneSpec {
                id: open.id,
                window: open.pane.window(),
                is_code: open.pane.kind() == PanelKind::Source,
                rows: open.rows.unwrap_or_else(|| open.pane.wished_rows()),
            })
            .collect();
        let places = layout::arrange(area, &wanted, focus);
        for place in places.list() {
            let Some(open) = panes.get_mut(place.id) else {
                continue;
            };
            let has_focus = place.id == focus;
            let cx = PaneContext {
                desk,
                look,
                pane: place.id,
                has_focus,
            };
            let mut pen = Pen { buffer, look };
            let role = if has_focus {
                StyleRole::TitleFocus
            } else {
                StyleRole::Title
            };
            // The pane first: it receives answers that its title contains.
            open.pane.draw(place.area, &mut pen, &cx);
            let title = open.pane.title(&cx);
            draw_bar(&mut pen, CellRun::of(place.bar, 0), &title, role);
        }
        self.places = places;
    }

    /// Draws the progress of opening, or a hint on how to open a trace.
    fn draw_nothing(&mut self, area: Rect, buffer: &mut Buffer) {
        let look = self.look;
        let mut pen = Pen {
            buffer,
            look: &look,
        };
        let words = match &self.program.opening {
            Some(opening) => say!("terminal-opening", name = opening.name.as_str()),
            None => say!("terminal-nothing-open").to_owned(),
        };
        for (row, line) in (area.height / 3..).zip(words.lines()) {
            pen.role(
                CellRun::of(area, row).after(2),
                line,
                StyleRole::Text(TextRole::Plain),
            );
        }
    }

    /// Returns the hint for the first use: how the trace ends badly, and the keys that go there. None
    /// after the first key, or while there is something else to read.
    fn greeting(&self) -> Option<String> {
        let is_busy = self.message.is_some() || self.progress().is_some();
        if !self.is_greeting || is_busy {
            return None;
        }
        let report = self.program.desk.as_ref().and_then(Desk::ending);
        Some(match report {
            Some(report) => say!("terminal-ending-greeting", title = report.title.clone()),
            None => say!("terminal-greeting").to_owned(),
        })
    }

    /// Draws the message or the position at the left, and the progress at the right. A message that
    /// does not fit is drawn above.
    fn draw_bottom(&mut self, above: Rect, run: CellRun, pen: &mut Pen<'_>) {
        let plain = StyleRole::Text(TextRole::Plain);
        let number = pen.look.style(StyleRole::Text(TextRole::Number));
        let progress = self.progress();
        let rest = match &progress {
            Some(words) => before_gap(pen.text_right(run, words, number)),
            None => run,
        };
        let spans = self.status_spans(run.cells());
        if let Some(message) = &self.message {
            let role = match message.tone {
                Tone::Info => plain,
                Tone::Warning => StyleRole::Warning,
                Tone::Error => StyleRole::Error,
            };
            let text = match message.text.as_str() {
                "" => message.title.clone(),
                text => say!(
                    "terminal-titled",
                    title = message.title.as_str(),
                    text = text
                ),
            };
            if pen.width(&text) <= rest.cells() {
                pen.role(rest, &text, role);
            } else {
                AboveLines::new(&text, above, pen.look).draw(role, above, pen);
                pen.spans(rest, &spans);
            }
            return;
        }
        pen.spans(rest, &spans);
    }

    /// Returns the position of the active window, and the focused pane's text about its cursor.
    fn status_spans(&mut self, columns: u16) -> Vec<TextSpan> {
        let Self {
            panes,
            program: Program {
                desk: Some(desk), ..
            },
            look,
            status,
            ..
        } = self
        else {
            return Vec::new();
        };
        let mut spans = Vec::new();
        if let Some(open) = panes.focused() {
            let cx = PaneContext {
                desk,
                look,
                pane: open.id,
                has_focus: true,
            };
            spans = open.pane.status(&cx);
        }
        if !spans.is_empty() {
            spans.push(TextSpan::new(TextRole::Label, "  "));
        }
        let width = |span: &TextSpan| super::clean::width(&look.signs.clean(&span.text));
        let taken: usize = spans.iter().map(width).sum();
        let columns = usize::from(columns).saturating_sub(taken);
        spans.extend(position_spans(desk, status, columns));
        spans
    }

    /// Returns the progress of indexing or of a search.
    fn progress(&self) -> Option<String> {
        let desk = self.program.desk.as_ref();
        if let Some(words) = desk
            .and_then(|desk| desk.lookup.as_ref())
            .and_then(PlaceLookup::words)
        {
            return Some(say!("terminal-esc-stops", words = words));
        }
        if let Some(desk) = desk.filter(|desk| desk.find.is_under_way()) {
            let found = desk.find.found().map_or(0, |found| found.count());
            return Some(say!("terminal-searching", count = found));
        }
        if let Some(desk) = desk.filter(|desk| desk.slice.is_under_way()) {
            let steps = desk.slice.slice().map_or(0, |slice| slice.step_count());
            return Some(say!("terminal-following-slice", count = steps));
        }
        let opening = self.program.opening.as_ref()?;
        Some(opening_words(opening))
    }
}

fn opening_words(opening: &Opening) -> String {
    if opening.is_following() {
        return say!("terminal-following").to_owned();
    }
    let figures = opening.figures();
    let left = figures
        .left
        .map(|left| say!("terminal-left", time = span(left)));
    let words = say!(
        "terminal-indexing",
        share = figures.per_cent(),
        steps = count(figures.steps),
        size = bytes(figures.total)
    );
    match left {
        Some(left) => format!("{words} {left}"),
        None => words,
    }
}

/// Returns step, line, time, thread and function of the active window.
fn position_spans(desk: &Desk, status: &mut StatusSlot, columns: usize) -> Vec<TextSpan> {
    let window = desk.windows.active();
    let position = window.position;
    let end = desk.session.index.step_count();
    let place = match columns < ROOMY_COLUMNS && desk.session.index.is_whole() {
        true => count(position.0),
        false => so_far(
            &desk.session,
            &say!("status-of", position = count(position.0), end = count(end)),
        ),
    };
    let mut spans = Vec::new();
    if desk.windows.list.len() > 1 {
        spans.push(TextSpan::new(
            TextRole::Label,
            format!("[{}] ", window.id.0),
        ));
    }
    part(&mut spans, &position_label(position), &place);
    let session = desk.session.clone();
    let answer = status.poll(&position, &desk.worker, |position| {
        let position = *position;
        move |cancel: &Cancel| status_at(&session, position, cancel)
    });
    let Some(status) = answer.any() else {
        return spans;
    };
    for (name, value) in status.parts() {
        part(&mut spans, name, &value);
    }
    spans
}

fn part(spans: &mut Vec<TextSpan>, name: &str, value: &str) {
    spans.push(TextSpan::new(TextRole::Label, format!("{name} ")));
    spans.push(TextSpan::new(TextRole::Plain, format!("{value}  ")));
}

/// Draws the bar above a pane: a line that contains its title.
fn draw_bar(pen: &mut Pen<'_>, run: CellRun, title: &str, role: StyleRole) {
    pen.line(run, pen.look.style(role));
    let inner = run.after(1);
    let rest = pen.role(inner, " ", role);
    let rest = pen.role(rest, title, role);
    pen.role(rest, " ", role);
}

/// Returns the run without its last cell.
fn before_gap(run: CellRun) -> CellRun {
    CellRun {
        end: run.end.saturating_sub(1),
        ..run
    }
}

/// A text at the end of an area, in as many rows as it needs.
struct AboveLines(Vec<String>);

impl AboveLines {
    /// Breaks a text. What does not fit in [`MESSAGE`] rows is cut from the last one.
    fn new(text: &str, area: Rect, look: &TerminalStyle) -> Self {
        let mut lines = wrapped(&look.signs.clean(text), usize::from(area.width));
        let most = usize::from(MESSAGE.min(area.height));
        if lines.len() > most {
            let rest = lines.split_off(most.saturating_sub(1));
            lines.push(rest.join(" "));
        }
        Self(lines)
    }

    /// Returns the rows of the area before the text.
    fn rest(&self, area: Rect) -> Rect {
        let rows = u16::try_from(self.0.len()).unwrap_or(area.height);
        Rect {
            height: area.height.saturating_sub(rows),
            ..area
        }
    }

    fn draw(&self, role: StyleRole, area: Rect, pen: &mut Pen<'_>) {
        for (row, line) in (self.rest(area).height..).zip(&self.0) {
            let run = CellRun::of(area, row);
            clear(
                Rect {
                    y: run.y,
                    height: 1,
                    ..area
                },
                pen.buffer,
            );
            pen.role(run, line, role);
        }
    }
}

/// Draws the prompt on the bottom line and any error above it. Returns the cursor's cell.
fn draw_question(
    question: &Question,
    label: &str,
    message: Option<String>,
    [above, bottom]: [Rect; 2],
    pen: &mut Pen<'_>,
) -> (u16, u16) {
    if let Some(error) = question.error.clone().or(message) {
        let lines = AboveLines::new(&sentence(&error), above, pen.look);
        lines.draw(StyleRole::Error, above, pen);
    }
    let run = CellRun::of(bottom, 0);
    // The label leaves room for the text, up to half of the line.
    let text = pen.width(question.line.text()).saturating_add(1);
    let rest = pen.role(
        run.first(run.cells() - text.min(run.cells() / 2)),
        label,
        StyleRole::Key,
    );
    let (before, after) = question.line.parts();
    // A text that does not fit is cut at the front.
    let room = usize::from(run.end.saturating_sub(rest.x).saturating_sub(1));
    let shown = tail_of(before, room, pen.look);
    let rest = pen.role(
        CellRun { x: rest.x, ..run },
        &shown,
        StyleRole::Text(TextRole::Plain),
    );
    let cursor = (rest.x.min(run.end.saturating_sub(1)), run.y);
    pen.role(rest, after, StyleRole::Text(TextRole::Plain));
    cursor
}

/// Returns the end of a text, at most `cells` wide.
fn tail_of(text: &str, cells: usize, look: &TerminalStyle) -> String {
    let mut rest = text;
    while super::clean::width(&look.signs.clean(rest)) > cells {
        let mut letters = rest.chars();
        letters.next();
        rest = letters.as_str();
    }
    rest.to_owned()
}

fn clear(area: Rect, buffer: &mut Buffer) {
    for spot in area.intersection(buffer.area).positions() {
        if let Some(cell) = buffer.cell_mut(spot) {
            cell.reset();
        }
    }
}
