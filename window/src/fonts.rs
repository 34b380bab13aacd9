//! The fonts that the user chose.

use super::settings::FontChoice;
use crate::theme::{FontSetup, UserFonts};
use stepback_debugger::action::FontRole;

/// Fonts as they were read.
pub struct LoadedFonts {
    /// What was chosen.
    pub choice: FontChoice,
    /// What the window writes with.
    pub fonts: FontSetup,
    /// Why files cannot be used.
    pub problems: Vec<FontProblem>,
}

/// Why a file cannot be used.
pub struct FontProblem {
    /// What for.
    pub role: FontRole,
    /// The reason, with the name of the file.
    pub why: String,
}

impl LoadedFonts {
    /// Reads what is chosen.
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
