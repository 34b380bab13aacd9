//! The rows of a list.

use egui::{Rect, RichText, Ui, pos2, vec2};
use stepback_debugger::action::{Action, PanelAction, PanelKind};
use stepback_debugger::messages::say;
use stepback_debugger::model::TextRole;
use stepback_debugger::model::table::{Table, TableCell, TableRow};
use stepback_debugger::views::{PanelView, RowGesture, TableSource, TableView};

use crate::panels::cursor_list::RowInput;
use crate::panels::menu::{context_menu, row_menu_ui};
use crate::panels::pen::{INSET, Pen, head_font};
use crate::panels::row::{RowState, StepLink, button_response, row_background, row_response};
use crate::panels::table::columns::{ColumnEdges, ORDER_SIGN, SHARE};
use crate::panels::{HoverCell, PanelContext};
use crate::theme::{icon, icons, mono, ui as ui_font};

/// Middle of the caret of a group.
const CARET: f32 = 8.0;
/// Minimum room for the detail of a row.
const LEAST_DETAIL: f32 = 60.0;

/// Painter of the rows, for one frame.
pub struct TableRows<'a, S> {
    /// Clipped to the list.
    pub pen: Pen<'a>,
    pub cx: &'a PanelContext<'a>,
    pub view: &'a TableView<S>,
    pub table: &'a Table,
    /// Row under the cursor.
    pub cursor: usize,
    pub edges: &'a ColumnEdges,
}

