//! The page of settings.

use egui::{Align, Frame, Id, Layout, Margin, Modal, RichText, Role, Stroke, Ui, WidgetInfo, vec2};
use stepback_debugger::action::{Action, AppAction, FontChange, FontRole, ThemeChoice};
use stepback_debugger::messages::{LanguageChoice, say};

use super::settings::{FontChoice, Settings};
use super::settings_file::SettingsFile;
use super::settings_keys::KeysPage;
use super::widgets::FlatButton;
use crate::theme::{ThemeColors, icons, mono, semi, ui as ui_font};

/// State of the open settings page.
#[derive(Default)]
pub struct SettingsPage {
    part: SettingsTab,
    keys: KeysPage,
}

/// Tab of the page.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
enum SettingsTab {
    #[default]
    Look,
    Keys,
}

impl SettingsPage {
    /// Draws the page. Returns true when it is closed.
    pub fn ui(
        &mut self,
        ui: &Ui,
        settings: &Settings,
        file: Option<&SettingsFile>,
        out: &mut Vec<Action>,
    ) -> bool {
        let tok = ThemeColors::current(ui);
        let frame = Frame::new()
            .fill(tok.bg2)
            .stroke(Stroke::new(1.0, tok.line2))
            .corner_radius(8)
            .shadow(ui.visuals().window_shadow)
            .inner_margin(Margin::same(20));
        let modal = Modal::new(Id::unique("settings"))
            .backdrop_color(tok.veil)
            .frame(frame);
        // While a key is being captured, Escape only cancels the capture. Other ways to close the
        // page still work.
        let is_kept =
            self.keys.is_capturing() && ui.input(|input| input.key_pressed(egui::Key::Escape));
        let shown = modal.show(ui.ctx(), |ui| {
            let size = vec2(820.0, 600.0).min(ui.ctx().content_rect().size() - vec2(64.0, 64.0));
            ui.set_min_size(size);
            ui.set_max_size(size);
            self.head_ui(ui, tok);
            match self.part {
                SettingsTab::Look => {
                    self.keys.give_up();
                    // In a low window or with large texts, the content does not fit.
                    let area = egui::ScrollArea::vertical().auto_shrink(false);
                    area.show(ui, |ui| look_ui(ui, settings, file, out));
                }
                SettingsTab::Keys => self.keys.ui(ui, settings, out),
            }
        });
        shown.should_close() && !is_kept
    }

    fn head_ui(&mut self, ui: &mut Ui, tok: &ThemeColors) {
        ui.horizontal(|ui| {
            ui.label(
                RichText::new(say!("settings-title"))
                    .font(semi(14.0))
                    .color(tok.t1),
            );
            ui.add_space(16.0);
            ui.selectable_value(&mut self.part, SettingsTab::Look, say!("settings-look"));
            ui.selectable_value(&mut self.part, SettingsTab::Keys, say!("page-keys"));
            ui.with_layout(Layout::right_to_left(Align::Center), |ui| {
                let close = FlatButton {
                    icon_size: 14.0,
                    ..FlatButton::of_icon(say!("page-close-page"), icons::CLOSE)
                };
                if close.ui(ui).clicked() {
                    ui.close();
                }
            });
        });
        ui.add_space(12.0);
    }
}

fn look_ui(ui: &mut Ui, settings: &Settings, file: Option<&SettingsFile>, out: &mut Vec<Action>) {
    let tok = ThemeColors::current(ui);
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
                out.push(Action::App(AppAction::Theme(choice)));
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
                out.push(Action::App(AppAction::Language(choice)));
            }
        }
    });
    head(ui, say!("settings-size"));
    ui.horizontal(|ui| {
        let names = [
            say!("settings-smaller"),
            say!("settings-normal"),
            say!("settings-larger"),
        ];
        let percent = (settings.zoom * 100.0).round() as i64;
        let direction = size_ui(ui, percent, names);
        out.extend(direction.map(|direction| Action::App(AppAction::Zoom(direction))));
    });
    head(ui, say!("settings-fonts"));
    fonts_ui(ui, &settings.fonts, out);
    head(ui, say!("settings-more"));
    for (is_on, name, action) in [
        (
            settings.has_row_lines,
            say!("settings-row-lines"),
            Action::App(AppAction::ToggleRowLines),
        ),
        (
            settings.uses_own_browser,
            say!("settings-own-browser"),
            Action::App(AppAction::ToggleOwnBrowser),
        ),
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
            out.push(Action::App(AppAction::Copy(
                file.path().display().to_string(),
            )));
        }
    });
}

