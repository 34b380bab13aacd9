//! Construction of the rows of the table of commands.

use super::command::{
    Area, Command, CommandArgument, CommandContext, CommandRequirement, KeyScope, Submenu,
};
use super::key::Key;
use super::stroke::{KeyStroke, Modifiers};
use super::table::CommandId;
use crate::action::Action;

/// Returns the id of a command's name in the table of messages: `command-go-to` for `Go to…`.
fn label_id(name: &str) -> String {
    let words = name
        .split(|letter: char| !letter.is_ascii_alphanumeric())
        .filter(|word| !word.is_empty());
    words.fold("command".to_owned(), |id, word| {
        id + "-" + &word.to_ascii_lowercase()
    })
}

impl Command {
    /// Makes a command that needs a trace and does nothing yet.
    pub(super) fn new(area: Area, id: CommandId, name: &'static str) -> Self {
        Self {
            id,
            name,
            label_id: label_id(name),
            area,
            icon: None,
            default_keys: Vec::new(),
            scope: KeyScope::Everywhere,
            need: CommandRequirement::Trace,
            begins_group: false,
            submenu: None,
            submenus_after: Vec::new(),
            is_setting: false,
            is_presentation: false,
            plain: None,
            argument: None,
        }
    }

    /// Makes the command possible without a trace.
    pub(super) fn anytime(mut self) -> Self {
        self.need = CommandRequirement::Nothing;
        self
    }

    /// Separates the command from the one above it in the menu.
    pub(super) fn separated(mut self) -> Self {
        self.begins_group = true;
        self
    }

    pub(super) fn in_submenu(mut self, submenu: Submenu) -> Self {
        self.submenu = Some(submenu);
        self
    }

    /// Adds submenus below the command.
    pub(super) fn then(mut self, submenus: impl Into<Vec<Submenu>>) -> Self {
        self.submenus_after = submenus.into();
        self
    }

    /// Shows the command on the page of settings instead of in a menu.
    pub(super) fn in_settings(mut self) -> Self {
        self.is_setting = true;
        self
    }

    /// Marks a command that chooses one of several ways to show something.
    pub(super) fn presents(mut self) -> Self {
        self.is_presentation = true;
        self
    }

    pub(super) fn icon(mut self, icon: char) -> Self {
        self.icon = Some(icon);
        self
    }

    pub(super) fn key(mut self, modifiers: Modifiers, key: Key) -> Self {
        self.default_keys.push(KeyStroke::new(modifiers, key));
        self
    }

    pub(super) fn within(mut self, scope: KeyScope) -> Self {
        self.scope = scope;
        self
    }

    pub(super) fn does(self, action: impl Into<Action>) -> Self {
        let action: Action = action.into();
        self.when(move |_| Some(action.clone()))
    }

    pub(super) fn when<A: Into<Action>>(
        mut self,
        plain: impl Fn(&CommandContext) -> Option<A> + Send + Sync + 'static,
    ) -> Self {
        self.plain = Some(Box::new(move |situation| plain(situation).map(Into::into)));
        self
    }

    pub(super) fn asks(
        mut self,
        question: &'static str,
        make: fn(&str, &CommandContext) -> Result<Action, String>,
    ) -> Self {
        self.argument = Some(CommandArgument { question, make });
        self
    }
}
