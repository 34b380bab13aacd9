//! The menu of saved searches and saved slices.

use egui::{Key, TextEdit, Ui};

use stepback_debugger::action::Action;
use stepback_debugger::messages::{say, spoken};

/// Entries of a saved item, and the new name while it is typed.
#[derive(Debug, Default)]
pub struct KeptMenu {
    /// The item that is being renamed, and its new name.
    renamed: Option<(String, String)>,
}

/// A saved search or slice.
pub struct KeptItem<'a> {
    pub name: &'a str,
    /// Description, shown as a tooltip.
    pub words: String,
    /// Actions of this kind of item.
    pub deeds: &'static KeptItemActions,
}

/// Actions of one kind of saved items.
pub struct KeptItemActions {
    /// Message id of the entry that runs the item again.
    pub run_words: &'static str,
    /// Runs it again.
    pub run: fn(String) -> Action,
    /// Shows it in its own panel.
    pub show: fn(String) -> Action,
    pub forget: fn(String) -> Action,
    pub rename: fn(String, String) -> Action,
}

impl KeptMenu {
    /// Draws one saved item with its submenu.
    pub fn ui(&mut self, ui: &mut Ui, item: KeptItem<'_>, out: &mut Vec<Action>) {
        let KeptItem { name, words, deeds } = item;
        ui.menu_button(name, |ui| self.entries_ui(ui, name, deeds, out))
            .response
            .on_hover_text(words);
    }

    fn entries_ui(
        &mut self,
        ui: &mut Ui,
        name: &str,
        deeds: &KeptItemActions,
        out: &mut Vec<Action>,
    ) {
        ui.set_min_width(200.0);
        let entries = [
            (spoken(deeds.run_words), deeds.run),
            (say!("find-in-a-panel-of-its"), deeds.show),
            (say!("find-forget"), deeds.forget),
        ];
        for (words, deed) in entries {
            if ui.button(words).clicked() {
                out.push(deed(name.to_owned()));
            }
        }
        ui.separator();
        let label = ui.label(say!("find-rename"));
        if self.renamed.as_ref().is_none_or(|(known, _)| known != name) {
            self.renamed = Some((name.to_owned(), name.to_owned()));
        }
        let Some((_, typed)) = &mut self.renamed else {
            return;
        };
        let response = ui.add(TextEdit::singleline(typed)).labelled_by(label.id);
        if response.lost_focus() && ui.input(|input| input.key_pressed(Key::Enter)) {
            out.push((deeds.rename)(name.to_owned(), typed.clone()));
            self.renamed = None;
            ui.close();
        }
    }
}
