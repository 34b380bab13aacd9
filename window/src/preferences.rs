//! Changes of settings by the user: keys, fonts and language.
//!
//! Font files are read on a worker. If a newly chosen one cannot be used, nothing changes.

use std::path::PathBuf;

use egui::Ui;
use stepback_debugger::action::{Action, CommandName, FontChange, FontRole};
use stepback_debugger::desk::Tone;
use stepback_debugger::keymap::{KeyChoice, command, read_key};
use stepback_debugger::messages::{Language, LanguageChoice, say};
use stepback_debugger::program::{FilePurpose, UndoSnapshot};
use stepback_debugger::worker::{JobLane, Ticket};

use crate::app::App;
use crate::settings::FontChoice;
use crate::settings_file::{SettingsFile, keys_in, keys_text, some_of};
use crate::theme::{FontSetup, UserFonts, install_fonts};

impl App {
    /// Draws the settings page while it is open.
    pub(super) fn settings_ui(&mut self, ui: &Ui, out: &mut Vec<Action>) {
        let Some(page) = &mut self.settings_page else {
            return;
        };
        if page.ui(ui, &self.settings, self.settings_file.as_ref(), out) {
            self.settings_page = None;
        }
    }

    /// Saves changed settings.
    pub(super) fn keep_settings(&mut self) {
        if let Some(file) = &mut self.settings_file {
            file.keep(&self.settings, &self.program.worker);
        }
    }

    /// Handles imported keys, and errors of writing the settings.
    pub(super) fn take_settings(&mut self) {
        match self
            .settings_file
            .as_mut()
            .and_then(SettingsFile::take_written)
        {
            Some(Ok(Some(aside))) => {
                let stated = say!("settings-put-aside", path = format!("{aside:?}"));
                self.toasts.show(Tone::Warning, &stated);
            }
            Some(Err(error)) => self.report(&format!("{error:#}")),
            Some(Ok(None)) | None => {}
        }
        let Some(read) = self.imported_keys.as_ref().and_then(Ticket::take) else {
            return;
        };
        self.imported_keys = None;
        let mut keys = self.settings.keys.clone();
        match read.and_then(|text| keys_in(&text, &mut keys)) {
            Ok(problems) => {
                self.change_keys(|choice| *choice = keys);
                let stated = say!("settings-imported").to_owned();
                self.toasts
                    .show_with(Tone::Info, &stated, &some_of(problems).join("\n"), None);
            }
            Err(error) => self.report(&say!(
                "preferences-keys-not-taken",
                error = format!("{error:#}")
            )),
        }
    }

    fn apply_keys(&mut self) {
        self.settings.keys.take_effect();
        self.keep_settings();
    }

    /// Sets the keys of a command.
    pub(super) fn set_keys(&mut self, name: &CommandName, keys: &[String]) {
        let Some(command) = command(&name.0) else {
            return self.refuse_command(name);
        };
        match keys
            .iter()
            .map(|key| read_key(key))
            .collect::<Result<Vec<_>, String>>()
        {
            Ok(keys) => self.change_keys(|choice| choice.set(command, &keys)),
            Err(error) => self.report(&error),
        }
    }

    /// Restores the default keys of a command, or of all.
    pub(super) fn reset_keys(&mut self, name: Option<&CommandName>) {
        match name.map(|name| (name, command(&name.0))) {
            Some((_, Some(command))) => self.change_keys(|choice| choice.reset(command)),
            Some((name, None)) => self.refuse_command(name),
            None => self.change_keys(|choice| *choice = KeyChoice::default()),
        }
    }

    fn refuse_command(&mut self, CommandName(name): &CommandName) {
        self.report(&say!(
            "line-there-is-no-command",
            line = format!("{name:?}")
        ));
    }

    /// Changes the chosen keys. With an open trace the change can be undone.
    fn change_keys(&mut self, change: impl FnOnce(&mut KeyChoice)) {
        let before = self.settings.keys.clone();
        change(&mut self.settings.keys);
        if self.settings.keys == before {
            return;
        }
        if self.workspace.is_some() {
            self.program.undo.keep(UndoSnapshot::Keys(before));
        }
        self.apply_keys();
    }

