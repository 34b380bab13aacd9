//! Key bindings that the user chose in place of the defaults.

use std::cell::RefCell;
use std::collections::BTreeMap;

use super::command::Command;
use super::stroke::{KeyStroke, read_key, written};
use super::table::{command, commands};
use crate::messages::say;

/// Maximum number of keys of one command.
const KEYS: usize = 8;

thread_local! {
    static CHOSEN: RefCell<KeyChoice> = const { RefCell::new(KeyChoice(BTreeMap::new())) };
}

/// Commands whose keys the user chose, by name, with the keys of each. The list is empty if a
/// command has no key any more.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct KeyChoice(BTreeMap<&'static str, Vec<KeyStroke>>);

impl KeyChoice {
    /// Returns true if every command has its default keys.
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// Returns true if the user chose the keys of a command.
    pub fn has(&self, command: &Command) -> bool {
        self.0.contains_key(command.name)
    }

    /// Returns the keys of a command.
    pub fn keys_of(&self, command: &Command) -> Vec<KeyStroke> {
        self.0
            .get(command.name)
            .unwrap_or(&command.default_keys)
            .clone()
    }

    /// Sets the keys of a command. Other commands lose these keys.
    pub fn set(&mut self, chosen: &Command, keys: &[KeyStroke]) {
        for key in keys {
            if let Some(other) = self.owner(key).filter(|other| other.name != chosen.name) {
                let rest = self
                    .keys_of(other)
                    .into_iter()
                    .filter(|its| its != key)
                    .collect();
                self.put(other, rest);
            }
        }
        self.put(chosen, keys.to_vec());
    }

    fn put(&mut self, command: &Command, keys: Vec<KeyStroke>) {
        if keys == command.default_keys {
            self.0.remove(command.name);
        } else {
            self.0.insert(command.name, keys);
        }
    }

    /// Restores the default keys of a command. Other commands lose these keys.
    pub fn reset(&mut self, command: &Command) {
        self.set(command, &command.default_keys);
    }

    /// Returns the command that has a key.
    pub fn owner(&self, key: &KeyStroke) -> Option<&'static Command> {
        commands()
            .iter()
            .find(|command| self.keys_of(command).contains(key))
    }

    /// Makes these keys the effective ones of this thread.
    pub fn take_effect(&self) {
        CHOSEN.with(|chosen| chosen.replace(self.clone()));
    }

    /// Returns the chosen keys for a file: names and keys.
    pub fn written(&self) -> impl Iterator<Item = (&'static str, Vec<String>)> {
        self.0
            .iter()
            .map(|(name, keys)| (*name, keys.iter().map(written).collect()))
    }

    /// Reads the keys of a command from a file.
    ///
    /// # Errors
    /// The name of an unknown command or key. Valid keys take effect nevertheless.
    pub fn read(&mut self, name: &str, keys: &[String]) -> Result<(), String> {
        let known = command(name)
            .ok_or_else(|| say!("line-there-is-no-command", line = format!("{name:?}")))?;
        let (good, bad): (Vec<_>, Vec<_>) = keys
            .iter()
            .map(|key| read_key(key))
            .partition(Result::is_ok);
        let mut different = Vec::new();
        for key in good.into_iter().flatten() {
            if !different.contains(&key) {
                different.push(key);
            }
        }
        let is_too_many = different.len() > KEYS;
        different.truncate(KEYS);
        let good = different;
        if !good.is_empty() || keys.is_empty() {
            self.set(known, &good);
        }
        let too_many = is_too_many.then(|| say!("keys-too-many", most = KEYS.to_string()));
        let wrong = bad.into_iter().find_map(Result::err).or(too_many);
        wrong.map_or(Ok(()), |error| Err(format!("{name:?}: {error}")))
    }
}

impl Command {
    /// Returns its effective keys; the first one is shown.
    pub fn keys(&self) -> Vec<KeyStroke> {
        CHOSEN.with(|chosen| chosen.borrow().keys_of(self))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_key_belongs_to_the_command_that_got_it_last() {
        let mut choice = KeyChoice::default();
        let (over, reload) = (command("Step over").unwrap(), command("Reload").unwrap());
        let key = read_key("Ctrl+R").unwrap();
        choice.set(over, &[key]);
        assert_eq!(choice.keys_of(reload), []);
        assert_eq!(
            choice.owner(&key).map(|owner| owner.name),
            Some("Step over")
        );
        let written: Vec<_> = choice.written().collect();
        assert_eq!(
            written,
            [("Reload", vec![]), ("Step over", vec!["Ctrl+R".to_owned()])]
        );
        choice.reset(reload);
        assert_eq!(
            (choice.keys_of(over), choice.keys_of(reload)),
            (vec![], vec![key])
        );
        choice.reset(over);
        assert!(choice.is_empty());
    }

    #[test]
    fn what_cannot_be_read_is_told_and_costs_itself_alone() {
        let mut choice = KeyChoice::default();
        let keys = ["F5".to_owned(), "Hyper+A".to_owned()];
        assert_eq!(
            choice.read("Step over", &keys),
            Err("\"Step over\": not a key: \"Hyper+A\"".to_owned())
        );
        assert_eq!(
            choice.keys_of(command("Step over").unwrap()),
            [read_key("F5").unwrap()]
        );
        assert_eq!(
            choice.read("Dance", &[]),
            Err("there is no command \"Dance\"".to_owned())
        );
    }
}
