//! Fonts chosen by the user.

use super::settings::FontChoice;
use crate::theme::{FontSetup, UserFonts};
use stepback_debugger::action::FontRole;

/// Fonts loaded from files.
pub struct LoadedFonts {
    pub choice: FontChoice,
    pub fonts: FontSetup,
    pub problems: Vec<FontProblem>,
}

/// A font file that cannot be used, with the reason.
pub struct FontProblem {
    pub role: FontRole,
    /// The reason, with the name of the file.
    pub why: String,
}

impl LoadedFonts {
    /// Loads the chosen fonts.
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