    /// Lets the user choose a file, and writes the chosen keys to it.
    pub(super) fn export_keys(&mut self) {
        let text = keys_text(&self.settings.keys);
        let name = "stepback-keys.toml".to_owned();
        self.ask_for_file(FilePurpose::Save { name, text });
    }

    /// Imports keys from a file; without a path the user chooses one.
    pub(super) fn import_keys(&mut self, path: Option<PathBuf>) {
        let Some(path) = path else {
            return self.ask_for_file(FilePurpose::Keys);
        };
        let read = move |_: &stepback_index::Cancel| {
            let metadata = std::fs::metadata(&path)?;
            anyhow::ensure!(
                metadata.is_file() && metadata.len() < 1 << 20,
                "{}",
                say!("preferences-no-keys", path = format!("{path:?}"))
            );
            Ok(std::fs::read_to_string(&path)?)
        };
        self.imported_keys = Some(self.program.worker.spawn(JobLane::Short, read));
    }

    /// Applies a change of the fonts.
    pub(super) fn change_fonts(&mut self, change: FontChange) {
        match change {
            FontChange::File(role, None) => return self.ask_for_file(FilePurpose::Font(role)),
            FontChange::File(role, Some(path)) => {
                let mut choice = self.settings.fonts.clone();
                *choice.file_mut(role) = Some(path);
                return self.read_fonts(choice);
            }
            FontChange::BuiltIn(role) => *self.settings.fonts.file_mut(role) = None,
            FontChange::InterfaceText(direction) => self.settings.fonts.scale_interface(direction),
        }
        self.read_fonts(self.settings.fonts.clone());
        self.keep_settings();
    }

    /// Starts loading fonts.
    pub(super) fn read_fonts(&mut self, choice: FontChoice) {
        self.fonts = Some(
            self.folder_worker
                .spawn(JobLane::Short, move |_| Ok(LoadedFonts::of(choice))),
        );
    }

    /// Applies loaded fonts. If a previously chosen file can no longer be used, the built-in font
    /// replaces it. If a newly chosen file cannot be used, nothing changes.
    pub(super) fn take_fonts(&mut self) {
        let Some(read) = self.fonts.as_ref().and_then(Ticket::take) else {
            return;
        };
        self.fonts = None;
        match read {
            Ok(read) => {
                let is_new = |role| read.choice.file(role) != self.settings.fonts.file(role);
                let mut is_refused = false;
                for FontProblem { role, why } in &read.problems {
                    let words = match is_new(*role) {
                        true => say!("font-refused", error = why),
                        false => say!("font-not-read", error = why),
                    };
                    is_refused |= is_new(*role);
                    self.toasts.show(Tone::Warning, &words);
                }
                if is_refused {
                    return;
                }
                if read.choice != self.settings.fonts {
                    self.settings.fonts = read.choice;
                    self.keep_settings();
                }
                install_fonts(&self.context, &read.fonts);
                self.context.request_repaint();
            }
            Err(error) => self.report(&format!("{error:#}")),
        }
    }
}

/// Fonts loaded from files.
pub struct LoadedFonts {
    pub choice: FontChoice,
    pub fonts: FontSetup,
    pub problems: Vec<FontProblem>,
}

/// A font file that cannot be used, with the reason.
pub struct FontProblem {
    pub role: FontRole,
    /// The reason, with the name of the file.
    pub why: String,
}

impl LoadedFonts {
    /// Loads the chosen fonts.
    pub fn of(choice: FontChoice) -> Self {
        let mut fonts = FontSetup {
            interface_scale: choice.interface_percent as f32 / 100.0,
            ..FontSetup::default()
        };
        let mut problems = Vec::new();
        for role in [FontRole::Interface, FontRole::FixedWidth] {
            match choice.file(role).map(|file| UserFonts::read(file, role)) {
                Some(Ok(faces)) => fonts.own.extend(faces),
                Some(Err(error)) => {
                    problems.push(FontProblem {
                        role,
                        why: format!("{error:#}"),
                    });
                }
                None => {}
            }
        }
        Self {
            choice,
            fonts,
            problems,
        }
    }
}

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
