//! Actions on the program itself.

use std::path::PathBuf;

use serde::{Deserialize, Serialize};

use crate::messages::LanguageChoice;

/// Use of a font.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub enum FontRole {
    /// Labels, menus, hints.
    Interface,
    /// Code and numbers.
    FixedWidth,
}

/// A change of the fonts.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub enum FontChange {
    /// Use a font file; without a path, prompt for one.
    File(FontRole, #[serde(with = "crate::paths")] Option<PathBuf>),
    /// Use the built-in font again.
    BuiltIn(FontRole),
    /// Make interface text larger (1), smaller (-1) or normal (0) relative to code.
    InterfaceText(i8),
}

/// Choice of the theme.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub enum ThemeChoice {
    /// The desktop's.
    #[default]
    System,
    /// Dark.
    Dark,
    /// Light.
    Light,
    /// Dark, for colour-blind users.
    SafeDark,
    /// Light, for colour-blind users.
    SafeLight,
}

/// Name of a command, as scripts spell it.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(transparent)]
pub struct CommandName(pub String);

/// An action on the program itself.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub enum AppAction {
    /// Put the cursor into the field "Go to".
    FocusGoTo,
    /// Open the command palette.
    CommandPalette,
    /// Open the command palette at the argument of a command.
    AskFor(CommandName),
    /// Show the keys.
    KeyboardHelp,
    /// Show the version and the licence.
    About,
    /// Choose the theme.
    Theme(ThemeChoice),
    /// Choose the language.
    Language(LanguageChoice),
    /// Use the built-in file browser even where the desktop has a dialog, or the dialog again.
    ToggleOwnBrowser,
    /// Open the settings.
    Settings,
    /// Show source lines in the rows of traces, or hide them.
    ToggleRowLines,
    /// Choose the keys of a command; an empty list removes them.
    SetKeys(CommandName, Vec<String>),
    /// Restore the default keys of a command, or of all.
    ResetKeys(Option<CommandName>),
    /// Write the chosen keys to a file.
    ExportKeys,
    /// Read keys from a file; without a path, prompt for one.
    ImportKeys(#[serde(with = "crate::paths")] Option<PathBuf>),
    /// Make text larger (1), smaller (-1) or normal (0).
    Zoom(i8),
    /// Change the fonts.
    Font(FontChange),
    /// Copy a text to the clipboard.
    Copy(String),
    /// Close a toast by its number.
    DismissToast(u64),
    /// Close all toasts.
    DismissToasts,
    /// End the program.
    Quit,
}
