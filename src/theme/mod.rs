//! How the program looks: colours by meaning, fonts, icons, styles. Nothing outside names a colour.
//!
//! All but the icons, which the table of commands names, is for the window alone.

pub mod icons;

#[cfg(feature = "window")]
mod font_file;
#[cfg(feature = "window")]
mod fonts;
#[cfg(feature = "window")]
mod style;
#[cfg(feature = "window")]
mod tok;

#[cfg(feature = "window")]
pub use font_file::OwnFaces;
#[cfg(feature = "window")]
pub use fonts::{Fonts, icon, icon_fill, install_fonts, is_icon, medium, mono, mono_bold, semi, ui};
#[cfg(feature = "window")]
pub use style::install_styles;
#[cfg(feature = "window")]
pub use tok::{Palette, Tok};
