//! Settings file, read and written by both the program and the user.
//!
//! ```toml
//! theme = "colour-blind dark"
//! text-size = 120
//!
//! [keys]
//! "Step over" = ["F6", "N"]
//! ```

use std::fs;
use std::io::{ErrorKind, Read as _};
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use anyhow::{Context as _, Result};
use stepback_debugger::action::ThemeChoice;
use stepback_debugger::keymap::KeyChoice;
use stepback_debugger::messages::{LanguageChoice, say};
use stepback_debugger::new_file::NewFile;
use stepback_debugger::paths::SerializedPaths as _;
use stepback_debugger::worker::{JobLane, Ticket, Worker};
use toml::{Table, Value};

use super::damaged_file::put_aside;
use super::settings::{INTERFACE_PERCENT, Settings};

/// Maximum length of the file; longer ones were not written by the program.
const LIMIT_BYTES: u64 = 1 << 20;
/// Maximum number of problems reported individually.
const STATED: usize = 5;
/// Entries that this version knows.
const KNOWN: [&str; 9] = [
    "theme",
    "language",
    "text-size",
    "interface-text",
    "interface-font",
    "fixed-width-font",
    "source-lines-in-rows",
    "own-file-browser",
    "keys",
];

/// First words of the key section.
const KEYS_HEAD: &str = "# Keys that differ from those of the program";

const THEMES: [(&str, ThemeChoice); 5] = [
    ("system", ThemeChoice::System),
    ("dark", ThemeChoice::Dark),
    ("light", ThemeChoice::Light),
    ("colour-blind dark", ThemeChoice::SafeDark),
    ("colour-blind light", ThemeChoice::SafeLight),
];

pub struct SettingsFile {
    path: PathBuf,
    /// The settings as they were last read, or last queued for writing.
    text: String,
    wanted: Arc<PendingSettings>,
    writing: Option<Ticket<Option<PathBuf>>>,
}

/// Text to be written, shared with the job that writes it.
struct PendingSettings {
    text: Mutex<Option<String>>,
    /// The settings as this run last read or wrote them. Only values that differ from these were
    /// changed in this run and overwrite values in the file. The writer holds the lock, so that
    /// only one writes at a time.
    known: Mutex<String>,
}

impl PendingSettings {
    /// Writes the latest text, unless another job already did. Returns the path under which an
    /// unreadable file was put aside.
    fn write(&self, path: &Path) -> Result<Option<PathBuf>> {
        let mut known = locked(&self.known);
        let Some(text) = locked(&self.text).take() else {
            return Ok(None);
        };
        let aside = write(path, &text, &known)?;
        *known = text;
        Ok(aside)
    }
}

fn locked<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

impl SettingsFile {
    /// Reads a file into `settings`. Returns the problems found.
    pub fn open(path: PathBuf, settings: &mut Settings) -> (Self, Vec<String>) {
        let problems = match read(&path) {
            Ok(Some(text)) => read_text(&text, settings)
                .into_iter()
                .map(|why| format!("{why}: {path:?}"))
                .collect(),
            Ok(None) => Vec::new(),
            Err(error) => vec![say!("settings-not-read", error = format!("{error:#}"))],
        };
        let text = text_of(settings);
        let wanted = Arc::new(PendingSettings {
            text: Mutex::default(),
            known: Mutex::new(text.clone()),
        });
        (
            Self {
                path,
                text,
                wanted,
                writing: None,
            },
            some_of(problems),
        )
    }

    pub fn path(&self) -> &Path {
        &self.path
    }

    /// Writes the settings if they changed.
    pub fn keep(&mut self, settings: &Settings, worker: &Worker) {
        let text = text_of(settings);
        if text == self.text {
            return;
        }
        self.text.clone_from(&text);
        *locked(&self.wanted.text) = Some(text);
        let (path, wanted) = (self.path.clone(), self.wanted.clone());
        self.writing = Some(worker.spawn(JobLane::Short, move |_| wanted.write(&path)));
    }

    /// Returns the outcome of writing: the path of an unreadable file that was put aside, if any,
    /// or the error.
    pub fn take_written(&mut self) -> Option<Result<Option<PathBuf>>> {
        let result = self.writing.as_ref()?.take()?;
        self.writing = None;
        Some(result)
    }

