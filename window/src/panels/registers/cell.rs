//! One register on the screen, and the head with pc and flags.

use egui::{Pos2, Rect, Response, Ui, pos2, vec2};
use stepback_debugger::action::RegisterFormat;
use stepback_debugger::messages::say;
use stepback_debugger::model::register_format::{RegisterReading, RegisterStyle, format_name};
use stepback_debugger::model::registers::{RegisterBoard, RegisterCell};
use stepback_debugger::model::text::{flag_letter, flag_words};
use stepback_debugger::views::{RegisterGesture, RegistersView, address_of};
use stepback_index::answer::ValueSource;
use stepback_machine::display::{StatusFlag, StatusRegister};

use crate::panels::menu::{MenuItem, context_menu, menu_head_ui, menu_line_ui};
use crate::panels::pen::{ADVANCE, Pen};
use crate::panels::registers::panel::{RegisterInput, box_at};
use crate::panels::row::row_response;
use crate::panels::{HoverCell, PanelContext};
use crate::theme::{icons, mono, mono_bold, ui as ui_font};

/// Inputs that all cells of a frame share.
#[derive(Clone, Copy)]
pub struct CellView<'a> {
    pub cx: &'a PanelContext<'a>,
    pub view: &'a RegistersView,
    /// Format and lanes of the values.
    pub reading: RegisterReading,
}

/// A register, and the distance from its name to its value.
pub struct CellPaint<'a> {
    pub pen: &'a Pen<'a>,
    pub cell: &'a RegisterCell,
    pub value: f32,
}

/// Highlights of a register.
#[derive(Clone, Copy)]
pub struct CellState<'a> {
    pub response: &'a Response,
    pub is_cursor: bool,
    pub has_focus: bool,
}

/// A register and the text of its value.
pub struct ValueText<'a> {
    pub cell: &'a RegisterCell,
    pub text: &'a str,
    /// Number of leading zeros, which are drawn pale.
    pub zeros: usize,
    pub is_cursor: bool,
}

/// Inputs of the head; `right` is its right limit.
pub struct HeadPaint<'a> {
    pub pen: &'a Pen<'a>,
    pub board: &'a RegisterBoard,
    pub right: f32,
}

/// Area of the mode: left limit, right edge, and middle height.
pub struct ModePlace {
    pub least: f32,
    pub right: f32,
    pub y: f32,
}

/// Register with the flags, and its board.
pub struct FlagsPaint<'a> {
    pub pen: &'a Pen<'a>,
    pub psr: &'a RegisterCell,
    pub board: &'a RegisterBoard,
}

impl<'a> CellView<'a> {
    /// Returns the cell of a register for tooltips.
    pub fn hover(&self, cell: &RegisterCell) -> HoverCell {
        HoverCell::shown(self.view.cell_name(&cell.name), self.view.follow, self.cx)
    }

