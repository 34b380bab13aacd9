//! The faces, and the families that the program asks for by role.

use std::sync::Arc;

use egui::{FontData, FontDefinitions, FontFamily, FontId};

const UI: &str = "ui";
const MEDIUM: &str = "ui-medium";
const SEMI: &str = "ui-semi";
const MONO: &str = "mono";
const MONO_BOLD: &str = "mono-bold";
const ICON: &str = "icon";
const ICON_FILL: &str = "icon-fill";

/// Texts of the window: 13 body, 12.5 toolbar and tabs, 12 hints, 11.5 status bar, 11 legends.
pub fn ui(size: f32) -> FontId {
    named(size, UI)
}

/// The same, medium: tabs, buttons of dialogs, table heads.
pub fn medium(size: f32) -> FontId {
    named(size, MEDIUM)
}

/// The same, semibold: titles.
pub fn semi(size: f32) -> FontId {
    named(size, SEMI)
}

/// Code and every number that is data: 12.5 (7.5 wide), 11.5 gutter and counts, 10.5 axis ticks.
pub fn mono(size: f32) -> FontId {
    named(size, MONO)
}

/// The same, bold: changed, different or current, nothing else.
pub fn mono_bold(size: f32) -> FontId {
    named(size, MONO_BOLD)
}

/// Icons: 14 in tabs and menus, 17 in the toolbar, 10 carets, 26 empty states.
pub fn icon(size: f32) -> FontId {
    named(size, ICON)
}

/// Filled icons: pin, ribbon, exception.
pub fn icon_fill(size: f32) -> FontId {
    named(size, ICON_FILL)
}

fn named(size: f32, family: &str) -> FontId {
    FontId::new(size, FontFamily::Name(family.into()))
}

/// Gives the context the program's own faces, and no others, so that the window looks the same on every machine.
pub fn install_fonts(context: &egui::Context) {
    context.set_fonts(definitions());
}

fn definitions() -> FontDefinitions {
    let mut fonts = FontDefinitions::empty();
    let faces: [(&str, &'static [u8]); 7] = [
        (UI, include_bytes!("../../assets/fonts/Inter-Regular.otf")),
        (MEDIUM, include_bytes!("../../assets/fonts/Inter-Medium.otf")),
        (SEMI, include_bytes!("../../assets/fonts/Inter-SemiBold.otf")),
        (MONO, include_bytes!("../../assets/fonts/JetBrainsMono-Regular-NoLigatures.ttf")),
        (MONO_BOLD, include_bytes!("../../assets/fonts/JetBrainsMono-Bold-NoLigatures.ttf")),
        (ICON, include_bytes!("../../assets/fonts/Phosphor.ttf")),
        (ICON_FILL, include_bytes!("../../assets/fonts/Phosphor-Fill.ttf")),
    ];
    for (name, bytes) in faces {
        fonts.font_data.insert(name.to_owned(), Arc::new(FontData::from_static(bytes)));
        fonts.families.insert(FontFamily::Name(name.into()), chain(name));
    }
    fonts.families.insert(FontFamily::Proportional, chain(UI));
    fonts.families.insert(FontFamily::Monospace, chain(MONO));
    fonts
}

/// A face and what stands in for the characters that it lacks: texts fall back to the monospace face and
/// the other way round, then to the icons.
fn chain(name: &str) -> Vec<String> {
    let mut names = vec![name.to_owned()];
    names.extend([MONO, UI, ICON].into_iter().filter(|other| *other != name).map(str::to_owned));
    names
}