    /// Waits until everything is written, at the end of the program.
    pub fn finish(&self) {
        // At the end of the program nobody can see the error.
        let _untold = self.wanted.write(&self.path);
    }
}

/// Reads the file. Returns none if it does not exist.
fn read(path: &Path) -> Result<Option<String>> {
    let Some(bytes) = read_bytes(path)? else {
        return Ok(None);
    };
    String::from_utf8(bytes)
        .map(Some)
        .with_context(|| format!("{path:?}"))
}

fn read_bytes(path: &Path) -> Result<Option<Vec<u8>>> {
    let metadata = match path.metadata() {
        Err(error) if error.kind() == ErrorKind::NotFound => return Ok(None),
        metadata => metadata.with_context(|| format!("{path:?}"))?,
    };
    anyhow::ensure!(
        metadata.is_file() && metadata.len() <= LIMIT_BYTES,
        "{}",
        say!("settings-no-file", path = format!("{path:?}"))
    );
    let mut bytes = Vec::new();
    fs::File::open(path)?
        .take(LIMIT_BYTES)
        .read_to_end(&mut bytes)
        .with_context(|| format!("{path:?}"))?;
    Ok(Some(bytes))
}

/// Writes the settings atomically, so that another program never sees a partial file. Changes by
/// others stay, unless the entry was changed in this run. An unreadable file is put aside, and its
/// path is returned.
fn write(path: &Path, text: &str, known: &str) -> Result<Option<PathBuf>> {
    let stated = || say!("settings-not-kept", path = format!("{path:?}"));
    if let Some(folder) = path.parent() {
        fs::create_dir_all(folder).with_context(stated)?;
    }
    // A symbolic link is kept, and its target is written.
    let place = fs::canonicalize(path).unwrap_or_else(|_| path.to_owned());
    let before = read_bytes(&place).with_context(stated)?;
    let table = before
        .as_ref()
        .map(|bytes| std::str::from_utf8(bytes).ok()?.parse::<Table>().ok());
    let aside = match (&before, &table) {
        (Some(bytes), Some(None)) => Some(put_aside(&place, bytes).with_context(stated)?),
        _ => None,
    };
    let text = match table.flatten() {
        Some(table) => merged(text, known, table),
        None => text.to_owned(),
    };
    NewFile::write_whole(&place, text.as_bytes()).with_context(stated)?;
    Ok(aside)
}

/// Merges the settings into a file that others write too. Only entries that differ from `known`
/// replace those of the file.
fn merged(text: &str, known: &str, file: Table) -> String {
    let parts = |mut table: Table| {
        let keys = table.remove("keys");
        (
            table,
            keys.and_then(|keys| keys.as_table().cloned())
                .unwrap_or_default(),
        )
    };
    let read = |text: &str| parts(text.parse().unwrap_or_default());
    let (ours, our_keys) = read(text);
    let (known, known_keys) = read(known);
    let (mut file, file_keys) = parts(file);
    // The key section is the last one of the text.
    let (head, tail) = text.split_at(text.find(KEYS_HEAD).unwrap_or(text.len()));
    let mut merged = String::new();
    for line in head.lines() {
        let name = line
            .split_once(" = ")
            .map(|(name, _)| name)
            .filter(|name| KNOWN.contains(name));
        let theirs = name.and_then(|name| Some((name, file.remove(name)?)));
        match theirs.filter(|(name, _)| ours.get(*name) == known.get(*name)) {
            Some((name, value)) => merged.push_str(&format!("{name} = {value}\n")),
            None => merged.push_str(&format!("{line}\n")),
        }
    }
    if !file.is_empty() {
        merged.push_str(&format!("{file}\n"));
    }
    merged.extend(tail.lines().take(2).flat_map(|line| [line, "\n"]));
    let mut keys = file_keys;
    for name in our_keys
        .keys()
        .chain(known_keys.keys())
        .filter(|name| our_keys.get(*name) != known_keys.get(*name))
    {
        match our_keys.get(name) {
            Some(ours) => _ = keys.insert(name.clone(), ours.clone()),
            None => _ = keys.remove(name),
        }
    }
    format!("{merged}{keys}")
}

