//! Context menus of rows.

use crate::action::{Action, AppAction};
use crate::icons;
use crate::messages::say;

/// Context menu of a row.
pub struct RowMenu {
    /// Subject of the menu.
    pub title: String,
    /// Value or explanation at the right of the title.
    pub note: String,
    /// Entries from the top.
    pub entries: Vec<MenuEntry>,
}

/// Entry of a context menu.
pub enum MenuEntry {
    /// Line between groups of entries.
    Line,
    /// Entry that can be chosen.
    Choice {
        /// Icon in front of the label.
        icon: Option<char>,
        /// Label.
        label: String,
        /// Key that does the same; empty for none.
        key: &'static str,
        /// Actions of the entry.
        actions: Vec<Action>,
    },
}

impl MenuEntry {
    /// Creates an entry with a label.
    pub fn new(label: impl Into<String>, actions: impl Into<Vec<Action>>) -> Self {
        Self::Choice {
            icon: None,
            label: label.into(),
            key: "",
            actions: actions.into(),
        }
    }

    /// Creates an entry that copies a text.
    pub fn copy(text: String) -> Self {
        Self::new(say!("table-copy"), [Action::App(AppAction::Copy(text))])
            .icon(icons::COPY)
            .key("Ctrl+C")
    }

    /// Adds an icon.
    #[must_use]
    pub fn icon(mut self, shape: char) -> Self {
        if let Self::Choice { icon, .. } = &mut self {
            *icon = Some(shape);
        }
        self
    }

    /// Adds a key.
    #[must_use]
    pub fn key(mut self, name: &'static str) -> Self {
        if let Self::Choice { key, .. } = &mut self {
            *key = name;
        }
        self
    }
}
