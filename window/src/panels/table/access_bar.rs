//! The bar of the list of accesses: subject, number of bytes, kinds of accesses, and start.

use egui::{Key, Rect, Ui, WidgetInfo, pos2};
use stepback_debugger::expression::split_range;
use stepback_debugger::messages::{say, spoken};
use stepback_debugger::model::access_table::{AccessGrouping, AccessSubject, AccessTableQuery};
use stepback_debugger::views::AccessTable;
use stepback_index::answer::AccessKinds;
use stepback_parsers::Position;

use crate::panels::PanelContext;
use crate::panels::pen::Pen;
use crate::panels::row::{Field, FocusRequest, button_response};
use crate::theme::{icons, mono, mono_bold, ui as ui_font};

/// Height of the bar.
pub const BAR: f32 = 30.0;
/// Minimum width of the text field.
const FIELD: f32 = 110.0;
const WIDTHS: [u64; 4] = [1, 2, 4, 8];
const KINDS: [(AccessKinds, &str, &str); 3] = [
    (
        AccessKinds::All,
        "accesses-all",
        "accesses-reads-and-writes",
    ),
    (AccessKinds::Reads, "accesses-reads", "accesses-reads-alone"),
    (
        AccessKinds::Writes,
        "accesses-writes",
        "accesses-writes-alone",
    ),
];

/// State of the bar: the text while it is edited.
#[derive(Debug, Default)]
pub struct AccessBar {
    typed: Option<String>,
    /// The next frame focuses the field.
    pub focus: FocusRequest,
}

/// A small button that can be chosen.
struct Chip<'a> {
    text: &'a str,
    /// Tooltip, and name for screen readers.
    name: &'a str,
    is_chosen: bool,
}

impl AccessBar {
    /// Draws the bar. Returns the query if the user changed it.
    pub fn ui(
        &mut self,
        ui: &mut Ui,
        pen: &Pen<'_>,
        bar: Rect,
        cx: &PanelContext<'_>,
        table: &AccessTable,
    ) -> Option<AccessTableQuery> {
        let mut question = table.question().cloned();
        pen.line_across(bar.left(), bar.right(), bar.bottom() - 1.0, cx.tok.line);
        let mut right = bar.right() - 8.0;
        if let Some(question) = question.as_mut() {
            right = stacks_ui(ui, pen, bar.with_max_x(right), question);
            right = from_ui(ui, pen, bar.with_max_x(right), cx, question);
            if let AccessSubject::Cell(text) = &question.listed {
                let text = text.clone();
                right = kinds_ui(ui, pen, bar.with_max_x(right), question);
                if is_memory(&text, cx) {
                    right = widths_ui(ui, pen, bar.with_max_x(right), question);
                }
            }
        }
        if let Some(listed) =
            self.field_ui(ui, pen, bar.with_max_x(right - 2.0), cx, question.as_ref())
        {
            let kinds = question.map_or(AccessKinds::All, |question| question.kinds);
            question = Some(table.question_about(listed, kinds, cx.desk));
        }
        question.filter(|question| Some(question) != table.question())
    }

    /// Draws the field. Returns the new subject of the list if another text was entered.
    fn field_ui(
        &mut self,
        ui: &mut Ui,
        pen: &Pen<'_>,
        bar: Rect,
        cx: &PanelContext<'_>,
        question: Option<&AccessTableQuery>,
    ) -> Option<AccessSubject> {
        let images = &cx.desk.session.images;
        let read = |text: &str| listed(text, |name| Some(images.symbol(name)?.is_code()));
        let requested = question
            .map(|question| shown(&question.listed, read))
            .unwrap_or_default();
        let mut text = self.typed.take().unwrap_or_else(|| requested.clone());
        let rect = Rect::from_min_max(
            pos2(bar.left() + 8.0, bar.top() + 4.0),
            pos2(bar.right(), bar.bottom() - 4.0),
        );
        let field = Field {
            hint: say!("accesses-register-address-length-code-or"),
            icon: icons::LIST,
        };
        let response = field.list_ui(ui, pen, rect, &mut text, std::mem::take(&mut self.focus));
        let is_entered = response.lost_focus() && ui.input(|input| input.key_pressed(Key::Enter));
        // An unedited text keeps its thread and its start.
        let is_edited = !text.trim().is_empty() && (question.is_none() || text != requested);
        let listed = (is_entered && is_edited).then(|| read(&text));
        self.typed = response.has_focus().then_some(text);
        listed
    }
}

