//! The context menu of a byte.

use egui::Ui;
use stepback_machine::Address;

use super::rows::{MemoryInput, MemoryRowsView};
use crate::panels::asked::PanelOutput;
use crate::panels::bookmarks::add_items;
use crate::panels::menu::{MenuItem, menu_head_ui, menu_line_ui};
use crate::theme::icons;
use stepback_debugger::action::{Access, Direction};
use stepback_debugger::messages::say;
use stepback_debugger::model::memory::{ByteCell, aligned};
use stepback_debugger::views::ByteAction;

/// Byte that the menu is about.
#[derive(Clone, Copy)]
pub struct MenuByte<'a> {
    pub address: Address,
    pub cell: &'a ByteCell,
}

/// Draws the menu of a byte.
pub fn byte_menu(
    ui: &mut Ui,
    byte: MenuByte<'_>,
    view: MemoryRowsView<'_>,
    asked: PanelOutput<'_, MemoryInput>,
) {
    let (tok, address) = (view.cx.tok, byte.address);
    let PanelOutput { touched, out } = asked;
    menu_head_ui(
        ui,
        tok,
        &say!("memory-byte-at", address = format!("{:x}", address.0)),
        &byte.cell.hex(),
    );
    let mut add = |ui: &mut Ui, item: MenuItem<'_>, action: ByteAction| {
        if item.ui(ui, tok) {
            touched.action = Some((address, action));
        }
    };
    let last_write = |len_bytes| ByteAction::GoToAccess(len_bytes, Access::Write, Direction::Back);
    add(
        ui,
        MenuItem::new(say!("memory-last-write-of-the-byte"))
            .icon(icons::LAST_WRITE)
            .key("1"),
        last_write(1),
    );
    add(
        ui,
        MenuItem::new(say!("memory-last-write-of-the-half")).key("2"),
        last_write(2),
    );
    add(
        ui,
        MenuItem::new(say!("memory-last-write-of-the-word")).key("4"),
        last_write(4),
    );
    add(
        ui,
        MenuItem::new(say!("memory-last-write-of-the-double")).key("8"),
        last_write(8),
    );
    menu_line_ui(ui, tok);
    let group = u64::from(view.memory.group());
    let next_write = MenuItem::new(say!("memory-next-write-2"))
        .icon(icons::NEXT_WRITE)
        .key("Shift+Enter");
    add(
        ui,
        next_write,
        ByteAction::GoToAccess(group, Access::Write, Direction::Forward),
    );
    for (words, way) in [
        (say!("memory-last-read-2"), Direction::Back),
        (say!("memory-next-read-2"), Direction::Forward),
    ] {
        add(
            ui,
            MenuItem::new(words),
            ByteAction::GoToAccess(group, Access::Read, way),
        );
    }
    menu_line_ui(ui, tok);
    for len_bytes in [1, group].into_iter().take(if group > 1 { 2 } else { 1 }) {
        let first = aligned(address, len_bytes).0;
        let (label, key) = if len_bytes == 1 {
            (format!("[{first:x}]"), "W")
        } else {
            (format!("[{first:x}:{len_bytes}]"), "")
        };
        let words = say!("slice-why-item", cell = label);
        add(
            ui,
            MenuItem::new(&words).icon(icons::WHY).key(key),
            ByteAction::Why(len_bytes),
        );
    }
    let accesses = MenuItem::new(say!("memory-list-all-accesses"))
        .icon(icons::LIST)
        .key("Ctrl+Shift+A");
    add(ui, accesses, ByteAction::ListAccesses);
    add(
        ui,
        MenuItem::new(say!("memory-all-values"))
            .icon(icons::LIST)
            .key("Alt+A"),
        ByteAction::ListValues,
    );
    add(
        ui,
        MenuItem::new(say!("memory-watch"))
            .icon(icons::WATCH)
            .key("O"),
        ByteAction::Watch,
    );
    add(
        ui,
        MenuItem::new(say!("memory-waveform")).key("Shift+W"),
        ByteAction::Wave,
    );
    menu_line_ui(ui, tok);
    add_items(ui, view.memory.place(address), view.cx, out);
    add(
        ui,
        MenuItem::new(say!("memory-name-this-memory")),
        ByteAction::Name,
    );
    menu_line_ui(ui, tok);
    add(
        ui,
        MenuItem::new(say!("memory-begin-here")).icon(icons::MEMORY),
        ByteAction::Show,
    );
    add(
        ui,
        MenuItem::new(say!("memory-copy-address"))
            .icon(icons::COPY)
            .key("Ctrl+C"),
        ByteAction::CopyAddress,
    );
    add(
        ui,
        MenuItem::new(say!("memory-copy-value")),
        ByteAction::CopyValue,
    );
}
