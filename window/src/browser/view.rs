//! Appearance and keys of the file browser.

use std::ops::Range;

use egui::{
    Align, Align2, Frame, Id, Key, Layout, Margin, Modal, Modifiers, Rect, RichText, ScrollArea,
    Sense, Stroke, StrokeKind, TextEdit, Ui, UiBuilder, WidgetInfo, pos2, vec2,
};
use stepback_debugger::desk::recent::now;
use stepback_debugger::desk::words::{ago, bytes, sentence};
use stepback_debugger::keymap::key_name;
use stepback_debugger::messages::say;
use stepback_debugger::program::PickedKind;

use super::listing::{FileDetails, FolderEntry, SortColumn, SortOrder};
use super::state::{
    BrowserContext, FieldName, FileBrowser, FileBrowserOutcome, FolderStatus, first_field,
};
use crate::go_to::error_line;
use crate::theme::{ThemeColors, icon, icons, medium, mono, semi, ui as ui_font};
use crate::widgets::{FlatButton, paint_flat, text_button};

const SIZE: egui::Vec2 = vec2(880.0, 600.0);
const ROW: f32 = 24.0;
const FIELD: f32 = 28.0;
const PLACES: f32 = 170.0;
/// Widths of the right-hand columns, in points.
const SIZE_WIDTH: f32 = 88.0;
const AGE_WIDTH: f32 = 104.0;

impl FieldName {
    fn id(self) -> Id {
        Id::unique(("file browser", self as u8))
    }
}

impl FileBrowser {
    /// Draws the browser over the window.
    pub fn ui(&mut self, ui: &Ui, mut around: BrowserContext<'_>) -> FileBrowserOutcome {
        let tok = ThemeColors::current(ui);
        let frame = Frame::new()
            .fill(tok.bg2)
            .stroke(Stroke::new(1.0, tok.line2))
            .corner_radius(8)
            .shadow(ui.visuals().window_shadow)
            .inner_margin(Margin::same(14));
        let modal = Modal::new(Id::unique("file browser"))
            .backdrop_color(tok.veil)
            .frame(frame);
        let shown = modal.show(ui.ctx(), |ui| self.inner_ui(ui, &mut around, tok));
        let is_on_top = shown.is_top_modal && !shown.any_popup_open;
        let is_escaped =
            || is_on_top && ui.input_mut(|input| input.consume_key(Modifiers::NONE, Key::Escape));
        match shown.inner {
            // A click on the backdrop does not close the browser, so that no typed text is lost.
            FileBrowserOutcome::Open if shown.response.should_close() || is_escaped() => {
                FileBrowserOutcome::Left
            }
            outcome => outcome,
        }
    }

    fn inner_ui(
        &mut self,
        ui: &mut Ui,
        around: &mut BrowserContext<'_>,
        tok: &ThemeColors,
    ) -> FileBrowserOutcome {
        let size = SIZE.min(ui.ctx().content_rect().size() - vec2(64.0, 64.0));
        ui.set_min_size(size);
        ui.set_max_size(size);
        ui.spacing_mut().item_spacing = vec2(6.0, 6.0);
        let look = self.look(around);
        let by_key = self.take_keys(ui, around, &look);
        let mut outcome = by_key;
        let mut then = |next: FileBrowserOutcome| {
            if outcome == FileBrowserOutcome::Open {
                outcome = next;
            }
        };
        let focused = self.wanted_focus.take();
        if let Some(field) = focused {
            ui.memory_mut(|memory| memory.request_focus(field.id()));
        }
        self.head_ui(ui, tok);
        self.path_ui(ui);
        if focused == Some(FieldName::Path) {
            put_cursor_at_end(ui, self.typed.as_deref().unwrap_or_default());
        }
        if focused == Some(FieldName::Name) {
            // The suggested name is selected, so that typing replaces it.
            select(ui, FieldName::Name, 0..self.name.chars().count());
        }
        let below = if self.pick == PickedKind::Place {
            2.0 * (FIELD + 8.0)
        } else {
            FIELD + 8.0
        };
        let rest = ui.available_rect_before_wrap();
        let bottom =
            ui.max_rect().top() + size.y - below - if self.has_remark() { 26.0 } else { 0.0 };
        let middle = rest.with_max_y(bottom);
        let (left, right) = middle.split_left_right_at_x(middle.left() + PLACES);
        ui.scope_builder(UiBuilder::new().max_rect(left), |ui| {
            self.places_ui(ui, tok)
        });
        let list = right.with_min_x(right.left() + 8.0);
        then(
            ui.scope_builder(UiBuilder::new().max_rect(list), |ui| {
                self.list_ui(ui, around, &look, tok)
            })
            .inner,
        );
        ui.advance_cursor_after_rect(middle);
        if self.pick == PickedKind::Place {
            self.name_ui(ui);
        }
        self.remark_ui(ui, size.x);
        then(self.foot_ui(ui, tok));
        then(self.advance_save(around.worker));
        outcome
    }

