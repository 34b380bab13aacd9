//! The page of settings.

use egui::{Align, Frame, Id, Layout, Margin, Modal, RichText, Stroke, Ui, vec2};

use super::settings::Settings;
use super::settings_file::SettingsFile;
use super::settings_keys::KeysPage;
use super::widgets::FlatButton;
use crate::action::{Action, ThemeChoice};
use crate::messages::{LanguageChoice, say};
use crate::theme::{Tok, icons, semi, ui as ui_font};

/// The page while it is open.
#[derive(Default)]
pub struct SettingsPage {
    part: Part,
    keys: KeysPage,
}

/// What the page shows.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
enum Part {
    #[default]
    Look,
    Keys,
}

impl SettingsPage {
    /// Draws it; true when it is left.
    pub fn ui(&mut self, ui: &Ui, settings: &Settings, file: Option<&SettingsFile>, out: &mut Vec<Action>) -> bool {
        let tok = Tok::current(ui);
        let frame = Frame::new()
            .fill(tok.bg2)
            .stroke(Stroke::new(1.0, tok.line2))
            .corner_radius(8)
            .shadow(ui.visuals().window_shadow)
            .inner_margin(Margin::same(20));
        let modal = Modal::new(Id::unique("settings")).backdrop_color(tok.veil).frame(frame);
        // Escape gives up only the key that is waited for. Whatever else closes the page does so.
        let is_kept = self.keys.is_capturing() && ui.input(|input| input.key_pressed(egui::Key::Escape));
        let shown = modal.show(ui.ctx(), |ui| {
            let size = vec2(820.0, 600.0).min(ui.ctx().content_rect().size() - vec2(64.0, 64.0));
            ui.set_min_size(size);
            ui.set_max_size(size);
            self.head_ui(ui, tok);
            match self.part {
                Part::Look => {
                    self.keys.give_up();
                    look_ui(ui, settings, file, out);
                }
                Part::Keys => self.keys.ui(ui, settings, out),
            }
        });
        shown.should_close() && !is_kept
    }

    fn head_ui(&mut self, ui: &mut Ui, tok: &Tok) {
        ui.horizontal(|ui| {
            ui.label(RichText::new(say!("settings-title")).font(semi(14.0)).color(tok.t1));
            ui.add_space(16.0);
            ui.selectable_value(&mut self.part, Part::Look, say!("settings-look"));
            ui.selectable_value(&mut self.part, Part::Keys, say!("page-keys"));
            ui.with_layout(Layout::right_to_left(Align::Center), |ui| {
                let close =
                    FlatButton { icon_size: 14.0, ..FlatButton::of_icon(say!("page-close-page"), icons::CLOSE) };
                if close.ui(ui).clicked() {
                    ui.close();
                }
            });
        });
        ui.add_space(12.0);
    }
}

fn look_ui(ui: &mut Ui, settings: &Settings, file: Option<&SettingsFile>, out: &mut Vec<Action>) {
    let tok = Tok::current(ui);
    ui.spacing_mut().item_spacing.y = 7.0;
    let head = |ui: &mut Ui, text: &str| {
        ui.add_space(6.0);
        ui.label(RichText::new(text).font(semi(12.5)).color(tok.t1));
    };
    head(ui, say!("menu-theme"));
    ui.horizontal_wrapped(|ui| {
        for (choice, name) in [
            (ThemeChoice::System, say!("settings-system")),
            (ThemeChoice::Dark, say!("settings-dark")),
            (ThemeChoice::Light, say!("settings-light")),
            (ThemeChoice::SafeDark, say!("settings-safe-dark")),
            (ThemeChoice::SafeLight, say!("settings-safe-light")),
        ] {
            if ui.radio(settings.theme == choice, name).clicked() {
                out.push(Action::Theme(choice));
            }
        }
    });
    head(ui, say!("menu-language"));
    ui.horizontal(|ui| {
        for (choice, name) in [
            (LanguageChoice::System, say!("settings-of-system")),
            (LanguageChoice::English, "English"),
            (LanguageChoice::French, "Français"),
        ] {
            if ui.radio(settings.language == choice, name).clicked() {
                out.push(Action::Language(choice));
            }
        }
    });
    head(ui, say!("settings-size"));
    ui.horizontal(|ui| {
        for (text, name, direction) in [
            ("−", say!("settings-smaller"), -1),
            ("100 %", say!("settings-normal"), 0),
            ("+", say!("settings-larger"), 1),
        ] {
            let button = ui.add(egui::Button::new(text).min_size(vec2(34.0, 24.0)));
            button.widget_info(|| egui::WidgetInfo::labeled(egui::Role::Button, true, name));
            if button.on_hover_text(name).clicked() {
                out.push(Action::Zoom(direction));
            }
        }
        let percent = (settings.zoom * 100.0).round().to_string();
        ui.label(RichText::new(say!("settings-now", percent = percent)).font(ui_font(12.5)).color(tok.t2));
    });
    head(ui, say!("settings-more"));
    for (is_on, name, action) in [
        (settings.has_row_lines, say!("settings-row-lines"), Action::ToggleRowLines),
        (settings.uses_own_browser, say!("settings-own-browser"), Action::ToggleOwnBrowser),
    ] {
        let mut is_on = is_on;
        if ui.checkbox(&mut is_on, name).clicked() {
            out.push(action);
        }
    }
    let Some(file) = file else { return };
    ui.add_space(14.0);
    ui.horizontal_wrapped(|ui| {
        let place = say!("settings-place", path = file.path().display().to_string());
        ui.label(RichText::new(place).font(ui_font(12.0)).color(tok.t3));
        if super::widgets::link(ui, say!("settings-copy-path")).clicked() {
            out.push(Action::Copy(file.path().display().to_string()));
        }
    });
}
