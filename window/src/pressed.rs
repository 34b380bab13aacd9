//! Conversion of the toolkit's key events to the keys of the command table.

use egui::{Context, Event, Id, InputState};
use stepback_debugger::action::{Action, AppAction, SearchAction};
use stepback_debugger::keymap::{
    Command, CommandContext, Key, KeyStroke, KeyboardFocus, Modifiers, meant,
};

/// Number of frames after which keys stop waiting for a field.
const PATIENCE: u32 = 6;

/// Keys that were pressed after a command that opens a field, and before the field has the focus.
/// They are text for the field, however slow the frames are, and never commands.
#[derive(Default)]
pub struct HeldKeys {
    events: Vec<Event>,
    /// Widget that had the focus before.
    from: Option<Id>,
    frames: u32,
}

impl HeldKeys {
    /// Starts to hold keys, those that followed a command at first.
    pub fn hold(&mut self, events: Vec<Event>, context: &Context) {
        *self = Self {
            events,
            from: context.memory(|memory| memory.focused()),
            frames: PATIENCE,
        };
    }

    /// Adds the keys of a frame to the held ones, or gives all of them back to the input once a
    /// field has the focus. Must run before commands take their keys.
    pub fn advance(&mut self, context: &Context) {
        if self.frames == 0 {
            return;
        }
        let focused = context.memory(|memory| memory.focused());
        let is_there = context.text_edit_focused() && focused != self.from;
        self.frames -= 1;
        context.input_mut(|input| {
            let (keys, others) = std::mem::take(&mut input.events)
                .into_iter()
                .partition(is_of_keyboard);
            input.events = others;
            self.events.extend::<Vec<_>>(keys);
            if is_there || self.frames == 0 {
                self.frames = 0;
                input.events.append(&mut self.events);
            }
        });
        if self.frames > 0 {
            context.request_repaint();
        }
    }
}

/// True for a key that is pressed or released, and for text.
fn is_of_keyboard(event: &Event) -> bool {
    matches!(event, Event::Key { .. } | Event::Text(_))
}

/// Commands of a frame.
#[derive(Default)]
pub struct PressedCommands {
    /// In the order of the key presses.
    pub commands: Vec<&'static Command>,
    /// Keys after a command that opens a field, for [`HeldKeys`]; none without such a command.
    pub waiting: Option<Vec<Event>>,
}

/// Removes the keys of commands from the input, and the keys that wait for a field.
pub fn take_pressed(
    input: &mut InputState,
    situation: &CommandContext,
    keyboard: KeyboardFocus,
) -> PressedCommands {
    let mut pressed = PressedCommands::default();
    input.events.retain(|event| {
        if let Some(waiting) = pressed.waiting.as_mut().filter(|_| is_of_keyboard(event)) {
            waiting.push(event.clone());
            return false;
        }
        let found = stroke_of(event).and_then(|stroke| meant(stroke, situation, keyboard));
        pressed.commands.extend(found);
        if found.is_some_and(|command| opens_field(command, situation)) {
            pressed.waiting = Some(Vec::new());
        }
        found.is_none()
    });
    if !pressed.commands.is_empty() {
        // The key press also arrives as text, which must not reach a field that the command opens.
        input
            .events
            .retain(|event| !matches!(event, Event::Text(_)));
    }
    if let Some(waiting) = &mut pressed.waiting {
        let is_own = |event: &&Event| matches!(event, Event::Text(_));
        let own = waiting.iter().take_while(is_own).count();
        waiting.drain(..own);
    }
    pressed
}

/// True for a command after which the keyboard belongs to a field.
fn opens_field(command: &Command, situation: &CommandContext) -> bool {
    match command.action(situation) {
        Some(action) => takes_keyboard(&action),
        // The palette asks for its argument.
        None => command.argument.is_some(),
    }
}

/// True for an action that gives the keyboard to a field or a page of the main window.
pub fn takes_keyboard(action: &Action) -> bool {
    use AppAction::{AskFor, CommandPalette, FocusGoTo, KeyboardHelp, Settings};
    match action {
        Action::Search(action) => *action == SearchAction::FocusFind,
        Action::App(action) => matches!(
            action,
            AskFor(_) | CommandPalette | FocusGoTo | KeyboardHelp | Settings
        ),
        _ => false,
    }
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
                .commands
                .iter()
                .map(|command| command.name)
                .collect::<Vec<_>>(),
            ["Step", "Go to…"]
        );
        assert_eq!(input.events, [left]);
    }

    #[test]
    fn keys_after_a_command_that_opens_a_field_wait_for_it() {
        let mut input = InputState::default();
        let step = event(egui::Key::S, egui::Modifiers::NONE);
        let find = event(egui::Key::F, egui::Modifiers::COMMAND);
        let own = Event::Text("f".to_owned());
        let typed = [step.clone(), Event::Text("s".to_owned())];
        input.events = [&[step, find, own], &typed[..]].concat();
        let situation = CommandContext {
            active: Some((WindowId(1), Position(0))),
            ..CommandContext::default()
        };
        let pressed = take_pressed(&mut input, &situation, KeyboardFocus::Panel);
        let names: Vec<&str> = pressed.commands.iter().map(|it| it.name).collect();
        assert_eq!(names, ["Step", "Find…"]);
        assert_eq!(pressed.waiting.as_deref(), Some(&typed[..]));
        assert_eq!(input.events, []);
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