    /// Handles the keys of this frame before the fields see them.
    fn take_keys(
        &mut self,
        ui: &Ui,
        around: &mut BrowserContext<'_>,
        look: &FolderStatus,
    ) -> FileBrowserOutcome {
        let focused = ui.memory(|memory| memory.focused());
        let is_in = |field: FieldName| focused == Some(field.id());
        let pressed = |modifiers, key| ui.input_mut(|input| input.consume_key(modifiers, key));
        let moved = |key| ui.input_mut(|input| input.count_and_consume_key(Modifiers::NONE, key));
        let is_free = focused.is_none() || is_in(FieldName::Filter);
        if focused.is_none() {
            self.wanted_focus.get_or_insert(first_field(self.pick));
        }
        if pressed(Modifiers::COMMAND, Key::L) {
            self.wanted_focus = Some(FieldName::Path);
        }
        if pressed(Modifiers::COMMAND, Key::H) {
            around.order.shows_hidden ^= true;
        }
        if pressed(Modifiers::NONE, Key::F5) {
            self.read_again();
        }
        // Key repeats are dropped for actions with an unexpected effect.
        let held = |key: &Key| {
            *key == Key::Enter || *key == Key::Backspace && is_free && self.filter.is_empty()
        };
        let is_repeat = |event: &egui::Event| matches!(event, egui::Event::Key { key, pressed: true, repeat: true, .. } if held(key));
        ui.input_mut(|input| input.events.retain(|event| !is_repeat(event)));
        let is_back = is_free && self.filter.is_empty() && pressed(Modifiers::NONE, Key::Backspace);
        if is_back || pressed(Modifiers::ALT, Key::ArrowUp) {
            self.go_up();
            return FileBrowserOutcome::Open;
        }
        if self.typed.is_some() && pressed(Modifiers::NONE, Key::Tab) {
            self.complete();
        }
        if self.overwritten.is_some() && pressed(Modifiers::NONE, Key::Escape) {
            self.forget_place();
        } else if (self.typed.is_some() || !self.filter.is_empty())
            && pressed(Modifiers::NONE, Key::Escape)
        {
            self.typed = None;
            self.filter.clear();
            self.wanted_focus = Some(first_field(self.pick));
        }
        let page = 12;
        let steps = [
            (Key::ArrowDown, 1),
            (Key::ArrowUp, -1),
            (Key::PageDown, page),
            (Key::PageUp, -page),
        ];
        for (key, by) in steps {
            (0..moved(key)).for_each(|_| self.move_cursor(by));
        }
        if self.pick == PickedKind::Folder && pressed(Modifiers::COMMAND, Key::Enter) {
            return self.finish();
        }
        // On a button, Enter presses the button. Rows that are not shown yet cannot be chosen.
        let is_entered = is_free || is_in(FieldName::Path) || is_in(FieldName::Name);
        if !is_entered
            || !matches!(look, FolderStatus::Ready | FolderStatus::Failed(_))
            || !pressed(Modifiers::NONE, Key::Enter)
        {
            return FileBrowserOutcome::Open;
        }
        if let Some(path) = self.overwritten.take() {
            return FileBrowserOutcome::Chosen(vec![path]);
        }
        self.error = None;
        let on_folder = self
            .cursor
            .as_ref()
            .is_some_and(|c| self.entry(c.row).is_some_and(|entry| entry.is_folder));
        match self.typed.is_some() {
            true => self.submit_typed(),
            false if is_in(FieldName::Name) && !on_folder => self.save(),
            false => self.submit_list(),
        }
    }

