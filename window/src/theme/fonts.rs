//! Font faces, and the families that the program uses by role.

use std::sync::Arc;

use egui::{FontData, FontDefinitions, FontFamily, FontId};

use super::font_file::UserFonts;

pub(super) const UI: &str = "ui";
pub(super) const MEDIUM: &str = "ui-medium";
pub(super) const SEMI: &str = "ui-semi";
pub(super) const MONO: &str = "mono";
pub(super) const MONO_BOLD: &str = "mono-bold";
const ICON: &str = "icon";
const ICON_FILL: &str = "icon-fill";

/// Font of interface text: 13 body, 12.5 toolbar and tabs, 12 hints, 11.5 status bar, 11 legends.
pub fn ui(size: f32) -> FontId {
    named(size, UI)
}

/// Medium font of interface text: tabs, buttons of dialogs, table headings.
pub fn medium(size: f32) -> FontId {
    named(size, MEDIUM)
}

/// Semibold font of interface text: titles.
pub fn semi(size: f32) -> FontId {
    named(size, SEMI)
}

/// Font of code and of every number that is data: 12.5 (7.5 wide), 11.5 gutter and counts, 10.5
/// axis ticks.
pub fn mono(size: f32) -> FontId {
    named(size, MONO)
}

/// Bold font of code, only for changed, different or current values.
pub fn mono_bold(size: f32) -> FontId {
    named(size, MONO_BOLD)
}

/// Font of icons: 14 in tabs and menus, 17 in the toolbar, 10 carets, 26 empty states.
pub fn icon(size: f32) -> FontId {
    named(size, ICON)
}

/// Font of filled icons: pin, ribbon, exception.
pub fn icon_fill(size: f32) -> FontId {
    named(size, ICON_FILL)
}

/// Returns true if a font is an icon font.
pub fn is_icon(font: &FontId) -> bool {
    [ICON, ICON_FILL]
        .iter()
        .any(|name| font.family == FontFamily::Name((*name).into()))
}

fn named(size: f32, family: &str) -> FontId {
    FontId::new(size, FontFamily::Name(family.into()))
}

/// Fonts of the window.
#[derive(Clone)]
pub struct FontSetup {
    /// Faces chosen by the user.
    pub own: UserFonts,
    /// Size of interface text relative to code; 1 is normal.
    pub interface_scale: f32,
}

impl Default for FontSetup {
    fn default() -> Self {
        Self {
            own: UserFonts::default(),
            interface_scale: 1.0,
        }
    }
}

/// Installs the built-in faces and those chosen by the user, and no others, so that the window
/// looks alike on every machine.
pub fn install_fonts(context: &egui::Context, fonts: &FontSetup) {
    context.set_fonts(definitions(fonts));
}

fn definitions(fonts: &FontSetup) -> FontDefinitions {
    let faces: [(&str, &'static [u8]); 7] = [
        (
            UI,
            include_bytes!("../../../assets/fonts/Inter-Regular.otf"),
        ),
        (
            MEDIUM,
            include_bytes!("../../../assets/fonts/Inter-Medium.otf"),
        ),
        (
            SEMI,
            include_bytes!("../../../assets/fonts/Inter-SemiBold.otf"),
        ),
        (
            MONO,
            include_bytes!("../../../assets/fonts/JetBrainsMono-Regular-NoLigatures.ttf"),
        ),
        (
            MONO_BOLD,
            include_bytes!("../../../assets/fonts/JetBrainsMono-Bold-NoLigatures.ttf"),
        ),
        (ICON, include_bytes!("../../../assets/fonts/Phosphor.ttf")),
        (
            ICON_FILL,
            include_bytes!("../../../assets/fonts/Phosphor-Fill.ttf"),
        ),
    ];
    let mut definitions = FontDefinitions::empty();
    let mut add = |key: String, name: &str, mut data: FontData| {
        if [UI, MEDIUM, SEMI].contains(&name) {
            data.tweak.scale *= fonts.interface_scale;
        }
        definitions.font_data.insert(key, Arc::new(data));
    };
    faces
        .iter()
        .for_each(|(name, bytes)| add((*name).to_owned(), name, FontData::from_static(bytes)));
    fonts
        .own
        .0
        .iter()
        .for_each(|(name, data)| add(own(name), name, data.clone()));
    for (name, _) in faces {
        definitions
            .families
            .insert(FontFamily::Name(name.into()), chain(name, fonts));
    }
    definitions
        .families
        .insert(FontFamily::Proportional, chain(UI, fonts));
    definitions
        .families
        .insert(FontFamily::Monospace, chain(MONO, fonts));
    definitions
}

/// Returns the name of the user's face that replaces a built-in one.
fn own(name: &str) -> String {
    format!("own-{name}")
}

/// Returns a face and its fallbacks for missing characters: the user's face first, then the
/// built-in one, monospace, interface and icon faces.
fn chain(name: &str, fonts: &FontSetup) -> Vec<String> {
    let mine = fonts
        .own
        .0
        .iter()
        .filter(|(replaced, _)| *replaced == name)
        .map(|(name, _)| own(name));
    let others = [MONO, UI, ICON].into_iter().filter(|other| *other != name);
    mine.chain(std::iter::once(name).chain(others).map(str::to_owned))
        .collect()
}
