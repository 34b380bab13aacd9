//! Effective keys: the defaults, replaced where the user chose others, and the dispatch of key
//! strokes to commands.
//!
//! The choice in effect is thread-local: a front end sets it on its drawing thread
//! ([`KeyChoice::take_effect`]).

use std::cell::RefCell;
use std::collections::BTreeMap;

use crate::keymap::command::{Command, CommandContext};
use crate::keymap::key::{Key, KeyStroke, Modifiers, read_key, written};
use crate::keymap::table::{command, commands};
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

/// Kind of widget with the keyboard focus.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum KeyboardFocus {
    /// A panel, or nothing.
    Panel,
    /// A text field: plain keys belong to it.
    Field,
}

/// Returns the command for a key stroke in a situation.
pub fn meant(
    pressed: KeyStroke,
    situation: &CommandContext,
    keyboard: KeyboardFocus,
) -> Option<&'static Command> {
    let fits = |command: &Command, stroke: &KeyStroke| {
        stroke.key == pressed.key
            && holds(stroke, pressed.modifiers)
            && !(keyboard == KeyboardFocus::Field && is_text_key(stroke))
            && command.is_in_scope(situation, stroke)
    };
    let is_meant = |command: &&Command| {
        command.keys().iter().any(|stroke| fits(command, stroke)) && command.is_possible(situation)
    };
    commands().iter().find(is_meant)
}

/// Returns true if the modifiers match exactly. Shift is ignored for punctuation, since it may be
/// needed to type it.
fn holds(stroke: &KeyStroke, modifiers: Modifiers) -> bool {
    let wanted = stroke.modifiers;
    let is_shift_right = stroke.key.is_sign() || wanted.shift == modifiers.shift;
    is_shift_right && wanted.alt == modifiers.alt && wanted.ctrl == modifiers.ctrl
}

/// Returns true for keys that a text field handles.
fn is_text_key(stroke: &KeyStroke) -> bool {
    let is_plain = !stroke.modifiers.ctrl && !stroke.modifiers.alt;
    let is_edit_key = matches!(
        stroke.key,
        Key::Home | Key::End | Key::ArrowLeft | Key::ArrowRight
    );
    !stroke.key.is_function_key() && (is_plain || is_edit_key)
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
            Err("no command matches \"Dance\"".to_owned())
        );
    }
}

#[cfg(test)]
mod press_tests {
    use stepback_parsers::Position;

    use super::*;
    use crate::action::WindowId;

    fn press(key: Key, modifiers: Modifiers, keyboard: KeyboardFocus) -> Option<&'static str> {
        let situation = CommandContext {
            active: Some((WindowId(1), Position(0))),
            is_in_trace: true,
            ..CommandContext::default()
        };
        meant(KeyStroke::new(modifiers, key), &situation, keyboard).map(|command| command.name)
    }

    #[test]
    fn modifiers_tell_commands_apart() {
        assert_eq!(
            press(Key::F11, Modifiers::NONE, KeyboardFocus::Panel),
            Some("Step")
        );
        assert_eq!(
            press(Key::F11, Modifiers::SHIFT, KeyboardFocus::Panel),
            Some("Step back")
        );
        assert_eq!(press(Key::F11, Modifiers::ALT, KeyboardFocus::Panel), None);
    }

    #[test]
    fn what_is_typed_into_a_field_is_no_command() {
        assert_eq!(press(Key::N, Modifiers::NONE, KeyboardFocus::Field), None);
        assert_eq!(
            press(Key::Home, Modifiers::CTRL, KeyboardFocus::Field),
            None
        );
        assert_eq!(
            press(Key::F10, Modifiers::NONE, KeyboardFocus::Field),
            Some("Step over")
        );
        assert_eq!(
            press(Key::G, Modifiers::CTRL, KeyboardFocus::Field),
            Some("Go to…")
        );
    }

    #[test]
    fn arrows_belong_to_the_panel_that_has_the_keyboard() {
        assert_eq!(
            press(Key::ArrowDown, Modifiers::NONE, KeyboardFocus::Panel),
            Some("Next row")
        );
        let elsewhere = CommandContext {
            active: Some((WindowId(1), Position(0))),
            ..CommandContext::default()
        };
        let down = KeyStroke::new(Modifiers::NONE, Key::ArrowDown);
        assert!(meant(down, &elsewhere, KeyboardFocus::Panel).is_none());
    }

    #[test]
    fn shift_may_be_what_makes_a_sign() {
        assert_eq!(
            press(
                Key::OpenCurlyBracket,
                Modifiers::SHIFT,
                KeyboardFocus::Panel
            ),
            Some("Fold all")
        );
        assert_eq!(
            press(Key::Plus, Modifiers::SHIFT, KeyboardFocus::Panel),
            Some("Unfold call")
        );
        assert_eq!(
            press(Key::Plus, Modifiers::CTRL, KeyboardFocus::Panel),
            Some("Larger text")
        );
        for typed in "?:!;/|`',.".chars() {
            let stroke = KeyStroke::new(Modifiers::NONE, Key::of_char(typed).unwrap());
            assert!(holds(&stroke, Modifiers::SHIFT), "{typed}");
        }
        let space = KeyStroke::new(Modifiers::NONE, Key::Space);
        assert!(!holds(&space, Modifiers::SHIFT));
    }
}
