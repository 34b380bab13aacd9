//! Command palette: all commands by name.

use egui::{
    Align2, Area, Frame, Id, Key, Margin, Modal, Modifiers, Order, Rect, ScrollArea, Sense, Stroke,
    TextEdit, Ui, UiBuilder, WidgetInfo, pos2, vec2,
};
use stepback_debugger::action::Action;
use stepback_debugger::desk::{PaletteChoice, PaletteItem, PaletteKey, PaletteSources, items};
use stepback_debugger::keymap::{Command, CommandContext, key_text};
use stepback_debugger::messages::say;
use stepback_debugger::model::go_to::Suggestion;
use stepback_debugger::notes::{SavedSearch, SavedSlice};

use super::go_to::error_line;
use super::settings::Settings;
use super::widgets::{key_cap, width};
use crate::theme::{ThemeColors, icon, icons, medium, mono, semi, ui as ui_font};

const WIDTH: f32 = 600.0;
const ROW: f32 = 28.0;
/// Maximum number of visible rows.
const ROWS: f32 = 11.0;

/// State of the open palette.
#[derive(Default)]
pub struct PaletteState {
    pub query: String,
    chosen: usize,
    /// Command whose argument is being typed.
    requested: Option<&'static Command>,
    error: Option<String>,
    is_started: bool,
    /// A key or a menu opened the prompt directly.
    is_only_prompt: bool,
}

/// State outside the palette that it reads and changes.
pub struct PaletteContext<'a> {
    /// Situation that decides which commands apply.
    pub situation: &'a CommandContext,
    /// Places that the text may mean.
    pub places: &'a [Suggestion],
    pub searches: &'a [SavedSearch],
    pub slices: &'a [SavedSlice],
    /// Settings, which record the commands that were run.
    pub settings: &'a mut Settings,
    /// Output: the chosen actions.
    pub out: &'a mut Vec<Action>,
}

/// Keys pressed in a frame.
struct PaletteKeys {
    is_enter: bool,
    is_tab: bool,
    /// Number of rows to move up.
    up: usize,
    /// Number of rows to move down.
    down: usize,
}

impl PaletteKeys {
    /// Reads the arrow keys and Enter before the field sees them.
    fn read(ui: &mut Ui) -> Self {
        let pressed = |key| ui.input_mut(|input| input.count_and_consume_key(Modifiers::NONE, key));
        Self {
            is_enter: pressed(Key::Enter) > 0,
            is_tab: pressed(Key::Tab) > 0,
            up: pressed(Key::ArrowUp) + 10 * pressed(Key::PageUp),
            down: pressed(Key::ArrowDown) + 10 * pressed(Key::PageDown),
        }
    }

    fn has_moved(&self) -> bool {
        self.up + self.down > 0
    }
}

impl PaletteState {
    /// Opens the palette as a prompt for the argument of a command.
    pub fn asking(command: &'static Command) -> Self {
        Self {
            requested: Some(command),
            is_only_prompt: true,
            ..Self::default()
        }
    }

    /// Draws the palette. Returns true when it is done.
    pub fn ui(&mut self, ui: &Ui, around: &mut PaletteContext<'_>) -> bool {
        let tok = ThemeColors::current(ui);
        let frame = Frame::new()
            .fill(tok.bg2)
            .stroke(Stroke::new(1.0, tok.line2))
            .corner_radius(8)
            .shadow(ui.visuals().window_shadow)
            .inner_margin(Margin::same(8));
        let area = Area::new(Id::unique("palette"))
            .order(Order::Foreground)
            .anchor(Align2::CENTER_TOP, vec2(0.0, 96.0));
        let modal = Modal::new(Id::unique("palette"))
            .area(area)
            .backdrop_color(tok.veil)
            .frame(frame);
        let shown = modal.show(ui.ctx(), |ui| self.inner_ui(ui, around, tok));
        let is_left = shown.should_close();
        let is_argument = self.requested.is_some() && !self.is_only_prompt;
        if is_left && is_argument && !shown.backdrop_response.clicked() {
            // Escape leaves the argument prompt first, then the palette.
            self.requested = None;
            self.error = None;
            self.query.clear();
            return false;
        }
        shown.inner || is_left
    }

