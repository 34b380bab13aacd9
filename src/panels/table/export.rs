//! Takes a list out of the window: as text on the clipboard, or in a file.

use egui::{Rect, Ui};

use crate::action::Action;
use crate::model::table::Table;
use crate::model::table_text::TableFormat;
use crate::panels::menu::{MenuItem, menu_line_ui};
use crate::panels::pen::Pen;
use crate::panels::row::button_response;
use crate::theme::{icon, icons};

/// A list as it is shown, and what its file is called.
pub struct Export<'a> {
    /// What is painted with.
    pub pen: &'a Pen<'a>,
    /// The rows as they are filtered and sorted.
    pub table: &'a Table,
    /// Without an ending.
    pub name: &'a str,
}

impl Export<'_> {
    /// Draws the button with its menu.
    pub fn ui(&self, ui: &Ui, rect: Rect, out: &mut Vec<Action>) {
        let tok = self.pen.tok;
        let response = button_response(ui, rect, "export", "Copy or save the list");
        if response.hovered() || response.has_focus() {
            self.pen.painter.rect_filled(rect, 4.0, tok.bg3);
        }
        self.pen.text_centered(rect.center(), icons::COPY, icon(14.0), tok.t2);
        egui::Popup::menu(&response).show(|ui| {
            for (format, words) in [(TableFormat::Csv, "Copy as CSV"), (TableFormat::Json, "Copy as JSON")] {
                if MenuItem::new(words).icon(icons::COPY).ui(ui, tok) {
                    out.push(Action::Copy(format.write(self.table)));
                    ui.close();
                }
            }
            menu_line_ui(ui, tok);
            for (format, words) in [(TableFormat::Csv, "Save as CSV…"), (TableFormat::Json, "Save as JSON…")] {
                if MenuItem::new(words).icon(icons::FILE).ui(ui, tok) {
                    let name = format!("{}.{}", self.name, format.ending());
                    out.push(Action::SaveText(name, format.write(self.table)));
                    ui.close();
                }
            }
        });
        response.on_hover_text("Copy or save the list, as it is filtered and sorted");
    }
}
