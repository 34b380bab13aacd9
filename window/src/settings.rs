//! Settings that are saved between runs.

use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};
use stepback_debugger::action::{FindQuery, FontRole, ThemeChoice};
use stepback_debugger::desk::recent::RecentTrace;
use stepback_debugger::desk::{HISTORY, recent};
use stepback_debugger::keymap::KeyChoice;
use stepback_debugger::messages::LanguageChoice;
use stepback_debugger::model::SourceChoice;
use stepback_debugger::program::UserLayout;
use stepback_debugger::session::Session;
use stepback_debugger::source::{SourceMap, SourceMapping};

use super::browser::SortOrder;
use crate::damaged_file;
use crate::theme::{ColorPalette, install_styles};

/// Settings, saved by eframe as RON in the user's data directory. Fields that an older version did
/// not write get their defaults.
#[derive(Serialize, Deserialize)]
#[serde(default)]
pub struct Settings {
    pub theme: ThemeChoice,
    pub language: LanguageChoice,
    /// Zoom factor; 1 is normal.
    pub zoom: f32,
    pub fonts: FontChoice,
    /// Recently opened traces, the newest first.
    pub recent: Vec<RecentTrace>,
    /// Names of the commands most recently run from the palette, the newest first.
    pub recent_commands: Vec<String>,
    /// Search history, the newest first.
    pub searches: Vec<FindQuery>,
    /// Moved source directories, by the image that refers to them, the newest last.
    pub moved_sources: Vec<MovedSources>,
    /// The rows of the trace show their source lines.
    pub has_row_lines: bool,
    /// Layouts of the user, the newest last.
    pub layouts: Vec<UserLayout>,
    /// Uses the program's file browser even if the desktop has a file dialog.
    pub uses_own_browser: bool,
    /// Display options of the file browser.
    pub file_order: SortOrder,
    /// Last folder of the file browser.
    #[serde(with = "stepback_debugger::paths")]
    pub file_folder: Option<PathBuf>,
    /// Chosen keys. They are saved only in the settings file.
    #[serde(skip)]
    pub keys: KeyChoice,
}

/// Allowed zoom factors.
const ZOOM: std::ops::RangeInclusive<f32> = 0.5..=3.0;
/// Width in pixels from which a screen needs a larger text than the usual.
const FINE_SCREEN: f32 = 3840.0;
/// Maximum number of the user's layouts.
pub const LAYOUTS: usize = 50;
/// Maximum number of remembered commands.
const COMMANDS: usize = 5;
/// Allowed sizes of interface text relative to code, in percent. At larger sizes labels overlap.
pub const INTERFACE_PERCENT: std::ops::RangeInclusive<i64> = 80..=120;
/// Maximum number of moved source directories.
const MAPPINGS: usize = 50;
/// Maximum length in bytes of a remembered search.
const SEARCH_BYTES: usize = 4096;

/// Returns the zoom factor of the first run on a screen, given its scale factor and its width in
/// pixels. Some desktops report no scale factor for screens whose text would be tiny.
pub fn first_zoom(scale: f32, width: f32) -> f32 {
    if scale <= 1.0 && width >= FINE_SCREEN {
        1.5
    } else {
        1.0
    }
}

/// A moved source directory of an image. Other images may use the same name for another directory.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct MovedSources {
    #[serde(with = "stepback_debugger::paths")]
    pub image: PathBuf,
    /// The directory's old and new place.
    pub mapping: SourceMapping,
}

/// Fonts chosen by the user.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct FontChoice {
    /// Size of interface text relative to code, in percent.
    pub interface_percent: i64,
    /// Font file for interface text.
    #[serde(with = "stepback_debugger::paths")]
    pub interface: Option<PathBuf>,
    /// Font file for code and numbers.
    #[serde(with = "stepback_debugger::paths")]
    pub fixed_width: Option<PathBuf>,
}

impl Default for FontChoice {
    fn default() -> Self {
        Self {
            interface_percent: 100,
            interface: None,
            fixed_width: None,
        }
    }
}

