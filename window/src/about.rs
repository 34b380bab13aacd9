//! Modal pages over the window: all keys, and information about the program.

use egui::{
    Align, Frame, Id, Layout, Margin, Modal, RichText, ScrollArea, Sense, Stroke, TextEdit, Ui,
    vec2,
};
use stepback_debugger::keymap;
use stepback_debugger::keymap::{Area, Command, KeyScope, key_name, key_text};
use stepback_debugger::messages::{say, spoken};

use super::widgets::{FlatButton, key_cap};
use crate::theme::{ThemeColors, icons, medium, semi, ui as ui_font};
use crate::widgets;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum InfoPage {
    /// All keys, by area.
    Keys,
    /// Information about the program.
    About,
}

/// Draws the open page; clears `page` when the user closes it.
pub fn page_ui(ui: &Ui, page: &mut Option<InfoPage>, filter: &mut String) {
    let Some(open) = *page else { return };
    let tok = ThemeColors::current(ui);
    let frame = Frame::new()
        .fill(tok.bg2)
        .stroke(Stroke::new(1.0, tok.line2))
        .corner_radius(8)
        .shadow(ui.visuals().window_shadow)
        .inner_margin(Margin::same(20));
    let modal = Modal::new(Id::unique("page"))
        .backdrop_color(tok.veil)
        .frame(frame);
    let shown = modal.show(ui.ctx(), |ui| match open {
        InfoPage::Keys => keys_ui(ui, filter, tok),
        InfoPage::About => about_ui(ui, tok),
    });
    let is_again = open == InfoPage::Keys
        && ui.input_mut(|input| input.consume_key(egui::Modifiers::NONE, egui::Key::F1));
    if shown.should_close() || is_again {
        *page = None;
        filter.clear();
    }
}

