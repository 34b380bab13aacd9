//! Entries of context menus, and the entries that several menus share: the effects of a call, and
//! saved searches and slices.

use egui::{
    Align2, Key, Rect, Response, Role, ScrollArea, Sense, TextEdit, Ui, WidgetInfo, pos2, vec2,
};
use stepback_debugger::action::{Action, Direction, EffectsOf, OtherCall, ViewAction};
use stepback_debugger::keymap::key_name;
use stepback_debugger::messages::{say, spoken};
use stepback_debugger::views::{MenuEntry, RowMenu};
use stepback_parsers::Position;

use crate::theme::{ThemeColors, icon, icons, mono, semi, ui as ui_font};

/// Height of an entry, in points.
const HEIGHT: f32 = 24.0;

/// Minimum width of a menu, in points.
const LEAST_WIDTH: f32 = 240.0;

/// An entry of a menu.
#[derive(Clone, Copy, Debug)]
pub struct MenuItem<'a> {
    /// Icon in front of the text.
    pub icon: Option<char>,
    pub text: &'a str,
    /// Key that does the same.
    pub key: &'a str,
}

impl<'a> MenuItem<'a> {
    /// Creates an entry without icon and key.
    pub fn new(text: &'a str) -> Self {
        Self {
            icon: None,
            text,
            key: "",
        }
    }

    pub fn icon(self, shape: char) -> Self {
        Self {
            icon: Some(shape),
            ..self
        }
    }

    pub fn key(self, key: &'a str) -> Self {
        Self { key, ..self }
    }

    /// Draws the entry. Returns true if it was chosen.
    pub fn ui(self, ui: &mut Ui, tok: &ThemeColors) -> bool {
        let words = ui.fonts_mut(|fonts| {
            fonts
                .layout_no_wrap(self.text.to_owned(), ui_font(13.0), tok.t1)
                .size()
                .x
        });
        let key_name = key_name(self.key);
        let key = ui.fonts_mut(|fonts| {
            fonts
                .layout_no_wrap(key_name.clone(), ui_font(12.0), tok.t3)
                .size()
                .x
        });
        let least = 34.0 + words + if key > 0.0 { key + 32.0 } else { 12.0 };
        let width = menu_width(ui, least);
        let (rect, response) = ui.allocate_exact_size(vec2(width, HEIGHT), Sense::click());
        response.widget_info(|| WidgetInfo::labeled(Role::MenuItem, true, self.text));
        let painter = ui.painter();
        if response.hovered() || response.has_focus() {
            painter.rect_filled(rect, 4.0, tok.sel);
        }
        if let Some(shape) = self.icon {
            painter.text(
                pos2(rect.left() + 16.0, rect.center().y),
                Align2::CENTER_CENTER,
                shape,
                icon(14.0),
                tok.t2,
            );
        }
        painter.text(
            pos2(rect.left() + 32.0, rect.center().y),
            Align2::LEFT_CENTER,
            self.text,
            ui_font(13.0),
            tok.t1,
        );
        painter.text(
            pos2(rect.right() - 8.0, rect.center().y),
            Align2::RIGHT_CENTER,
            key_name,
            ui_font(12.0),
            tok.t3,
        );
        is_chosen(ui, &response)
    }
}

/// Opens the context menu of a widget. Its entries scroll if they are higher than the window.
pub fn context_menu(response: &Response, entries: impl FnOnce(&mut Ui)) {
    response.context_menu(|ui| scroll_entries(ui, entries));
}

/// Draws the entries of a menu, which scroll if they are higher than the window.
pub fn scroll_entries(ui: &mut Ui, entries: impl FnOnce(&mut Ui)) {
    let room = ui.ctx().content_rect().height() - 48.0;
    // Without this limit a menu has the default height of areas.
    ui.set_max_height(room);
    ScrollArea::vertical().max_height(room).show(ui, entries);
}

/// Returns true if an entry of a menu is chosen, and closes the menu. The toolkit closes it only
/// after clicks, not after Enter.
pub fn is_chosen(ui: &Ui, response: &Response) -> bool {
    let is_chosen = response.clicked();
    if is_chosen {
        ui.close();
    }
    is_chosen
}

/// Draws the head of a menu: a title and a value.
pub fn menu_head_ui(ui: &mut Ui, tok: &ThemeColors, title: &str, value: &str) {
    ui.spacing_mut().item_spacing.y = 0.0;
    let title_width = ui.fonts_mut(|fonts| {
        fonts
            .layout_no_wrap(title.to_owned(), semi(12.5), tok.t1)
            .size()
            .x
    });
    let value_width = ui.fonts_mut(|fonts| {
        fonts
            .layout_no_wrap(value.to_owned(), mono(12.5), tok.t1)
            .size()
            .x
    });
    let width = menu_width(ui, title_width + value_width + 32.0);
    let (rect, _) = ui.allocate_exact_size(vec2(width, HEIGHT), Sense::hover());
    let painter = ui.painter();
    painter.text(
        pos2(rect.left() + 8.0, rect.center().y),
        Align2::LEFT_CENTER,
        title,
        semi(12.5),
        tok.t1,
    );
    painter.text(
        pos2(rect.right() - 8.0, rect.center().y),
        Align2::RIGHT_CENTER,
        value,
        mono(12.5),
        tok.t2,
    );
    menu_line_ui(ui, tok);
}

