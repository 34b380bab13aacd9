//! Font families by role: the built-in faces, and faces of the user loaded from files.
//!
//! All columns are laid out for the character width of the built-in fixed-width font, so a user's
//! font is scaled to it.

use std::fs::File;
use std::io::Read as _;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use anyhow::{Context as _, Result};
use egui::{FontData, FontDefinitions, FontFamily, FontId};
use skrifa::instance::{LocationRef, Size};
use skrifa::{FontRef, MetadataProvider as _};
use stepback_debugger::action::FontRole;
use stepback_debugger::messages::say;

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

/// Maximum length of a font file; text fonts are shorter.
const LIMIT_BYTES: u64 = 32 << 20;
/// Width of a code character relative to its height. All columns are laid out for it.
const ADVANCE: f32 = 0.6;
/// Allowed scale factors to reach that width; beyond them a font would be illegible.
const SCALES: std::ops::RangeInclusive<f32> = 0.5..=2.0;

/// Faces that replace built-in ones, by the built-in names.
#[derive(Clone, Default)]
pub struct UserFonts(pub(super) Vec<(&'static str, FontData)>);

impl UserFonts {
    /// Loads a font, and its bolder faces if they are in the same folder under the usual names
    /// (`Name-Regular.ttf`, `Name-Bold.ttf`).
    ///
    /// # Errors
    /// The font cannot be used; the error names the file.
    pub fn read(path: &Path, role: FontRole) -> Result<Self> {
        let stated = || format!("{path:?}");
        let regular = read_face(path, role).with_context(stated)?;
        let bolder: &[(&str, &[&str])] = match role {
            FontRole::Interface => &[
                (MEDIUM, &["Medium"]),
                (SEMI, &["SemiBold", "Semibold", "Bold"]),
            ],
            FontRole::FixedWidth => &[(MONO_BOLD, &["Bold"])],
        };
        let mut faces = Vec::new();
        for (name, endings) in bolder {
            let face = endings
                .iter()
                .find_map(|ending| read_face(&beside(path, ending)?, role).ok());
            faces.push((*name, face.unwrap_or_else(|| regular.clone())));
        }
        faces.push((
            if role == FontRole::Interface {
                UI
            } else {
                MONO
            },
            regular,
        ));
        Ok(Self(faces))
    }

    /// Adds the faces of another set.
    pub fn extend(&mut self, other: Self) {
        self.0.extend(other.0);
    }
}

/// Returns the path of another face of the font.
fn beside(path: &Path, face: &str) -> Option<PathBuf> {
    let (stem, ending) = (path.file_stem()?.to_str()?, path.extension()?.to_str()?);
    let family = stem.strip_suffix("-Regular").unwrap_or(stem);
    Some(path.with_file_name(format!("{family}-{face}.{ending}")))
}

fn read_face(path: &Path, role: FontRole) -> Result<FontData> {
    // Checked before opening, because opening a pipe would block.
    let metadata = path.metadata()?;
    anyhow::ensure!(
        metadata.is_file() && metadata.len() <= LIMIT_BYTES,
        "{}",
        say!("font-no-font")
    );
    let mut bytes = Vec::new();
    File::open(path)?
        .take(LIMIT_BYTES)
        .read_to_end(&mut bytes)?;
    let scale = scale_of(&bytes, role)?;
    let mut data = FontData::from_owned(bytes);
    data.tweak.scale = scale;
    Ok(data)
}

/// Returns the scale factor of a font. A fixed-width font is scaled to the character width of the
/// built-in one.
fn scale_of(bytes: &[u8], role: FontRole) -> Result<f32> {
    let Ok(font) = FontRef::from_index(bytes, 0) else {
        anyhow::bail!(say!("font-no-font"))
    };
    let metrics = font.glyph_metrics(Size::new(1.0), LocationRef::default());
    let (glyphs, outlines) = (font.charmap(), font.outline_glyphs());
    let advance = |character: char| {
        let glyph = glyphs.map(character)?;
        outlines
            .get(glyph)
            .and(metrics.advance_width(glyph))
            .filter(|width| *width > 0.0)
    };
    let widths: Option<Vec<f32>> = "0fiMx".chars().map(advance).collect();
    let Some(widths) = widths else {
        anyhow::bail!(say!("font-no-letters"))
    };
    if role == FontRole::Interface {
        return Ok(1.0);
    }
    let scale = ADVANCE / widths.first().copied().unwrap_or(ADVANCE);
    let is_fixed = widths
        .iter()
        .all(|width| (width * scale - ADVANCE).abs() < 0.01);
    anyhow::ensure!(
        is_fixed && SCALES.contains(&scale),
        "{}",
        say!("font-not-fixed-width")
    );
    Ok(scale)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn face(name: &str) -> PathBuf {
        Path::new(concat!(env!("CARGO_MANIFEST_DIR"), "/.."))
            .join("assets/fonts")
            .join(name)
    }

    fn refused(path: &Path, role: FontRole) -> String {
        UserFonts::read(path, role)
            .err()
            .map(|error| format!("{error:#}"))
            .expect("it is refused")
    }

    #[test]
    fn a_font_comes_with_its_bolder_faces() {
        let faces = UserFonts::read(&face("Inter-Regular.otf"), FontRole::Interface).unwrap();
        let regular = faces.0.iter().find(|(name, _)| *name == UI).unwrap();
        assert!(
            faces
                .0
                .iter()
                .filter(|(name, _)| *name != UI)
                .all(|(_, data)| *data != regular.1)
        );
    }

    #[test]
    fn a_font_of_fixed_width_is_as_wide_as_ours() {
        let faces = UserFonts::read(
            &face("JetBrainsMono-Regular-NoLigatures.ttf"),
            FontRole::FixedWidth,
        )
        .unwrap();
        assert!(
            faces
                .0
                .iter()
                .all(|(_, data)| (data.tweak.scale - 1.0).abs() < 0.001)
        );
        let why = refused(&face("Inter-Regular.otf"), FontRole::FixedWidth);
        assert!(why.ends_with("it is not a fixed-width font"), "{why}");
    }

    #[test]
    fn both_icon_fonts_have_every_icon() {
        let source = include_str!("../../../debugger/src/icons.rs");
        let digits = source.split(r"\u{").skip(1);
        let icons: Vec<char> = digits
            .filter_map(|rest| u32::from_str_radix(rest.split('}').next()?, 16).ok())
            .filter_map(char::from_u32)
            .collect();
        assert!(icons.len() > 50);
        for name in ["Phosphor.ttf", "Phosphor-Fill.ttf"] {
            let bytes = std::fs::read(face(name)).unwrap();
            let font = FontRef::new(&bytes).unwrap();
            let glyphs = font.charmap();
            let missing: Vec<_> = icons
                .iter()
                .filter(|icon| glyphs.map(**icon).is_none())
                .collect();
            assert!(
                missing.is_empty(),
                "{name}: {missing:?}: see assets/fonts/README.md"
            );
        }
    }

    #[test]
    fn what_is_no_font_is_told_by_name() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("a.ttf");
        assert!(refused(&path, FontRole::Interface).contains("a.ttf"));
        for bytes in [
            &b""[..],
            b"no font",
            &[0; 4096],
            &std::fs::read(face("Inter-Regular.otf")).unwrap()[..3000],
        ] {
            std::fs::write(&path, bytes).unwrap();
            assert!(refused(&path, FontRole::Interface).contains("a.ttf"));
        }
        assert!(
            refused(&face("Phosphor.ttf"), FontRole::Interface)
                .ends_with("it has no letters or digits")
        );
        assert!(refused(folder.path(), FontRole::Interface).contains("not a font"));
    }
}
