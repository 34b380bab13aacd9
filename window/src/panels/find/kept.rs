//! The menu of earlier and saved searches.

use egui::Ui;
use stepback_debugger::keymap::CommandId;

use super::field::history_text;
use crate::panels::PanelContext;
use crate::panels::kept_menu::{KeptItem, KeptItemActions, KeptMenu};
use stepback_debugger::action::{Action, AppAction, FindQuery, SearchAction};
use stepback_debugger::messages::say;
use stepback_debugger::notes::SavedQueryChange;

/// Maximum number of earlier searches that are listed.
const BEFORE: usize = 15;

/// Actions of a saved search.
static DEEDS: KeptItemActions = KeptItemActions {
    run_words: "find-run",
    run: |it| Action::Search(SearchAction::RunSearch(it)),
    show: |it| Action::Search(SearchAction::ShowSearch(it)),
    forget: |name| Action::Search(SearchAction::Searches(SavedQueryChange::Forget(name))),
    rename: |old, new| Action::Search(SearchAction::Searches(SavedQueryChange::Rename(old, new))),
};

/// Draws the entries. Returns the earlier search that was chosen.
pub fn search_menu(
    ui: &mut Ui,
    menu: &mut KeptMenu,
    cx: &PanelContext<'_>,
    out: &mut Vec<Action>,
) -> Option<FindQuery> {
    for kept in cx.desk.searches.list() {
        menu.ui(
            ui,
            KeptItem {
                name: &kept.name,
                words: history_text(&kept.search),
                deeds: &DEEDS,
            },
            out,
        );
    }
    let keep = egui::Button::new(say!("find-keep-search-as"));
    if ui
        .add_enabled(cx.desk.find.question().is_some(), keep)
        .clicked()
    {
        out.push(Action::App(AppAction::AskFor(
            CommandId::KeepSearchAs.into(),
        )));
    }
    ui.separator();
    if cx.desk.find.history().is_empty() {
        ui.label(say!("find-no-search-yet"));
    }
    let mut entries = cx.desk.find.history().iter().take(BEFORE);
    entries
        .find(|question| ui.button(history_text(question)).clicked())
        .cloned()
}