impl FontChoice {
    /// Returns the font file of a role.
    pub fn file(&self, role: FontRole) -> Option<&Path> {
        match role {
            FontRole::Interface => self.interface.as_deref(),
            FontRole::FixedWidth => self.fixed_width.as_deref(),
        }
    }

    /// Returns the font file of a role, to change it.
    pub fn file_mut(&mut self, role: FontRole) -> &mut Option<PathBuf> {
        match role {
            FontRole::Interface => &mut self.interface,
            FontRole::FixedWidth => &mut self.fixed_width,
        }
    }

    /// Makes interface text larger (1), smaller (-1) or normal (0), within limits.
    pub fn scale_interface(&mut self, direction: i8) {
        let percent = if direction == 0 {
            100
        } else {
            self.interface_percent + 5 * i64::from(direction)
        };
        self.interface_percent =
            percent.clamp(*INTERFACE_PERCENT.start(), *INTERFACE_PERCENT.end());
    }
}

impl MovedSources {
    fn is_of(&self, session: &Session) -> bool {
        let images = session.images.infos().iter();
        images
            .filter_map(|info| std::path::absolute(&info.spec.path).ok())
            .any(|path| path == self.image)
    }
}

impl Default for Settings {
    fn default() -> Self {
        let theme = ThemeChoice::default();
        Self {
            theme,
            language: LanguageChoice::default(),
            zoom: 1.0,
            fonts: FontChoice::default(),
            recent: Vec::new(),
            recent_commands: Vec::new(),
            searches: Vec::new(),
            moved_sources: Vec::new(),
            has_row_lines: true,
            layouts: Vec::new(),
            uses_own_browser: false,
            file_order: SortOrder::default(),
            file_folder: None,
            keys: KeyChoice::default(),
        }
    }
}

impl Settings {
    /// Loads the settings of the last run.
    pub fn load(storage: &dyn eframe::Storage) -> Self {
        let settings: Option<Self> = storage
            .get_string(eframe::APP_KEY)
            .and_then(|text| damaged_file::read(&text));
        settings.unwrap_or_default().within_limits()
    }

    /// Limits every value to the range that the program itself allows: the file may come from
    /// anywhere.
    fn within_limits(mut self) -> Self {
        self.zoom = if self.zoom.is_finite() {
            self.zoom.clamp(*ZOOM.start(), *ZOOM.end())
        } else {
            1.0
        };
        let percent = self.fonts.interface_percent;
        self.fonts.interface_percent =
            percent.clamp(*INTERFACE_PERCENT.start(), *INTERFACE_PERCENT.end());
        self.recent
            .retain(|recent| !recent.path.as_os_str().is_empty());
        self.recent.truncate(recent::LIMIT);
        self.recent
            .iter_mut()
            .for_each(RecentTrace::keep_within_limits);
        self.layouts.truncate(LAYOUTS);
        self.recent_commands.truncate(COMMANDS);
        self.searches.truncate(HISTORY);
        self.searches
            .retain(|question| question.text.len() <= SEARCH_BYTES);
        let surplus = self.moved_sources.len().saturating_sub(MAPPINGS);
        self.moved_sources.drain(..surplus);
        self
    }

    /// Saves the settings for the next run.
    pub fn save(&self, storage: &mut dyn eframe::Storage) {
        eframe::set_value(storage, eframe::APP_KEY, self);
    }

    /// Applies the theme and the zoom factor.
    pub fn apply(&self, context: &egui::Context) {
        let is_safe = matches!(self.theme, ThemeChoice::SafeDark | ThemeChoice::SafeLight);
        if is_safe {
            ColorPalette::Safe
        } else {
            ColorPalette::Usual
        }
        .take_effect();
        context.set_theme(match self.theme {
            ThemeChoice::System => egui::ThemePreference::System,
            ThemeChoice::Dark | ThemeChoice::SafeDark => egui::ThemePreference::Dark,
            ThemeChoice::Light | ThemeChoice::SafeLight => egui::ThemePreference::Light,
        });
        install_styles(context);
        context.set_zoom_factor(self.zoom);
    }