    /// Returns the highlights of a register.
    pub fn state(&self, cell: &RegisterCell, response: &'a Response) -> CellState<'a> {
        let is_cursor = self.view.cursor() == Some(cell.name.as_str());
        CellState {
            response,
            is_cursor,
            has_focus: self.cx.has_focus,
        }
    }

    /// Formats a value as it is shown.
    fn text(&self, cell: &RegisterCell) -> String {
        let format = self.reading.single_lane(cell);
        format.map_or_else(
            || self.reading.shown_as.text(cell),
            |format| format.lanes(&cell.value.0).concat(),
        )
    }
}

/// Draws a register; its value begins `value` points after its name.
pub fn cell_ui(
    ui: &mut Ui,
    rect: Rect,
    CellPaint { pen, cell, value }: CellPaint<'_>,
    view: CellView<'_>,
    touched: &mut RegisterInput,
) {
    let response = row_response(ui, rect, ("register", &cell.name), || {
        say!("registers-row", name = &*cell.name)
    });
    let text = view.text(cell);
    let wide = value + 6.0 + ADVANCE * text.len() as f32 + 8.0;
    let shape = Rect::from_min_max(
        rect.min,
        pos2((rect.left() + wide).min(rect.right()), rect.bottom()),
    );
    let state = view.state(cell, &response);
    background(pen, shape, cell, state);
    let (x, y, tok) = (rect.left() + 6.0, rect.center().y, pen.tok);
    if cell.is_news {
        pen.fill(
            Rect::from_min_size(rect.min, vec2(2.0, rect.height())),
            tok.changed,
        );
        pen.strong_code(x, y, view.reading.shown_as.name(cell), tok.changed);
    } else {
        difference_ui(pen, rect, cell);
        pen.code(x, y, view.reading.shown_as.name(cell), tok.register);
    }
    let zeros = if view.reading.lanes.is_some() && text != cell.hex {
        0
    } else {
        view.reading.shown_as.zeros(&text)
    };
    value_ui(
        pen,
        pos2(x + value, y),
        ValueText {
            cell,
            text: &text,
            zeros,
            is_cursor: state.is_cursor,
        },
    );
    touch(&response, cell, touched);
    context_menu(&response, |ui| menu(ui, cell, view, touched));
    // Few cells are under the pointer, so the words are only computed for those.
    if response.hovered() {
        let lines = view.view.hint_lines(cell, view.cx.desk);
        if !lines.is_empty() {
            view.hover(cell).tip(response, lines.join("\n"));
        }
    }
}

/// Draws a dot at the left edge of a register that differs from the previous position. A register
/// that was written just now has another mark.
pub fn difference_ui(pen: &Pen<'_>, rect: Rect, cell: &RegisterCell) {
    if cell.is_changed {
        let dot = Rect::from_center_size(pos2(rect.left() + 2.0, rect.center().y), vec2(3.0, 3.0));
        pen.painter.rect_filled(dot, 1.5, pen.tok.changed);
    }
}

pub fn background(
    pen: &Pen<'_>,
    shape: Rect,
    cell: &RegisterCell,
    CellState {
        response,
        is_cursor,
        has_focus,
    }: CellState<'_>,
) {
    let tok = pen.tok;
    let color = match () {
        () if cell.is_news => Some(tok.changed_bg),
        () if is_cursor => Some(tok.sel),
        () if cell.source == ValueSource::External => Some(tok.external_bg),
        () if response.hovered() => Some(tok.hover),
        () => None,
    };
    if let Some(color) = color {
        pen.painter.rect_filled(shape, 2.0, color);
    }
    // The frame also marks a selected register that was just written.
    if is_cursor {
        pen.frame(shape, 2, if has_focus { tok.focus } else { tok.ctl });
    }
}

/// Draws a value with pale leading zeros, or a word if it is unknown.
fn value_ui(
    pen: &Pen<'_>,
    Pos2 { x, y }: Pos2,
    ValueText {
        cell,
        text,
        zeros,
        is_cursor,
    }: ValueText<'_>,
) {
    let tok = pen.tok;
    if cell.value.is_unknown() {
        let color = if is_cursor { tok.t2 } else { tok.unknown };
        pen.text(x, y, say!("registers-unknown"), ui_font(12.5), color);
        return;
    }
    let color = match () {
        () if cell.is_news => tok.changed,
        () if cell.source == ValueSource::External => tok.external,
        () if cell.source == ValueSource::Inferred => tok.inferred,
        () => tok.t1,
    };
    let (zeros, digits) = text.split_at(zeros);
    let start = pen.code(x, y, zeros, tok.t4);
    let font = if cell.is_news {
        mono_bold(12.5)
    } else {
        mono(12.5)
    };
    let end = pen.text(start, y, digits, font, color);
    if cell.source == ValueSource::Inferred {
        pen.dots(start, end, y + 7.0);
    }
}

pub fn touch(response: &Response, cell: &RegisterCell, touched: &mut RegisterInput) {
    if response.hovered() {
        touched.hovered = Some(cell.name.clone());
    }
    if response.clicked() || response.secondary_clicked() {
        touched.cursor = Some(cell.name.clone());
    }
    if response.double_clicked() {
        touched.gesture = Some((cell.name.clone(), RegisterGesture::LastWrite));
    }
}

pub fn menu(ui: &mut Ui, cell: &RegisterCell, view: CellView<'_>, touched: &mut RegisterInput) {
    let tok = view.cx.tok;
    let mut chosen = None;
    let mut add = |ui: &mut Ui, item: MenuItem<'_>, gesture: RegisterGesture| {
        if item.ui(ui, tok) {
            chosen = Some(gesture);
        }
    };
    let value = if cell.value.is_unknown() {
        say!("registers-unknown")
    } else {
        cell.hex.as_str()
    };
    menu_head_ui(ui, tok, &cell.name, value);
    let last = MenuItem::new(say!("registers-last-write"))
        .icon(icons::LAST_WRITE)
        .key("Enter");
    add(ui, last, RegisterGesture::LastWrite);
    let next = MenuItem::new(say!("registers-next-write"))
        .icon(icons::NEXT_WRITE)
        .key("Shift+Enter");
    add(ui, next, RegisterGesture::NextWrite);
    let name = say!("registers-all-values-of", name = &*cell.name);
    add(
        ui,
        MenuItem::new(&name).icon(icons::LIST).key("Alt+A"),
        RegisterGesture::AllValues,
    );
    let name = say!("slice-why-item", cell = &*cell.name);
    add(
        ui,
        MenuItem::new(&name).icon(icons::WHY).key("W"),
        RegisterGesture::Why,
    );
    let name = say!("registers-watch", name = &*cell.name);
    add(
        ui,
        MenuItem::new(&name).icon(icons::WATCH).key("O"),
        RegisterGesture::Watch,
    );
    let name = say!("registers-waveform-of", name = &*cell.name);
    add(
        ui,
        MenuItem::new(&name).key("Shift+W"),
        RegisterGesture::Waveform,
    );
    menu_line_ui(ui, tok);
    if let Some(address) = address_of(cell) {
        let name = say!(
            "registers-show-memory-at",
            address = address.trim_start_matches("0x")
        );
        add(
            ui,
            MenuItem::new(&name).icon(icons::MEMORY).key("M"),
            RegisterGesture::ShowMemory,
        );
        menu_line_ui(ui, tok);
    }
    let format = ui
        .menu_button(say!("registers-show-as"), |ui| {
            formats_ui(ui, view.reading.shown_as)
        })
        .inner
        .flatten();
    let copy = MenuItem::new(say!("registers-copy-value"))
        .icon(icons::COPY)
        .key("Ctrl+C");
    add(ui, copy, RegisterGesture::CopyValue);
    add(
        ui,
        MenuItem::new(say!("registers-copy-name")),
        RegisterGesture::CopyName,
    );
    add(
        ui,
        MenuItem::new(say!("registers-copy-as-text")),
        RegisterGesture::CopyText,
    );
    if let Some(gesture) = chosen.or(format) {
        touched.gesture = Some((cell.name.clone(), gesture));
    }
}

