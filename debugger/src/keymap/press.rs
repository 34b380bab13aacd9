//! Which command a key stands for.

use super::command::{Command, Situation};
use super::key::Key;
use super::stroke::{KeyStroke, Modifiers};
use super::table::commands;

/// What has the keyboard.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Keyboard {
    /// A panel, or nothing.
    Panel,
    /// A text field: plain keys belong to it.
    Field,
}

/// The command that a pressed key stands for in a situation.
pub fn meant(
    pressed: KeyStroke,
    situation: &Situation,
    keyboard: Keyboard,
) -> Option<&'static Command> {
    let fits = |command: &Command, stroke: &KeyStroke| {
        stroke.key == pressed.key
            && holds(stroke, pressed.modifiers)
            && !(keyboard == Keyboard::Field && is_text_key(stroke))
            && command.is_in_scope(situation, stroke)
    };
    let is_meant = |command: &&Command| {
        command.keys().iter().any(|stroke| fits(command, stroke)) && command.is_possible(situation)
    };
    commands().iter().find(is_meant)
}

/// Modifiers have to be the very ones, except that Shift does not count for signs: it may be what makes them.
fn holds(stroke: &KeyStroke, modifiers: Modifiers) -> bool {
    let wanted = stroke.modifiers;
    let is_shift_right = stroke.key.is_sign() || wanted.shift == modifiers.shift;
    is_shift_right && wanted.alt == modifiers.alt && wanted.ctrl == modifiers.ctrl
}

/// Keys that a text field has a use for.
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
    use stepback_parsers::Position;

    use super::*;
    use crate::action::WindowId;

    fn press(key: Key, modifiers: Modifiers, keyboard: Keyboard) -> Option<&'static str> {
        let situation = Situation {
            active: Some((WindowId(1), Position(0))),
            is_in_trace: true,
            ..Situation::default()
        };
        meant(KeyStroke::new(modifiers, key), &situation, keyboard).map(|command| command.name)
    }

    #[test]
    fn modifiers_tell_commands_apart() {
        assert_eq!(
            press(Key::F11, Modifiers::NONE, Keyboard::Panel),
            Some("Step")
        );
        assert_eq!(
            press(Key::F11, Modifiers::SHIFT, Keyboard::Panel),
            Some("Step back")
        );
        assert_eq!(press(Key::F11, Modifiers::ALT, Keyboard::Panel), None);
    }

    #[test]
    fn what_is_typed_into_a_field_is_no_command() {
        assert_eq!(press(Key::N, Modifiers::NONE, Keyboard::Field), None);
        assert_eq!(press(Key::Home, Modifiers::CTRL, Keyboard::Field), None);
        assert_eq!(
            press(Key::F10, Modifiers::NONE, Keyboard::Field),
            Some("Step over")
        );
        assert_eq!(
            press(Key::G, Modifiers::CTRL, Keyboard::Field),
            Some("Go to…")
        );
    }

    #[test]
    fn arrows_belong_to_the_panel_that_has_the_keyboard() {
        assert_eq!(
            press(Key::ArrowDown, Modifiers::NONE, Keyboard::Panel),
            Some("Next row")
        );
        let elsewhere = Situation {
            active: Some((WindowId(1), Position(0))),
            ..Situation::default()
        };
        let down = KeyStroke::new(Modifiers::NONE, Key::ArrowDown);
        assert!(meant(down, &elsewhere, Keyboard::Panel).is_none());
    }

    #[test]
    fn shift_may_be_what_makes_a_sign() {
        assert_eq!(
            press(Key::OpenCurlyBracket, Modifiers::SHIFT, Keyboard::Panel),
            Some("Fold all")
        );
        assert_eq!(
            press(Key::Plus, Modifiers::SHIFT, Keyboard::Panel),
            Some("Unfold call")
        );
        assert_eq!(
            press(Key::Plus, Modifiers::CTRL, Keyboard::Panel),
            Some("Larger text")
        );
    }
}
