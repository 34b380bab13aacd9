//! Key strokes: a key with modifiers, and its textual forms.

use super::key::Key;
use crate::messages::{self, say};

/// Modifier keys that are held while a key is pressed.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Modifiers {
    /// Ctrl; on a Mac also the command key.
    pub ctrl: bool,
    pub alt: bool,
    pub shift: bool,
}

impl Modifiers {
    /// No modifiers.
    pub const NONE: Self = Self {
        ctrl: false,
        alt: false,
        shift: false,
    };
    /// Only Ctrl.
    pub const CTRL: Self = Self {
        ctrl: true,
        ..Self::NONE
    };
    /// Only Alt.
    pub const ALT: Self = Self {
        alt: true,
        ..Self::NONE
    };
    /// Only Shift.
    pub const SHIFT: Self = Self {
        shift: true,
        ..Self::NONE
    };
    /// Ctrl and Shift.
    pub const CTRL_SHIFT: Self = Self {
        ctrl: true,
        shift: true,
        ..Self::NONE
    };
}

/// A key and its modifiers.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct KeyStroke {
    pub modifiers: Modifiers,
    pub key: Key,
}

impl KeyStroke {
    pub const fn new(modifiers: Modifiers, key: Key) -> Self {
        Self { modifiers, key }
    }

    /// Formats the key stroke in English, with the system's name for Ctrl.
    fn spelled(self, ctrl: &str) -> String {
        let Modifiers {
            ctrl: is_ctrl,
            alt,
            shift,
        } = self.modifiers;
        let held = [(is_ctrl, ctrl), (alt, "Alt+"), (shift, "Shift+")];
        let held: String = held
            .iter()
            .filter(|(is_held, _)| *is_held)
            .map(|(_, word)| *word)
            .collect();
        held + self.key.name()
    }
}

/// Formats a key stroke for menus: `Ctrl+Shift+P`, `Alt+Left`, `{`.
pub fn key_text(stroke: &KeyStroke) -> String {
    key_name(&stroke.spelled(if cfg!(target_os = "macos") {
        "Cmd+"
    } else {
        "Ctrl+"
    }))
}

/// Translates the English name of a key stroke to the language of the window: `Maj+Entrée` for
/// `Shift+Enter`.
pub fn key_name(english: &str) -> String {
    let name = |key: &str| {
        messages::find(&format!("key-{}", key.to_ascii_lowercase()))
            .unwrap_or(key)
            .to_owned()
    };
    english
        .split('+')
        .map(name)
        .collect::<Vec<String>>()
        .join("+")
}

/// Formats a key stroke for files, on every system and in every language: `Ctrl+Shift+P`.
pub fn written(stroke: &KeyStroke) -> String {
    stroke.spelled("Ctrl+")
}

/// Parses what [`written`] formats.
///
/// # Errors
/// The text is no key; a message.
pub fn read_key(text: &str) -> Result<KeyStroke, String> {
    let no_key = || say!("keys-no-key", text = format!("{text:?}"));
    let (mut modifiers, mut rest) = (Modifiers::NONE, text.trim());
    while let Some((word, behind)) = rest
        .split_once('+')
        .filter(|(_, behind)| !behind.is_empty())
    {
        let held = match word.trim().to_ascii_lowercase().as_str() {
            "ctrl" | "cmd" => &mut modifiers.ctrl,
            "alt" => &mut modifiers.alt,
            "shift" => &mut modifiers.shift,
            _ => return Err(no_key()),
        };
        *held = true;
        rest = behind.trim();
    }
    Ok(KeyStroke::new(
        modifiers,
        Key::of_name(rest).ok_or_else(no_key)?,
    ))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::keymap::{command, commands};

    #[test]
    fn every_key_of_the_table_is_read_as_it_is_written() {
        for key in commands().iter().flat_map(|command| &command.default_keys) {
            assert_eq!(read_key(&written(key)).as_ref(), Ok(key));
        }
        for text in ["", "Ctrl+", "Hyper+A", "Ctrl+Nothing"] {
            assert!(read_key(text).is_err(), "{text:?}");
        }
    }

    #[test]
    fn keys_are_written_as_in_menus() {
        let written = |name| key_text(command(name).unwrap().keys().first().unwrap());
        assert_eq!(written("Commands…"), "Ctrl+Shift+P");
        assert_eq!(written("Fold all"), "{");
        assert_eq!(written("Back in history"), "Alt+Left");
    }
}