/// Draws the formats of values. Returns the chosen one.
fn formats_ui(ui: &mut Ui, shown_as: RegisterStyle) -> Option<RegisterGesture> {
    let mut chosen = None;
    for format in RegisterFormat::ALL {
        if ui
            .add(egui::Button::selectable(
                shown_as.format == format,
                format_name(format),
            ))
            .clicked()
        {
            chosen = Some(RegisterGesture::ShowAs(format));
        }
    }
    ui.separator();
    let halves = ui.add(egui::Button::selectable(
        shown_as.is_half,
        say!("registers-lower-halves"),
    ));
    if halves.clicked() {
        Some(RegisterGesture::Halve)
    } else {
        chosen
    }
}

/// Draws the head: pc with its symbol up to `right`, then flags, masks and mode. Returns the right
/// limit of the mode.
pub fn head_ui(
    ui: &mut Ui,
    rect: Rect,
    HeadPaint { pen, board, right }: HeadPaint<'_>,
    view: CellView<'_>,
    touched: &mut RegisterInput,
) -> f32 {
    let tok = pen.tok;
    pen.line_across(rect.left(), rect.right(), rect.bottom() - 1.0, tok.line);
    if let Some(pc) = &board.pc {
        let row = Rect::from_min_size(rect.min + vec2(8.0, 6.0), vec2(rect.width() - 8.0, 18.0));
        // The pc changes with every step, so marking it would be meaningless.
        let mut cell = RegisterCell {
            is_changed: false,
            is_news: false,
            ..pc.clone()
        };
        // In a narrow head, leading zeros give way to the symbol and to the chooser at the right.
        let symbol = board
            .pc_symbol
            .as_ref()
            .map_or(0.0, |symbol| ADVANCE * symbol.chars().count() as f32 + 12.0);
        if row.left() + 46.0 + ADVANCE * cell.hex.len() as f32 + symbol > right {
            while cell.value.0.len() > 4 && cell.value.0.last() == Some(&Some(0)) {
                cell.value.0.pop();
            }
            cell.hex = cell.value.hex();
        }
        let reading = RegisterReading {
            shown_as: RegisterStyle::default(),
            ..view.reading
        };
        let view = CellView { reading, ..view };
        cell_ui(
            ui,
            row,
            CellPaint {
                pen,
                cell: &cell,
                value: 32.0,
            },
            view,
            touched,
        );
        let x = rect.left() + 46.0 + ADVANCE * cell.hex.len() as f32 + 14.0;
        if let Some(symbol) = board
            .pc_symbol
            .as_ref()
            .filter(|_| x + 4.0 * ADVANCE < right)
        {
            pen.cut_text(
                pos2(x, row.center().y),
                symbol,
                mono(12.5),
                tok.symbol,
                right - 6.0,
            );
        }
    }
    let y = rect.top() + 36.0;
    let mut left = rect.right() - 14.0;
    if view.cx.desk.session.index.threads().len() > 1 {
        // Room for the chooser of the thread.
        left -= pen.width(&board.thread_name, mono(11.5)) + 38.0;
    }
    if let Some(psr) = board
        .psr
        .as_ref()
        .filter(|_| !board.status.flags.is_empty())
    {
        let x = flags_ui(
            ui,
            FlagsPaint { pen, psr, board },
            pos2(rect.left() + 14.0, y),
            view,
            touched,
        );
        let start = mode_ui(
            ui,
            pen,
            ModePlace {
                least: x,
                right: left,
                y,
            },
            &board.status,
        );
        pen.cut_text(
            pos2(x + 9.0, y),
            &flag_words(&board.status),
            ui_font(11.5),
            tok.t2,
            start - 8.0,
        );
    }
    left
}