/// Formats the subject of a list as the user would type it.
fn shown(requested: &AccessSubject, read: impl Fn(&str) -> AccessSubject) -> String {
    match requested {
        AccessSubject::Code(text) if read(text) != *requested => format!("pc:{text}"),
        AccessSubject::Cell(text) | AccessSubject::Code(text) => text.clone(),
    }
}

/// Parses the typed text: a code symbol or a line of a file lists executions, any other text a
/// cell.
/// `is_code` returns true for code symbols, and none for unknown names.
fn listed(text: &str, is_code: impl Fn(&str) -> Option<bool>) -> AccessSubject {
    let text = text.trim();
    let said = ["pc:", "line:"]
        .iter()
        .find_map(|prefix| text.strip_prefix(prefix));
    if let Some(code) = said {
        return AccessSubject::Code(code.trim().to_owned());
    }
    let is_line = text.rsplit_once(':').is_some_and(|(file, line)| {
        let is_name = file.contains('.') && !file.starts_with(|first: char| first.is_ascii_digit());
        is_name && !line.is_empty() && line.bytes().all(|digit| digit.is_ascii_digit())
    });
    let (address, length) = split_range(text);
    let name = address
        .split_once('+')
        .map_or(address, |(name, _)| name)
        .trim();
    // Symbol names may look like a file and a line: `counter.1234:4`.
    let is_listed_code = is_code(name).map_or(is_line, |is_code| is_code && length.is_none());
    if is_listed_code {
        AccessSubject::Code(text.to_owned())
    } else {
        AccessSubject::Cell(text.to_owned())
    }
}

/// Returns true if a text looks like memory. A single word is a register unless it is a symbol.
fn is_memory(text: &str, cx: &PanelContext<'_>) -> bool {
    let is_word = text
        .chars()
        .all(|letter| letter.is_alphanumeric() || letter == '_');
    let is_number = text.starts_with(|first: char| first.is_ascii_digit());
    !text.contains(" of ")
        && (!is_word || is_number || cx.desk.session.images.symbol(text).is_some())
}

/// Draws the button that changes the start of the list. Returns its left edge.
fn from_ui(
    ui: &Ui,
    pen: &Pen<'_>,
    bar: Rect,
    cx: &PanelContext<'_>,
    question: &mut AccessTableQuery,
) -> f32 {
    let (label, to) = match question.from {
        Position(0) => (
            say!("accesses-list-from-the-position"),
            cx.desk.windows.active().position,
        ),
        _ => (say!("accesses-list-from-the-start"), Position(0)),
    };
    let short = if question.from == Position(0) {
        say!("accesses-from-here")
    } else {
        say!("accesses-from-start")
    };
    let text = if bar.width() > 560.0 { label } else { short };
    if bar.width() < FIELD + 150.0 {
        return bar.right();
    }
    let left = chip_left(pen, bar, text);
    if chip_ui(
        ui,
        pen,
        bar.with_min_x(left),
        &Chip {
            text,
            name: label,
            is_chosen: false,
        },
    ) {
        question.from = to;
    }
    left - 6.0
}

/// Draws the button that switches between steps and call stacks. Returns its left edge.
fn stacks_ui(ui: &Ui, pen: &Pen<'_>, bar: Rect, question: &mut AccessTableQuery) -> f32 {
    let (text, name) = (
        say!("accesses-by-call-stack"),
        say!("accesses-group-by-call-stack"),
    );
    let left = chip_left(pen, bar, text);
    if left < bar.left() + FIELD {
        return bar.right();
    }
    let is_chosen = question.arrangement == AccessGrouping::CallStacks;
    if chip_ui(
        ui,
        pen,
        bar.with_min_x(left),
        &Chip {
            text,
            name,
            is_chosen,
        },
    ) {
        question.arrangement = question.arrangement.other();
    }
    left - 6.0
}