fn fonts_ui(ui: &mut Ui, fonts: &FontChoice, out: &mut Vec<Action>) {
    let tok = ThemeColors::current(ui);
    let built_in = say!("settings-built-in");
    let files = [
        (
            FontRole::Interface,
            say!("settings-interface-font"),
            &fonts.interface,
        ),
        (
            FontRole::FixedWidth,
            say!("settings-fixed-width-font"),
            &fonts.fixed_width,
        ),
    ];
    egui::Grid::new("fonts")
        .num_columns(2)
        .spacing(vec2(16.0, 7.0))
        .show(ui, |ui| {
            for (role, name, file) in files {
                ui.label(RichText::new(name).font(ui_font(13.0)).color(tok.t1));
                ui.horizontal(|ui| {
                    let choose = ui.button(say!("settings-choose"));
                    choose.widget_info(|| {
                        WidgetInfo::labeled(
                            Role::Button,
                            true,
                            say!("settings-choose-of", font = name),
                        )
                    });
                    if choose.clicked() {
                        out.push(Action::App(AppAction::Font(FontChange::File(role, None))));
                    }
                    let Some(file) = file else {
                        ui.label(RichText::new(built_in).font(ui_font(12.0)).color(tok.t3));
                        return;
                    };
                    let back = ui.button(built_in);
                    back.widget_info(|| {
                        WidgetInfo::labeled(
                            Role::Button,
                            true,
                            say!("settings-built-in-of", font = name),
                        )
                    });
                    if back.clicked() {
                        out.push(Action::App(AppAction::Font(FontChange::BuiltIn(role))));
                    }
                    let path = file.display().to_string();
                    let short = file
                        .file_name()
                        .map_or(path.clone(), |name| name.to_string_lossy().into_owned());
                    let label =
                        egui::Label::new(RichText::new(short).font(mono(12.0)).color(tok.t2))
                            .truncate();
                    ui.add(label).on_hover_text(path);
                });
                ui.end_row();
            }
            ui.label(
                RichText::new(say!("settings-interface-text"))
                    .font(ui_font(13.0))
                    .color(tok.t1),
            );
            ui.horizontal(|ui| {
                let names = [
                    say!("settings-interface-smaller"),
                    say!("settings-interface-normal"),
                    say!("settings-interface-larger"),
                ];
                let direction = size_ui(ui, fonts.interface_percent, names);
                let changed = direction.map(FontChange::InterfaceText);
                out.extend(changed.map(|change| Action::App(AppAction::Font(change))));
            });
            ui.end_row();
        });
}

/// Draws a size between the buttons that change it, with one to return to 100 %. Returns the
/// direction of a change, 0 for 100 %.
fn size_ui(ui: &mut Ui, percent: i64, [smaller, normal, larger]: [&str; 3]) -> Option<i8> {
    let mut changed = None;
    let mut button = |ui: &mut Ui, text: &str, name: &str, direction: i8| {
        let button = ui.add(egui::Button::new(text).min_size(vec2(34.0, 24.0)));
        button.widget_info(|| WidgetInfo::labeled(Role::Button, true, name));
        if button.on_hover_text(name).clicked() {
            changed = Some(direction);
        }
    };
    let tok = ThemeColors::current(ui);
    button(ui, "−", smaller, -1);
    let shown = RichText::new(format!("{percent} %")).font(ui_font(12.5));
    ui.label(shown.color(tok.t2));
    button(ui, "+", larger, 1);
    if percent != 100 {
        button(ui, "100 %", normal, 0);
    }
    changed
}
