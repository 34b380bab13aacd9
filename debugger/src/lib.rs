//! Everything of Stepback between answers and pixels, without a toolkit: what is open, what is asked of it, and what
//! the window and the browser in a terminal show of the answers.

pub mod action;
pub mod analysis;
pub mod desk;
pub mod expression;
pub mod icons;
pub mod image;
pub mod keymap;
pub mod messages;
pub mod model;
pub mod notes;
pub mod number;
pub mod paths;
pub mod place;
pub mod session;
pub mod source;
pub mod syntax;
pub mod truncate;
pub mod vcd;
pub mod views;
pub mod worker;