    fn inner_ui(
        &mut self,
        ui: &mut Ui,
        around: &mut PaletteContext<'_>,
        tok: &ThemeColors,
    ) -> bool {
        let wide = WIDTH.min(ui.ctx().content_rect().width() - 40.0) - 16.0;
        ui.set_width(wide);
        ui.spacing_mut().item_spacing.y = 0.0;
        // The list is that of the text of this frame: a quick Enter must not run an older row.
        let keys = PaletteKeys::read(ui);
        self.field_ui(ui, wide, around);
        let list = match self.requested {
            Some(_) => Vec::new(),
            None => {
                let (recent, places) = (&*around.settings.recent_commands, around.places);
                let known = PaletteSources {
                    recent,
                    places,
                    searches: around.searches,
                    slices: around.slices,
                };
                items(&self.query, around.situation, known)
            }
        };
        self.move_choice(&keys, list.len());
        if let Some(command) = self.requested {
            return self.question_ui(ui, command, &keys, around);
        }
        ui.add_space(6.0);
        let clicked = self.list_ui(ui, &list, &keys, tok);
        foot_ui(ui, &list, tok);
        let picked = clicked.or(keys.is_enter.then_some(self.chosen));
        let Some(item) = picked.and_then(|place| list.get(place)) else {
            self.complete(&list, &keys);
            return false;
        };
        self.choose(item, around)
    }

    fn move_choice(&mut self, keys: &PaletteKeys, rows: usize) {
        let last = rows.saturating_sub(1);
        self.chosen = self.chosen.saturating_add(keys.down).min(last);
        self.chosen = self.chosen.saturating_sub(keys.up);
    }

    fn field_ui(&mut self, ui: &mut Ui, wide: f32, around: &PaletteContext<'_>) {
        let tok = ThemeColors::current(ui);
        let (rect, _) = ui.allocate_exact_size(vec2(wide, 34.0), Sense::hover());
        ui.painter().rect_filled(rect, 4.0, tok.bg1);
        ui.painter().rect_stroke(
            rect,
            4.0,
            Stroke::new(2.0, tok.focus),
            egui::StrokeKind::Inside,
        );
        let mut left = rect.left() + 14.0;
        let shape = self
            .requested
            .and_then(|command| command.icon)
            .unwrap_or(icons::SEARCH);
        ui.painter().text(
            pos2(left, rect.center().y),
            Align2::LEFT_CENTER,
            shape,
            icon(15.0),
            tok.t2,
        );
        left += 23.0;
        if let Some(command) = self.requested {
            let name = command.bare_label();
            ui.painter().text(
                pos2(left, rect.center().y),
                Align2::LEFT_CENTER,
                name,
                medium(13.0),
                tok.accent,
            );
            left += width(ui, name, &medium(13.0)) + 8.0;
        }
        let hint = self
            .requested
            .and_then(|command| command.argument.as_ref())
            .map_or_else(
                || say!("palette-type-a-command").to_owned(),
                |requested| requested.question(around.situation.registers),
            );
        let inner = Rect::from_min_max(pos2(left, rect.top()), rect.max - vec2(10.0, 0.0));
        let hint = egui::RichText::new(hint).font(ui_font(13.0)).color(tok.t3);
        let font = if self.requested.is_some() && !self.query.is_empty() {
            mono(12.5)
        } else {
            ui_font(13.0)
        };
        let edit = TextEdit::singleline(&mut self.query)
            .id(Id::unique("command"))
            .hint_text(hint)
            .font(font);
        let edit = edit
            .frame(Frame::NONE)
            .desired_width(inner.width())
            .align(egui::Align2::LEFT_CENTER)
            .lock_focus(true);
        let response = ui
            .scope_builder(UiBuilder::new().max_rect(inner), |ui| {
                ui.add_sized(inner.size(), edit)
            })
            .inner;
        response.widget_info(|| {
            WidgetInfo::labeled(egui::Role::TextInput, true, say!("palette-command"))
        });
        if response.changed() {
            self.chosen = 0;
            self.error = None;
        }
        if !response.has_focus() {
            response.request_focus();
        }
        self.is_started = true;
    }

