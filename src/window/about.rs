//! Pages that lie over the window: all keys, and what this program is.

use egui::{Align, Frame, Id, Layout, Margin, Modal, RichText, ScrollArea, Sense, Stroke, Ui, vec2};

use super::mark;
use super::widgets::{FlatButton, key_cap};
use crate::keymap::{self, Area, Command, Scope, key_name, key_text};
use crate::messages::{say, spoken};
use crate::theme::{Tok, icons, medium, semi, ui as ui_font};

/// A page.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Page {
    /// All keys, by area.
    Keys,
    /// What this program is.
    About,
}

/// Draws the page that is open, and closes it.
pub fn page_ui(ui: &Ui, page: &mut Option<Page>) {
    let Some(open) = *page else { return };
    let tok = Tok::current(ui);
    let frame = Frame::new()
        .fill(tok.bg2)
        .stroke(Stroke::new(1.0, tok.line2))
        .corner_radius(8)
        .shadow(ui.visuals().window_shadow)
        .inner_margin(Margin::same(20));
    let modal = Modal::new(Id::unique("page")).backdrop_color(tok.veil).frame(frame);
    let shown = modal.show(ui.ctx(), |ui| match open {
        Page::Keys => keys_ui(ui, tok),
        Page::About => about_ui(ui, tok),
    });
    let is_again = open == Page::Keys && ui.input_mut(|input| input.consume_key(egui::Modifiers::NONE, egui::Key::F1));
    if shown.should_close() || is_again {
        *page = None;
    }
}

fn head_ui(ui: &mut Ui, title: &str, tok: &Tok) {
    ui.horizontal(|ui| {
        ui.label(RichText::new(title).font(semi(14.0)).color(tok.t1));
        ui.with_layout(Layout::right_to_left(Align::Center), |ui| {
            let close = FlatButton { icon_size: 14.0, ..FlatButton::of_icon(say!("page-close-page"), icons::CLOSE) };
            if close.ui(ui).clicked() {
                ui.close();
            }
        });
    });
    ui.add_space(8.0);
}

fn keys_ui(ui: &mut Ui, tok: &Tok) {
    let room = ui.ctx().content_rect().size() - vec2(120.0, 160.0);
    let wide = room.x.min(900.0);
    ui.set_width(wide);
    head_ui(ui, say!("page-keys"), tok);
    let columns = if wide > 780.0 { 3 } else { 2 };
    ScrollArea::vertical().max_height(room.y).show(ui, |ui| {
        ui.columns(columns, |columns| {
            for area in Area::ALL {
                if let Some(column) = shortest(columns) {
                    area_ui(column, area, &area_keys(area), tok);
                }
            }
            if let Some(column) = shortest(columns) {
                panel_keys_ui(column, tok);
            }
            if let Some(column) = shortest(columns) {
                gestures_ui(column, tok);
            }
        });
        ui.add_space(6.0);
        let hint = say!("page-keys-in-grey-belong-to");
        ui.label(RichText::new(hint).font(ui_font(12.0)).color(tok.t3));
    });
}

fn shortest(columns: &mut [Ui]) -> Option<&mut Ui> {
    columns.iter_mut().min_by(|one, other| one.min_rect().height().total_cmp(&other.min_rect().height()))
}

fn area_keys(area: Area) -> Vec<&'static Command> {
    keymap::commands().iter().filter(|command| command.area == area && !command.keys().is_empty()).collect()
}

fn area_ui(ui: &mut Ui, area: Area, commands: &[&Command], tok: &Tok) {
    ui.spacing_mut().item_spacing.y = 0.0;
    ui.label(RichText::new(area.name()).font(semi(13.0)).color(tok.t1));
    ui.add_space(4.0);
    for command in commands {
        let keys: Vec<String> = command.keys().iter().map(key_text).collect();
        let color = if command.scope == Scope::Everywhere { tok.t1 } else { tok.t2 };
        keys_row_ui(ui, command.label(), &keys, color, tok);
    }
    ui.add_space(12.0);
}

/// The keys of panels that have a cursor of their own.
fn panel_keys_ui(ui: &mut Ui, tok: &Tok) {
    ui.spacing_mut().item_spacing.y = 0.0;
    ui.label(RichText::new(say!("page-in-registers-memory-calls-and")).font(semi(13.0)).color(tok.t1));
    ui.add_space(4.0);
    for (meaning, keys) in keymap::PANEL_KEYS {
        let keys: Vec<String> = keys.iter().map(|key| key_name(key)).collect();
        keys_row_ui(ui, spoken(meaning), &keys, tok.t2, tok);
    }
    ui.add_space(12.0);
}

/// What the mouse does in the timeline.
fn gestures_ui(ui: &mut Ui, tok: &Tok) {
    ui.spacing_mut().item_spacing.y = 0.0;
    ui.label(RichText::new(say!("page-in-the-timeline")).font(semi(13.0)).color(tok.t1));
    ui.add_space(4.0);
    for (gesture, meaning) in keymap::TIMELINE_GESTURES {
        keys_row_ui(ui, spoken(meaning), &[spoken(gesture).to_owned()], tok.t2, tok);
    }
    ui.add_space(12.0);
}

fn keys_row_ui(ui: &mut Ui, name: &str, keys: &[String], color: egui::Color32, tok: &Tok) {
    let (rect, response) = ui.allocate_exact_size(vec2(ui.available_width(), 22.0), Sense::hover());
    let said = say!("page-key-said", command = name, keys = keys.join(say!("page-or")));
    response.widget_info(|| egui::WidgetInfo::labeled(egui::Role::Label, true, &said));
    ui.painter().text(rect.left_center(), egui::Align2::LEFT_CENTER, name, ui_font(12.5), color);
    let mut right = rect.right_center();
    for key in keys.iter().rev() {
        right = key_cap(ui.painter(), right, key, tok).left_center() - vec2(4.0, 0.0);
    }
}

fn about_ui(ui: &mut Ui, tok: &Tok) {
    ui.set_width(420.0);
    head_ui(ui, say!("page-about-stepback"), tok);
    ui.horizontal(|ui| {
        let (square, _) = ui.allocate_exact_size(vec2(44.0, 44.0), Sense::hover());
        mark::paint(ui.painter(), square, tok);
        ui.vertical(|ui| {
            let name = format!("Stepback {}", env!("CARGO_PKG_VERSION"));
            ui.label(RichText::new(name).font(medium(13.0)).color(tok.t1));
            let line = say!("page-a-time-travel-debugger-for");
            ui.label(RichText::new(line).font(ui_font(12.0)).color(tok.t2));
        });
    });
    ui.add_space(12.0);
    let texts = [
        say!("page-nothing-is-executed-again-every"),
        say!("page-licence-mit-or-apache-2"),
        say!("page-faces-inter-and-jetbrains-mono"),
    ];
    for text in texts {
        ui.label(RichText::new(text).font(ui_font(12.0)).color(tok.t2));
    }
}
