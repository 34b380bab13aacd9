//! The language that the window speaks.

use super::app::App;
use stepback_debugger::messages::{Language, LanguageChoice};

impl App {
    /// Speaks another language from the next frame on.
    pub(super) fn choose_language(&mut self, choice: LanguageChoice) {
        self.settings.language = choice;
        self.speak();
        self.keep_settings();
        // Rows that were made ready in the old language are made again.
        self.program.worker.renew();
    }

    /// Puts the chosen language into effect.
    /// Tests and scripts speak English whatever the system speaks, unless they ask for another language.
    pub(super) fn speak(&self) {
        let is_anywhere_alike = self.program.mode.is_synchronous || self.program.mode.is_scripted;
        let system = if is_anywhere_alike {
            Language::English
        } else {
            Language::of_system()
        };
        self.settings.language.of(system).speak();
    }
}
