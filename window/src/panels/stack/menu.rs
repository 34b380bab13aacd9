//! The context menu of a frame.

use egui::Ui;

use super::rows::StackInput;
use crate::panels::effects_items::effects_items;
use crate::panels::menu::{MenuItem, menu_head_ui, menu_line_ui};
use crate::theme::{ThemeColors, icons};
use stepback_debugger::messages::say;
use stepback_debugger::model::call_stack::{StackFrame, entered_at};
use stepback_debugger::views::RowGesture;

/// Draws the menu of the frame at a place of the stack.
pub fn frame_menu(
    ui: &mut Ui,
    place: usize,
    frame: &StackFrame,
    tok: &ThemeColors,
    touched: &mut StackInput,
) {
    menu_head_ui(
        ui,
        tok,
        &frame.name,
        &frame
            .marks()
            .iter()
            .map(|mark| mark.word())
            .collect::<Vec<_>>()
            .join(", "),
    );
    if MenuItem::new(say!("stack-travel-to-its-call"))
        .icon(icons::GO_TO)
        .key("Shift+Enter")
        .ui(ui, tok)
    {
        touched.rows.gesture(place, RowGesture::GoOn);
    }
    if MenuItem::new(say!("stack-travel-to-its-entry"))
        .key("Enter")
        .ui(ui, tok)
    {
        touched.rows.gesture(place, RowGesture::Go);
    }
    if MenuItem::new(say!("stack-open-window-at-its-entry"))
        .icon(icons::SIDE_BY_SIDE)
        .key("Ctrl+click")
        .ui(ui, tok)
    {
        touched.opened = Some(place);
    }
    effects_items(ui, tok, entered_at(&frame.call), &mut touched.asked);
    menu_line_ui(ui, tok);
    if MenuItem::new(say!("stack-copy-stack"))
        .icon(icons::COPY)
        .key("Ctrl+C")
        .ui(ui, tok)
    {
        touched.is_copied = true;
    }
}
