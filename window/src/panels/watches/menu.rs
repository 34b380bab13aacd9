//! The context menu of a watch.

use egui::Ui;

use crate::panels::PanelContext;
use crate::panels::menu::{MenuItem, menu_head_ui, menu_line_ui};
use crate::theme::icons;
use stepback_debugger::action::{Action, AppAction, Follow, MarkAction, SliceAction, ViewAction};
use stepback_debugger::messages::say;
use stepback_debugger::notes::{WatchChange, WatchType};
use stepback_debugger::views::{RowGesture, ShownWatch};

/// Draws the menu. Returns true if the watch is to be edited.
pub fn watch_menu(
    ui: &mut Ui,
    shown: ShownWatch<'_>,
    follow: Follow,
    cx: &PanelContext<'_>,
    out: &mut Vec<Action>,
) -> bool {
    let (
        tok,
        ShownWatch {
            place,
            watch,
            state,
        },
    ) = (cx.tok, shown);
    let mut act = |gesture| _ = shown.act(gesture, follow, cx.desk, out);
    menu_head_ui(
        ui,
        tok,
        &watch.expression,
        state
            .and_then(|state| state.value.as_deref())
            .unwrap_or(say!("watches-unknown")),
    );
    if MenuItem::new(say!("watches-last-write"))
        .icon(icons::LAST_WRITE)
        .key("Enter")
        .ui(ui, tok)
    {
        act(RowGesture::Go);
    }
    if MenuItem::new(say!("watches-next-write"))
        .icon(icons::NEXT_WRITE)
        .key("Shift+Enter")
        .ui(ui, tok)
    {
        act(RowGesture::GoOn);
    }
    if MenuItem::new(say!("watches-previous-change"))
        .key("Left")
        .ui(ui, tok)
    {
        act(RowGesture::Close);
    }
    if MenuItem::new(say!("watches-next-change"))
        .key("Right")
        .ui(ui, tok)
    {
        act(RowGesture::Open);
    }
    let address = state.and_then(|state| state.address);
    let cell = shown.cell();
    if let Some(cell) = &cell
        && MenuItem::new(&say!("slice-why-item", cell = watch.expression.as_str()))
            .icon(icons::WHY)
            .key("W")
            .ui(ui, tok)
    {
        let at = cx.desk.windows.position_of(follow);
        out.push(Action::Slice(SliceAction::WhyAt(cell.clone(), at)));
    }
    if let Some(cell) = cell
        && MenuItem::new(say!("watches-all-values"))
            .icon(icons::LIST)
            .ui(ui, tok)
    {
        out.extend(cx.desk.windows.start_from(follow));
        out.push(Action::View(ViewAction::ListValues(cell)));
    }
    if let Some(address) = address
        && MenuItem::new(&say!(
            "watches-show-memory-at",
            address = format!("{:x}", address.0)
        ))
        .icon(icons::MEMORY)
        .key("M")
        .ui(ui, tok)
    {
        out.push(Action::View(ViewAction::ShowMemory(address.to_string())));
    }
    if MenuItem::new(say!("watches-waveform")).ui(ui, tok) {
        out.push(Action::Mark(MarkAction::Wave(WatchChange::Add(
            watch.text(),
        ))));
    }
    menu_line_ui(ui, tok);
    ui.menu_button(say!("watches-read-as"), |ui| {
        for kind in WatchType::ALL {
            if ui
                .add(egui::Button::selectable(kind == watch.kind, kind.name()))
                .clicked()
            {
                out.push(Action::Mark(MarkAction::Watch(WatchChange::Read(
                    place, kind,
                ))));
            }
        }
    });
    let is_edited = MenuItem::new(say!("watches-change")).key("F2").ui(ui, tok);
    if MenuItem::new(say!("watches-move-up")).ui(ui, tok) {
        out.push(Action::Mark(MarkAction::Watch(WatchChange::MoveUp(place))));
    }
    if MenuItem::new(say!("watches-move-down")).ui(ui, tok) {
        out.push(Action::Mark(MarkAction::Watch(WatchChange::MoveDown(
            place,
        ))));
    }
    if MenuItem::new(say!("watches-remove-watch"))
        .icon(icons::CLOSE)
        .key("Delete")
        .ui(ui, tok)
    {
        out.push(Action::Mark(MarkAction::Watch(WatchChange::Remove(place))));
    }
    menu_line_ui(ui, tok);
    if let Some(value) = state.and_then(|state| state.value.clone())
        && MenuItem::new(say!("watches-copy-value"))
            .icon(icons::COPY)
            .key("Ctrl+C")
            .ui(ui, tok)
    {
        out.push(Action::App(AppAction::Copy(value)));
    }
    is_edited
}
