//! Context menu items about bookmarks.

use egui::Ui;
use stepback_parsers::Position;

use crate::panels::PanelContext;
use crate::panels::menu::{MenuItem, menu_line_ui};
use crate::theme::icons;
use stepback_debugger::action::{
    Action, AppAction, MarkAction, PanelAction, StepRange, ViewAction,
};
use stepback_debugger::messages::say;
use stepback_debugger::notes::{
    Bookmark, BookmarkChange, BookmarkColor, BookmarkField, BookmarkPlace,
};

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
