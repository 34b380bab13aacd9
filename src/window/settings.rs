//! What is kept from one run to the next.

use std::path::PathBuf;

use serde::{Deserialize, Serialize};

use super::recent::RecentTrace;
use crate::action::{Moment, ThemeChoice, WindowId};
use crate::model::SourceChoice;
use crate::panels::Pane;
use crate::session::Session;
use crate::source::{SourceMap, SourceMapping};

/// Kept by eframe as RON in the user's data directory. What an older version did not know has its default.
#[derive(Serialize, Deserialize)]
#[serde(default)]
pub struct Settings {
    /// The theme.
    pub theme: ThemeChoice,
    /// The size of everything, 1 is normal.
    pub zoom: f32,
    /// Traces that were opened, the newest first.
    pub recent: Vec<RecentTrace>,
    /// Names of the commands that the palette ran last, the newest first.
    pub recent_commands: Vec<String>,
    /// Directories of sources that moved, by the image that tells of them, the newest last.
    pub moved_sources: Vec<MovedSources>,
    /// The rows of the trace tell their source lines.
    pub has_row_lines: bool,
    /// The panels. Kept apart, so that a layout that a newer version cannot read costs the layout alone.
    #[serde(skip)]
    pub layout: Option<SavedLayout>,
}

/// More directories of sources are not kept.
const MAPPINGS: usize = 50;
/// The key of the panels in the storage.
const LAYOUT: &str = "layout";

/// A directory of an image's sources that moved. Other images may mean another one by the same name.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct MovedSources {
    /// The image.
    pub image: PathBuf,
    /// What moved where.
    pub mapping: SourceMapping,
}

impl MovedSources {
    fn is_of(&self, session: &Session) -> bool {
        let images = session.images.infos().iter();
        images.filter_map(|info| std::path::absolute(&info.spec.path).ok()).any(|path| path == self.image)
    }
}

/// The panels, and where the windows of the trace were.
#[derive(Serialize, Deserialize)]
pub struct SavedLayout {
    /// The panels with what they follow.
    pub tree: egui_tiles::Tree<Pane>,
    /// The trace that was open.
    pub trace: PathBuf,
    /// The trace windows and where they were.
    pub positions: Vec<(WindowId, Moment)>,
    /// The active trace window.
    pub active: WindowId,
}

impl Default for Settings {
    fn default() -> Self {
        let theme = ThemeChoice::default();
        Self {
            theme,
            zoom: 1.0,
            recent: Vec::new(),
            recent_commands: Vec::new(),
            moved_sources: Vec::new(),
            has_row_lines: true,
            layout: None,
        }
    }
}

impl Settings {
    /// What the last run kept.
    pub fn load(storage: &dyn eframe::Storage) -> Self {
        let settings: Self = eframe::get_value(storage, eframe::APP_KEY).unwrap_or_default();
        Self { layout: eframe::get_value(storage, LAYOUT), ..settings }
    }

    /// Keeps everything for the next run.
    pub fn save(&self, storage: &mut dyn eframe::Storage) {
        eframe::set_value(storage, eframe::APP_KEY, self);
        if let Some(layout) = &self.layout {
            eframe::set_value(storage, LAYOUT, layout);
        }
    }

    /// Puts the theme and the size of everything into effect.
    pub fn apply(&self, context: &egui::Context) {
        context.set_theme(match self.theme {
            ThemeChoice::System => egui::ThemePreference::System,
            ThemeChoice::Dark => egui::ThemePreference::Dark,
            ThemeChoice::Light => egui::ThemePreference::Light,
        });
        context.set_zoom_factor(self.zoom);
    }

    /// Larger (1), smaller (-1) or normal (0), within reason.
    pub fn zoom_by(&mut self, direction: i8) {
        self.zoom = match direction {
            0 => 1.0,
            1.. => (self.zoom + 0.1).min(3.0),
            _ => (self.zoom - 0.1).max(0.5),
        };
    }

    /// What was chosen about the sources of a trace, with the mappings of the command line, which go first.
    pub fn source_choice(&self, session: &Session) -> SourceChoice {
        let kept = self.moved_sources.iter().filter(|moved| moved.is_of(session));
        let mut map = SourceMap::new(Vec::new());
        kept.for_each(|moved| map.add(moved.mapping.clone()));
        session.source_map.mappings().iter().for_each(|mapping| map.add(mapping.clone()));
        SourceChoice { map, is_in_rows: self.has_row_lines }
    }

    /// Keeps where a directory of an image's sources went.
    pub fn add_source_mapping(&mut self, image: PathBuf, mapping: SourceMapping) {
        let image = std::path::absolute(&image).unwrap_or(image);
        self.moved_sources.retain(|known| known.image != image || known.mapping.from != mapping.from);
        self.moved_sources.push(MovedSources { image, mapping });
        let surplus = self.moved_sources.len().saturating_sub(MAPPINGS);
        self.moved_sources.drain(..surplus);
    }

    /// Forgets where the sources of a trace's images went.
    pub fn forget_source_mappings(&mut self, session: &Session) {
        self.moved_sources.retain(|moved| !moved.is_of(session));
    }

    /// Puts a command on top of the palette's recent ones.
    pub fn remember_command(&mut self, name: &str) {
        self.recent_commands.retain(|other| other != name);
        self.recent_commands.insert(0, name.to_owned());
        self.recent_commands.truncate(5);
    }
}
