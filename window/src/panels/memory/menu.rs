//! The context menu of a byte.

use egui::Ui;
use stepback_machine::Address;

use super::rows::RowsView;
use crate::panels::ask::{Sought, ask_access, ask_why};
use crate::panels::bookmarks::add_items;
use crate::panels::menu::{MenuItem, menu_head_ui, menu_line_ui};
use crate::theme::icons;
use stepback_debugger::action::{Access, Action, AppAction, CellName, MarkAction, ViewAction, Way};
use stepback_debugger::keymap::watch_text;
use stepback_debugger::messages::say;
use stepback_debugger::model::memory::{ByteCell, aligned};
use stepback_debugger::notes::{BookmarkChange, BookmarkPlace, WatchChange};

/// The menu of a byte.
pub fn byte_menu(ui: &mut Ui, address: Address, cell: &ByteCell, view: RowsView<'_>, out: &mut Vec<Action>) {
    let tok = view.cx.tok;
    menu_head_ui(ui, tok, &say!("memory-byte-at", address = format!("{:x}", address.0)), &cell.hex());
    let mut ask = |ui: &mut Ui, item: MenuItem<'_>, len_bytes: u64, sought: Sought| {
        if item.ui(ui, tok) {
            let cell = CellName::Memory(format!("{}", aligned(address, len_bytes)), len_bytes);
            ask_access(view.cx, view.follow, cell, sought, out);
        }
    };
    let last_write = Sought { access: Access::Write, way: Way::Back };
    ask(ui, MenuItem::new(say!("memory-last-write-of-the-byte")).icon(icons::LAST_WRITE).key("1"), 1, last_write);
    ask(ui, MenuItem::new(say!("memory-last-write-of-the-half")).key("2"), 2, last_write);
    ask(ui, MenuItem::new(say!("memory-last-write-of-the-word")).key("4"), 4, last_write);
    ask(ui, MenuItem::new(say!("memory-last-write-of-the-double")).key("8"), 8, last_write);
    menu_line_ui(ui, tok);
    let group = view.group as u64;
    let next_write = MenuItem::new(say!("memory-next-write-2")).icon(icons::NEXT_WRITE).key("Shift+Enter");
    ask(ui, next_write, group, Sought { access: Access::Write, way: Way::Forward });
    ask(ui, MenuItem::new(say!("memory-last-read-2")), group, Sought { access: Access::Read, way: Way::Back });
    ask(ui, MenuItem::new(say!("memory-next-read-2")), group, Sought { access: Access::Read, way: Way::Forward });
    menu_line_ui(ui, tok);
    let why = [1, group].into_iter().take(if group > 1 { 2 } else { 1 });
    for (place, len_bytes) in why.enumerate() {
        let first = aligned(address, len_bytes);
        let label = if len_bytes == 1 { format!("[{:x}]", first.0) } else { format!("[{:x}:{len_bytes}]", first.0) };
        let key = if place == 0 { "W" } else { "" };
        if MenuItem::new(&say!("slice-why-item", cell = label)).icon(icons::WHY).key(key).ui(ui, tok) {
            out.push(ask_why(view.cx, view.follow, CellName::Memory(first.to_string(), len_bytes)));
        }
    }
    if MenuItem::new(say!("memory-list-all-accesses")).icon(icons::LIST).key("Ctrl+Shift+A").ui(ui, tok) {
        let len_bytes = view.group as u64;
        out.push(Action::View(ViewAction::ListAccesses(aligned(address, len_bytes).to_string(), len_bytes, None)));
    }
    if MenuItem::new(say!("memory-all-values")).icon(icons::LIST).key("Alt+A").ui(ui, tok) {
        out.push(Action::View(ViewAction::ListValues(CellName::Memory(aligned(address, group).to_string(), group))));
    }
    if MenuItem::new(say!("memory-watch")).icon(icons::WATCH).key("O").ui(ui, tok) {
        let at = aligned(address, group);
        out.push(Action::Mark(MarkAction::Watch(WatchChange::Add(watch_text(&CellName::Memory(
            at.to_string(),
            group,
        ))))));
    }
    if MenuItem::new(say!("memory-waveform")).key("Shift+W").ui(ui, tok) {
        let at = aligned(address, group);
        out.push(Action::Mark(MarkAction::Wave(WatchChange::Add(watch_text(&CellName::Memory(
            at.to_string(),
            group,
        ))))));
    }
    menu_line_ui(ui, tok);
    let place = BookmarkPlace::Memory { address: aligned(address, group).0, len_bytes: group };
    add_items(ui, place, view.cx, out);
    if MenuItem::new(say!("memory-name-this-memory")).ui(ui, tok) {
        out.push(Action::Mark(MarkAction::Bookmark(BookmarkChange::Call(place))));
    }
    menu_line_ui(ui, tok);
    if MenuItem::new(say!("memory-begin-here")).icon(icons::MEMORY).ui(ui, tok) {
        out.push(Action::View(ViewAction::ShowMemory(format!("{address}"))));
    }
    if MenuItem::new(say!("memory-copy-address")).icon(icons::COPY).key("Ctrl+C").ui(ui, tok) {
        out.push(Action::App(AppAction::Copy(format!("{address}"))));
    }
    if MenuItem::new(say!("memory-copy-value")).ui(ui, tok) {
        out.push(Action::App(AppAction::Copy(cell.hex())));
    }
}