/// Draws the mode, and in front of it the exception masks: a bright capital for a masked exception.
/// Returns the left edge.
fn mode_ui(
    ui: &Ui,
    pen: &Pen<'_>,
    ModePlace { least, right, y }: ModePlace,
    status: &StatusRegister,
) -> f32 {
    let tok = pen.tok;
    let words = match status.mode.as_deref() {
        // The only mode that is named in words.
        Some("thread mode") => say!("registers-thread-mode"),
        mode => mode.unwrap_or_default(),
    };
    // A narrow head has no room after the flags: the tooltip has the mode.
    let mut x = (right - pen.width(words, ui_font(11.5))).max(least + 8.0);
    if x + 3.0 * ADVANCE < right {
        // A pixel more, so that rounding cuts nothing.
        pen.cut_text(pos2(x, y), words, ui_font(11.5), tok.t3, right + 1.0);
    }
    let masks: Vec<(char, bool)> = status
        .masks
        .iter()
        .filter_map(|mask| Some((mask.letter, mask.is_set?)))
        .collect();
    let masks_left = x - 8.0 - ADVANCE * masks.len() as f32;
    if masks_left > least + 8.0 {
        x = masks_left;
        for (place, (letter, is_set)) in masks.iter().enumerate() {
            let shown = flag_letter(*letter, Some(*is_set));
            let (font, color) = if *is_set {
                (mono_bold(11.5), tok.t1)
            } else {
                (mono(11.5), tok.t3)
            };
            pen.text(x + ADVANCE * place as f32, y, shown, font, color);
        }
    }
    let rect = Rect::from_min_max(pos2(x - 4.0, y - 9.0), pos2(right, y + 9.0));
    let response = ui.interact(rect, ui.unique_id().with("mode"), egui::Sense::hover());
    response.widget_info(|| {
        egui::WidgetInfo::labeled(
            egui::Role::Label,
            true,
            say!("registers-mode", mode = &*words),
        )
    });
    response.on_hover_ui(|ui| status_ui(ui, status));
    x
}

