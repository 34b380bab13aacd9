//! Appearance of the window: colours by meaning, fonts, icons, styles. No other module names a
//! colour.

mod font_file;
mod fonts;
mod style;
mod tok;

pub use font_file::UserFonts;
pub use fonts::{
    FontSetup, icon, icon_fill, install_fonts, is_icon, medium, mono, mono_bold, semi, ui,
};
pub use stepback_debugger::icons;
pub use style::install_styles;
pub use tok::{ColorPalette, ThemeColors};
