//! The user's settings in a file that is read and written by hand as well.
//!
//! ```toml
//! theme = "colour-blind dark"
//! text-size = 120
//!
//! [keys]
//! "Step over" = ["F6", "N"]
//! ```

use std::fs;
use std::path::{Path, PathBuf};

use anyhow::{Context as _, Result};
use toml::{Table, Value};

use super::settings::Settings;
use crate::action::ThemeChoice;
use crate::keymap::KeyChoice;
use crate::messages::{LanguageChoice, say};
use crate::worker::{Lane, Ticket, Worker};

/// A longer file is not of ours.
const LIMIT_BYTES: u64 = 1 << 20;

const THEMES: [(&str, ThemeChoice); 5] = [
    ("system", ThemeChoice::System),
    ("dark", ThemeChoice::Dark),
    ("light", ThemeChoice::Light),
    ("colour-blind dark", ThemeChoice::SafeDark),
    ("colour-blind light", ThemeChoice::SafeLight),
];

const LANGUAGES: [(&str, LanguageChoice); 3] =
    [("system", LanguageChoice::System), ("english", LanguageChoice::English), ("french", LanguageChoice::French)];

/// The file in which settings are kept.
pub struct SettingsFile {
    path: PathBuf,
    /// The settings as they were read or written last: only what was changed here is written.
    text: String,
    writing: Option<Ticket<()>>,
}

/// Where the user's settings are; none where the system tells no such place.
pub fn settings_path() -> Option<PathBuf> {
    Some(directories::BaseDirs::new()?.config_dir().join("stepback/settings.toml"))
}

impl SettingsFile {
    /// Reads a file into settings. Returns what of it cannot be used.
    pub fn open(path: PathBuf, settings: &mut Settings) -> (Self, Vec<String>) {
        let problems = match read(&path) {
            Ok(Some(text)) => read_text(&text, settings).into_iter().map(|why| format!("{why}: {path:?}")).collect(),
            Ok(None) => Vec::new(),
            Err(error) => vec![say!("settings-not-read", error = format!("{error:#}"))],
        };
        (Self { path, text: text_of(settings), writing: None }, problems)
    }

    /// Where it is.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// Writes settings that were changed.
    pub fn keep(&mut self, settings: &Settings, worker: &Worker) {
        let text = text_of(settings);
        if text == self.text {
            return;
        }
        self.text.clone_from(&text);
        let path = self.path.clone();
        self.writing = Some(worker.spawn(Lane::Short, move |_| write(&path, &text)));
    }

    /// Why settings could not be written.
    pub fn take_error(&mut self) -> Option<anyhow::Error> {
        let result = self.writing.as_ref()?.take()?;
        self.writing = None;
        result.err()
    }
}

/// None where there is no file.
fn read(path: &Path) -> Result<Option<String>> {
    let Ok(metadata) = path.metadata() else { return Ok(None) };
    anyhow::ensure!(
        metadata.is_file() && metadata.len() <= LIMIT_BYTES,
        "{}",
        say!("settings-no-file", path = format!("{path:?}"))
    );
    fs::read_to_string(path).map(Some).with_context(|| format!("{path:?}"))
}

/// Another program never sees half of it.
fn write(path: &Path, text: &str) -> Result<()> {
    let told = || say!("settings-not-kept", path = format!("{path:?}"));
    if let Some(folder) = path.parent() {
        fs::create_dir_all(folder).with_context(told)?;
    }
    let partial = path.with_extension("toml.partial");
    fs::write(&partial, text).and_then(|()| fs::rename(&partial, path)).with_context(told)
}

/// All settings of the file.
fn text_of(settings: &Settings) -> String {
    let quoted = |text: &str| Value::from(text).to_string();
    let theme = THEMES.iter().find(|(_, choice)| *choice == settings.theme).map_or("system", |(name, _)| name);
    let language = LANGUAGES.iter().find(|(_, choice)| *choice == settings.language).map_or("system", |(name, _)| name);
    let names = |list: &[&str]| list.join(", ");
    let mut lines = vec![
        "# Settings of Stepback. What cannot be read is told when the program starts.".to_owned(),
        String::new(),
        format!("# {}", names(&THEMES.map(|(name, _)| name))),
        format!("theme = {}", quoted(theme)),
        format!("# {}", names(&LANGUAGES.map(|(name, _)| name))),
        format!("language = {}", quoted(language)),
        "# In per cent, 50 to 300".to_owned(),
        format!("text-size = {}", (settings.zoom * 100.0).round()),
        format!("source-lines-in-rows = {}", settings.has_row_lines),
        format!("own-file-browser = {}", settings.uses_own_browser),
    ];
    lines.push(String::new());
    lines.push(keys_text(&settings.keys));
    lines.join("\n")
}

/// The keys that were chosen, for this file and for one that is given to others.
pub fn keys_text(keys: &KeyChoice) -> String {
    let mut text =
        "# Keys that differ from those of the program, by command: \"Step over\" = [\"F10\", \"N\"]\n[keys]\n"
            .to_owned();
    for (name, keys) in keys.written() {
        text.push_str(&format!("{} = {}\n", Value::from(name), Value::from(keys)));
    }
    text
}

