//! How rows of the table of commands are made.

use super::command::{Area, Argument, Command, Need, Plain, Scope, Situation};
use super::key::Key;
use super::stroke::{KeyStroke, Modifiers};
use crate::action::Action;

/// A command that does nothing yet.
pub(super) fn new(area: Area, name: &'static str) -> Command {
    let (scope, need) = (Scope::Everywhere, Need::Nothing);
    Command {
        name,
        id: id_of(name),
        area,
        icon: None,
        default_keys: Vec::new(),
        scope,
        need,
        plain: None,
        argument: None,
    }
}

/// The id of a command's name in the table of messages: `command-go-to` for `Go to…`.
fn id_of(name: &str) -> String {
    let words = name.split(|letter: char| !letter.is_ascii_alphanumeric()).filter(|word| !word.is_empty());
    words.fold("command".to_owned(), |id, word| id + "-" + &word.to_ascii_lowercase())
}

impl Command {
    pub(super) fn icon(mut self, icon: char) -> Self {
        self.icon = Some(icon);
        self
    }

    pub(super) fn key(mut self, modifiers: Modifiers, key: Key) -> Self {
        self.default_keys.push(KeyStroke::new(modifiers, key));
        self
    }

    pub(super) fn in_trace(mut self) -> Self {
        self.need = Need::Trace;
        self
    }

    pub(super) fn within(mut self, scope: Scope) -> Self {
        self.scope = scope;
        self
    }

    pub(super) fn does(self, action: Action) -> Self {
        self.when(move |_| Some(action.clone()))
    }

    pub(super) fn when(mut self, plain: impl Fn(&Situation) -> Option<Action> + Send + Sync + 'static) -> Self {
        let plain: Plain = Box::new(plain);
        self.plain = Some(plain);
        self
    }

    pub(super) fn asks(mut self, question: &'static str, make: fn(&str, &Situation) -> Result<Action, String>) -> Self {
        self.argument = Some(Argument { question, make });
        self
    }
}
