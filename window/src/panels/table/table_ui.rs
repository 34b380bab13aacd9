//! Paints a list: its bar, heads and rows, or the reason why there are none.
//!
//! The list can be copied to the clipboard or saved to a file as it is shown, filtered and sorted.

use std::borrow::Cow;
use std::sync::Arc;
use std::time::Duration;

use egui::{Rect, Ui, pos2};
use stepback_debugger::action::{Action, AppAction, FileAction, PanelKind};
use stepback_debugger::keymap::panel_row;
use stepback_debugger::messages::say;
use stepback_debugger::model::TextRole;
use stepback_debugger::model::table::{Table, TableCell, TableRow};
use stepback_debugger::model::table_text::TableFormat;
use stepback_debugger::views::{PanelView, TableSource, TableView, TableWork, ViewStatus};

use crate::panels::PanelContext;
use crate::panels::menu::{MenuItem, menu_line_ui};
use crate::panels::offer::PanelOffer;
use crate::panels::pen::{INSET, Pen};
use crate::panels::row::{
    EmptyMessage, Field, button_response, empty_ui, error_ui, loading_ui, watch_for_late,
};
use crate::panels::table::list::{ListPlace, RowList};
use crate::theme::{icon, icons, ui as ui_font};

/// Interval at which a growing list is refreshed.
const FOUND_AFTER: Duration = Duration::from_millis(120);
/// Height of the bar with the summary.
const BAR: f32 = 30.0;

/// Painter of a list.
pub struct TableUi<'a, S> {
    pub view: &'a mut TableView<S>,
    /// Cursor and scroll state of the list.
    pub list: &'a mut RowList,
    pub pen: &'a Pen<'a>,
    /// Area of the list.
    pub rect: Rect,
    /// Advice before the first query; none: the advice of the view.
    pub how_to_ask: Option<&'static str>,
}

impl<S: TableSource> TableUi<'_, S> {
    /// Paints the list and applies keys and clicks.
    pub fn ui(mut self, ui: &mut Ui, cx: &PanelContext<'_>, out: &mut Vec<Action>) {
        let Self { pen, rect, .. } = self;
        let status = self.view.poll(cx.desk);
        let work = self.view.source().work();
        match work {
            TableWork::Done => {}
            TableWork::Waiting | TableWork::Late => watch_for_late(ui),
            TableWork::Growing => ui.ctx().request_repaint_after(FOUND_AFTER),
        }
        let (title, advice) = match status {
            ViewStatus::Failed(error) => return error_ui(ui, pen, rect, &error, out),
            ViewStatus::Loading(words) if words.is_empty() => return loading_ui(pen, rect),
            ViewStatus::Loading(words) => {
                ui.ctx().request_repaint_after(FOUND_AFTER);
                let words = EmptyMessage(&words, say!("list-escape-cancels"));
                return empty_ui(ui, pen, rect, icon_of(self.view.kind()), words);
            }
            ViewStatus::Empty { title, advice } => (title, advice),
            ViewStatus::Rows(_) => Default::default(),
        };
        if !self.view.is_answered() {
            let words = EmptyMessage(&title, self.how_to_ask.unwrap_or(&advice));
            let icon = icon_of(self.view.kind());
            return match self.view.source().offer(cx.desk) {
                Some((button, action)) => PanelOffer {
                    icon,
                    words,
                    button,
                    action,
                }
                .ui(ui, pen, rect, out),
                None => empty_ui(ui, pen, rect, icon, words),
            };
        }
        let pen = if work == TableWork::Late {
            pen.clone().faded()
        } else {
            pen.clone()
        };
        let bar = if self.has_bar(cx) { BAR } else { 0.0 };
        let (bar, rest) = rect.split_top_bottom_at_y(rect.top() + bar);
        if bar.height() > 0.0 {
            self.bar_ui(ui, &pen, bar, cx, out);
        }
        let place = ListPlace {
            pen: &pen,
            nothing: EmptyMessage(&title, &advice),
            rect: rest,
        };
        self.list.ui(ui, &place, self.view, cx, out);
    }

    /// Returns true if the list has a bar. An empty list with a message has nothing to summarise or
    /// filter.
    fn has_bar(&self, cx: &PanelContext<'_>) -> bool {
        let source = self.view.source();
        let is_empty = self.view.table().rows.is_empty() && self.view.shown().filter.is_empty();
        !is_empty || source.nothing(cx.desk).is_none() || source.button(cx.desk).is_some()
    }

    /// Draws the summary of the list, its button, filter and export.
    fn bar_ui(
        &mut self,
        ui: &mut Ui,
        pen: &Pen<'_>,
        bar: Rect,
        cx: &PanelContext<'_>,
        out: &mut Vec<Action>,
    ) {
        pen.line_across(bar.left(), bar.right(), bar.bottom() - 1.0, pen.tok.line);
        let (table, name) = (
            Arc::clone(self.view.table()),
            self.view.source().tab_title().to_lowercase(),
        );
        let export = ListExport {
            pen,
            rows: &|| Cow::Borrowed(&*table),
            name: &name,
        };
        let tools = ListTools { export, bar }.ui(ui, self.view.filter_mut(), out);
        if tools.is_changed {
            self.list.rewind();
        }
        let mut right = tools.left;
        if let Some(label) = self.view.source().button(cx.desk) {
            let (middle, width) = (bar.center().y, pen.width(label, ui_font(12.0)) + 12.0);
            let button = Rect::from_min_max(
                pos2(right - width, middle - 10.0),
                pos2(right, middle + 10.0),
            );
            let response = button_response(ui, button, "button", label);
            if response.hovered() {
                pen.painter.rect_filled(button, 4.0, pen.tok.bg3);
            }
            pen.text(
                button.left() + 6.0,
                middle,
                label,
                ui_font(12.0),
                pen.tok.accent,
            );
            if response.clicked() && self.view.source_mut().press(cx.desk, out) {
                self.list.rewind();
            }
            right = button.left() - 8.0;
        }
        let start = pos2(bar.left() + INSET, bar.center().y);
        pen.cut_text(start, &table.summary, ui_font(12.0), pen.tok.t2, right);
    }
}

