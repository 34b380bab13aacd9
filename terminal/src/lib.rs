//! Terminal front end: the window's content, drawn in character cells, for machines without a
//! display.
//!
//! A [`TerminalBrowser`] holds the state. It receives keys, performs actions on a
//! [`Desk`](stepback_debugger::desk::Desk), and draws panes into cells. [`run`] runs it in a
//! terminal, or without one for a script that ends in a picture. A new kind of pane is a file that
//! implements [`Pane`] and a row in the registry.

mod browser;
mod clean;
mod frame;
mod help;
mod key_rows;
mod keys;
mod layout;
mod look;
mod palette;
mod pane;
mod panes;
mod panes_open;
mod panes_shown;
mod pen;
mod press;
mod prompt;
mod run;
mod screen;
mod shell;
mod signals;
mod typed_address;

pub use crate::pen::text_of;
pub use crate::run::{BrowserOptions, BrowserOutcome};
pub use browser::TerminalBrowser;
pub use clean::{CharacterSet, letter_width, width};
pub use help::key_table;
pub use look::{CharacterSetChoice, ColorDepth, StyleRole, TerminalStyle};
pub use pane::Pane;
pub use run::run;
