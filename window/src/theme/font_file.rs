//! Fonts of the user, loaded from files.

use std::fs::File;
use std::io::Read as _;
use std::path::{Path, PathBuf};

use anyhow::{Context as _, Result};
use egui::FontData;
use skrifa::instance::{LocationRef, Size};
use skrifa::{FontRef, MetadataProvider as _};

use super::fonts::{MEDIUM, MONO, MONO_BOLD, SEMI, UI};
use stepback_debugger::action::FontRole;
use stepback_debugger::messages::say;

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
        let told = || format!("{path:?}");
        let regular = read_face(path, role).with_context(told)?;
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
        assert!(
            why.ends_with("its characters are not all equally wide"),
            "{why}"
        );
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
                .ends_with("it has no letters and digits")
        );
        assert!(refused(folder.path(), FontRole::Interface).contains("not a font"));
    }
}