    fn head_ui(&mut self, ui: &mut Ui, tok: &ThemeColors) {
        ui.horizontal(|ui| {
            ui.label(
                RichText::new(self.purpose.title())
                    .font(semi(14.0))
                    .color(tok.t1),
            );
            ui.with_layout(Layout::right_to_left(Align::Center), |ui| {
                let close = FlatButton {
                    icon_size: 14.0,
                    ..FlatButton::of_icon(say!("files-close"), icons::CLOSE)
                };
                if close.ui(ui).clicked() {
                    ui.close();
                }
            });
        });
        if let Some(notice) = &self.notice {
            ui.label(RichText::new(notice).font(ui_font(12.5)).color(tok.t2));
        }
    }

    fn path_ui(&mut self, ui: &mut Ui) {
        let shown = self
            .typed
            .clone()
            .unwrap_or_else(|| format!("{}", self.folder.display()));
        ui.horizontal(|ui| {
            let up = FlatButton {
                icon_size: 14.0,
                ..FlatButton::of_icon(say!("files-above"), icons::CARET_UP)
            };
            if up.ui(ui).on_hover_text(say!("files-above-key")).clicked() {
                self.go_up();
            }
            let mut text = shown.clone();
            let edit = field(&mut text, FieldName::Path)
                .hint_text(say!("files-path"))
                .font(mono(12.5));
            let response = ui.add_sized(
                vec2(ui.available_width(), FIELD),
                edit.lock_focus(self.typed.is_some()),
            );
            response.widget_info(|| {
                WidgetInfo::labeled(egui::Role::TextInput, true, say!("files-path"))
            });
            if response.changed() {
                (self.typed, self.cursor, self.error) = (Some(text), None, None);
                self.forget_place();
            } else if response.has_focus() && self.typed.is_none() {
                let is_whole = shown.ends_with(std::path::is_separator);
                self.typed = Some(if is_whole {
                    shown
                } else {
                    format!("{shown}{}", std::path::MAIN_SEPARATOR)
                });
                put_cursor_at_end(ui, self.typed.as_deref().unwrap_or_default());
            } else if !response.has_focus() && self.wanted_focus != Some(FieldName::Path) {
                // A click on a row takes the focus before the row sees the click, and the row
                // belongs to the typed path.
                let is_pressed =
                    ui.input(|input| input.pointer.any_down() || input.pointer.any_released());
                self.typed = self.typed.take().filter(|_| is_pressed);
            }
        });
    }

    fn places_ui(&mut self, ui: &mut Ui, tok: &ThemeColors) {
        ui.spacing_mut().item_spacing.y = 0.0;
        let mut entered = None;
        ScrollArea::vertical()
            .id_salt("places")
            .auto_shrink([false, false])
            .show(ui, |ui| {
                for place in &self.places {
                    let (rect, response) =
                        ui.allocate_exact_size(vec2(ui.available_width(), ROW), Sense::click());
                    let is_here = place.path == self.folder;
                    response.widget_info(|| {
                        WidgetInfo::selected(egui::Role::Button, true, is_here, &place.name)
                    });
                    if is_here {
                        ui.painter().rect_filled(rect, 4.0, tok.bg4);
                    }
                    paint_flat(ui.painter(), rect, &response, tok);
                    let at = rect.left_center() + vec2(8.0, 0.0);
                    ui.painter()
                        .text(at, Align2::LEFT_CENTER, icons::OPEN, icon(14.0), tok.t2);
                    let painter = ui.painter().with_clip_rect(rect.shrink2(vec2(4.0, 0.0)));
                    painter.text(
                        at + vec2(22.0, 0.0),
                        Align2::LEFT_CENTER,
                        &place.name,
                        ui_font(12.5),
                        tok.t1,
                    );
                    if response
                        .on_hover_text(place.path.display().to_string())
                        .clicked()
                    {
                        entered = Some(place.path.clone());
                    }
                }
            });
        if let Some(folder) = entered {
            self.enter(folder);
        }
    }

