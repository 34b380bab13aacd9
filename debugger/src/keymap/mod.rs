//! Table of all commands of the program: names, keys and actions.
//!
//! Keys, menus, tooltips, the command palette, the page of keys and scripts all read this table.
//!
//! ```
//! use stepback_debugger::action::{Action, TravelAction, WindowId};
//! use stepback_debugger::keymap::{CommandContext, CommandSwitches, parse_line};
//! use stepback_parsers::Position;
//!
//! let situation = CommandContext { active: Some((WindowId(1), Position(0))), ..CommandContext::default() };
//! let action = parse_line("Go to step 1,250", &situation);
//! assert_eq!(action, Ok(Action::Travel(TravelAction::GoTo("1,250".to_owned()))));
//! ```

mod arguments;
mod command;
mod key;
mod keys;
mod panel_rows;
mod slice_arguments;
mod table;

pub use crate::keymap::key::{KeyStroke, Modifiers, key_name, key_text, read_key, written};
pub use crate::keymap::keys::{KeyboardFocus, meant};
pub use crate::keymap::panel_rows::{MOUSE_GESTURES, PANEL_KEYS, TIMELINE_GESTURES};
pub use arguments::{
    cell_name, check_line, of_cell, parse_line, place_text, shown_text, split_line, watch_text,
};
pub use command::{
    Area, Command, CommandContext, CommandSwitches, IndexingState, KeyScope, Submenu,
};
pub use key::Key;
pub use keys::KeyChoice;
pub use panel_rows::{PANELS, PanelRow, panel_row};
pub use table::{CommandId, command, commands};