/// Lists all fields of the status register.
fn status_ui(ui: &mut Ui, status: &StatusRegister) {
    for line in &status.lines {
        ui.label(line);
    }
}

/// Returns the label in front of a flag: that of all flags, or of the set that it begins.
fn flags_title(board: &RegisterBoard, place: usize) -> Option<&'static str> {
    let status = &board.status;
    if status.flag_sets.is_empty() {
        return (place == 0).then_some(if status.lines.is_empty() && board.is_inferred {
            say!("registers-flags")
        } else {
            "nzcv"
        });
    }
    status
        .flag_sets
        .get(place / 4)
        .copied()
        .filter(|_| place.is_multiple_of(4))
}

fn flags_ui(
    ui: &mut Ui,
    FlagsPaint { pen, psr, board }: FlagsPaint<'_>,
    Pos2 { x: left, y }: Pos2,
    view: CellView<'_>,
    touched: &mut RegisterInput,
) -> f32 {
    let tok = pen.tok;
    let color = if psr.is_news {
        tok.changed
    } else {
        tok.register
    };
    let mut x = left;
    for (place, StatusFlag { letter, is_set, .. }) in board.status.flags.iter().copied().enumerate()
    {
        if let Some(title) = flags_title(board, place) {
            let gap = if place > 0 { 8.0 } else { 0.0 };
            pen.text(x + gap, y, title, mono(10.5), color);
            x += gap + 6.5 * title.len() as f32 + 6.0;
        }
        let shape = box_at(x, y, 20.0, 18.0);
        let (edge, text) = match is_set {
            Some(true) => (tok.t3, tok.t1),
            Some(false) => (tok.line2, tok.t3),
            None => (tok.line2, tok.unknown),
        };
        if is_set == Some(true) {
            pen.painter.rect_filled(shape, 2.0, tok.bg4);
        }
        pen.frame(shape, 2, edge);
        let font = if is_set == Some(true) {
            mono_bold(12.5)
        } else {
            mono(12.5)
        };
        pen.text_centered(shape.center(), flag_letter(letter, is_set), font, text);
        x += 23.0;
    }
    let shape = Rect::from_min_max(pos2(left - 4.0, y - 9.0), pos2(x - 3.0, y + 9.0));
    let response = row_response(ui, shape, say!("registers-flags"), || {
        say!("registers-row", name = &*psr.name)
    });
    if view.view.cursor() == Some(psr.name.as_str()) {
        pen.frame(
            shape.expand(2.0),
            3,
            if view.cx.has_focus {
                tok.focus
            } else {
                tok.line2
            },
        );
    }
    touch(&response, psr, touched);
    context_menu(&response, |ui| menu(ui, psr, view, touched));
    response.on_hover_ui(|ui| {
        status_ui(ui, &board.status);
        view.hover(psr).line_ui(ui);
    });
    x
}
