//! Rows of the panel of bookmarks, and the ribbons and menu items by which other panels show
//! bookmarks.

use egui::{Color32, Pos2, Rect, Response, Shape, Stroke, Ui, pos2, vec2};
use stepback_debugger::action::StepRange;
use stepback_debugger::action::{Action, AppAction, MarkAction, PanelAction, ViewAction};
use stepback_debugger::messages::say;
use stepback_debugger::notes::{
    Bookmark, BookmarkChange, BookmarkColor, BookmarkField, BookmarkPlace,
};
use stepback_parsers::Position;

use crate::panels::PanelContext;
use crate::panels::menu::{MenuItem, context_menu, menu_head_ui, menu_line_ui};
use crate::panels::pen::Pen;
use crate::panels::row::{RowState, row_background, row_response};
use crate::theme::{icons, medium, mono, ui as ui_font};

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
        context_menu(&response, |ui| {
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

/// Draws the items of a place: those of its bookmark, or one that adds a bookmark.
pub fn add_items(ui: &mut Ui, place: BookmarkPlace, cx: &PanelContext<'_>, out: &mut Vec<Action>) {
    if let Some(bookmark) = cx.desk.bookmarks.at(place) {
        return bookmark_items(ui, bookmark, cx, out);
    }
    let words = match place {
        BookmarkPlace::Position(_) => say!("bookmarks-bookmark"),
        BookmarkPlace::Range { .. } => say!("bookmarks-bookmark-the-selection"),
        BookmarkPlace::Memory { .. } => say!("bookmarks-bookmark-this-memory"),
    };
    let key = match place {
        BookmarkPlace::Range { .. } => "Shift+B",
        BookmarkPlace::Position(_) | BookmarkPlace::Memory { .. } => "",
    };
    if MenuItem::new(words)
        .icon(icons::BOOKMARK)
        .key(key)
        .ui(ui, cx.tok)
    {
        out.push(Action::Mark(MarkAction::Bookmark(BookmarkChange::Toggle(
            place,
        ))));
    }
}

/// Draws the items that edit a bookmark.
fn bookmark_items(ui: &mut Ui, bookmark: &Bookmark, cx: &PanelContext<'_>, out: &mut Vec<Action>) {
    let tok = cx.tok;
    let id = bookmark.id;
    if MenuItem::new(say!("bookmarks-rename-bookmark"))
        .icon(icons::BOOKMARK)
        .key("F2")
        .ui(ui, tok)
    {
        out.push(Action::Mark(MarkAction::Bookmark(BookmarkChange::Edit(
            id,
            BookmarkField::Name,
        ))));
    }
    if MenuItem::new(say!("bookmarks-note"))
        .key("Shift+F2")
        .ui(ui, tok)
    {
        out.push(Action::Mark(MarkAction::Bookmark(BookmarkChange::Edit(
            id,
            BookmarkField::Note,
        ))));
    }
    for color in BookmarkColor::ALL
        .into_iter()
        .filter(|color| *color != bookmark.color)
    {
        if MenuItem::new(make_it(color)).ui(ui, tok) {
            out.push(Action::Mark(MarkAction::Bookmark(BookmarkChange::Color {
                place: bookmark.place,
                color,
            })));
        }
    }
    if MenuItem::new(say!("bookmarks-delete-bookmark"))
        .icon(icons::CLOSE)
        .key("Delete")
        .ui(ui, tok)
    {
        out.push(Action::Mark(MarkAction::Bookmark(BookmarkChange::Remove(
            id,
        ))));
    }
    menu_line_ui(ui, tok);
}

/// Draws all items of a bookmark: travelling to its place, editing it, and copying a command that
/// opens it.
pub fn place_items(ui: &mut Ui, bookmark: &Bookmark, cx: &PanelContext<'_>, out: &mut Vec<Action>) {
    let tok = cx.tok;
    match bookmark.place {
        BookmarkPlace::Position(position) => moment_items(ui, position, cx, out),
        BookmarkPlace::Range { first, last } => {
            moment_items(ui, first, cx, out);
            let range = StepRange {
                first: Position(first),
                last: Position(last),
            };
            if MenuItem::new(say!("bookmarks-select-it-in-the-timeline")).ui(ui, tok) {
                out.push(Action::View(ViewAction::SelectRange(Some(range))));
            }
            if MenuItem::new(say!("bookmarks-compare-its-ends"))
                .icon(icons::COMPARE)
                .ui(ui, tok)
            {
                out.push(Action::Panel(PanelAction::CompareEnds(range)));
            }
        }
        BookmarkPlace::Memory { address, len_bytes } => {
            if MenuItem::new(say!("bookmarks-show-memory"))
                .icon(icons::MEMORY)
                .key("Enter")
                .ui(ui, tok)
            {
                out.push(Action::View(ViewAction::ShowMemory(format!(
                    "{address:#x}"
                ))));
            }
            if MenuItem::new(say!("bookmarks-list-all-accesses"))
                .icon(icons::WATCH)
                .ui(ui, tok)
            {
                out.push(Action::View(ViewAction::ListAccesses(
                    format!("{address:#x}"),
                    len_bytes,
                    None,
                )));
            }
        }
    }
    menu_line_ui(ui, tok);
    bookmark_items(ui, bookmark, cx, out);
    if let Some(position) = bookmark.place.position()
        && MenuItem::new(say!("bookmarks-copy-command-that-opens-it"))
            .icon(icons::COPY)
            .key("Ctrl+C")
            .ui(ui, tok)
    {
        out.push(Action::App(AppAction::Copy(
            cx.desk
                .options
                .command(stepback_parsers::Position(position)),
        )));
    }
}

fn moment_items(ui: &mut Ui, position: u64, cx: &PanelContext<'_>, out: &mut Vec<Action>) {
    if MenuItem::new(say!("bookmarks-travel-there"))
        .icon(icons::GO_TO)
        .key("Enter")
        .ui(ui, cx.tok)
    {
        out.push(Action::travel(cx.desk.windows.active, Position(position)));
    }
    if MenuItem::new(say!("bookmarks-open-window-there"))
        .icon(icons::SIDE_BY_SIDE)
        .key("Ctrl+click")
        .ui(ui, cx.tok)
    {
        out.push(Action::Panel(PanelAction::OpenWindowAt(
            cx.moment(stepback_parsers::Position(position)),
        )));
    }
}

fn make_it(color: BookmarkColor) -> &'static str {
    match color {
        BookmarkColor::Yellow => say!("bookmarks-make-yellow"),
        BookmarkColor::Red => say!("bookmarks-make-red"),
        BookmarkColor::Green => say!("bookmarks-make-green"),
        BookmarkColor::Blue => say!("bookmarks-make-blue"),
        BookmarkColor::Pink => say!("bookmarks-make-pink"),
        BookmarkColor::Grey => say!("bookmarks-make-grey"),
    }
}

/// Paints a ribbon, 7 wide and 12 high, with its upper left corner at a point.
pub fn ribbon_ui(pen: &Pen<'_>, at: Pos2, color: Color32) {
    let (left, top) = (at.x.round(), at.y.round());
    let (right, bottom, middle) = (left + 7.0, top + 12.0, left + 3.5);
    // Two halves, because the notch makes the whole shape concave.
    let half = |outer: f32| {
        vec![
            pos2(outer, top),
            pos2(middle, top),
            pos2(middle, bottom - 3.5),
            pos2(outer, bottom),
        ]
    };
    for outer in [left, right] {
        pen.painter
            .add(Shape::convex_polygon(half(outer), color, Stroke::NONE));
    }
    pen.fill(
        Rect::from_min_max(pos2(middle - 0.5, top), pos2(middle + 0.5, bottom - 3.5)),
        color,
    );
}

/// Shows name and note in a tooltip while the pointer is over a part of a row.
pub fn ribbon_tip(ui: &Ui, row: &Response, rect: Rect, bookmark: &Bookmark) {
    if row.hovered()
        && ui
            .input(|input| input.pointer.hover_pos())
            .is_some_and(|at| rect.contains(at))
    {
        let id = row.id.with("ribbon");
        egui::Tooltip::always_open(
            ui.ctx().clone(),
            ui.layer_id(),
            id,
            egui::PopupAnchor::Pointer,
        )
        .gap(12.0)
        .show(|ui| {
            ui.set_max_width(360.0);
            ui.label(bookmark.words())
        });
    }
}
