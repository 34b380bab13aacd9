//! Dispatch of key strokes to commands.

use super::command::{Command, CommandContext};
use super::key::Key;
use super::stroke::{KeyStroke, Modifiers};
use super::table::commands;

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
    }
}