/// Takes over what stands in a text. Returns what of it cannot be used.
fn read_text(text: &str, settings: &mut Settings) -> Vec<String> {
    let table: Table = match text.parse() {
        Ok(table) => table,
        Err(error) => return vec![say!("settings-not-read", error = first_line(&error.to_string()).to_owned())],
    };
    let mut problems = Vec::new();
    for (name, value) in &table {
        let is_good = match (name.as_str(), value) {
            ("theme", Value::String(text)) => take(&mut settings.theme, chosen(&THEMES, text)),
            ("language", Value::String(text)) => take(&mut settings.language, chosen(&LANGUAGES, text)),
            ("text-size", Value::Integer(size @ 50..=300)) => take(&mut settings.zoom, Some(*size as f32 / 100.0)),
            ("source-lines-in-rows", Value::Boolean(is_on)) => take(&mut settings.has_row_lines, Some(*is_on)),
            ("own-file-browser", Value::Boolean(is_on)) => take(&mut settings.uses_own_browser, Some(*is_on)),
            ("keys", Value::Table(_)) => true,
            _ => false,
        };
        if !is_good {
            problems.push(say!("settings-unusable", setting = format!("{name} = {value}")));
        }
    }
    problems.extend(read_keys(&table, &mut settings.keys));
    problems
}

/// Takes over the keys of a text that somebody exported, or of a whole file of settings.
///
/// # Errors
/// It is no such file.
pub fn keys_in(text: &str, keys: &mut KeyChoice) -> Result<Vec<String>> {
    let table: Table = text.parse().map_err(|error: toml::de::Error| anyhow::anyhow!("{}", error.message()))?;
    anyhow::ensure!(table.get("keys").is_some_and(Value::is_table), "{}", say!("settings-no-keys-in-it"));
    Ok(read_keys(&table, keys))
}

fn read_keys(table: &Table, keys: &mut KeyChoice) -> Vec<String> {
    let chosen = table.get("keys").and_then(Value::as_table).into_iter().flatten();
    let read = |(name, value): (&String, &Value)| {
        let text = |key: &Value| key.as_str().map(str::to_owned);
        let texts: Option<Vec<String>> = value.as_array().and_then(|list| list.iter().map(text).collect());
        match texts {
            Some(texts) => keys.read(name, &texts).err(),
            None => Some(say!("settings-keys-are-lists", name = format!("{name:?}"))),
        }
    };
    chosen.filter_map(read).collect()
}

fn first_line(text: &str) -> &str {
    text.lines().next().unwrap_or_default()
}

fn chosen<C: Copy>(names: &[(&str, C)], text: &str) -> Option<C> {
    names.iter().find(|(name, _)| *name == text).map(|(_, choice)| *choice)
}

fn take<V>(place: &mut V, value: Option<V>) -> bool {
    value.map(|value| *place = value).is_some()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::keymap::{command, read_key};

    #[test]
    fn settings_are_read_as_they_were_written() {
        let mut settings = Settings { theme: ThemeChoice::SafeLight, zoom: 1.3, ..Settings::default() };
        settings.keys.set(command("Step over").unwrap(), &[read_key("Ctrl+F5").unwrap()]);
        settings.uses_own_browser = true;
        let mut read = Settings::default();
        assert_eq!(read_text(&text_of(&settings), &mut read), [""; 0]);
        assert_eq!(text_of(&read), text_of(&settings));
        assert_eq!((read.theme, read.zoom), (ThemeChoice::SafeLight, 1.3));
        assert_eq!(read.keys, settings.keys);
    }

    #[test]
    fn what_cannot_be_used_is_told_and_costs_itself_alone() {
        let mut settings = Settings::default();
        let text = "theme = \"pink\"\ntext-size = 9000\nown-file-browser = true\nnew-thing = 1\n\
                    [keys]\n\"Dance\" = [\"A\"]\n\"Reload\" = [\"F5\"]\n\"Step\" = 7\n";
        let told = read_text(text, &mut settings);
        assert_eq!(told.len(), 5, "{told:?}");
        assert!(told[0].starts_with("a setting cannot be used: "), "{told:?}");
        assert!(settings.uses_own_browser && settings.zoom == 1.0);
        assert_eq!(settings.keys.keys_of(command("Reload").unwrap()), [read_key("F5").unwrap()]);
        assert_eq!(read_text("theme = ", &mut settings).len(), 1);
    }

    #[test]
    fn only_what_was_changed_is_written() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("deep/settings.toml");
        let (mut settings, worker) = (Settings::default(), Worker::synchronous());
        let (mut file, told) = SettingsFile::open(path.clone(), &mut settings);
        assert_eq!(told, [""; 0]);
        file.keep(&settings, &worker);
        assert!(!path.exists());
        settings.theme = ThemeChoice::Light;
        file.keep(&settings, &worker);
        assert!(fs::read_to_string(&path).unwrap().contains("theme = \"light\""));
        assert!(file.take_error().is_none());
        // What stands in its way is told.
        let (mut file, _) = SettingsFile::open(path.join("settings.toml"), &mut Settings::default());
        file.keep(&settings, &worker);
        assert!(file.take_error().is_some());
    }
}
