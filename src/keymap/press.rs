//! Keys: how they are written, and which commands were pressed.

use egui::{Event, Key, KeyboardShortcut, Modifiers};

use super::command::{Command, Situation};
use super::table::commands;
use crate::messages;

/// A key as menus write it: `Ctrl+Shift+P`, `Alt+Left`, `{`.
pub fn key_text(shortcut: &KeyboardShortcut) -> String {
    let modifiers = shortcut.modifiers;
    let command = if cfg!(target_os = "macos") { "Cmd+" } else { "Ctrl+" };
    let words = [(modifiers.command || modifiers.ctrl, command), (modifiers.alt, "Alt+"), (modifiers.shift, "Shift+")];
    let held: String = words.iter().filter(|(is_held, _)| *is_held).map(|(_, word)| *word).collect();
    key_name(&format!("{held}{}", name_of(shortcut.logical_key)))
}

/// A key in the language of the window, from its English name: `Maj+Entrée` for `Shift+Enter`.
pub fn key_name(english: &str) -> String {
    let name = |key: &str| messages::find(&format!("key-{}", key.to_ascii_lowercase())).unwrap_or(key).to_owned();
    english.split('+').map(name).collect::<Vec<String>>().join("+")
}

pub(super) fn name_of(key: Key) -> &'static str {
    match key {
        Key::Minus => "-",
        Key::Plus => "+",
        Key::Equals => "=",
        Key::OpenBracket => "[",
        Key::CloseBracket => "]",
        Key::OpenCurlyBracket => "{",
        Key::CloseCurlyBracket => "}",
        Key::Backslash => "\\",
        other => other.name(),
    }
}

/// What has the keyboard.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Keyboard {
    /// A panel, or nothing.
    Panel,
    /// A text field: plain keys belong to it.
    Field,
}

/// Takes the keys that stand for commands out of the input, in the order in which they were pressed.
pub fn take_pressed(input: &mut egui::InputState, situation: &Situation, keyboard: Keyboard) -> Vec<&'static Command> {
    let mut pressed = Vec::new();
    input.events.retain(|event| {
        let Event::Key { key, pressed: true, modifiers, .. } = event else { return true };
        let found = commands().iter().find(|command| is_meant(command, situation, *modifiers, *key, keyboard));
        pressed.extend(found);
        found.is_none()
    });
    if !pressed.is_empty() {
        // The same stroke arrives as text as well; a field that the command opens must not get it.
        input.events.retain(|event| !matches!(event, Event::Text(_)));
    }
    pressed
}

fn is_meant(command: &Command, situation: &Situation, modifiers: Modifiers, key: Key, keyboard: Keyboard) -> bool {
    let fits = |shortcut: &KeyboardShortcut| {
        shortcut.logical_key == key
            && holds(shortcut, modifiers)
            && !(keyboard == Keyboard::Field && is_text_key(shortcut))
            && command.is_in_scope(situation, shortcut)
    };
    command.keys().iter().any(fits) && command.is_possible(situation)
}

/// Modifiers have to be the very ones, except that Shift does not count for signs: it may be what makes them.
fn holds(shortcut: &KeyboardShortcut, modifiers: Modifiers) -> bool {
    let wanted = shortcut.modifiers;
    let is_sign = name_of(shortcut.logical_key).chars().all(|letter| letter.is_ascii_punctuation());
    let is_shift_right = is_sign || wanted.shift == modifiers.shift;
    let is_command = modifiers.command || modifiers.ctrl;
    is_shift_right && wanted.alt == modifiers.alt && (wanted.command || wanted.ctrl) == is_command
}

/// Keys that a text field has a use for.
fn is_text_key(shortcut: &KeyboardShortcut) -> bool {
    let key = shortcut.logical_key;
    let is_function_key = key.name().strip_prefix('F').is_some_and(|number| number.parse::<u8>().is_ok());
    let is_plain = !shortcut.modifiers.command && !shortcut.modifiers.alt;
    let is_edit_key = matches!(key, Key::Home | Key::End | Key::ArrowLeft | Key::ArrowRight);
    !is_function_key && (is_plain || is_edit_key)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn press(key: Key, modifiers: Modifiers, is_typing: bool, is_in_trace: bool) -> Vec<&'static str> {
        let mut input = egui::InputState::default();
        input.events = vec![Event::Key { key, physical_key: None, pressed: true, repeat: false, modifiers }];
        let active = Some((crate::action::WindowId(1), 0));
        let situation = Situation { active, is_in_trace, ..Situation::default() };
        take_pressed(&mut input, &situation, if is_typing { Keyboard::Field } else { Keyboard::Panel })
            .iter()
            .map(|command| command.name)
            .collect()
    }

    #[test]
    fn modifiers_tell_commands_apart() {
        assert_eq!(press(Key::F11, Modifiers::NONE, false, true), ["Step"]);
        assert_eq!(press(Key::F11, Modifiers::SHIFT, false, true), ["Step back"]);
        assert_eq!(press(Key::F11, Modifiers::ALT, false, true), [""; 0]);
    }

    #[test]
    fn what_is_typed_into_a_field_is_no_command() {
        assert_eq!(press(Key::N, Modifiers::NONE, true, true), [""; 0]);
        assert_eq!(press(Key::Home, Modifiers::CTRL, true, true), [""; 0]);
        assert_eq!(press(Key::F10, Modifiers::NONE, true, true), ["Step over"]);
        assert_eq!(press(Key::G, Modifiers::COMMAND, true, true), ["Go to…"]);
    }

    #[test]
    fn arrows_belong_to_the_panel_that_has_the_keyboard() {
        assert_eq!(press(Key::ArrowDown, Modifiers::NONE, false, true), ["Next row"]);
        assert_eq!(press(Key::ArrowDown, Modifiers::NONE, false, false), [""; 0]);
    }

    #[test]
    fn shift_may_be_what_makes_a_sign() {
        assert_eq!(press(Key::OpenCurlyBracket, Modifiers::SHIFT, false, true), ["Fold all"]);
        assert_eq!(press(Key::Plus, Modifiers::SHIFT, false, true), ["Unfold call"]);
        assert_eq!(press(Key::Plus, Modifiers::COMMAND, false, true), ["Larger text"]);
    }

    #[test]
    fn keys_are_written_as_in_menus() {
        let written = |name| key_text(super::super::command(name).unwrap().keys().first().unwrap());
        assert_eq!(written("Commands…"), "Ctrl+Shift+P");
        assert_eq!(written("Fold all"), "{");
        assert_eq!(written("Back in history"), "Alt+Left");
    }
}
