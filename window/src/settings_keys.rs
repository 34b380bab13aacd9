//! Settings page for the keys of all commands.

use egui::{Align2, Event, Rect, ScrollArea, Sense, TextEdit, Ui, WidgetInfo, vec2};
use stepback_debugger::action::{Action, AppAction};
use stepback_debugger::keymap::{Command, CommandId, Key, KeyStroke, commands, key_text, written};
use stepback_debugger::messages::say;

use super::pressed::stroke_of;
use super::settings::Settings;
use super::widgets::{FlatButton, key_cap, text_button, width};
use crate::theme::{ThemeColors, ui as ui_font};

const ROW: f32 = 28.0;

/// State of the page.
#[derive(Default)]
pub struct KeysPage {
    filter: String,
    capture: Option<KeyCapture>,
    conflict: Option<KeyConflict>,
}

/// Capture of the next key press for a command.
#[derive(Clone, Copy)]
struct KeyCapture {
    command: CommandId,
    /// Adds the key to the command's keys instead of replacing them.
    is_added: bool,
}

/// A captured key that belongs to another command.
struct KeyConflict {
    command: CommandId,
    keys: Vec<String>,
    key: String,
    owner: CommandId,
}

impl KeysPage {
    /// Returns true if the next key press is captured.
    pub fn is_capturing(&self) -> bool {
        self.capture.is_some()
    }

    /// Cancels the capture.
    pub fn give_up(&mut self) {
        (self.capture, self.conflict) = (None, None);
    }

    /// Draws the list of keys.
    pub fn ui(&mut self, ui: &mut Ui, settings: &Settings, out: &mut Vec<Action>) {
        let tok = ThemeColors::current(ui);
        self.take_key(ui, settings, out);
        self.head_ui(ui, settings, out);
        let sought = self.filter.to_lowercase();
        let is_sought = |command: &&Command| {
            let keys = command
                .keys()
                .iter()
                .map(key_text)
                .collect::<Vec<_>>()
                .join(" ");
            let words = format!(
                "{} {} {} {keys}",
                command.label(),
                command.name,
                command.area.name()
            )
            .to_lowercase();
            sought.split_whitespace().all(|word| words.contains(word))
        };
        let list: Vec<&'static Command> = commands().iter().filter(is_sought).collect();
        if list.is_empty() {
            ui.label(
                egui::RichText::new(say!("settings-no-command"))
                    .font(ui_font(12.5))
                    .color(tok.t3),
            );
        }
        ui.spacing_mut().item_spacing.y = 0.0;
        ScrollArea::vertical()
            .id_salt("keys")
            .auto_shrink([false, false])
            .show_rows(ui, ROW, list.len(), |ui, range| {
                for command in list.iter().skip(range.start).take(range.len()) {
                    self.row_ui(ui, command, settings, out);
                }
            });
    }

    fn head_ui(&mut self, ui: &mut Ui, settings: &Settings, out: &mut Vec<Action>) {
        let tok = ThemeColors::current(ui);
        ui.horizontal(|ui| {
            let edit = TextEdit::singleline(&mut self.filter)
                .hint_text(say!("settings-filter"))
                .font(ui_font(12.5));
            let response = ui.add_sized(
                vec2(ui.available_width() - 290.0, 26.0),
                edit.align(Align2::LEFT_CENTER),
            );
            response.widget_info(|| {
                WidgetInfo::labeled(egui::Role::TextInput, true, say!("settings-filter"))
            });
            for (word, action) in [
                (
                    say!("settings-import"),
                    Action::App(AppAction::ImportKeys(None)),
                ),
                (say!("settings-export"), Action::App(AppAction::ExportKeys)),
                (
                    say!("settings-reset-all"),
                    Action::App(AppAction::ResetKeys(None)),
                ),
            ] {
                let is_possible =
                    !settings.keys.is_empty() || action == Action::App(AppAction::ImportKeys(None));
                if ui
                    .add_enabled(is_possible, egui::Button::new(word))
                    .clicked()
                {
                    out.push(action);
                }
            }
        });
        let conflict = self.conflict.take();
        ui.horizontal(|ui| {
            ui.set_min_height(22.0);
            let Some(conflict) = conflict else {
                let (words, color) = match self.capture {
                    Some(KeyCapture { command, .. }) => (
                        say!("settings-press", command = command.command().bare_label()),
                        tok.accent,
                    ),
                    None => (say!("settings-how").to_owned(), tok.t3),
                };
                ui.label(egui::RichText::new(words).font(ui_font(12.5)).color(color));
                return;
            };
            let owner = super::widgets::label(conflict.owner).trim_end_matches('…');
            let words = say!(
                "settings-conflict",
                key = conflict.key.as_str(),
                command = owner
            );
            ui.label(
                egui::RichText::new(words)
                    .font(ui_font(12.5))
                    .color(tok.warn),
            );
            let is_taken =
                text_button(ui, say!("settings-take"), ui_font(12.5), tok.accent).clicked();
            let is_left =
                text_button(ui, say!("settings-leave"), ui_font(12.5), tok.accent).clicked();
            if is_taken {
                out.push(Action::App(AppAction::SetKeys(
                    conflict.command.into(),
                    conflict.keys,
                )));
            } else if !is_left {
                self.conflict = Some(conflict);
            }
        });
        ui.add_space(4.0);
    }

