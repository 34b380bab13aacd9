//! The menu of saved slices.

use egui::Ui;
use stepback_debugger::keymap::CommandId;

use crate::panels::PanelContext;
use crate::panels::kept_menu::{KeptItem, KeptItemActions, KeptMenu};
use stepback_debugger::action::{Action, AppAction, SliceAction};
use stepback_debugger::messages::say;
use stepback_debugger::model::slice::asked_words;
use stepback_debugger::notes::SavedQueryChange;

/// Actions of a saved slice.
static DEEDS: KeptItemActions = KeptItemActions {
    run_words: "slice-run",
    run: |it| Action::Slice(SliceAction::RunSlice(it)),
    show: |it| Action::Slice(SliceAction::ShowSlice(it)),
    forget: |name| Action::Slice(SliceAction::Slices(SavedQueryChange::Forget(name))),
    rename: |old, new| Action::Slice(SliceAction::Slices(SavedQueryChange::Rename(old, new))),
};

/// Draws the entries.
pub fn slice_menu(ui: &mut Ui, menu: &mut KeptMenu, cx: &PanelContext<'_>, out: &mut Vec<Action>) {
    let keep = egui::Button::new(say!("slice-keep-as"));
    if ui
        .add_enabled(cx.desk.slice.question().is_some(), keep)
        .clicked()
    {
        out.push(Action::App(AppAction::AskFor(
            CommandId::KeepSliceAs.into(),
        )));
    }
    ui.separator();
    if cx.desk.slices.list().is_empty() {
        ui.label(say!("slice-none-kept-yet"));
    }
    for kept in cx.desk.slices.list() {
        menu.ui(
            ui,
            KeptItem {
                name: &kept.name,
                words: asked_words(&kept.slice),
                deeds: &DEEDS,
            },
            out,
        );
    }
}
