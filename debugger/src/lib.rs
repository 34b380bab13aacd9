//! The toolkit-independent part of Stepback: sessions, images, symbols, expressions, analyses,
//! actions, and the views that the window and the terminal browser draw.

pub mod action;
pub mod analysis;
pub mod clock;
pub mod columns;
pub mod desk;
pub mod expression;
pub mod icons;
pub mod image;
pub mod keymap;
pub mod messages;
pub mod model;
pub mod new_file;
pub mod notes;
pub mod number;
pub mod paths;
pub mod place;
pub mod program;
pub mod session;
pub mod source;
pub mod sync;
pub mod syntax;
pub mod truncate;
pub mod vcd;
pub mod views;
pub mod worker;
