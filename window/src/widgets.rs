//! Small painted widgets shared by the bars, cards and the start screen, with the product mark:
//! three lines of a trace, and an arrow back through them.

use egui::{
    Align2, Color32, FontId, Painter, Rect, Response, Sense, Shape, Stroke, StrokeKind, Ui, Vec2,
    WidgetInfo, pos2, vec2,
};
use stepback_debugger::keymap;
use stepback_debugger::keymap::CommandId;

use crate::theme::{ThemeColors, icon, medium, mono_bold, ui as ui_font};

/// Height of buttons and fields in the toolbar, in points.
pub const BUTTON_HEIGHT: f32 = 26.0;

/// A button without a frame: an icon, a text, or both.
#[derive(Clone, Copy)]
pub struct FlatButton<'a> {
    /// Name for screen readers, tooltips and tests.
    pub name: &'a str,
    pub icon: Option<char>,
    /// Text after the icon.
    pub text: Option<&'a str>,
    /// A disabled button is dimmed and ignores clicks.
    pub is_enabled: bool,
    /// Size of the icon, in points.
    pub icon_size: f32,
}

impl<'a> FlatButton<'a> {
    /// Creates a button that shows only an icon.
    pub fn of_icon(name: &'a str, icon: char) -> Self {
        Self {
            name,
            icon: Some(icon),
            text: None,
            is_enabled: true,
            icon_size: 17.0,
        }
    }

    /// Returns the width of the button, in points.
    pub fn width(&self, ui: &Ui) -> f32 {
        let text_width = self
            .text
            .map_or(0.0, |text| width(ui, text, &ui_font(12.5)));
        match (self.icon, self.text) {
            (Some(_), Some(_)) => self.icon_size + 6.0 + text_width + 14.0,
            (None, Some(_)) => text_width + 16.0,
            _ => 28.0,
        }
    }

    pub fn ui(self, ui: &mut Ui) -> Response {
        let wide = self.width(ui);
        let sense = if self.is_enabled {
            Sense::click()
        } else {
            Sense::hover()
        };
        let (rect, response) = ui.allocate_exact_size(vec2(wide, BUTTON_HEIGHT), sense);
        response
            .widget_info(|| WidgetInfo::labeled(egui::Role::Button, self.is_enabled, self.name));
        if ui.is_rect_visible(rect) {
            self.paint(ui, &response, ui_font(12.5));
        }
        response
    }

    fn paint(self, ui: &Ui, response: &Response, font: FontId) {
        let (tok, rect, painter) = (ThemeColors::current(ui), response.rect, ui.painter());
        if self.is_enabled {
            paint_flat(painter, rect, response, tok);
        }
        let color = if self.is_enabled { tok.t1 } else { tok.t4 };
        let Some(shape) = self.icon else {
            painter.text(
                rect.center(),
                Align2::CENTER_CENTER,
                self.text.unwrap_or(""),
                font,
                color,
            );
            return;
        };
        let Some(text) = self.text else {
            painter.text(
                rect.center(),
                Align2::CENTER_CENTER,
                shape,
                icon(self.icon_size),
                color,
            );
            return;
        };
        let left = rect.left_center() + vec2(7.0, 0.0);
        painter.text(
            left,
            Align2::LEFT_CENTER,
            shape,
            icon(self.icon_size),
            color,
        );
        painter.text(
            left + vec2(self.icon_size + 6.0, 0.0),
            Align2::LEFT_CENTER,
            text,
            font,
            color,
        );
    }
}

/// Paints the background of a flat button, and its focus ring.
pub fn paint_flat(painter: &Painter, rect: Rect, response: &Response, tok: &ThemeColors) {
    if response.is_pointer_button_down_on() {
        painter.rect_filled(rect, 4.0, tok.bg4);
    } else if response.hovered() {
        painter.rect_filled(rect, 4.0, tok.bg3);
    }
    if response.has_focus() {
        painter.rect_stroke(rect, 4.0, Stroke::new(2.0, tok.focus), StrokeKind::Inside);
    }
}

/// Returns the width of a text on one line.
pub fn width(ui: &Ui, text: &str, font: &FontId) -> f32 {
    ui.fonts_mut(|fonts| {
        fonts
            .layout_no_wrap(text.to_owned(), font.clone(), Color32::WHITE)
            .size()
            .x
    })
}

