//! The panel that lists the bookmarks.

use std::sync::Arc;

use egui::{Key, Modifiers, Rect, Ui, pos2};
use serde::{Deserialize, Serialize};
use stepback_debugger::action::WindowId;
use stepback_debugger::action::{Action, AppAction, MarkAction, PanelKind};
use stepback_debugger::messages::say;
use stepback_debugger::model::names::place_words;
use stepback_debugger::notes::{
    Bookmark, BookmarkChange, BookmarkField, BookmarkId, BookmarkPlace,
};
use stepback_debugger::worker::Slot;
use stepback_index::Cancel;

use super::rows::{BookmarkColumns, BookmarkRow, BookmarkRows, go};
use crate::panels::PanelContext;
use crate::panels::cursor_list::{CursorList, PanelKey, take_keys, take_rect};
use crate::panels::list::{ColumnHead, SortBy, heads_ui};
use crate::panels::panel::Panel;
use crate::panels::pen::{INSET, Pen, head_font};
use crate::panels::row::{EmptyMessage, empty_ui};
use crate::panels::table::{ListExport, ListTools, text_table};
use crate::theme::{icons, ui as ui_font};

/// Height of the bar with the count and the filter.
const BAR: f32 = 30.0;
/// Height of the column heads.
const HEAD: f32 = 20.0;
/// Lower panels leave the bar out.
const LOW: f32 = 100.0;

/// The list of bookmarks.
#[derive(Debug, Default, Serialize, Deserialize)]
#[serde(default)]
pub struct BookmarksPanel {
    /// Only bookmarks that contain this text are listed; case is ignored.
    filter: String,
    #[serde(skip)]
    state: Box<BookmarksState>,
}

#[derive(Debug, Default)]
struct BookmarksState {
    list: CursorList,
    sort: SortBy,
    order: BookmarkOrder,
    /// The field that is being edited.
    editing: Option<BookmarkEdit>,
    /// Texts at the places in view.
    words: Slot<Vec<BookmarkPlace>, Vec<String>>,
}

/// Cache of the filtered and sorted list, so that it is not computed in every frame.
#[derive(Debug, Default)]
struct BookmarkOrder {
    sort: SortBy,
    filter: String,
    of: Vec<Bookmark>,
    /// Indexes into `of`, in the order in which they are listed.
    places: Vec<usize>,
}

/// The bar above the list, and the bookmarks that are listed.
struct BookmarkBar<'a> {
    pen: &'a Pen<'a>,
    rect: Rect,
    shown: &'a [&'a Bookmark],
}

/// A name or a note while it is edited.
#[derive(Debug)]
struct BookmarkEdit {
    id: BookmarkId,
    part: BookmarkField,
    text: String,
    /// The field has been given the keyboard.
    is_begun: bool,
}

impl BookmarksPanel {
    /// Starts editing if an action requested it, and goes to that bookmark.
    fn grant(&mut self, shown: &[&Bookmark], list: Rect, cx: &PanelContext<'_>) {
        let Some((id, part)) = cx.desk.bookmarks.take_wish() else {
            return;
        };
        self.begin(id, part, cx);
        if let Some(row) = shown.iter().position(|bookmark| bookmark.id == id) {
            self.state.list.go_to(row, shown.len(), list);
        }
    }

    /// Filters and sorts the bookmarks if they, the filter or the sort order changed.
    fn put_in_order(&mut self, bookmarks: &[Bookmark]) {
        let order = &self.state.order;
        if order.sort == self.state.sort && order.filter == self.filter && order.of == bookmarks {
            return;
        }
        let wanted = self.filter.to_lowercase();
        let holds = |bookmark: &Bookmark| {
            let text = format!(
                "{} {} {}",
                bookmark.place.text(),
                bookmark.name,
                bookmark.note
            );
            wanted.is_empty() || text.to_lowercase().contains(&wanted)
        };
        let mut places: Vec<usize> = bookmarks
            .iter()
            .enumerate()
            .filter(|(_, bookmark)| holds(bookmark))
            .map(|(place, _)| place)
            .collect();
        let key = |place: &usize, column: usize| match (bookmarks.get(*place), column) {
            (None, _) => (0, String::new()),
            (Some(bookmark), 1) => (0, bookmark.name.to_lowercase()),
            (Some(bookmark), 2) => (0, bookmark.note.to_lowercase()),
            // Memory comes after the moments of the trace.
            (Some(bookmark), _) => (
                bookmark.place.position().unwrap_or(u64::MAX),
                bookmark.place.text(),
            ),
        };
        self.state.sort.sort(&mut places, key);
        self.state.order = BookmarkOrder {
            sort: self.state.sort,
            filter: self.filter.clone(),
            of: bookmarks.to_vec(),
            places,
        };
    }

