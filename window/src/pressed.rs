//! Conversion of the toolkit's key events to the keys of the command table.

use egui::{Event, InputState};
use stepback_debugger::keymap::{
    Command, CommandContext, Key, KeyStroke, KeyboardFocus, Modifiers, meant,
};

/// Removes the keys of commands from the input. Returns the commands in the order of the key
/// presses.
pub fn take_pressed(
    input: &mut InputState,
    situation: &CommandContext,
    keyboard: KeyboardFocus,
) -> Vec<&'static Command> {
    let mut pressed = Vec::new();
    input.events.retain(|event| {
        let found = stroke_of(event).and_then(|stroke| meant(stroke, situation, keyboard));
        pressed.extend(found);
        found.is_none()
    });
    if !pressed.is_empty() {
        // The key press also arrives as text, which must not reach a field that the command opens.
        input
            .events
            .retain(|event| !matches!(event, Event::Text(_)));
    }
    pressed
}

/// Returns the key that an event reports as pressed. Modifier keys such as Ctrl have their own
/// events, for which this is none.
pub fn stroke_of(event: &Event) -> Option<KeyStroke> {
    let Event::Key {
        key,
        pressed: true,
        modifiers,
        ..
    } = event
    else {
        return None;
    };
    // The toolkit accepts the key names that key files use.
    let key = *Key::ALL
        .iter()
        .find(|ours| egui::Key::from_name(ours.name()) == Some(*key))?;
    let egui::Modifiers {
        alt,
        shift,
        command,
        ctrl,
        ..
    } = *modifiers;
    Some(KeyStroke::new(
        Modifiers {
            ctrl: command || ctrl,
            alt,
            shift,
        },
        key,
    ))
}

#[cfg(test)]
mod tests {
    use stepback_parsers::Position;

    use super::*;
    use stepback_debugger::action::WindowId;

    fn event(key: egui::Key, modifiers: egui::Modifiers) -> Event {
        Event::Key {
            key,
            physical_key: None,
            pressed: true,
            repeat: false,
            modifiers,
        }
    }

    #[test]
    fn keys_of_commands_are_taken_with_their_text_and_others_are_left() {
        let mut input = InputState::default();
        let left = event(egui::Key::F11, egui::Modifiers::ALT);
        let step = event(egui::Key::S, egui::Modifiers::NONE);
        let go_to = event(egui::Key::G, egui::Modifiers::COMMAND);
        input.events = vec![step, Event::Text("s".to_owned()), left.clone(), go_to];
        let situation = CommandContext {
            active: Some((WindowId(1), Position(0))),
            ..CommandContext::default()
        };
        let pressed = take_pressed(&mut input, &situation, KeyboardFocus::Panel);
        assert_eq!(
            pressed
                .iter()
                .map(|command| command.name)
                .collect::<Vec<_>>(),
            ["Step", "Go to…"]
        );
        assert_eq!(input.events, [left]);
    }

    #[test]
    fn every_key_of_the_toolkit_is_known_but_those_that_are_only_held() {
        let unknown = egui::Key::ALL
            .iter()
            .filter(|key| stroke_of(&event(**key, egui::Modifiers::NONE)).is_none());
        let held = [
            "ShiftLeft",
            "ShiftRight",
            "ControlLeft",
            "ControlRight",
            "AltLeft",
            "AltRight",
            "SuperLeft",
        ];
        let names: Vec<&str> = unknown.map(|key| key.name()).collect();
        assert_eq!(
            names,
            [
                &held[..],
                &["SuperRight", "CapsLock", "NumLock", "ScrollLock", "Fn"]
            ]
            .concat()
        );
    }
}
