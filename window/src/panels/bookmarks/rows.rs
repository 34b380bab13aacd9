//! The rows of the panel of bookmarks.

use egui::{Rect, Ui, pos2, vec2};
use stepback_parsers::Position;

use super::menu::place_items;
use super::ribbon::ribbon_ui;
use crate::panels::PanelContext;
use crate::panels::menu::menu_head_ui;
use crate::panels::pen::Pen;
use crate::panels::row::{RowState, row_background, row_response};
use crate::theme::{medium, mono, ui as ui_font};
use stepback_debugger::action::{Action, MarkAction, PanelAction, ViewAction};
use stepback_debugger::messages::say;
use stepback_debugger::notes::{Bookmark, BookmarkChange, BookmarkField, BookmarkPlace};

/// Left edge of the place.
const PLACE: f32 = 26.0;
/// Narrower panels leave out the text at the place.
const WITH_WORDS: f32 = 520.0;

/// Column positions of a row.
#[derive(Clone, Copy, Debug)]
pub struct BookmarkColumns {
    pub name: f32,
    pub note: f32,
    /// Text at the place; none in narrow panels.
    pub words: Option<f32>,
    pub right: f32,
}

impl BookmarkColumns {
    /// Lays out the columns. They depend only on the width, so that they do not move when rows
    /// change.
    pub fn new(body: Rect) -> Self {
        let width = body.width();
        let name = body.left() + PLACE + (width * 0.22).clamp(76.0, 170.0);
        let rest = body.right() - name;
        let words = (width >= WITH_WORDS).then_some(name + rest * 0.62);
        let note = name + rest * if words.is_some() { 0.28 } else { 0.45 };
        Self {
            name,
            note,
            words,
            right: body.right() - 8.0,
        }
    }

    /// Returns the rectangle of the text field for the name or the note.
    pub fn field(&self, row: Rect, part: BookmarkField) -> Rect {
        let (left, right) = match part {
            BookmarkField::Name => (self.name, self.note),
            BookmarkField::Note => (self.note, self.words.unwrap_or(self.right)),
        };
        Rect::from_min_max(pos2(left - 6.0, row.top()), pos2(right - 6.0, row.bottom()))
    }
}

/// Painter of the rows.
pub struct BookmarkRows<'a> {
    pub pen: Pen<'a>,
    pub cx: &'a PanelContext<'a>,
    pub columns: BookmarkColumns,
    pub cursor: usize,
}

/// A row; `words` is the text at its place, empty until it is known.
pub struct BookmarkRow<'a> {
    pub bookmark: &'a Bookmark,
    pub place: usize,
    pub words: &'a str,
}

/// Returns the action that goes to the place of a bookmark.
pub fn go(bookmark: &Bookmark, cx: &PanelContext<'_>) -> Action {
    match bookmark.place {
        BookmarkPlace::Position(position)
        | BookmarkPlace::Range {
            first: position, ..
        } => Action::travel(cx.desk.windows.active, Position(position)),
        BookmarkPlace::Memory { address, .. } => {
            Action::View(ViewAction::ShowMemory(format!("{address:#x}")))
        }
    }
}

impl BookmarkRows<'_> {
    /// Draws a row. Returns true if it was clicked.
    pub fn row_ui(
        &self,
        ui: &Ui,
        rect: Rect,
        row: &BookmarkRow<'_>,
        out: &mut Vec<Action>,
    ) -> bool {
        let (cx, bookmark) = (self.cx, row.bookmark);
        let name = || say!("bookmarks-row", title = bookmark.title());
        let response = row_response(ui, rect, ("bookmark", bookmark.id.0), name);
        let is_cursor = self.cursor == row.place;
        let is_here =
            bookmark.place == BookmarkPlace::Position(cx.desk.windows.active().position.0);
        let state = RowState {
            is_selected: is_here,
            is_cursor,
            has_focus: cx.has_focus,
        };
        row_background(&self.pen, rect, &response, state);
        self.paint(rect, row);
        response.context_menu(|ui| {
            menu_head_ui(ui, cx.tok, &bookmark.title(), "");
            place_items(ui, bookmark, cx, out);
        });
        if response.double_clicked() {
            let is_note = response.interact_pointer_pos().is_some_and(|at| {
                (self.columns.note..self.columns.words.unwrap_or(self.columns.right))
                    .contains(&at.x)
            });
            let part = if is_note {
                BookmarkField::Note
            } else {
                BookmarkField::Name
            };
            out.push(Action::Mark(MarkAction::Bookmark(BookmarkChange::Edit(
                bookmark.id,
                part,
            ))));
        } else if response.middle_clicked()
            || (response.clicked() && ui.input(|input| input.modifiers.command))
        {
            let moment = bookmark
                .place
                .position()
                .map(|at| cx.moment(stepback_parsers::Position(at)));
            out.extend(moment.map(|it| Action::Panel(PanelAction::OpenWindowAt(it))));
        } else if response.clicked() {
            out.push(go(bookmark, cx));
            return true;
        }
        if response.hovered() && !bookmark.note.is_empty() {
            response.on_hover_text(bookmark.words());
        }
        false
    }

    fn paint(&self, rect: Rect, row: &BookmarkRow<'_>) {
        let (pen, tok, columns) = (&self.pen, self.cx.tok, self.columns);
        let BookmarkRow {
            bookmark, words, ..
        } = row;
        let y = rect.center().y;
        ribbon_ui(
            pen,
            rect.left_top() + vec2(11.0, 3.0),
            tok.ribbon(bookmark.color),
        );
        let place = bookmark.place.text();
        pen.cut_text(
            pos2(rect.left() + PLACE, y),
            &place,
            mono(12.0),
            tok.accent,
            columns.name - 10.0,
        );
        pen.cut_text(
            pos2(columns.name, y),
            &bookmark.name,
            medium(12.5),
            tok.t1,
            columns.note - 10.0,
        );
        let end = columns.words.map_or(columns.right, |words| words - 10.0);
        let note = bookmark.note.replace('\n', " ");
        pen.cut_text(pos2(columns.note, y), &note, ui_font(12.0), tok.t2, end);
        if let Some(left) = columns.words {
            pen.cut_text(pos2(left, y), words, mono(11.5), tok.t3, columns.right);
        }
    }
}