    fn begin(&mut self, id: BookmarkId, part: BookmarkField, cx: &PanelContext<'_>) {
        let text = cx.desk.bookmarks.get(id).map(|bookmark| match part {
            BookmarkField::Name => bookmark.name.clone(),
            BookmarkField::Note => bookmark.note.clone(),
        });
        self.state.editing = text.map(|text| BookmarkEdit {
            id,
            part,
            text,
            is_begun: false,
        });
    }

    fn bar_ui(
        &mut self,
        ui: &mut Ui,
        of: &BookmarkBar<'_>,
        cx: &PanelContext<'_>,
        out: &mut Vec<Action>,
    ) {
        let BookmarkBar {
            pen,
            rect: bar,
            shown,
        } = *of;
        pen.line_across(bar.left(), bar.right(), bar.bottom() - 1.0, cx.tok.line);
        let texts = |bookmark: &&Bookmark| {
            vec![
                bookmark.place.text(),
                bookmark.name.clone(),
                bookmark.note.clone(),
            ]
        };
        let rows = || text_table(&["place", "name", "note"], shown.iter().map(texts));
        let export = ListExport {
            pen,
            rows: &rows,
            name: "bookmarks",
        };
        let tools = ListTools { export, bar }.ui(ui, &mut self.filter, out);
        let all = cx.desk.bookmarks.list().len();
        let words = say!("bookmarks-count", count = all);
        let words = if shown.len() == all {
            words
        } else {
            say!("bookmarks-shown", shown = shown.len(), all = words)
        };
        pen.cut_text(
            pos2(bar.left() + INSET, bar.center().y),
            &words,
            ui_font(12.0),
            cx.tok.t2,
            tools.left,
        );
    }

    /// Draws the heads. Without a sort column the list keeps the order of places.
    fn heads_ui(&mut self, ui: &Ui, pen: &Pen<'_>, head: Rect, columns: &BookmarkColumns) {
        let heads = [
            ColumnHead {
                left: head.left() + 26.0,
                name: say!("bookmarks-place"),
            },
            ColumnHead {
                left: columns.name,
                name: say!("bookmarks-name"),
            },
            ColumnHead {
                left: columns.note,
                name: say!("bookmarks-note-2"),
            },
        ];
        heads_ui(ui, pen, head, &heads, &mut self.state.sort);
        let y = head.center().y;
        columns.words.iter().for_each(|x| {
            _ = pen.text(
                *x,
                y,
                say!("bookmarks-what-is-there"),
                head_font(),
                pen.tok.t3,
            )
        });
    }

    fn keys(
        &mut self,
        ui: &Ui,
        shown: &[&Bookmark],
        list: Rect,
        cx: &PanelContext<'_>,
        out: &mut Vec<Action>,
    ) {
        if self.state.editing.is_some() {
            return;
        }
        for key in take_keys(ui, cx) {
            let Some(bookmark) = shown.get(self.state.list.press(key, shown.len(), list)) else {
                continue;
            };
            match key {
                PanelKey::Enter => out.push(go(bookmark, cx)),
                PanelKey::Rename => self.begin(bookmark.id, BookmarkField::Name, cx),
                PanelKey::Note => self.begin(bookmark.id, BookmarkField::Note, cx),
                PanelKey::Remove => out.push(Action::Mark(MarkAction::Bookmark(
                    BookmarkChange::Remove(bookmark.id),
                ))),
                PanelKey::Copy => out.push(Action::App(AppAction::Copy(
                    match bookmark.place.position() {
                        Some(position) => cx
                            .desk
                            .options
                            .command(stepback_parsers::Position(position)),
                        None => bookmark.place.text(),
                    },
                ))),
                _ => {}
            }
        }
    }

    /// Queries the texts at the places in view; old answers stay until the new ones arrive.
    fn ask(&mut self, places: Vec<BookmarkPlace>, cx: &PanelContext<'_>) {
        let session = Arc::clone(&cx.desk.session);
        self.state.words.poll(&places, &cx.desk.worker, |places| {
            let places = places.clone();
            move |cancel: &Cancel| {
                places
                    .iter()
                    .map(|place| place_words(&session, *place, cancel))
                    .collect()
            }
        });
    }

    fn words_at(&self, place: BookmarkPlace) -> &str {
        let known = self.state.words.peek();
        let found = known.and_then(|(places, words)| {
            words.get(places.iter().position(|known| *known == place)?)
        });
        found.map_or("", String::as_str)
    }