/// Returns the first few problems, and the number of further ones.
pub fn some_of(mut problems: Vec<String>) -> Vec<String> {
    let more = problems.len().saturating_sub(STATED);
    problems.truncate(STATED);
    if more > 0 {
        problems.push(say!("toasts-more", number = more as u64));
    }
    problems
}

/// Returns the text of all settings in the file.
fn text_of(settings: &Settings) -> String {
    let quoted = |text: &str| Value::from(text).to_string();
    let theme = THEMES
        .iter()
        .find(|(_, choice)| *choice == settings.theme)
        .map_or("system", |(name, _)| name);
    let language = LanguageChoice::NAMES
        .iter()
        .find(|(_, choice)| *choice == settings.language)
        .map_or("system", |(name, _)| name);
    let file = |path: &Option<PathBuf>| {
        let kept = path
            .as_ref()
            .and_then(|path| Value::try_from(path.to_kept()).ok());
        kept.unwrap_or_else(|| Value::from("")).to_string()
    };
    let names = |list: &[&str]| list.join(", ");
    let mut lines = vec![
        "# Settings of Stepback. Entries that cannot be read are reported when the program starts."
            .to_owned(),
        String::new(),
        format!("# {}", names(&THEMES.map(|(name, _)| name))),
        format!("theme = {}", quoted(theme)),
        format!("# {}", names(&LanguageChoice::NAMES.map(|(name, _)| name))),
        format!("language = {}", quoted(language)),
        "# In per cent, 50 to 300".to_owned(),
        format!("text-size = {}", (settings.zoom * 100.0).round()),
        format!(
            "# In per cent beside code, {} to {}",
            INTERFACE_PERCENT.start(),
            INTERFACE_PERCENT.end()
        ),
        format!("interface-text = {}", settings.fonts.interface_percent),
        "# Paths of files, .ttf or .otf; empty: the fonts of the program".to_owned(),
        format!("interface-font = {}", file(&settings.fonts.interface)),
        format!("fixed-width-font = {}", file(&settings.fonts.fixed_width)),
        format!("source-lines-in-rows = {}", settings.has_row_lines),
        format!("own-file-browser = {}", settings.uses_own_browser),
    ];
    lines.push(String::new());
    lines.push(keys_text(&settings.keys));
    lines.join("\n")
}

/// Returns the text of the chosen keys, for this file and for export.
pub fn keys_text(keys: &KeyChoice) -> String {
    let mut text = format!("{KEYS_HEAD}, by command: \"Step over\" = [\"F10\", \"N\"]\n[keys]\n");
    for (name, keys) in keys.written() {
        text.push_str(&format!("{} = {}\n", Value::from(name), Value::from(keys)));
    }
    text
}

/// Reads settings from a text. Returns the problems found.
fn read_text(text: &str, settings: &mut Settings) -> Vec<String> {
    let table: Table = match text.parse() {
        Ok(table) => table,
        Err(error) => {
            return vec![say!(
                "settings-not-read",
                error = first_line(&error.to_string()).to_owned()
            )];
        }
    };
    let mut problems = Vec::new();
    for (name, value) in &table {
        let is_good = match (name.as_str(), value) {
            ("theme", Value::String(text)) => take(&mut settings.theme, chosen(&THEMES, text)),
            ("language", Value::String(text)) => {
                take(&mut settings.language, chosen(&LanguageChoice::NAMES, text))
            }
            ("text-size", Value::Integer(size @ 50..=300)) => {
                take(&mut settings.zoom, Some(*size as f32 / 100.0))
            }
            ("interface-text", Value::Integer(size)) if INTERFACE_PERCENT.contains(size) => {
                take(&mut settings.fonts.interface_percent, Some(*size))
            }
            ("interface-font", path) => take(&mut settings.fonts.interface, font_file(path)),
            ("fixed-width-font", path) => take(&mut settings.fonts.fixed_width, font_file(path)),
            ("source-lines-in-rows", Value::Boolean(is_on)) => {
                take(&mut settings.has_row_lines, Some(*is_on))
            }
            ("own-file-browser", Value::Boolean(is_on)) => {
                take(&mut settings.uses_own_browser, Some(*is_on))
            }
            ("keys", Value::Table(_)) => true,
            _ => false,
        };
        if !is_good {
            problems.push(say!(
                "settings-unusable",
                setting = format!("{name} = {value}")
            ));
        }
    }
    problems.extend(read_keys(&table, &mut settings.keys));
    problems
}

