//! What can be done with something that is kept under a name.

use egui::{Key, TextEdit, Ui};

use stepback_debugger::action::Action;
use stepback_debugger::messages::{say, spoken};

/// The entries of something that is kept, and the name that is being typed.
#[derive(Debug, Default)]
pub struct KeptMenu {
    /// What gets another name, and that name.
    renamed: Option<(String, String)>,
}

/// Something that is kept.
pub struct KeptItem<'a> {
    /// Under which name.
    pub name: &'a str,
    /// What it is, in words.
    pub words: String,
    /// What can be done with it.
    pub deeds: &'static KeptItemActions,
}

/// What can be done with kept things of a kind.
pub struct KeptItemActions {
    /// What asking it again is called, by its id.
    pub run_words: &'static str,
    /// Asks it again.
    pub run: fn(String) -> Action,
    /// Shows it in a panel of its own.
    pub show: fn(String) -> Action,
    /// Forgets it.
    pub forget: fn(String) -> Action,
    /// Gives it another name.
    pub rename: fn(String, String) -> Action,
}

impl KeptMenu {
    /// Draws one kept thing with its entries.
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
