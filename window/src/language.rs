//! Language of the window.

use super::app::App;
use stepback_debugger::messages::{Language, LanguageChoice};

impl App {
    /// Changes the language from the next frame on.
    pub(super) fn choose_language(&mut self, choice: LanguageChoice) {
        self.settings.language = choice;
        self.speak();
        self.keep_settings();
        // Rows prepared in the old language are prepared again.
        self.program.worker.renew();
    }

    /// Activates the chosen language. Tests and scripts use English regardless of the system
    /// language, unless they choose another one.
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
