//! Window front end: an eframe app around the panels.
//!
//! Every user input becomes an [`Action`](stepback_debugger::action::Action). All actions of a
//! frame are applied after it, in order ([`App`]). A script supplies actions from a file:
//!
//! ```text
//! # One command a line, by the name that the command palette shows, then its argument.
//! # Upper and lower case do not matter, a `…` at the end of a name may be left out; empty lines are skipped.
//! Go to step 1250
//! Last write x2
//! Show memory sp+8
//! Side by side
//! Theme dark
//! ```
//!
//! A line is performed once the answers to the previous one have arrived. The argument of `Go to`
//! is a position as on the command line (`12`, `50%`, `line:7`, `pc:main`). `Last write` and
//! similar commands take a register or `ADDRESS:LENGTH`.

mod about;
mod app;
mod apply;
mod banner;
mod browser;
mod cells;
mod damaged_file;
mod dock;
mod ending_card;
mod file_dialog;
mod files;
mod frame;
mod go_to;
mod indexing_card;
mod kept_layout;
mod layout;
mod layouts;
mod menu_bar;
mod palette;
pub mod panels;
mod panels_of;
mod path_box;
mod picture;
mod pointer_rest;
mod preferences;
mod pressed;
mod reports;
mod room;
mod run;
mod settings;
mod settings_file;
mod settings_keys;
mod settings_page;
mod shell;
mod signals;
mod start;
mod status_bar;
mod storage_file;
mod tab_strip;
pub mod theme;
mod timeline;
mod toasts;
mod toolbar;
mod torn;
mod vacancy;
mod widgets;
mod workspace;

pub use crate::run::{WindowOptions, WindowOutcome};
pub use app::App;
pub use run::run;
pub use settings::Settings;
pub use toasts::Toast;
pub use workspace::Workspace;