/// Returns a command's name and its first key, for tooltips.
pub fn tip(command: CommandId) -> String {
    let label = label(command);
    match first_key(command) {
        Some(key) => format!("{label}   {key}"),
        None => label.to_owned(),
    }
}

/// Returns a command's name in the language of the window.
pub fn label(command: CommandId) -> &'static str {
    command.command().label()
}

/// Returns a command's first key.
pub fn first_key(command: CommandId) -> Option<String> {
    command.command().keys().first().map(keymap::key_text)
}

/// Paints a key cap with its right edge at a point. Returns its rectangle.
pub fn key_cap(painter: &Painter, right_center: egui::Pos2, text: &str, tok: &ThemeColors) -> Rect {
    let galley = painter.layout_no_wrap(text.to_owned(), ui_font(11.0), tok.t2);
    let size = vec2(galley.size().x + 10.0, 16.0);
    let rect = Rect::from_min_size(
        pos2(right_center.x - size.x, (right_center.y - 8.0).round()),
        size,
    );
    painter.rect(
        rect,
        3.0,
        tok.bg3,
        Stroke::new(1.0, tok.line2),
        StrokeKind::Inside,
    );
    painter.galley(
        pos2(rect.left() + 5.0, rect.center().y - galley.size().y / 2.0),
        galley,
        tok.t2,
    );
    rect
}

/// Draws a key cap in a row of words.
pub fn key_cap_ui(ui: &mut Ui, text: &str) {
    let tok = ThemeColors::current(ui);
    let (_, rect) = ui.allocate_space(vec2(width(ui, text, &ui_font(11.0)) + 10.0, 16.0));
    key_cap(ui.painter(), rect.right_center(), text, tok);
}

/// Paints the badge of a position, 16 x 14, with its left edge at a point.
pub fn badge(painter: &Painter, left_center: egui::Pos2, number: u32, tok: &ThemeColors) -> Rect {
    let text = number.to_string();
    let galley = painter.layout_no_wrap(text, mono_bold(10.5), tok.on_accent);
    let size = vec2((galley.size().x + 8.0).max(16.0), 14.0);
    let rect = Rect::from_min_size(
        pos2(left_center.x.round(), (left_center.y - 7.0).round()),
        size,
    );
    painter.rect_filled(rect, 3.0, tok.position(number));
    painter.galley(rect.center() - galley.size() / 2.0, galley, tok.on_accent);
    rect
}

/// Draws a text that can be clicked.
pub fn link(ui: &mut Ui, text: &str) -> Response {
    let tok = ThemeColors::current(ui);
    text_button(ui, text, ui_font(12.5), tok.accent)
}

/// Draws a clickable text in any colour; it is underlined under the pointer.
pub fn text_button(ui: &mut Ui, text: &str, font: FontId, color: Color32) -> Response {
    let tok = ThemeColors::current(ui);
    let galley = ui.fonts_mut(|fonts| fonts.layout_no_wrap(text.to_owned(), font, color));
    let (rect, response) = ui.allocate_exact_size(galley.size(), Sense::click());
    response.widget_info(|| WidgetInfo::labeled(egui::Role::Button, true, text));
    ui.painter().galley(rect.min, galley, color);
    if response.hovered() {
        ui.painter()
            .hline(rect.x_range(), rect.bottom() - 1.0, Stroke::new(1.0, color));
    }
    if response.has_focus() {
        ui.painter().rect_stroke(
            rect.expand(2.0),
            3.0,
            Stroke::new(2.0, tok.focus),
            StrokeKind::Outside,
        );
    }
    response.on_hover_cursor(egui::CursorIcon::PointingHand)
}

/// A button of the start screen, 34 points high.
pub struct LargeButton<'a> {
    pub text: &'a str,
    /// Icon before the text.
    pub icon: char,
    /// Key at the right end.
    pub key: Option<String>,
    /// Uses the accent colour, for the most common choice.
    pub is_primary: bool,
}