    fn list_ui(
        &mut self,
        ui: &mut Ui,
        around: &mut BrowserContext<'_>,
        look: &FolderStatus,
        tok: &ThemeColors,
    ) -> FileBrowserOutcome {
        ui.horizontal(|ui| {
            let label = if around.order.shows_hidden {
                say!("files-hide")
            } else {
                say!("files-show")
            };
            let others = self
                .wanted_file
                .as_ref()
                .map(|file| match self.shows_others {
                    true => say!("files-show-only", name = &**file),
                    false => say!("files-show-all").to_owned(),
                });
            let room = others.as_ref().map_or(0.0, |words| {
                let (words, font) = (words.clone(), ui_font(12.0));
                let galley = ui.fonts_mut(|fonts| fonts.layout_no_wrap(words, font, tok.t2));
                galley.size().x + 12.0
            });
            let wide = ui.available_width() - 130.0 - room;
            let edit = field(&mut self.filter, FieldName::Filter)
                .hint_text(say!("files-part-hint"))
                .font(ui_font(12.5));
            let response = ui.add_sized(vec2(wide, FIELD), edit);
            response.widget_info(|| {
                WidgetInfo::labeled(egui::Role::TextInput, true, say!("files-part"))
            });
            if response.changed() {
                self.begin_filter();
            }
            if text_button(ui, label, ui_font(12.0), tok.t2)
                .on_hover_text(key_name("Ctrl+H"))
                .clicked()
            {
                around.order.shows_hidden ^= true;
            }
            if let Some(others) = others
                && text_button(ui, &others, ui_font(12.0), tok.t2).clicked()
            {
                self.shows_others ^= true;
            }
        });
        heads_ui(ui, around.order, tok);
        let ground = ui.available_rect_before_wrap();
        ui.painter().rect(
            ground,
            4.0,
            tok.bg1,
            Stroke::new(1.0, tok.line),
            StrokeKind::Inside,
        );
        match look {
            FolderStatus::Failed(error) => {
                error_line(ui, &sentence(error), ground.width() - 20.0);
                ui.label(
                    RichText::new(say!("files-choose-another"))
                        .font(ui_font(12.0))
                        .color(tok.t3),
                );
                return FileBrowserOutcome::Open;
            }
            FolderStatus::Waiting if self.row_count() == 0 => {
                ui.painter().text(
                    ground.center(),
                    Align2::CENTER_CENTER,
                    say!("files-reading"),
                    ui_font(12.5),
                    tok.t3,
                );
            }
            FolderStatus::Ready if self.row_count() == 0 => {
                let is_empty = self
                    .shown
                    .as_ref()
                    .is_some_and(|shown| shown.listing.entries.is_empty());
                let text = match is_empty {
                    true => say!("files-empty"),
                    false if self.wanted_file.is_some() && !self.shows_others => {
                        say!("files-no-such-file")
                    }
                    false if self.filter.is_empty() && self.typed.is_none() => {
                        say!("files-all-hidden")
                    }
                    false => say!("files-none-so"),
                };
                ui.painter().text(
                    ground.center(),
                    Align2::CENTER_CENTER,
                    text,
                    ui_font(12.5),
                    tok.t3,
                );
            }
            FolderStatus::Waiting => ui.set_opacity(0.6),
            FolderStatus::Ready => {}
        }
        self.rows_ui(ui, look, tok)
    }

    /// Moves a path that was typed into the filter field to the path field.
    fn begin_filter(&mut self) {
        (self.cursor, self.error) = (None, None);
        let is_path =
            self.filter.starts_with(std::path::is_separator) || self.filter.starts_with('~');
        if is_path {
            self.typed = Some(std::mem::take(&mut self.filter));
            self.wanted_focus = Some(FieldName::Path);
        }
    }