    /// Draws the rows. Returns the one that was clicked.
    fn list_ui(
        &mut self,
        ui: &mut Ui,
        list: &[PaletteItem],
        keys: &PaletteKeys,
        tok: &ThemeColors,
    ) -> Option<usize> {
        if list.is_empty() {
            let (rect, _) =
                ui.allocate_exact_size(vec2(ui.available_width(), 2.0 * ROW), Sense::hover());
            let text = say!("palette-no-command-fits-try-a");
            ui.painter().text(
                rect.center(),
                Align2::CENTER_CENTER,
                text,
                ui_font(12.0),
                tok.t3,
            );
            return None;
        }
        let mut clicked = None;
        let room = (ui.ctx().content_rect().height() - 220.0).clamp(3.0 * ROW, ROWS * ROW);
        ScrollArea::vertical()
            .max_height(room)
            // The area remembers the height of a shorter list.
            .min_scrolled_height(room)
            .auto_shrink([false, true])
            .show(ui, |ui| {
                for (place, item) in list.iter().enumerate() {
                    if let Some(group) = item.group {
                        group_ui(ui, group, tok);
                    }
                    let response = row_ui(
                        ui,
                        item,
                        PaletteRowState {
                            is_chosen: place == self.chosen,
                        },
                        tok,
                    );
                    if place == self.chosen && keys.has_moved() {
                        response.scroll_to_me(None);
                    }
                    if response.clicked() {
                        clicked = Some(place);
                    }
                }
            });
        clicked
    }

    /// On Tab, prompts for the argument of the chosen command, if it takes one.
    fn complete(&mut self, list: &[PaletteItem], keys: &PaletteKeys) {
        let item = list.get(self.chosen).filter(|_| keys.is_tab);
        match item.map(|item| &item.choice) {
            Some(PaletteChoice::Ask(command)) => self.ask(command),
            Some(PaletteChoice::Run(id, _)) if id.command().argument.is_some() => {
                self.ask(id.command())
            }
            Some(PaletteChoice::Run(..) | PaletteChoice::Nothing) | None => {}
        }
    }

    fn ask(&mut self, command: &'static Command) {
        self.requested = Some(command);
        self.query.clear();
        self.error = None;
    }

    fn choose(&mut self, item: &PaletteItem, around: &mut PaletteContext<'_>) -> bool {
        match &item.choice {
            PaletteChoice::Run(id, action) => {
                around.settings.remember_command(id.command().name);
                around.out.push(action.clone());
                true
            }
            PaletteChoice::Ask(command) => {
                self.ask(command);
                false
            }
            PaletteChoice::Nothing => false,
        }
    }

    /// Draws the area below the field while an argument is being typed.
    fn question_ui(
        &mut self,
        ui: &mut Ui,
        command: &'static Command,
        keys: &PaletteKeys,
        around: &mut PaletteContext<'_>,
    ) -> bool {
        ui.add_space(6.0);
        if let Some(error) = &self.error {
            error_line(ui, error, ui.available_width());
        }
        let text = self.query.trim();
        let Some(argument) = command.argument.as_ref() else {
            return true;
        };
        hints_ui(
            ui,
            say!("palette-enter-run-esc-back"),
            "",
            ThemeColors::current(ui),
        );
        if !keys.is_enter || text.is_empty() {
            return false;
        }
        match (argument.make)(text, around.situation) {
            Ok(action) => {
                around.settings.remember_command(command.name);
                around.out.push(action);
                true
            }
            Err(error) => {
                self.error = Some(error);
                false
            }
        }
    }
}

fn group_ui(ui: &mut Ui, group: &str, tok: &ThemeColors) {
    let (rect, _) = ui.allocate_exact_size(vec2(ui.available_width(), 30.0), Sense::hover());
    let at = rect.left_center() + vec2(12.0, 3.0);
    ui.painter()
        .text(at, Align2::LEFT_CENTER, group, semi(11.5), tok.t3);
}

/// Highlight of a row.
struct PaletteRowState {
    is_chosen: bool,
}