    /// Zooms in (1), out (-1) or to normal size (0), within limits.
    pub fn zoom_by(&mut self, direction: i8) {
        self.zoom = match direction {
            0 => 1.0,
            1.. => (self.zoom + 0.1).min(*ZOOM.end()),
            _ => (self.zoom - 0.1).max(*ZOOM.start()),
        };
    }

    /// Returns the choices about the sources of a trace, including the mappings of the command
    /// line, which take precedence.
    pub fn source_choice(&self, session: &Session) -> SourceChoice {
        let kept = self
            .moved_sources
            .iter()
            .filter(|moved| moved.is_of(session));
        let mut map = SourceMap::new(Vec::new());
        kept.for_each(|moved| map.add(moved.mapping.clone()));
        session
            .source_map
            .mappings()
            .iter()
            .for_each(|mapping| map.add(mapping.clone()));
        SourceChoice {
            map,
            is_in_rows: self.has_row_lines,
        }
    }

    /// Records the new place of a source directory of an image.
    pub fn add_source_mapping(&mut self, image: PathBuf, mapping: SourceMapping) {
        let image = std::path::absolute(&image).unwrap_or(image);
        self.moved_sources
            .retain(|known| known.image != image || known.mapping.from != mapping.from);
        self.moved_sources.push(MovedSources { image, mapping });
        let surplus = self.moved_sources.len().saturating_sub(MAPPINGS);
        self.moved_sources.drain(..surplus);
    }

    /// Removes the moved source directories of a trace's images.
    pub fn forget_source_mappings(&mut self, session: &Session) {
        self.moved_sources.retain(|moved| !moved.is_of(session));
    }

    /// Moves a command to the top of the recent ones.
    pub fn remember_command(&mut self, name: &str) {
        self.recent_commands.retain(|other| other != name);
        self.recent_commands.insert(0, name.to_owned());
        self.recent_commands.truncate(COMMANDS);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[derive(Default)]
    struct MemoryStorage(std::collections::HashMap<String, String>);

    impl eframe::Storage for MemoryStorage {
        fn get_string(&self, key: &str) -> Option<String> {
            self.0.get(key).cloned()
        }

        fn set_string(&mut self, key: &str, value: String) {
            self.0.insert(key.to_owned(), value);
        }

        fn remove_string(&mut self, key: &str) {
            self.0.remove(key);
        }

        fn flush(&mut self) {}
    }

    fn loaded(key: &str, text: &str) -> Settings {
        let mut stored = MemoryStorage::default();
        eframe::Storage::set_string(&mut stored, key, text.to_owned());
        Settings::load(&stored)
    }

    #[test]
    fn text_is_larger_on_a_fine_screen_without_scale() {
        assert_eq!(first_zoom(1.0, 1920.0), 1.0);
        assert_eq!(first_zoom(1.0, 3840.0), 1.5);
        assert_eq!(first_zoom(2.0, 3840.0), 1.0);
    }

    #[test]
    fn a_zoom_that_nobody_can_see_is_brought_within_limits() {
        for (text, zoom) in [
            ("-1.0", 0.5),
            ("0.0", 0.5),
            ("1e30", 3.0),
            ("NaN", 1.0),
            ("inf", 1.0),
            ("2.0", 2.0),
        ] {
            let settings = loaded(eframe::APP_KEY, &format!("(theme:Dark,zoom:{text})"));
            assert_eq!(
                (settings.zoom, settings.theme),
                (zoom, ThemeChoice::Dark),
                "{text}"
            );
            settings.apply(&egui::Context::default());
        }
    }

    #[test]
    fn a_field_that_cannot_be_read_costs_itself_alone() {
        let settings = loaded(
            eframe::APP_KEY,
            "(theme:Dark,zoom:large,recent:7,has_row_lines:false)",
        );
        assert_eq!(
            (settings.theme, settings.zoom, settings.has_row_lines),
            (ThemeChoice::Dark, 1.0, false)
        );
    }
}