    /// Draws the text field over a name or note.
    fn edit_ui(&mut self, ui: &mut Ui, pen: &Pen<'_>, rect: Rect, out: &mut Vec<Action>) {
        let Some(editing) = &mut self.state.editing else {
            return;
        };
        let name = match editing.part {
            BookmarkField::Name => say!("bookmarks-name-of-the-bookmark"),
            BookmarkField::Note => say!("bookmarks-note-of-the-bookmark"),
        };
        pen.fill(rect, pen.tok.bg1);
        pen.frame(rect, 2, pen.tok.focus);
        let edit = egui::TextEdit::singleline(&mut editing.text)
            .id(ui.unique_id().with("write"))
            .frame(egui::Frame::NONE)
            .margin(egui::Margin::ZERO)
            .font(ui_font(12.0))
            .text_color(pen.tok.t1)
            .align(egui::Align2::LEFT_CENTER);
        let response = ui.put(rect.shrink2(egui::vec2(5.0, 1.0)), edit);
        response.widget_info(|| egui::WidgetInfo::labeled(egui::Role::TextInput, true, name));
        if !editing.is_begun {
            editing.is_begun = true;
            return response.request_focus();
        }
        if !response.lost_focus() && response.has_focus() {
            return;
        }
        let is_given_up = ui.input_mut(|input| input.consume_key(Modifiers::NONE, Key::Escape));
        if let Some(BookmarkEdit { id, part, text, .. }) =
            self.state.editing.take().filter(|_| !is_given_up)
        {
            out.push(Action::Mark(MarkAction::Bookmark(BookmarkChange::Write(
                id, part, text,
            ))));
        }
    }

    fn rows_ui(
        &mut self,
        ui: &mut Ui,
        list: Rect,
        shown: &[&Bookmark],
        cx: &PanelContext<'_>,
        out: &mut Vec<Action>,
    ) {
        let area = self.state.list.area(ui, list, shown.len(), cx.tok);
        let in_view: Vec<_> = area
            .places()
            .filter_map(|(place, _)| Some(shown.get(place)?.place))
            .collect();
        self.ask(in_view, cx);
        let columns = BookmarkColumns::new(area.body);
        let pen = Pen::new(ui, area.body, cx.tok);
        let rows = BookmarkRows {
            pen: pen.clone(),
            cx,
            columns,
            cursor: self.state.list.cursor,
        };
        let mut field = None;
        for (place, rect) in area.places() {
            let Some(bookmark) = shown.get(place) else {
                continue;
            };
            let words = self.words_at(bookmark.place);
            if rows.row_ui(
                ui,
                rect,
                &BookmarkRow {
                    bookmark,
                    place,
                    words,
                },
                out,
            ) {
                self.state.list.cursor = place;
            }
            let editing = self
                .state
                .editing
                .as_ref()
                .filter(|editing| editing.id == bookmark.id);
            field = field.or(editing.map(|editing| columns.field(rect, editing.part)));
        }
        match field {
            Some(rect) => self.edit_ui(ui, &pen, rect, out),
            // The edited row was scrolled out of view or deleted.
            None => self.state.editing = None,
        }
    }
}

impl Panel for BookmarksPanel {
    fn make(_: PanelKind, _: WindowId) -> Self {
        Self::default()
    }

    fn kind(&self) -> PanelKind {
        PanelKind::Bookmarks
    }

    fn title(&self) -> String {
        say!("bookmarks-bookmarks").to_owned()
    }

    fn leave_trace(&mut self) {
        self.filter.clear();
    }

    fn ui(&mut self, ui: &mut Ui, cx: &PanelContext<'_>, out: &mut Vec<Action>) {
        let rect = take_rect(ui);
        let pen = Pen::new(ui, rect, cx.tok);
        if cx.desk.bookmarks.list().is_empty() {
            let words = EmptyMessage(
                say!("bookmarks-nothing-is-marked"),
                say!("bookmarks-b-marks-the-position-shift"),
            );
            return empty_ui(ui, &pen, rect, icons::BOOKMARK, words);
        }
        self.put_in_order(cx.desk.bookmarks.list());
        let places = self.state.order.places.iter();
        let shown: Vec<&Bookmark> = places
            .filter_map(|place| cx.desk.bookmarks.list().get(*place))
            .collect();
        let bar = if rect.height() < LOW { 0.0 } else { BAR };
        let (bar, rest) = rect.split_top_bottom_at_y(rect.top() + bar);
        if bar.height() > 0.0 {
            self.bar_ui(
                ui,
                &BookmarkBar {
                    pen: &pen,
                    rect: bar,
                    shown: &shown,
                },
                cx,
                out,
            );
        }
        if shown.is_empty() {
            let words = EmptyMessage(
                say!("bookmarks-no-bookmark-holds-the-text"),
                say!("bookmarks-take-something-out-of-the"),
            );
            return empty_ui(ui, &pen, rest, icons::SEARCH, words);
        }
        let (head, list) = rest.split_top_bottom_at_y(rest.top() + HEAD);
        self.heads_ui(ui, &pen, head, &BookmarkColumns::new(list));
        self.grant(&shown, list, cx);
        self.keys(ui, &shown, list, cx, out);
        self.rows_ui(ui, list, &shown, cx, out);
    }
}