    fn row_ui(
        &mut self,
        ui: &mut Ui,
        command: &'static Command,
        settings: &Settings,
        out: &mut Vec<Action>,
    ) {
        let tok = ThemeColors::current(ui);
        let (rect, response) =
            ui.allocate_exact_size(vec2(ui.available_width(), ROW), Sense::hover());
        let keys: Vec<String> = command.keys().iter().map(key_text).collect();
        let name = command.bare_label();
        let said = say!(
            "page-key-said",
            command = name,
            keys = keys.join(say!("page-or"))
        );
        response.widget_info(|| WidgetInfo::labeled(egui::Role::Row, true, &said));
        let is_captured = self
            .capture
            .is_some_and(|capture| capture.command == command.id);
        if is_captured || response.contains_pointer() {
            ui.painter()
                .rect_filled(rect, 3.0, if is_captured { tok.sel } else { tok.hover });
        }
        let area = ui.painter().text(
            rect.left_center() + vec2(8.0, 0.0),
            Align2::LEFT_CENTER,
            command.area.name(),
            ui_font(12.0),
            tok.t3,
        );
        let left = rect.left() + 92.0_f32.max(area.width() + 16.0);
        ui.painter().text(
            egui::pos2(left, rect.center().y),
            Align2::LEFT_CENTER,
            name,
            ui_font(12.5),
            tok.t1,
        );
        let mut right = rect.with_min_x(rect.left() + 300.0).left_center();
        for key in &keys {
            let wide = width(ui, key, &ui_font(11.0)) + 10.0;
            key_cap(ui.painter(), right + vec2(wide, 0.0), key, tok);
            right.x += wide + 4.0;
        }
        let buttons = Rect::from_min_max(egui::pos2(right.x + 8.0, rect.top()), rect.max);
        let layout = egui::Layout::right_to_left(egui::Align::Center);
        ui.scope_builder(
            egui::UiBuilder::new().max_rect(buttons).layout(layout),
            |ui| {
                ui.spacing_mut().item_spacing.x = 2.0;
                self.buttons_ui(ui, command, settings, out);
            },
        );
    }

    fn buttons_ui(
        &mut self,
        ui: &mut Ui,
        command: &'static Command,
        settings: &Settings,
        out: &mut Vec<Action>,
    ) {
        let name = command.bare_label();
        let button = |ui: &mut Ui, text: &str, said: String| {
            let button = FlatButton {
                name: &said,
                icon: None,
                text: Some(text),
                is_enabled: true,
                icon_size: 14.0,
            };
            button.ui(ui).clicked()
        };
        let capture = |is_added| {
            Some(KeyCapture {
                command: command.id,
                is_added,
            })
        };
        if settings.keys.has(command)
            && button(
                ui,
                say!("settings-reset"),
                say!("settings-reset-of", command = name),
            )
        {
            out.push(Action::App(AppAction::ResetKeys(Some(command.id.into()))));
        }
        if !command.keys().is_empty() {
            if button(
                ui,
                say!("settings-remove"),
                say!("settings-remove-of", command = name),
            ) {
                out.push(Action::App(AppAction::SetKeys(
                    command.id.into(),
                    Vec::new(),
                )));
            }
            if button(
                ui,
                say!("settings-add"),
                say!("settings-add-of", command = name),
            ) {
                (self.capture, self.conflict) = (capture(true), None);
            }
        }
        if button(
            ui,
            say!("settings-change"),
            say!("settings-change-of", command = name),
        ) {
            (self.capture, self.conflict) = (capture(false), None);
        }
    }

    /// Handles the captured key. Escape leaves the keys unchanged.
    fn take_key(&mut self, ui: &Ui, settings: &Settings, out: &mut Vec<Action>) {
        let Some(capture) = self.capture else { return };
        let Some(key) = ui.input_mut(pressed) else {
            return;
        };
        self.capture = None;
        let command = capture.command.command();
        if key.key == Key::Escape {
            return;
        }
        let mut keys = if capture.is_added {
            settings.keys.keys_of(command)
        } else {
            Vec::new()
        };
        keys.retain(|its| *its != key);
        keys.push(key);
        let keys = keys.iter().map(written).collect();
        match settings
            .keys
            .owner(&key)
            .filter(|owner| owner.id != command.id)
        {
            Some(owner) => {
                let (command, key, owner) = (command.id, key_text(&key), owner.id);
                self.conflict = Some(KeyConflict {
                    command,
                    keys,
                    key,
                    owner,
                });
            }
            None => out.push(Action::App(AppAction::SetKeys(command.id.into(), keys))),
        }
    }
}

/// Removes the first key press from the input and returns it.
fn pressed(input: &mut egui::InputState) -> Option<KeyStroke> {
    let mut found = None;
    input.events.retain(|event| match stroke_of(event) {
        Some(mut stroke) if found.is_none() => {
            // Shift may be needed to type a sign, so it does not count for signs.
            stroke.modifiers.shift &= !stroke.key.is_sign();
            found = Some(stroke);
            false
        }
        _ => !matches!(event, Event::Text(_)),
    });
    found
}