/// A list as it is shown, and the name of its file.
pub struct ListExport<'a> {
    pub pen: &'a Pen<'a>,
    /// The rows, filtered and sorted. They are computed only when they are exported.
    pub rows: &'a dyn Fn() -> Cow<'a, Table>,
    /// File name without extension.
    pub name: &'a str,
}

/// Right end of the bar above a list: the filter field and the export button.
pub struct ListTools<'a> {
    pub export: ListExport<'a>,
    pub bar: Rect,
}

/// Result of drawing the tools of a list.
#[derive(Clone, Copy, Debug)]
pub struct ListToolsOutput {
    /// Left edge of the tools.
    pub left: f32,
    /// The filter text was edited.
    pub is_changed: bool,
}

impl ListTools<'_> {
    /// Width of the filter field.
    const FILTER: f32 = 140.0;

    /// Draws the tools. A narrow bar has no field.
    pub fn ui(&self, ui: &mut Ui, filter: &mut String, out: &mut Vec<Action>) -> ListToolsOutput {
        let (y, mut left) = (self.bar.center().y, self.bar.right() - 8.0);
        let mut is_changed = false;
        if self.bar.width() > 2.0 * Self::FILTER {
            let field =
                Rect::from_min_max(pos2(left - Self::FILTER, y - 11.0), pos2(left, y + 11.0));
            is_changed = Field {
                hint: say!("export-filter"),
                icon: icons::SEARCH,
            }
            .ui(ui, self.export.pen, field, filter)
            .changed();
            left = field.left() - 8.0;
        }
        let button = Rect::from_min_max(pos2(left - 24.0, y - 11.0), pos2(left, y + 11.0));
        self.export.ui(ui, button, out);
        ListToolsOutput {
            left: button.left() - 8.0,
            is_changed,
        }
    }
}

/// Converts a list of texts to a table.
pub fn text_table<'a>(
    heads: &[&'static str],
    rows: impl Iterator<Item = Vec<String>>,
) -> Cow<'a, Table> {
    let cells = |texts: Vec<String>| {
        texts
            .into_iter()
            .map(|text| TableCell::new(TextRole::Plain, text))
            .collect()
    };
    let rows = rows
        .map(|texts| TableRow {
            cells: cells(texts),
            ..TableRow::default()
        })
        .collect();
    Cow::Owned(Table::new(String::new(), heads, rows))
}

impl ListExport<'_> {
    /// Draws the button with its menu.
    pub fn ui(&self, ui: &Ui, rect: Rect, out: &mut Vec<Action>) {
        let tok = self.pen.tok;
        let response = button_response(ui, rect, "export", say!("export-copy-or-save-the-list"));
        if response.hovered() || response.has_focus() {
            self.pen.painter.rect_filled(rect, 4.0, tok.bg3);
        }
        self.pen
            .text_centered(rect.center(), icons::COPY, icon(14.0), tok.t2);
        egui::Popup::menu(&response).show(|ui| {
            for (format, words) in [
                (TableFormat::Csv, say!("export-copy-as-csv")),
                (TableFormat::Json, say!("export-copy-as-json")),
            ] {
                if MenuItem::new(words).icon(icons::COPY).ui(ui, tok) {
                    out.push(Action::App(AppAction::Copy(format.write(&(self.rows)()))));
                    ui.close();
                }
            }
            menu_line_ui(ui, tok);
            for (format, words) in [
                (TableFormat::Csv, say!("export-save-as-csv")),
                (TableFormat::Json, say!("export-save-as-json")),
            ] {
                if MenuItem::new(words).icon(icons::FILE).ui(ui, tok) {
                    let name = format!("{}.{}", self.name, format.ending());
                    out.push(Action::File(FileAction::SaveText(
                        name,
                        format.write(&(self.rows)()),
                    )));
                    ui.close();
                }
            }
        });
        response.on_hover_text(say!("export-copy-or-save-the-list-as"));
    }
}

/// Returns the icon of an empty list.
pub fn icon_of(kind: PanelKind) -> char {
    match kind {
        // An empty list of these kinds is good news.
        PanelKind::Warnings | PanelKind::Externals => icons::CHECK,
        _ => panel_row(kind).map_or(icons::LIST, |row| row.icon),
    }
}

/// Returns the maximum number of letters of a column. Longer texts are cut, except in the last
/// column, which contains the matched text of a hit.
pub fn longest(kind: PanelKind) -> usize {
    if kind == PanelKind::Find { 24 } else { 44 }
}