    fn rows_ui(
        &mut self,
        ui: &mut Ui,
        look: &FolderStatus,
        tok: &ThemeColors,
    ) -> FileBrowserOutcome {
        ui.spacing_mut().item_spacing.y = 0.0;
        let (mut clicked, mut is_double, mut is_marking) = (None, false, false);
        let count = self.row_count();
        let revealed = self
            .cursor
            .as_ref()
            .map(|cursor| cursor.row)
            .filter(|_| std::mem::take(&mut self.is_revealing));
        let mut area = ScrollArea::vertical()
            .id_salt("files")
            .auto_shrink([false, false]);
        if let Some(row) = revealed {
            area = area.vertical_scroll_offset(self.offset_for(ui, row));
        }
        let scrolled = area.show_rows(ui, ROW, count, |ui, range| {
            for row in range {
                let Some(entry) = self.entry(row) else {
                    continue;
                };
                let look = BrowserRowState {
                    is_chosen: self.cursor.as_ref().is_some_and(|cursor| cursor.row == row),
                    is_marked: self.marked.contains(&entry.name),
                    is_dim: self.pick == PickedKind::Folder && !entry.is_folder,
                };
                let response = row_ui(ui, entry, look, tok);
                if response.clicked() {
                    (clicked, is_double) = (Some(row), response.double_clicked());
                    is_marking = ui.input(|input| input.modifiers.command);
                }
            }
        });
        ui.data_mut(|data| {
            data.insert_temp(
                offset_id(),
                (
                    scrolled.state.clamped_offset().y,
                    scrolled.inner_rect.height(),
                ),
            )
        });
        // Rows of a previous folder cannot be chosen.
        let Some(row) = clicked.filter(|_| matches!(look, FolderStatus::Ready)) else {
            return FileBrowserOutcome::Open;
        };
        self.settle();
        self.put_cursor(row);
        self.is_revealing = false;
        self.error = None;
        if is_marking {
            self.mark(row);
        } else {
            self.marked.clear();
        }
        if is_double {
            self.activate(row)
        } else {
            FileBrowserOutcome::Open
        }
    }

    /// Returns the scroll offset at which a row is in view.
    fn offset_for(&self, ui: &Ui, row: usize) -> f32 {
        let (offset, tall): (f32, f32) = ui
            .data(|data| data.get_temp(offset_id()))
            .unwrap_or_default();
        // A 32-bit float is exact for far more rows than there can be.
        let top = row as f32 * ROW;
        offset.clamp((top + ROW - tall).max(0.0), top.max(0.0))
    }

    fn name_ui(&mut self, ui: &mut Ui) {
        ui.horizontal(|ui| {
            let label = ui.label(RichText::new(say!("files-name-label")).font(ui_font(12.5)));
            let edit = field(&mut self.name, FieldName::Name)
                .hint_text(say!("files-name"))
                .font(mono(12.5));
            let response = ui
                .add_sized(vec2(ui.available_width(), FIELD), edit)
                .labelled_by(label.id);
            response.widget_info(|| {
                WidgetInfo::labeled(egui::Role::TextInput, true, say!("files-name"))
            });
            if response.changed() {
                (self.cursor, self.error) = (None, None);
                self.forget_place();
            }
        });
    }

    fn has_remark(&self) -> bool {
        self.error.is_some() || self.overwritten.is_some()
    }

    fn remark_ui(&self, ui: &mut Ui, wide: f32) {
        if let Some(path) = &self.overwritten {
            let name = path
                .file_name()
                .map(|name| name.to_string_lossy().into_owned())
                .unwrap_or_default();
            error_line(
                ui,
                &say!("files-is-there", name = format!("{name:?}")),
                wide,
            );
        } else if let Some(error) = &self.error {
            error_line(ui, &sentence(error), wide);
        }
    }

    fn foot_ui(&mut self, ui: &mut Ui, tok: &ThemeColors) -> FileBrowserOutcome {
        let mut outcome = FileBrowserOutcome::Open;
        ui.horizontal(|ui| {
            ui.set_min_height(FIELD);
            let words = RichText::new(self.counts())
                .font(ui_font(12.0))
                .color(tok.t3);
            let room = vec2((ui.available_width() - 200.0).max(0.0), FIELD);
            ui.allocate_ui_with_layout(room, Layout::left_to_right(Align::Center), |ui| {
                ui.add(egui::Label::new(words).truncate())
            });
            ui.with_layout(Layout::right_to_left(Align::Center), |ui| {
                let words = match (self.pick, self.overwritten.is_some()) {
                    (_, true) => say!("files-overwrite"),
                    (PickedKind::Folder, _) => say!("files-choose-folder"),
                    (PickedKind::Place, _) => say!("files-save"),
                    (PickedKind::File | PickedKind::Files, _) => say!("files-open"),
                };
                let button =
                    egui::Button::new(RichText::new(words).font(medium(13.0)).color(tok.on_accent));
                if ui
                    .add(button.fill(tok.accent).min_size(vec2(92.0, FIELD)))
                    .clicked()
                {
                    outcome = match self.overwritten.take() {
                        Some(path) => FileBrowserOutcome::Chosen(vec![path]),
                        None => self.finish(),
                    };
                }
                if ui
                    .add(egui::Button::new(say!("files-cancel")).min_size(vec2(72.0, FIELD)))
                    .clicked()
                {
                    match self.overwritten.take() {
                        Some(_) => {}
                        None => outcome = FileBrowserOutcome::Left,
                    }
                }
            });
        });
        outcome
    }