fn row_ui(
    ui: &mut Ui,
    item: &PaletteItem,
    PaletteRowState { is_chosen }: PaletteRowState,
    tok: &ThemeColors,
) -> egui::Response {
    let (rect, response) = ui.allocate_exact_size(vec2(ui.available_width(), ROW), Sense::click());
    let is_possible = !matches!(item.choice, PaletteChoice::Nothing);
    response.widget_info(|| {
        WidgetInfo::selected(
            egui::Role::ListBoxOption,
            is_possible,
            is_chosen,
            &item.text,
        )
    });
    if !ui.is_rect_visible(rect) {
        return response;
    }
    let painter = ui.painter();
    if is_chosen {
        painter.rect_filled(rect, 2.0, tok.sel);
        painter.rect_filled(
            Rect::from_min_size(rect.min, vec2(2.0, ROW)),
            0.0,
            tok.accent,
        );
    } else if response.hovered() {
        painter.rect_filled(rect, 2.0, tok.bg3);
    }
    let color = if is_possible { tok.t1 } else { tok.t4 };
    if let Some(shape) = item.icon {
        painter.text(
            rect.left_center() + vec2(12.0, 0.0),
            Align2::LEFT_CENTER,
            shape,
            icon(14.0),
            tok.t2,
        );
    }
    let galley = painter.layout_job(text_job(item, color, tok));
    painter.galley(
        pos2(rect.left() + 38.0, rect.center().y - galley.size().y / 2.0),
        galley,
        color,
    );
    let area = pos2(rect.right() - 110.0, rect.center().y);
    painter.text(area, Align2::RIGHT_CENTER, item.area, ui_font(12.0), tok.t3);
    let key = match item.key {
        PaletteKey::Enter if is_chosen => Some(say!("key-enter").to_owned()),
        PaletteKey::Enter | PaletteKey::Nothing => None,
        PaletteKey::Of(command) => command.keys().first().map(key_text),
    };
    if let Some(key) = key {
        key_cap(painter, rect.right_center() - vec2(10.0, 0.0), &key, tok);
    }
    response
}

/// Lays out the text, with the letters that the query matched in the accent colour.
fn text_job(item: &PaletteItem, color: egui::Color32, tok: &ThemeColors) -> egui::text::LayoutJob {
    let mut job = egui::text::LayoutJob::default();
    for (place, letter) in item.text.chars().enumerate() {
        let is_matched = item.matched.contains(&place);
        let (font, color) = if is_matched {
            (medium(13.0), tok.accent)
        } else {
            (ui_font(13.0), color)
        };
        let format = egui::TextFormat {
            font_id: font,
            color,
            ..Default::default()
        };
        job.append(letter.encode_utf8(&mut [0; 4]), 0.0, format);
    }
    job
}

fn foot_ui(ui: &mut Ui, list: &[PaletteItem], tok: &ThemeColors) {
    let all = stepback_debugger::keymap::commands().len();
    // A recent command is also in its group.
    let commands = list.iter().filter_map(|item| match &item.choice {
        PaletteChoice::Run(id, _) => Some(id.command().name),
        PaletteChoice::Ask(command) => Some(command.name),
        PaletteChoice::Nothing => None,
    });
    let shown = commands.collect::<std::collections::BTreeSet<_>>().len();
    hints_ui(
        ui,
        say!("palette-choose-enter-run-tab-argument"),
        &say!("palette-of-commands", shown = shown, all = all),
        tok,
    );
}

fn hints_ui(ui: &mut Ui, left: &str, right: &str, tok: &ThemeColors) {
    let (rect, _) = ui.allocate_exact_size(vec2(ui.available_width(), 30.0), Sense::hover());
    super::widgets::line_above(ui.painter(), rect.translate(vec2(0.0, 5.0)), tok.line);
    let y = rect.center().y + 4.0;
    ui.painter().text(
        pos2(rect.left() + 12.0, y),
        Align2::LEFT_CENTER,
        left,
        ui_font(12.0),
        tok.t2,
    );
    ui.painter().text(
        pos2(rect.right() - 10.0, y),
        Align2::RIGHT_CENTER,
        right,
        ui_font(12.0),
        tok.t2,
    );
}