impl LargeButton<'_> {
    /// Draws the button, at least `least` wide.
    pub fn ui(self, ui: &mut Ui, least: f32) -> Response {
        let tok = ThemeColors::current(ui);
        let key = self
            .key
            .as_deref()
            .map_or(0.0, |key| width(ui, key, &ui_font(12.0)) + 10.0);
        let wide = least.max(36.0 + width(ui, self.text, &medium(13.0)) + key + 12.0);
        let (rect, response) = ui.allocate_exact_size(Vec2::new(wide, 34.0), Sense::click());
        response.widget_info(|| WidgetInfo::labeled(egui::Role::Button, true, self.text));
        let (fill, edge, color) = match (self.is_primary, response.hovered()) {
            (true, false) => (tok.accent, tok.accent, tok.on_accent),
            (true, true) => (tok.focus, tok.focus, tok.on_accent),
            (false, false) => (tok.bg3, tok.line2, tok.t1),
            (false, true) => (tok.bg4, tok.ctl, tok.t1),
        };
        let painter = ui.painter();
        painter.rect(rect, 5.0, fill, Stroke::new(1.0, edge), StrokeKind::Inside);
        let left = rect.left_center() + vec2(13.0, 0.0);
        painter.text(left, Align2::LEFT_CENTER, self.icon, icon(17.0), color);
        painter.text(
            left + vec2(23.0, 0.0),
            Align2::LEFT_CENTER,
            self.text,
            medium(13.0),
            color,
        );
        if let Some(key) = self.key {
            painter.text(
                rect.right_center() - vec2(10.0, 0.0),
                Align2::RIGHT_CENTER,
                key,
                ui_font(12.0),
                color,
            );
        }
        if response.has_focus() {
            painter.rect_stroke(
                rect.expand(2.0),
                7.0,
                Stroke::new(2.0, tok.focus),
                StrokeKind::Outside,
            );
        }
        response
    }
}

/// Paints a hairline along the bottom of a rectangle.
pub fn line_below(painter: &Painter, rect: Rect, color: Color32) {
    let bottom = rect.bottom().round();
    painter.rect_filled(
        Rect::from_min_max(pos2(rect.left(), bottom - 1.0), pos2(rect.right(), bottom)),
        0.0,
        color,
    );
}

/// Paints a hairline along the top of a rectangle.
pub fn line_above(painter: &Painter, rect: Rect, color: Color32) {
    let top = rect.top().round();
    painter.rect_filled(
        Rect::from_min_max(pos2(rect.left(), top), pos2(rect.right(), top + 1.0)),
        0.0,
        color,
    );
}

/// Draws a vertical hairline between groups of a bar.
pub fn separator(ui: &mut Ui) {
    let tok = ThemeColors::current(ui);
    let (rect, _) = ui.allocate_exact_size(vec2(9.0, BUTTON_HEIGHT), Sense::hover());
    let x = rect.center().x.round();
    let line = Rect::from_min_max(
        pos2(x, rect.center().y - 9.0),
        pos2(x + 1.0, rect.center().y + 9.0),
    );
    ui.painter().rect_filled(line, 0.0, tok.line2);
}

/// Paints the mark into a square.
pub fn paint_mark(painter: &Painter, square: Rect, tok: &ThemeColors) {
    let unit = square.width() / 44.0;
    let at = |x: f32, y: f32| square.min + vec2(x, y) * unit;
    painter.rect_filled(square, 9.0 * unit, tok.sel);
    let line = |left: f32, right: f32, y: f32| {
        let rect = Rect::from_min_max(at(left, y), at(right, y + 3.0));
        painter.rect_filled(rect, 1.5 * unit, tok.t2);
    };
    line(18.0, 38.0, 11.0);
    line(18.0, 32.0, 20.0);
    line(18.0, 26.0, 29.0);
    painter.line_segment(
        [at(12.0, 27.0), at(39.0, 27.0)],
        Stroke::new(2.0 * unit, tok.accent),
    );
    let tip = vec![at(6.0, 27.0), at(14.0, 20.5), at(14.0, 33.5)];
    painter.add(Shape::convex_polygon(tip, tok.accent, Stroke::NONE));
}

/// Paints a dashed edge around a rectangle.
pub fn dashed_edge(painter: &Painter, rect: Rect, stroke: Stroke) {
    let corners = [
        rect.left_top(),
        rect.right_top(),
        rect.right_bottom(),
        rect.left_bottom(),
        rect.left_top(),
    ];
    for side in corners.windows(2) {
        if let [from, to] = side {
            painter.extend(Shape::dashed_line(
                &[pos2(from.x, from.y), *to],
                stroke,
                8.0,
                4.0,
            ));
        }
    }
}