    /// Returns the number of entries, and the effect of the confirming button.
    fn counts(&self) -> String {
        let Some(shown) = &self.shown else {
            return String::new();
        };
        if let Some(effect) = self.effect() {
            return effect;
        }
        let (rows, all) = (shown.rows.len() as u64, shown.listing.entries.len() as u64);
        match (self.marked.len(), shown.listing.is_cut) {
            (marked @ 1.., _) => say!("files-chosen", number = marked as u64),
            (0, true) => say!("files-shown-of-first", shown = rows, all = all),
            (0, false) if rows == all => say!("files-entries", all = all),
            (0, false) => say!("files-shown-of", shown = rows, all = all),
        }
    }
}

fn offset_id() -> Id {
    Id::unique("file browser offset")
}

fn field(text: &mut String, name: FieldName) -> TextEdit<'_> {
    TextEdit::singleline(text)
        .id(name.id())
        .margin(Margin::symmetric(8, 4))
        .align(Align2::LEFT_CENTER)
}

fn put_cursor_at_end(ui: &Ui, text: &str) {
    let end = text.chars().count();
    select(ui, FieldName::Path, end..end);
}

fn select(ui: &Ui, field: FieldName, letters: Range<usize>) {
    use egui::text::{CCursor, CCursorRange};
    let mut state = egui::text_edit::TextEditState::load(ui.ctx(), field.id()).unwrap_or_default();
    let range = CCursorRange::two(CCursor::new(letters.start), CCursor::new(letters.end));
    state.cursor.set_char_range(Some(range));
    state.store(ui.ctx(), field.id());
}

/// Draws the column headings. A click sorts by a column; a second click reverses the order.
fn heads_ui(ui: &mut Ui, order: &mut SortOrder, tok: &ThemeColors) {
    let (rect, _) = ui.allocate_exact_size(vec2(ui.available_width(), 20.0), Sense::hover());
    let columns = columns(rect);
    for (column, name, rect) in [
        (SortColumn::Name, say!("files-name-label"), columns.name),
        (SortColumn::Size, say!("files-size"), columns.size),
        (SortColumn::Age, say!("files-changed"), columns.age),
    ] {
        let response = ui.interact(rect, ui.unique_id().with(name), Sense::click());
        let is_chosen = order.column == column;
        response
            .widget_info(|| WidgetInfo::selected(egui::Role::ColumnHeader, true, is_chosen, name));
        let color = if is_chosen || response.hovered() {
            tok.t1
        } else {
            tok.t3
        };
        let (at, align) = match column {
            SortColumn::Name => (rect.left_center() + vec2(30.0, 0.0), Align2::LEFT_CENTER),
            SortColumn::Size | SortColumn::Age => {
                (rect.right_center() - vec2(14.0, 0.0), Align2::RIGHT_CENTER)
            }
        };
        let said = ui.painter().text(at, align, name, medium(12.0), color);
        if is_chosen {
            // Names sort upwards by default, sizes and ages downwards: the longest and the newest
            // are wanted first.
            let is_down = (column != SortColumn::Name) != order.is_turned;
            let caret = if is_down {
                icons::CARET_DOWN
            } else {
                icons::CARET_UP
            };
            ui.painter().text(
                said.right_center() + vec2(2.0, 0.0),
                Align2::LEFT_CENTER,
                caret,
                icon(10.0),
                color,
            );
        }
        if response.clicked() {
            order.is_turned = is_chosen && !order.is_turned;
            order.column = column;
        }
    }
}

struct BrowserColumns {
    name: Rect,
    size: Rect,
    age: Rect,
}

