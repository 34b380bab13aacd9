//! Choosers next to the search field: the interpretation of the text, and the scope of the search.

use egui::{Rect, Ui};

use crate::panels::pen::Pen;
use crate::panels::row::button_response;
use crate::theme::{icon, icons, ui as ui_font};
use stepback_debugger::action::FindKind;
use stepback_debugger::messages::{say, spoken};
use stepback_debugger::model::found::kind_name;

/// Interpretations of the text in list order, each with an example.
const KINDS: [(FindKind, &str); 8] = [
    (FindKind::Auto, "find-what-it-looks-like"),
    (FindKind::Text, "find-ldr-x1-in-any-case"),
    (FindKind::Regex, "find-example-regex"),
    (FindKind::Value, "find-example-value"),
    (FindKind::Bytes, "find-example-bytes"),
    (FindKind::Address, "find-example-address"),
    (FindKind::Accesses, "find-example-accesses"),
    (FindKind::Function, "find-decode-a-part-will-do"),
];

/// Scope of a search.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum SearchScope {
    #[default]
    Everywhere,
    /// From the position on.
    FromHere,
    /// Up to the position.
    UpToHere,
    /// Between two positions that the user types.
    Between,
}

const REACHES: [(SearchScope, &str); 4] = [
    (SearchScope::Everywhere, "find-everywhere"),
    (SearchScope::FromHere, "find-from-here-on"),
    (SearchScope::UpToHere, "find-up-to-here"),
    (SearchScope::Between, "find-between"),
];

/// Returns the label of a scope.
fn reach_name(reach: SearchScope) -> &'static str {
    REACHES
        .iter()
        .find(|(known, _)| *known == reach)
        .map_or("", |(_, name)| spoken(name))
}

/// Name and current choice of a drop-down button.
struct DropDown<'a> {
    name: &'a str,
    chosen: &'a str,
}

/// Draws a drop-down button. Returns the result of its list.
fn drop_down<R>(
    ui: &Ui,
    pen: &Pen<'_>,
    rect: Rect,
    DropDown { name, chosen: text }: DropDown<'_>,
    list: impl FnOnce(&mut Ui) -> R,
) -> Option<R> {
    let tok = pen.tok;
    let response = button_response(ui, rect, name, &format!("{name} {text}"));
    if response.hovered() || response.has_focus() {
        pen.painter.rect_filled(rect, 4.0, tok.bg3);
    }
    pen.frame(rect, 4, tok.ctl);
    let right = rect.right() - 18.0;
    pen.cut_text(
        egui::pos2(rect.left() + 8.0, rect.center().y),
        text,
        ui_font(12.0),
        tok.t1,
        right,
    );
    pen.icon(
        egui::pos2(rect.right() - 10.0, rect.center().y),
        icons::CARET_DOWN,
        10.0,
        tok.t2,
    );
    let shown = egui::Popup::menu(&response).show(|ui| {
        ui.style_mut().override_font_id = Some(ui_font(13.0));
        list(ui)
    });
    shown.map(|shown| shown.inner)
}

/// Draws the chooser of the interpretation. Returns true if it changed.
pub fn kind_ui(ui: &Ui, pen: &Pen<'_>, rect: Rect, kind: &mut FindKind) -> bool {
    let now = *kind;
    let chosen = drop_down(
        ui,
        pen,
        rect,
        DropDown {
            name: say!("find-read-as"),
            chosen: kind_name(now),
        },
        |ui| {
            let mut chosen = None;
            for (kind, example) in KINDS {
                let example = egui::RichText::new(spoken(example))
                    .font(crate::theme::mono(11.5))
                    .color(pen.tok.t3);
                let entry =
                    egui::Button::selectable(kind == now, kind_name(kind)).right_text(example);
                if ui.add(entry).clicked() {
                    chosen = Some(kind);
                }
            }
            chosen
        },
    );
    chosen
        .flatten()
        .is_some_and(|chosen| std::mem::replace(kind, chosen) != chosen)
}

/// Draws the chooser of the scope. Returns true if it changed.
pub fn reach_ui(ui: &Ui, pen: &Pen<'_>, rect: Rect, reach: &mut SearchScope) -> bool {
    let now = *reach;
    let chosen = drop_down(
        ui,
        pen,
        rect,
        DropDown {
            name: say!("find-look"),
            chosen: reach_name(now),
        },
        |ui| {
            let mut chosen = None;
            for (reach, name) in REACHES {
                if ui
                    .add(egui::Button::selectable(reach == now, spoken(name)))
                    .clicked()
                {
                    chosen = Some(reach);
                }
            }
            chosen
        },
    );
    chosen
        .flatten()
        .is_some_and(|chosen| std::mem::replace(reach, chosen) != chosen)
}

/// Draws a small square button with an icon. Returns true if it was clicked.
pub fn icon_button(ui: &Ui, pen: &Pen<'_>, rect: Rect, shape: char, name: &str) -> bool {
    let response = button_response(ui, rect, name, name);
    if response.hovered() || response.has_focus() {
        pen.painter.rect_filled(rect, 4.0, pen.tok.bg3);
    }
    pen.text_centered(rect.center(), shape, icon(14.0), pen.tok.t2);
    response.on_hover_text(name).clicked()
}
