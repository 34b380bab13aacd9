//! The menu of searches: those before, and those that are kept under names.

use egui::{Key, TextEdit, Ui};

use super::field::history_text;
use crate::action::{Action, FindQuestion};
use crate::messages::say;
use crate::notes::{KeptSearch, SearchChange};
use crate::panels::ViewCx;

/// Searches before that are listed.
const BEFORE: usize = 15;

/// The menu, and the name that is being typed in it.
#[derive(Debug, Default)]
pub struct SearchMenu {
    /// Which search gets another name, and that name.
    renamed: Option<(String, String)>,
}

impl SearchMenu {
    /// Draws the entries. Returns the search that was chosen of those before.
    pub fn ui(&mut self, ui: &mut Ui, cx: &ViewCx<'_>, out: &mut Vec<Action>) -> Option<FindQuestion> {
        for kept in cx.searches.list() {
            ui.menu_button(&kept.name, |ui| self.kept_ui(ui, kept, out))
                .response
                .on_hover_text(history_text(&kept.search));
        }
        let keep = egui::Button::new(say!("find-keep-search-as"));
        if ui.add_enabled(cx.find.question().is_some(), keep).clicked() {
            out.push(Action::AskFor("Keep search as…".to_owned()));
        }
        ui.separator();
        if cx.find.history().is_empty() {
            ui.label(say!("find-no-search-yet"));
        }
        let mut entries = cx.find.history().iter().take(BEFORE);
        entries.find(|question| ui.button(history_text(question)).clicked()).cloned()
    }

    /// What can be done with a kept search.
    fn kept_ui(&mut self, ui: &mut Ui, kept: &KeptSearch, out: &mut Vec<Action>) {
        ui.set_min_width(200.0);
        let name = &kept.name;
        if ui.button(say!("find-run")).clicked() {
            out.push(Action::RunSearch(name.clone()));
        }
        if ui.button(say!("find-in-a-panel-of-its")).clicked() {
            out.push(Action::ShowSearch(name.clone()));
        }
        if ui.button(say!("find-forget")).clicked() {
            out.push(Action::Searches(SearchChange::Forget(name.clone())));
        }
        ui.separator();
        let label = ui.label(say!("find-rename"));
        if self.renamed.as_ref().is_none_or(|(known, _)| known != name) {
            self.renamed = Some((name.clone(), name.clone()));
        }
        let Some((_, typed)) = &mut self.renamed else { return };
        let response = ui.add(TextEdit::singleline(typed)).labelled_by(label.id);
        if response.lost_focus() && ui.input(|input| input.key_pressed(Key::Enter)) {
            out.push(Action::Searches(SearchChange::Rename(name.clone(), typed.clone())));
            self.renamed = None;
            ui.close();
        }
    }
}
