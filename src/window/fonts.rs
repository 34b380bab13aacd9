//! The fonts that the user chose.

use super::settings::FontChoice;
use crate::action::FontRole;
use crate::messages::say;
use crate::theme::{Fonts, OwnFaces};

/// Fonts as they were read.
pub struct ReadFonts {
    /// What the window writes with.
    pub fonts: Fonts,
    /// Why files cannot be used.
    pub problems: Vec<String>,
}

impl ReadFonts {
    /// Reads what is chosen.
    pub fn of(choice: &FontChoice) -> Self {
        let mut fonts = Fonts { interface_scale: choice.interface_percent as f32 / 100.0, ..Fonts::default() };
        let mut problems = Vec::new();
        for (role, file) in [(FontRole::Interface, &choice.interface), (FontRole::FixedWidth, &choice.fixed_width)] {
            match file.as_ref().map(|file| OwnFaces::read(file, role)) {
                Some(Ok(faces)) => fonts.own.extend(faces),
                Some(Err(error)) => problems.push(say!("font-not-read", error = format!("{error:#}"))),
                None => {}
            }
        }
        Self { fonts, problems }
    }
}