fn head_ui(ui: &mut Ui, title: &str, tok: &ThemeColors) {
    ui.horizontal(|ui| {
        ui.label(RichText::new(title).font(semi(14.0)).color(tok.t1));
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
    ui.add_space(8.0);
}

/// Section of the page of keys: commands, their keys or gestures, and their scope.
struct KeySection {
    title: &'static str,
    rows: Vec<KeyHelpRow>,
}

struct KeyHelpRow {
    name: &'static str,
    keys: Vec<String>,
    is_everywhere: bool,
}

impl KeyHelpRow {
    fn of(command: &Command) -> Self {
        let keys = command.keys().iter().map(key_text).collect();
        Self {
            name: command.label(),
            keys,
            is_everywhere: command.scope == KeyScope::Everywhere,
        }
    }

    fn of_panels(name: &'static str, keys: Vec<String>) -> Self {
        Self {
            name: spoken(name),
            keys,
            is_everywhere: false,
        }
    }

    fn holds(&self, words: &str) -> bool {
        let text = format!("{} {}", self.name, self.keys.join(" ")).to_lowercase();
        words.split_whitespace().all(|word| text.contains(word))
    }
}

/// Returns all sections, with the current keys of the commands.
fn parts() -> Vec<KeySection> {
    let of_area = |area: Area| {
        let commands = keymap::commands()
            .iter()
            .filter(|command| command.area == area);
        let rows = commands
            .map(KeyHelpRow::of)
            .filter(|row| !row.keys.is_empty())
            .collect();
        KeySection {
            title: area.name(),
            rows,
        }
    };
    let named = |keys: &[&str]| keys.iter().map(|key| key_name(key)).collect();
    let panels = keymap::PANEL_KEYS
        .iter()
        .map(|(meaning, keys)| KeyHelpRow::of_panels(meaning, named(keys)));
    let mouse = |gestures: &[(&'static str, &'static str)]| {
        let row = |(gesture, meaning): &(&'static str, &'static str)| {
            KeyHelpRow::of_panels(meaning, vec![spoken(gesture).to_owned()])
        };
        gestures.iter().map(row).collect()
    };
    let mut parts: Vec<KeySection> = Area::ALL.into_iter().map(of_area).collect();
    parts.push(KeySection {
        title: say!("page-in-registers-memory-calls-and"),
        rows: panels.collect(),
    });
    parts.push(KeySection {
        title: say!("page-mouse"),
        rows: mouse(&keymap::MOUSE_GESTURES),
    });
    parts.push(KeySection {
        title: say!("page-in-the-timeline"),
        rows: mouse(&keymap::TIMELINE_GESTURES),
    });
    parts
}

fn keys_ui(ui: &mut Ui, filter: &mut String, tok: &ThemeColors) {
    let room = ui.ctx().content_rect().size() - vec2(96.0, 180.0);
    ui.set_width(room.x);
    head_ui(ui, say!("page-keys"), tok);
    ui.horizontal(|ui| {
        let edit = TextEdit::singleline(filter)
            .hint_text(say!("settings-filter"))
            .font(ui_font(12.5));
        let response = ui.add_sized(vec2(260.0, 26.0), edit.align(egui::Align2::LEFT_CENTER));
        response.widget_info(|| {
            egui::WidgetInfo::labeled(egui::Role::TextInput, true, say!("settings-filter"))
        });
        if ui.memory(|memory| memory.focused().is_none()) {
            response.request_focus();
        }
        ui.label(
            RichText::new(say!("page-keys-in-grey-belong-to"))
                .font(ui_font(12.0))
                .color(tok.t3),
        );
    });
    ui.add_space(8.0);
    let words = filter.to_lowercase();
    let mut parts = parts();
    parts
        .iter_mut()
        .for_each(|part| part.rows.retain(|row| row.holds(&words)));
    parts.retain(|part| !part.rows.is_empty());
    if parts.is_empty() {
        ui.label(
            RichText::new(say!("settings-no-command"))
                .font(ui_font(12.5))
                .color(tok.t3),
        );
    }
    // There are as many columns as fit, but at most one per section.
    let columns = ((room.x / 290.0) as usize).clamp(1, parts.len().max(1));
    let area = ScrollArea::vertical()
        .max_height(room.y)
        .min_scrolled_height(room.y);
    area.show(ui, |ui| {
        ui.columns(columns, |columns| {
            for part in &parts {
                if let Some(column) = shortest(columns) {
                    part_ui(column, part, tok);
                }
            }
        });
    });
}

fn shortest(columns: &mut [Ui]) -> Option<&mut Ui> {
    columns.iter_mut().min_by(|one, other| {
        one.min_rect()
            .height()
            .total_cmp(&other.min_rect().height())
    })
}

fn part_ui(ui: &mut Ui, part: &KeySection, tok: &ThemeColors) {
    ui.spacing_mut().item_spacing.y = 0.0;
    ui.label(RichText::new(part.title).font(semi(13.0)).color(tok.t1));
    ui.add_space(4.0);
    for row in &part.rows {
        keys_row_ui(
            ui,
            row.name,
            &row.keys,
            if row.is_everywhere { tok.t1 } else { tok.t2 },
            tok,
        );
    }
    ui.add_space(12.0);
}

fn keys_row_ui(ui: &mut Ui, name: &str, keys: &[String], color: egui::Color32, tok: &ThemeColors) {
    let (rect, response) = ui.allocate_exact_size(vec2(ui.available_width(), 22.0), Sense::hover());
    let said = say!(
        "page-key-said",
        command = name,
        keys = keys.join(say!("page-or"))
    );
    response.widget_info(|| egui::WidgetInfo::labeled(egui::Role::Label, true, &said));
    let mut right = rect.right_center();
    for key in keys.iter().rev() {
        right = key_cap(ui.painter(), right, key, tok).left_center() - vec2(4.0, 0.0);
    }
    // The keys are never cut. Names that do not fit next to them are shown in the tooltip.
    let mut job = egui::text::LayoutJob::simple_singleline(name.to_owned(), ui_font(12.5), color);
    job.wrap = egui::text::TextWrapping::truncate_at_width((right.x - rect.left() - 4.0).max(0.0));
    let galley = ui.painter().layout_job(job);
    let (is_cut, top) = (galley.elided, rect.center().y - galley.size().y / 2.0);
    ui.painter()
        .galley(egui::pos2(rect.left(), top.round()), galley, color);
    if is_cut {
        response.on_hover_text(name);
    }
}

fn about_ui(ui: &mut Ui, tok: &ThemeColors) {
    ui.set_width(420.0);
    head_ui(ui, say!("page-about-stepback"), tok);
    ui.horizontal(|ui| {
        let (square, _) = ui.allocate_exact_size(vec2(44.0, 44.0), Sense::hover());
        widgets::paint_mark(ui.painter(), square, tok);
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
