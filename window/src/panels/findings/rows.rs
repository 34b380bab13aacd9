//! The rows of the list of findings.

use egui::{Color32, Rect, Ui, pos2};
use stepback_parsers::Severity;

use crate::panels::PanelContext;
use crate::panels::asked::RowInput;
use crate::panels::menu::{MenuItem, menu_head_ui};
use crate::panels::pen::{INSET, Pen};
use crate::panels::row::{RowState, row_background, row_response};
use crate::theme::{ThemeColors, icon, icons, medium, mono, ui as ui_font};
use stepback_debugger::action::{Action, AppAction};
use stepback_debugger::messages::say;
use stepback_debugger::model::finding_rows::{FindingRow, RuleFoldState, place_words, rule_words};
use stepback_debugger::model::text::thousands;
use stepback_debugger::views::RowGesture;

/// Left edge of the places of a rule.
const INDENT: f32 = 44.0;
/// Left edge of the message at a place.
const MESSAGE: f32 = 236.0;

/// Painter of the rows.
pub struct FindingRows<'a> {
    pub pen: Pen<'a>,
    pub cx: &'a PanelContext<'a>,
    pub cursor: usize,
}

/// A row and its index in the list.
pub struct FindingEntry<'a> {
    pub place: usize,
    pub row: &'a FindingRow<'a>,
}

impl FindingRows<'_> {
    /// Draws a row.
    pub fn row_ui(
        &self,
        ui: &Ui,
        rect: Rect,
        FindingEntry { place, row }: FindingEntry<'_>,
        touched: &mut RowInput,
        out: &mut Vec<Action>,
    ) {
        let (pen, cx) = (&self.pen, self.cx);
        let response = row_response(ui, rect, ("finding", place), || row.line());
        let is_cursor = self.cursor == place;
        row_background(
            pen,
            rect,
            &response,
            RowState {
                is_selected: false,
                is_cursor,
                has_focus: cx.has_focus,
            },
        );
        self.paint(rect, row);
        let response = response.on_hover_text(rule_words(row.rule()));
        response.context_menu(|ui| {
            menu_head_ui(ui, cx.tok, row.rule().id, "");
            let is_place = row.position().is_some();
            if is_place
                && MenuItem::new(say!("findings-travel-to-it"))
                    .icon(icons::GO_TO)
                    .key("Enter")
                    .ui(ui, cx.tok)
            {
                touched.gesture(place, RowGesture::Go);
            }
            if MenuItem::new(say!("findings-copy"))
                .icon(icons::COPY)
                .key("Ctrl+C")
                .ui(ui, cx.tok)
            {
                out.push(Action::App(AppAction::Copy(row.line())));
            }
        });
        if response.clicked() {
            touched.cursor = Some(place);
            touched.gesture(place, RowGesture::Go);
        }
    }

    fn paint(&self, rect: Rect, row: &FindingRow<'_>) {
        let (pen, tok) = (&self.pen, self.cx.tok);
        let (left, y, right) = (rect.left(), rect.center().y, rect.right() - 8.0);
        match row {
            FindingRow::Rule(broken, branch) => {
                let caret = if *branch == RuleFoldState::Open {
                    icons::CARET_DOWN
                } else {
                    icons::CARET_RIGHT
                };
                pen.text(left + 8.0, y, caret, icon(11.0), tok.t3);
                let (shape, color) = severity_icon(broken.rule.severity, tok);
                pen.text(left + 24.0, y, shape, icon(13.0), color);
                let end = pen.text(left + INDENT, y, broken.rule.id, mono(12.0), tok.t1);
                let count = format!("×{}", thousands(broken.count));
                let right = pen.text_left_of(right, y, count, mono(11.5), tok.t3);
                pen.cut_text(
                    pos2(end + INSET, y),
                    broken.rule.title,
                    medium(12.5),
                    tok.t1,
                    right - 8.0,
                );
            }
            FindingRow::Place(_, found) => {
                let place = place_words(found);
                let color = if row.position().is_some() {
                    tok.accent
                } else {
                    tok.t3
                };
                let end = pen.text(left + INDENT, y, place, mono(12.0), color);
                let message = (end + INSET).max(left + MESSAGE);
                pen.cut_text(
                    pos2(message, y),
                    &found.message,
                    ui_font(12.5),
                    tok.t2,
                    right,
                );
            }
            FindingRow::More(..) => {
                pen.text(left + INDENT, y, row.line(), ui_font(12.0), tok.t3);
            }
        }
    }
}

fn severity_icon(severity: Severity, tok: &ThemeColors) -> (char, Color32) {
    match severity {
        Severity::Error => (icons::ERROR, tok.err),
        Severity::Warning => (icons::WARNING, tok.warn),
        Severity::Info => (icons::INFO, tok.t3),
    }
}