fn columns(rect: Rect) -> BrowserColumns {
    let rect = rect.with_max_x(rect.right() - 8.0);
    let (rest, age) = rect.split_left_right_at_x(rect.right() - AGE_WIDTH);
    let (name, size) = rest.split_left_right_at_x(rest.right() - SIZE_WIDTH);
    BrowserColumns { name, size, age }
}

/// Highlights of a row.
#[derive(Clone, Copy)]
struct BrowserRowState {
    is_chosen: bool,
    is_marked: bool,
    is_dim: bool,
}

fn row_ui(
    ui: &mut Ui,
    entry: &FolderEntry,
    look: BrowserRowState,
    tok: &ThemeColors,
) -> egui::Response {
    // The list has one cursor, which the arrow keys move; Tab does not visit its rows.
    let (rect, response) = ui.allocate_exact_size(vec2(ui.available_width(), ROW), Sense::CLICK);
    let is_selected = look.is_chosen || look.is_marked;
    let said = match (entry.is_folder, entry.format) {
        (true, Some(format)) => {
            let folder = say!("files-folder", name = &*entry.shown);
            say!("files-trace", name = folder, format = format)
        }
        (true, None) => say!("files-folder", name = &*entry.shown),
        (false, Some(format)) => say!("files-trace", name = &*entry.shown, format = format),
        (false, None) => entry.shown.clone(),
    };
    response.widget_info(|| {
        WidgetInfo::selected(egui::Role::ListBoxOption, !look.is_dim, is_selected, &said)
    });
    let painter = ui.painter();
    if is_selected {
        painter.rect_filled(rect, 3.0, tok.sel);
    } else if response.hovered() {
        painter.rect_filled(rect, 3.0, tok.hover);
    }
    if look.is_chosen {
        painter.rect_filled(
            Rect::from_min_size(rect.min, vec2(2.0, ROW)),
            0.0,
            tok.accent,
        );
    }
    let (shape, shape_color) = match (entry.is_folder, entry.format) {
        (true, _) => (icons::OPEN, tok.t2),
        (false, Some(_)) => (icons::LIST, tok.accent),
        (false, None) => (icons::FILE, tok.t3),
    };
    let color = if look.is_dim { tok.t4 } else { tok.t1 };
    let columns = columns(rect);
    painter.text(
        rect.left_center() + vec2(10.0, 0.0),
        Align2::LEFT_CENTER,
        shape,
        icon(14.0),
        shape_color,
    );
    let font = if entry.format.is_some() {
        medium(12.5)
    } else {
        ui_font(12.5)
    };
    let name = columns.name.with_min_x(columns.name.left() + 30.0);
    let right = match entry.format {
        Some(format) => {
            let end = name.right_center() - vec2(8.0, 0.0);
            painter
                .text(end, Align2::RIGHT_CENTER, format, ui_font(11.5), tok.accent)
                .left()
                - 8.0
        }
        None => name.right(),
    };
    let galley = shortened(
        ui,
        &entry.shown,
        egui::TextFormat::simple(font, color),
        right - name.left(),
    );
    painter.galley(
        pos2(
            name.left(),
            (rect.center().y - galley.size().y / 2.0).round(),
        ),
        galley,
        color,
    );
    if let Some(FileDetails {
        len_bytes,
        modified,
    }) = entry.details
    {
        if !entry.is_folder {
            let at = columns.size.right_center() - vec2(14.0, 0.0);
            painter.text(
                at,
                Align2::RIGHT_CENTER,
                bytes(len_bytes),
                mono(11.5),
                tok.t2,
            );
        }
        let at = columns.age.right_center() - vec2(14.0, 0.0);
        painter.text(
            at,
            Align2::RIGHT_CENTER,
            ago(modified, now()),
            ui_font(12.0),
            tok.t3,
        );
    }
    response
}

/// Lays out a text on one line, cut with an ellipsis if it is too long.
fn shortened(
    ui: &Ui,
    text: &str,
    format: egui::TextFormat,
    wide: f32,
) -> std::sync::Arc<egui::Galley> {
    let mut job = egui::text::LayoutJob::default();
    job.append(text, 0.0, format);
    job.wrap = egui::text::TextWrapping::truncate_at_width(wide);
    ui.fonts_mut(|fonts| fonts.layout_job(job))
}