/// Draws the context menu of a row.
pub fn row_menu_ui(
    ui: &mut Ui,
    tok: &ThemeColors,
    RowMenu {
        title,
        note,
        entries,
    }: RowMenu,
    out: &mut Vec<Action>,
) {
    menu_head_ui(ui, tok, &title, &note);
    for entry in entries {
        match entry {
            MenuEntry::Line => menu_line_ui(ui, tok),
            MenuEntry::Choice {
                icon,
                label,
                key,
                actions,
            } => {
                if (MenuItem {
                    icon,
                    text: &label,
                    key,
                })
                .ui(ui, tok)
                {
                    out.extend(actions);
                }
            }
        }
    }
}

/// Draws a hairline between groups of entries.
pub fn menu_line_ui(ui: &mut Ui, tok: &ThemeColors) {
    // A rule directly after a rule separates nothing.
    let (id, top) = (ui.unique_id().with("last rule"), ui.cursor().top());
    if ui.data(|data| data.get_temp::<f32>(id)) == Some(top) {
        return;
    }
    let (rect, _) = ui.allocate_exact_size(vec2(menu_width(ui, 0.0), 7.0), Sense::hover());
    let y = rect.center().y.round();
    let line = Rect::from_min_max(pos2(rect.left(), y), pos2(rect.right(), y + 1.0));
    ui.painter().rect_filled(line, 0.0, tok.line2);
    ui.data_mut(|data| data.insert_temp(id, ui.cursor().top()));
}

/// Returns the width of all entries: the maximum width needed until now.
fn menu_width(ui: &Ui, needed: f32) -> f32 {
    let id = ui.unique_id().with("menu width");
    ui.data_mut(|data| {
        let widest = data.get_temp_mut_or(id, LEAST_WIDTH);
        *widest = widest.max(needed.ceil());
        *widest
    })
}

/// Draws the effects items of the call around a position.
pub fn effects_items(ui: &mut Ui, tok: &ThemeColors, at: Position, out: &mut Vec<Action>) {
    if MenuItem::new(say!("command-effects-of-this-call"))
        .icon(icons::SWAP)
        .ui(ui, tok)
    {
        out.push(Action::View(ViewAction::ShowEffects(EffectsOf::Call(at))));
    }
    for (words, direction) in [
        (say!("effects-compare-with-previous"), Direction::Back),
        (say!("effects-compare-with-next"), Direction::Forward),
    ] {
        if MenuItem::new(words).icon(icons::COMPARE).ui(ui, tok) {
            out.push(Action::View(ViewAction::ShowEffects(
                EffectsOf::Comparison(at, OtherCall::Near(direction)),
            )));
        }
    }
}

/// Draws the item that compares a call with the one around `position`.
/// The comparison needs both to be of one function.
pub fn compare_item(
    ui: &mut Ui,
    tok: &ThemeColors,
    at: Position,
    position: Position,
    out: &mut Vec<Action>,
) {
    if MenuItem::new(say!("effects-compare-with-position")).ui(ui, tok) {
        out.push(Action::View(ViewAction::ShowEffects(
            EffectsOf::Comparison(at, OtherCall::Around(position)),
        )));
    }
}

/// Entries of a saved item, and the new name while it is typed.
#[derive(Debug, Default)]
pub struct KeptMenu {
    /// The item that is being renamed, and its new name.
    renamed: Option<(String, String)>,
}

/// A saved search or slice.
pub struct KeptItem<'a> {
    pub name: &'a str,
    /// Description, shown as a tooltip.
    pub words: String,
    /// Actions of this kind of item.
    pub deeds: &'static KeptItemActions,
}

/// Actions of one kind of saved items.
pub struct KeptItemActions {
    /// Message id of the entry that runs the item again.
    pub run_words: &'static str,
    /// Runs it again.
    pub run: fn(String) -> Action,
    /// Shows it in its own panel.
    pub show: fn(String) -> Action,
    pub forget: fn(String) -> Action,
    pub rename: fn(String, String) -> Action,
}

impl KeptMenu {
    /// Draws one saved item with its submenu.
    pub fn ui(&mut self, ui: &mut Ui, item: KeptItem<'_>, out: &mut Vec<Action>) {
        let KeptItem { name, words, deeds } = item;
        ui.menu_button(name, |ui| self.entries_ui(ui, name, deeds, out))
            .response
            .on_hover_text(words);
    }

    fn entries_ui(
        &mut self,
        ui: &mut Ui,
        name: &str,
        deeds: &KeptItemActions,
        out: &mut Vec<Action>,
    ) {
        ui.set_min_width(200.0);
        let entries = [
            (spoken(deeds.run_words), deeds.run),
            (say!("find-in-a-panel-of-its"), deeds.show),
            (say!("find-forget"), deeds.forget),
        ];
        for (words, deed) in entries {
            if ui.button(words).clicked() {
                out.push(deed(name.to_owned()));
            }
        }
        ui.separator();
        let label = ui.label(say!("find-rename"));
        if self.renamed.as_ref().is_none_or(|(known, _)| known != name) {
            self.renamed = Some((name.to_owned(), name.to_owned()));
        }
        let Some((_, typed)) = &mut self.renamed else {
            return;
        };
        let response = ui.add(TextEdit::singleline(typed)).labelled_by(label.id);
        if response.lost_focus() && ui.input(|input| input.key_pressed(Key::Enter)) {
            out.push((deeds.rename)(name.to_owned(), typed.clone()));
            self.renamed = None;
            ui.close();
        }
    }
}
