//! How the program looks: colours by meaning, fonts, icons, styles. Nothing outside names a colour.

mod fonts;
pub mod icons;
mod style;
mod tok;

pub use fonts::{icon, icon_fill, install_fonts, medium, mono, mono_bold, semi, ui};
pub use style::install_styles;
pub use tok::{Palette, Tok};