fn kinds_ui(ui: &Ui, pen: &Pen<'_>, bar: Rect, question: &mut AccessTableQuery) -> f32 {
    let needed: f32 = KINDS
        .iter()
        .map(|(_, text, _)| pen.width(spoken(text), ui_font(11.5)) + 14.0)
        .sum();
    if bar.width() < FIELD + needed {
        return bar.right();
    }
    let mut right = bar.right();
    for (kinds, text, name) in KINDS.into_iter().rev() {
        let (text, name) = (spoken(text), spoken(name));
        let left = chip_left(pen, bar.with_max_x(right), text);
        let rect = bar.with_max_x(right).with_min_x(left);
        if chip_ui(
            ui,
            pen,
            rect,
            &Chip {
                text,
                name,
                is_chosen: question.kinds == kinds,
            },
        ) {
            question.kinds = kinds;
        }
        right = left - 2.0;
    }
    right - 6.0
}

/// Draws the buttons for the number of bytes of memory. Returns their left edge.
fn widths_ui(ui: &Ui, pen: &Pen<'_>, bar: Rect, question: &mut AccessTableQuery) -> f32 {
    if bar.width() < FIELD + 100.0 {
        return bar.right();
    }
    let AccessSubject::Cell(text) = &question.listed else {
        return bar.right();
    };
    let (address, length) = split_range(text);
    let (address, length) = (address.to_owned(), length.map_or("1", str::trim).to_owned());
    let mut right = bar.right();
    for width in WIDTHS.into_iter().rev() {
        let text = width.to_string();
        let rect = bar.with_max_x(right).with_min_x(right - 20.0);
        let name = say!("accesses-bytes", count = width);
        if chip_ui(
            ui,
            pen,
            rect,
            &Chip {
                text: &text,
                name: &name,
                is_chosen: length == text,
            },
        ) {
            question.listed = AccessSubject::Cell(format!("{address}:{width}"));
        }
        right -= 22.0;
    }
    right - 6.0
}

fn chip_left(pen: &Pen<'_>, bar: Rect, text: &str) -> f32 {
    bar.right() - pen.width(text, ui_font(11.5)) - 12.0
}

/// Draws a button as high as a field, in the middle of a bar. Returns true if it was clicked.
fn chip_ui(ui: &Ui, pen: &Pen<'_>, bar: Rect, chip: &Chip<'_>) -> bool {
    let rect = Rect::from_min_max(
        pos2(bar.left(), bar.top() + 5.0),
        pos2(bar.right(), bar.bottom() - 5.0),
    );
    let response = button_response(ui, rect, ("chip", chip.name), chip.name);
    response
        .widget_info(|| WidgetInfo::selected(egui::Role::Button, true, chip.is_chosen, chip.name));
    let tok = pen.tok;
    if chip.is_chosen || response.hovered() || response.has_focus() {
        pen.painter
            .rect_filled(rect, 3.0, if chip.is_chosen { tok.bg4 } else { tok.bg3 });
    }
    let is_number = chip.text.bytes().all(|digit| digit.is_ascii_digit());
    let font = match (is_number, chip.is_chosen) {
        (true, true) => mono_bold(11.5),
        (true, false) => mono(11.5),
        (false, _) => ui_font(11.5),
    };
    pen.text_centered(
        rect.center(),
        chip.text,
        font,
        if chip.is_chosen { tok.t1 } else { tok.t2 },
    );
    response.on_hover_text(chip.name).clicked()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(text: &str, expected: &AccessSubject) {
        let is_code = |name: &str| match name {
            "main" => Some(true),
            "counter.1234" => Some(false),
            _ => None,
        };
        let read = |text: &str| listed(text, is_code);
        assert_eq!(read(text), *expected);
        // Parsing the formatted text returns the same subject.
        assert_eq!(read(&shown(expected, read)), *expected);
    }

    #[test]
    fn what_is_typed_is_code_a_line_or_a_cell() {
        let code = |text: &str| AccessSubject::Code(text.to_owned());
        let cell = |text: &str| AccessSubject::Cell(text.to_owned());
        check("main+8", &code("main+8"));
        check("main.c:12", &code("main.c:12"));
        check("pc:0x80000494", &code("0x80000494"));
        check("0x80000494", &cell("0x80000494"));
        check("counter.1234:4", &cell("counter.1234:4"));
        check("main:4", &cell("main:4"));
    }
}
