//! Copies a list to the clipboard or saves it to a file.

use std::borrow::Cow;

use egui::{Rect, Ui, pos2};

use crate::panels::field::Field;
use crate::panels::menu::{MenuItem, menu_line_ui};
use crate::panels::pen::Pen;
use crate::panels::row::button_response;
use crate::theme::{icon, icons};
use stepback_debugger::action::{Action, AppAction, FileAction};
use stepback_debugger::messages::say;
use stepback_debugger::model::TextRole;
use stepback_debugger::model::table::{Table, TableCell, TableRow};
use stepback_debugger::model::table_text::TableFormat;

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
