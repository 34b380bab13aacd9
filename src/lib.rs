//! Stepback: a time-travel debugger for recorded CPU instruction traces.
//!
//! The program as a library, so that tests can drive all of it; see ARCHITECTURE.md for the map.

pub mod action;
pub mod analysis;
pub mod cli;
pub mod desk;
pub mod expression;
pub mod image;
pub mod keymap;
pub mod messages;
pub mod model;
pub mod notes;
pub mod number;
#[cfg(feature = "window")]
pub mod panels;
pub mod place;
pub mod session;
pub mod source;
pub mod syntax;
#[cfg(feature = "terminal")]
pub mod terminal;
pub mod theme;
pub mod truncate;
pub mod vcd;
#[cfg(feature = "window")]
pub mod window;
pub mod worker;
