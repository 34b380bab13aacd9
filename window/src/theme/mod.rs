//! Appearance of the window: colours by meaning, fonts, icons, styles. No other module names a
//! colour.

mod fonts;
mod style;
mod tok;

pub use stepback_debugger::icons;

pub use crate::theme::fonts::UserFonts;
pub use fonts::{
    FontSetup, icon, icon_fill, install_fonts, is_icon, medium, mono, mono_bold, semi, ui,
};
pub use style::install_styles;
pub use tok::{ColorPalette, ThemeColors};
