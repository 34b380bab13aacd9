//! The menu of slices that are kept under names.

use egui::{Key, TextEdit, Ui};

use crate::action::Action;
use crate::messages::say;
use crate::model::slice::asked_words;
use crate::notes::{KeptSlice, SliceChange};
use crate::panels::ViewCx;

/// The menu, and the name that is being typed in it.
#[derive(Debug, Default)]
pub struct SliceMenu {
    /// Which slice gets another name, and that name.
    renamed: Option<(String, String)>,
}

impl SliceMenu {
    /// Draws the entries.
    pub fn ui(&mut self, ui: &mut Ui, cx: &ViewCx<'_>, out: &mut Vec<Action>) {
        let keep = egui::Button::new(say!("slice-keep-as"));
        if ui.add_enabled(cx.slice.question().is_some(), keep).clicked() {
            out.push(Action::AskFor("Keep slice as…".to_owned()));
        }
        ui.separator();
        if cx.slices.list().is_empty() {
            ui.label(say!("slice-none-kept-yet"));
        }
        for kept in cx.slices.list() {
            ui.menu_button(&kept.name, |ui| self.kept_ui(ui, kept, out))
                .response
                .on_hover_text(asked_words(&kept.slice));
        }
    }

    /// What can be done with a kept slice.
    fn kept_ui(&mut self, ui: &mut Ui, kept: &KeptSlice, out: &mut Vec<Action>) {
        ui.set_min_width(200.0);
        let name = &kept.name;
        if ui.button(say!("slice-run")).clicked() {
            out.push(Action::RunSlice(name.clone()));
        }
        if ui.button(say!("slice-in-a-panel-of-its-own")).clicked() {
            out.push(Action::ShowSlice(name.clone()));
        }
        if ui.button(say!("slice-forget")).clicked() {
            out.push(Action::Slices(SliceChange::Forget(name.clone())));
        }
        ui.separator();
        let label = ui.label(say!("find-rename"));
        if self.renamed.as_ref().is_none_or(|(known, _)| known != name) {
            self.renamed = Some((name.clone(), name.clone()));
        }
        let Some((_, typed)) = &mut self.renamed else { return };
        let response = ui.add(TextEdit::singleline(typed)).labelled_by(label.id);
        if response.lost_focus() && ui.input(|input| input.key_pressed(Key::Enter)) {
            out.push(Action::Slices(SliceChange::Rename(name.clone(), typed.clone())));
            self.renamed = None;
            ui.close();
        }
    }
}