/// Reads the keys from an exported file or a settings file.
///
/// # Errors
/// The text is no such file.
pub fn keys_in(text: &str, keys: &mut KeyChoice) -> Result<Vec<String>> {
    let table: Table = text
        .parse()
        .map_err(|error: toml::de::Error| anyhow::anyhow!("{}", error.message()))?;
    anyhow::ensure!(
        table.get("keys").is_some_and(Value::is_table),
        "{}",
        say!("settings-no-keys-in-it")
    );
    Ok(read_keys(&table, keys))
}

fn read_keys(table: &Table, keys: &mut KeyChoice) -> Vec<String> {
    let chosen = table
        .get("keys")
        .and_then(Value::as_table)
        .into_iter()
        .flatten();
    let read = |(name, value): (&String, &Value)| {
        let text = |key: &Value| key.as_str().map(str::to_owned);
        let texts: Option<Vec<String>> = value
            .as_array()
            .and_then(|list| list.iter().map(text).collect());
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

/// Returns the font file; an empty text means the built-in font. Returns none for a value that is
/// no path.
fn font_file(kept: &Value) -> Option<Option<PathBuf>> {
    let path = PathBuf::from_kept(kept.clone().try_into().ok()?)?;
    Some(Some(path).filter(|path| !path.as_os_str().is_empty()))
}

fn chosen<C: Copy>(names: &[(&str, C)], text: &str) -> Option<C> {
    names
        .iter()
        .find(|(name, _)| *name == text)
        .map(|(_, choice)| *choice)
}

fn take<V>(place: &mut V, value: Option<V>) -> bool {
    value.map(|value| *place = value).is_some()
}

#[cfg(test)]
mod tests {
    use super::*;
    use stepback_debugger::keymap::{command, read_key};

    #[test]
    fn settings_are_read_as_they_were_written() {
        let mut settings = Settings {
            theme: ThemeChoice::SafeLight,
            zoom: 1.3,
            ..Settings::default()
        };
        settings.keys.set(
            command("Step over").unwrap(),
            &[read_key("Ctrl+F5").unwrap()],
        );
        settings.uses_own_browser = true;
        settings.fonts.interface_percent = 90;
        settings.fonts.fixed_width = Some("/fonts/a \"b\".ttf".into());
        let mut read = Settings::default();
        assert_eq!(read_text(&text_of(&settings), &mut read), [""; 0]);
        assert_eq!(text_of(&read), text_of(&settings));
        assert_eq!((read.theme, read.zoom), (ThemeChoice::SafeLight, 1.3));
        assert_eq!((read.keys, read.fonts), (settings.keys, settings.fonts));
    }

    #[cfg(unix)]
    #[test]
    fn a_font_below_a_directory_that_is_not_unicode_is_read_as_it_was_written() {
        use std::os::unix::ffi::OsStringExt as _;

        let mut settings = Settings::default();
        let path = std::ffi::OsString::from_vec(b"/fonts \xff/mono.ttf".to_vec());
        settings.fonts.fixed_width = Some(path.into());
        let mut read = Settings::default();
        assert_eq!(read_text(&text_of(&settings), &mut read), [""; 0]);
        assert_eq!(read.fonts, settings.fonts);
        assert_eq!(
            read_text(
                "interface-font = [70000]\nfixed-width-font = 7\n",
                &mut read
            )
            .len(),
            2
        );
        assert_eq!(read.fonts, settings.fonts);
    }

    #[test]
    fn what_cannot_be_used_is_told_and_costs_itself_alone() {
        let mut settings = Settings::default();
        let text = "theme = \"pink\"\ntext-size = 9000\nown-file-browser = true\nnew-thing = 1\n\
                    [keys]\n\"Dance\" = [\"A\"]\n\"Reload\" = [\"F5\"]\n\"Step\" = 7\n";
        let stated = read_text(text, &mut settings);
        assert_eq!(stated.len(), 5, "{stated:?}");
        assert!(stated[0].starts_with("invalid setting: "), "{stated:?}");
        assert!(settings.uses_own_browser && settings.zoom == 1.0);
        assert_eq!(
            settings.keys.keys_of(command("Reload").unwrap()),
            [read_key("F5").unwrap()]
        );
        assert_eq!(read_text("theme = ", &mut settings).len(), 1);
    }

    #[test]
    fn only_what_was_changed_is_written() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("deep/settings.toml");
        let (mut settings, worker) = (Settings::default(), Worker::synchronous());
        let (mut file, stated) = SettingsFile::open(path.clone(), &mut settings);
        assert_eq!(stated, [""; 0]);
        file.keep(&settings, &worker);
        assert!(!path.exists());
        settings.theme = ThemeChoice::Light;
        file.keep(&settings, &worker);
        assert!(
            fs::read_to_string(&path)
                .unwrap()
                .contains("theme = \"light\"")
        );
        assert_eq!(file.take_written().unwrap().unwrap(), None);
        // An obstacle to writing is reported.
        let (mut file, _) =
            SettingsFile::open(path.join("settings.toml"), &mut Settings::default());
        file.keep(&settings, &worker);
        assert!(file.take_written().unwrap().is_err());
    }

    #[test]
    fn what_a_newer_version_wrote_stays_and_a_damaged_file_is_put_aside() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("settings.toml");
        let newer = "theme = \"dark\"\nnew = 7\n[keys]\n\"Dance\" = [\"F5\"]\n\"Reload\" = [\"F6\"]\n[part]\ndeep = \"x\"\n";
        fs::write(&path, newer).unwrap();
        let (mut settings, worker) = (Settings::default(), Worker::synchronous());
        let (mut file, _) = SettingsFile::open(path.clone(), &mut settings);
        for theme in [ThemeChoice::Light, ThemeChoice::SafeDark] {
            settings.theme = theme;
            file.keep(&settings, &worker);
            assert_eq!(file.take_written().unwrap().unwrap(), None);
        }
        let table: Table = fs::read_to_string(&path).unwrap().parse().unwrap();
        assert_eq!(table["theme"].as_str(), Some("colour-blind dark"));
        assert_eq!(
            (table["new"].as_integer(), table["part"]["deep"].as_str()),
            (Some(7), Some("x"))
        );
        let keys = table["keys"].as_table().unwrap();
        assert!(
            keys.contains_key("Dance") && keys.contains_key("Reload"),
            "{keys}"
        );
        // A partial file may hold all keys that the user chose.
        fs::write(&path, "[keys]\n\"Reload\" = [\"F6\"\n").unwrap();
        settings.theme = ThemeChoice::Dark;
        file.keep(&settings, &worker);
        let aside = file.take_written().unwrap().unwrap().expect("put aside");
        assert!(fs::read_to_string(aside).unwrap().contains("F6"));
    }

    #[test]
    fn what_others_wrote_meanwhile_stays_unless_it_was_changed_here() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("settings.toml");
        fs::write(
            &path,
            "theme = \"neon\"\n[keys]\n\"Find next\" = [\"F6\"]\n\"Reload\" = [\"F5\"]\n",
        )
        .unwrap();
        let (mut settings, worker) = (Settings::default(), Worker::synchronous());
        let (mut file, stated) = SettingsFile::open(path.clone(), &mut settings);
        assert_eq!(stated.len(), 1);
        let others = "theme = \"neon\"\nlanguage = \"french\"\n[keys]\n\"Find next\" = [\"F7\"]\n\"Step\" = 3\n";
        fs::write(&path, others).unwrap();
        settings.zoom = 1.5;
        settings.keys.reset(command("Find next").unwrap());
        file.keep(&settings, &worker);
        let text = fs::read_to_string(&path).unwrap();
        let table: Table = text.parse().unwrap();
        let shown = ["theme", "language"].map(|name| table[name].as_str().unwrap());
        assert_eq!(
            (shown, table["text-size"].as_integer()),
            (["neon", "french"], Some(150)),
            "{text}"
        );
        // "Find next" was changed here and "Reload" removed there. An entry that is no list of keys
        // is left to the user.
        assert_eq!(table["keys"].to_string(), "{ Step = 3 }", "{text}");
    }

    #[test]
    fn many_problems_are_counted() {
        let stated: Vec<String> = (0..9).map(|number| number.to_string()).collect();
        assert_eq!(some_of(stated).len(), STATED + 1);
    }
}