impl<S: TableSource> TableRows<'_, S> {
    /// Returns the column whose head shows the sign of the order: the sorted one, or that of the
    /// usual order.
    pub fn ordered(view: &TableView<S>) -> Option<usize> {
        let usual = || view.table().place_of(view.source().usual_order()?);
        view.shown().column.or_else(usual)
    }

    /// Draws the heads of the columns. Returns the column whose head was clicked.
    pub fn heads_ui(&self, ui: &Ui, pen: &Pen<'_>, head: Rect) -> Option<usize> {
        let (shown, ordered) = (self.view.shown(), Self::ordered(self.view));
        pen.line_across(head.left(), head.right(), head.bottom() - 1.0, pen.tok.line);
        let mut clicked = None;
        for (place, (column, (left, right))) in
            self.table.columns.iter().zip(self.edges.iter()).enumerate()
        {
            if column.label.is_empty() || left + 8.0 > right {
                continue;
            }
            let rect = Rect::from_min_max(pos2(left, head.top()), pos2(right, head.bottom()));
            let response = button_response(
                ui,
                rect.expand2(vec2(4.0, 0.0)),
                ("head", place),
                column.label,
            );
            let is_chosen = ordered == Some(place);
            let color = if is_chosen || response.hovered() {
                pen.tok.t1
            } else {
                pen.tok.t2
            };
            let y = head.center().y;
            let is_right = matches!(
                self.table.rows.first().and_then(|row| row.cells.get(place)),
                Some(TableCell::Number(..))
            );
            let end = if is_chosen { right - ORDER_SIGN } else { right };
            let start = if is_right {
                (end - pen.width(column.label, head_font())).max(left)
            } else {
                left
            };
            let cut = end + INSET / 2.0;
            let end = pen.cut_text(pos2(start, y), column.label, head_font(), color, cut);
            if is_chosen {
                let caret = if shown.is_falling || shown.column.is_none() {
                    icons::CARET_DOWN
                } else {
                    icons::CARET_UP
                };
                pen.text(end + 2.0, y, caret, icon(10.0), pen.tok.t2);
            }
            let words = say!("table-sort-by", column = column.label.to_lowercase());
            if response.on_hover_text(words).clicked() {
                clicked = Some(place);
            }
        }
        clicked
    }

    /// Draws a row.
    pub fn row_ui(
        &self,
        ui: &Ui,
        rect: Rect,
        place: usize,
        touched: &mut RowInput,
        out: &mut Vec<Action>,
    ) {
        let (Some(row), kind) = (self.table.rows.get(place), self.view.kind()) else {
            return;
        };
        let response = row_response(ui, rect, ("row", place), || row.name.clone());
        let is_selected = match kind {
            // The callers and callees next to the list are those of this row.
            PanelKind::Functions => self.cursor == place,
            _ => {
                self.table.group_at(place).is_none()
                    && self.view.source().is_here(row, self.cx.desk)
            }
        };
        let state = RowState {
            is_selected,
            is_cursor: self.cursor == place,
            has_focus: self.cx.has_focus,
        };
        row_background(&self.pen, rect, &response, state);
        let last = row.cells.len().saturating_sub(1);
        for ((column, cell), (left, right)) in row.cells.iter().enumerate().zip(self.edges.iter()) {
            if left < right {
                let area = Rect::from_min_max(pos2(left, rect.top()), pos2(right, rect.bottom()));
                let end = self.cell_ui(ui, row, cell, area, out);
                let after = Rect::from_min_max(pos2(end, rect.top()), area.max);
                match column {
                    0 => self.mark_ui(after, row),
                    _ if column == last => self.detail_ui(after, row),
                    _ => {}
                }
            }
        }
        if response.clicked() || response.secondary_clicked() {
            touched.cursor = Some(place);
        }
        let is_elsewhere = response.clicked() && ui.input(|input| input.modifiers.command);
        if response.middle_clicked() || is_elsewhere {
            out.extend(row.position.map(|position| {
                Action::Panel(PanelAction::OpenWindowAt(self.cx.moment(position)))
            }));
        } else if response.double_clicked() {
            touched.gesture(place, self.view.source().double_clicked());
        } else if let Some(gesture) = self.view.source().clicked().filter(|_| response.clicked()) {
            touched.gesture(place, gesture);
        }
        context_menu(&response, |ui| {
            row_menu_ui(
                ui,
                self.cx.tok,
                self.view.source().menu(row, self.table, self.cx.desk),
                out,
            );
        });
        let detail = self.view.source().detail(row);
        // A row about one moment has a value there.
        if let Some(hover) = self.requested(row).filter(|_| row.position.is_some()) {
            response.on_hover_ui_at_pointer(|ui| {
                ui.label(RichText::new(row.line()).font(mono(12.0)));
                hover.line_ui(ui);
            });
        } else if !detail.is_empty() {
            response.on_hover_ui_at_pointer(|ui| {
                ui.label(RichText::new(self.view.source().copied(row)).font(mono(12.0)));
                ui.label(RichText::new(detail).font(mono(12.0)));
            });
        } else if self.edges.cut(row) {
            response.on_hover_ui_at_pointer(|ui| {
                ui.label(RichText::new(row.line()).font(mono(12.0)));
            });
        }
        self.caret_ui(ui, rect, place, touched);
    }

    fn mark_ui(&self, after: Rect, row: &TableRow) {
        if let Some(shape) = self.view.source().mark(row, self.cx.desk) {
            self.pen.text(
                after.left() + 3.0,
                after.center().y,
                shape,
                icon(11.0),
                self.cx.tok.accent,
            );
        }
    }

    fn detail_ui(&self, after: Rect, row: &TableRow) {
        let detail = self.view.source().detail(row);
        if !detail.is_empty() && after.width() > LEAST_DETAIL {
            let start = pos2(after.left() + INSET, after.center().y);
            self.pen
                .cut_text(start, detail, mono(11.5), self.cx.tok.t2, after.right());
        }
    }

    /// Draws the row after the last: it loads more.
    pub fn more_ui(&self, ui: &Ui, rect: Rect, touched: &mut RowInput) {
        let words = self.view.more().unwrap_or_default();
        let response = row_response(ui, rect, "more", || words.to_owned());
        let place = self.table.rows.len();
        let is_cursor = self.cursor == place;
        let state = RowState {
            is_selected: false,
            is_cursor,
            has_focus: self.cx.has_focus,
        };
        row_background(&self.pen, rect, &response, state);
        self.pen.text(
            rect.left() + INSET,
            rect.center().y,
            words,
            ui_font(11.5),
            self.cx.tok.accent,
        );
        if response.clicked() {
            touched.cursor = Some(place);
            touched.gesture(place, RowGesture::Go);
        }
    }

    /// Draws the caret of a row that represents others.
    fn caret_ui(&self, ui: &Ui, rect: Rect, place: usize, touched: &mut RowInput) {
        let (Some(group), Some(row)) = (self.table.group_at(place), self.table.rows.get(place))
        else {
            return;
        };
        let touch = Rect::from_min_max(rect.min, pos2(rect.left() + INSET + CARET, rect.bottom()));
        let (shape, name, gesture) = match group.is_open {
            true => (
                icons::CARET_DOWN,
                say!("accesses-close-group", name = &*row.name),
                RowGesture::Close,
            ),
            false => (
                icons::CARET_RIGHT,
                say!("accesses-open-group", name = &*row.name),
                RowGesture::Open,
            ),
        };
        let response = button_response(ui, touch, ("caret", group.key), &name);
        let color = if response.hovered() {
            self.cx.tok.t1
        } else {
            self.cx.tok.t2
        };
        self.pen.text_centered(
            pos2(rect.left() + CARET, rect.center().y),
            shape,
            icon(10.0),
            color,
        );
        if response.clicked() {
            touched.gesture(place, gesture);
        }
    }

    /// Draws a cell. Returns its right edge.
    fn cell_ui(
        &self,
        ui: &Ui,
        row: &TableRow,
        cell: &TableCell,
        rect: Rect,
        out: &mut Vec<Action>,
    ) -> f32 {
        let (pen, tok, y) = (&self.pen, self.cx.tok, rect.center().y);
        match cell {
            TableCell::Step(step) => {
                let link = StepLink {
                    step: *step,
                    trace: self.cx.trace(),
                    window: self.cx.desk.windows.active,
                };
                link.ui(ui, pen, rect.left(), y, out)
            }
            TableCell::Text(span) if span.meaning == TextRole::Symbol => {
                let color = match row.is_faded {
                    true => tok.t3,
                    false => pen.color(span.meaning),
                };
                let right = rect.right() + INSET / 2.0;
                pen.middle_cut_text(rect.left_center(), &span.text, mono(12.5), color, right)
            }
            TableCell::Text(_) | TableCell::Spans { .. } => {
                let (left, right) = (rect.left(), rect.right() + INSET / 2.0);
                let end = pen.cut_spans(
                    pos2(left, y),
                    cell.spans(),
                    row.is_faded.then_some(tok.t3),
                    right,
                );
                if matches!(cell.spans(), [span] if span.meaning == TextRole::Inferred) {
                    pen.dots(left, end.min(right), y + 7.0);
                }
                end
            }
            TableCell::Number(_, span) => {
                let width = pen.width(&span.text, mono(12.5));
                let color = if row.is_faded {
                    tok.t3
                } else {
                    pen.color(span.meaning)
                };
                pen.text(
                    (rect.right() - width).max(rect.left()),
                    y,
                    &span.text,
                    mono(12.5),
                    color,
                )
            }
            TableCell::Bar(reads, writes, most) => {
                let width =
                    |count: u64| rect.width().min(SHARE) * (count as f32 / (*most).max(1) as f32);
                let bar = |left: f32, width: f32| {
                    Rect::from_min_size(pos2(left, y - 4.0), vec2(width, 8.0))
                };
                pen.fill(bar(rect.left(), rect.width().min(SHARE)), tok.bg3);
                pen.fill(bar(rect.left(), width(*reads)), tok.read);
                // Any count above zero shows.
                let is_none = *reads == 0 && *writes == 0;
                pen.fill(
                    bar(
                        rect.left() + width(*reads),
                        width(*writes).max(if is_none { 0.0 } else { 1.0 }),
                    ),
                    if *writes > 0 { tok.write } else { tok.read },
                );
                rect.right()
            }
        }
    }

    /// Returns the memory of a row and the position of its value; none in lists about code.
    fn requested(&self, row: &TableRow) -> Option<HoverCell> {
        let at = row
            .position
            .unwrap_or(self.cx.desk.windows.active().position);
        Some(HoverCell {
            cell: self.view.source().row_cell(row, self.table)?,
            at,
        })
    }
}
