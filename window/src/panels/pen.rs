//! Painting by meaning: text at whole pixels, hairlines, badges.

use egui::text::LayoutJob;
use egui::{
    Align, Color32, CornerRadius, FontId, Galley, Painter, Pos2, Rect, Shape, Stroke, StrokeKind,
    pos2, vec2,
};
use stepback_debugger::model::{TextRole, TextSpan};

use crate::theme::{ThemeColors, icon, is_icon, medium, mono, mono_bold, ui as ui_font};

/// Height of a row of a list, in points.
pub const ROW: f32 = 18.0;
/// Width of a character of code at size [`CODE`].
pub const ADVANCE: f32 = 7.5;
/// Font size of code and values.
pub const CODE: f32 = 12.5;
/// Font sizes of texts in rows.
const IN_ROWS: std::ops::RangeInclusive<f32> = 11.0..=13.0;
/// Inset of text in a panel.
pub const INSET: f32 = 12.0;
/// Opacity of an old answer while a newer one is computed.
pub const STALE_OPACITY: f32 = 0.55;

/// Painter for a part of the window, with the theme's colours.
#[derive(Clone)]
pub struct Pen<'a> {
    /// Clipped to the part.
    pub painter: Painter,
    pub tok: &'a ThemeColors,
}

/// Sign in the fold box of a call.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum FoldSign {
    /// `+`: a click opens the call.
    Folded,
    /// `-`: a click folds the call.
    Open,
}

impl<'a> Pen<'a> {
    /// Creates a pen for a rectangle.
    pub fn new(ui: &egui::Ui, rect: Rect, tok: &'a ThemeColors) -> Self {
        Self {
            painter: ui.painter_at(rect),
            tok,
        }
    }

    /// Draws text from `x` on, vertically centred at `y`. Returns its right edge.
    pub fn text(&self, x: f32, y: f32, text: impl ToString, font: FontId, color: Color32) -> f32 {
        let galley = self
            .painter
            .layout_no_wrap(text.to_string(), font.clone(), color);
        let width = galley.size().x;
        self.painter
            .galley(pos2(x.round(), top_of(&galley, &font, y)), galley, color);
        x + width
    }

    /// Draws text that ends at `x`. Returns its left edge.
    pub fn text_left_of(
        &self,
        x: f32,
        y: f32,
        text: impl ToString,
        font: FontId,
        color: Color32,
    ) -> f32 {
        let width = self.width(&text.to_string(), font.clone());
        self.text(x - width, y, text, font, color);
        x - width
    }

    /// Draws text centred at a point.
    pub fn text_centered(&self, center: Pos2, text: impl ToString, font: FontId, color: Color32) {
        let width = self.width(&text.to_string(), font.clone());
        self.text(center.x - width / 2.0, center.y, text, font, color);
    }

    /// Draws text centred at a point in lines of at most `width`. Returns the distance of its last
    /// line from its first.
    pub fn wrapped_text_centered(
        &self,
        center: Pos2,
        text: &str,
        font: FontId,
        color: Color32,
        width: f32,
    ) -> f32 {
        let mut job = LayoutJob::simple(text.to_owned(), font.clone(), color, width.max(0.0));
        job.halign = Align::Center;
        let galley = self.painter.layout_job(job);
        let line = galley.rows.first().map_or(0.0, |row| row.height());
        let below = galley.size().y - line;
        let left = if below > 0.0 {
            center.x
        } else {
            // A single line begins at a whole pixel.
            (center.x - galley.size().x / 2.0).round() + galley.size().x / 2.0
        };
        let top = top_of(&galley, &font, center.y);
        self.painter.galley(pos2(left, top), galley, color);
        below
    }

    /// Measures the width of a text.
    pub fn width(&self, text: &str, font: FontId) -> f32 {
        self.painter
            .layout_no_wrap(text.to_owned(), font, Color32::WHITE)
            .size()
            .x
    }

    /// Draws code or a value.
    pub fn code(&self, x: f32, y: f32, text: impl ToString, color: Color32) -> f32 {
        self.text(x, y, text, mono(CODE), color)
    }

    /// Draws code or a value in bold: it changed, differs, or is current.
    pub fn strong_code(&self, x: f32, y: f32, text: impl ToString, color: Color32) -> f32 {
        self.text(x, y, text, mono_bold(CODE), color)
    }

    /// Draws a label.
    pub fn label(&self, x: f32, y: f32, text: impl ToString, color: Color32) -> f32 {
        self.text(x, y, text, ui_font(11.5), color)
    }

    /// Draws text cut with `…` so that it ends before `right`. Returns its right edge.
    pub fn cut_text(&self, at: Pos2, text: &str, font: FontId, color: Color32, right: f32) -> f32 {
        let Pos2 { x, y } = at;
        let mut job =
            egui::text::LayoutJob::simple_singleline(text.to_owned(), font.clone(), color);
        job.wrap = egui::text::TextWrapping::truncate_at_width((right - x).max(0.0));
        let galley = self.painter.layout_job(job);
        let width = galley.size().x;
        self.painter
            .galley(pos2(x.round(), top_of(&galley, &font, y)), galley, color);
        x + width
    }

    /// Draws a name that ends before `right`, cut in the middle with `…`: long names differ at their
    /// ends. Returns its right edge.
    pub fn middle_cut_text(
        &self,
        at: Pos2,
        text: &str,
        font: FontId,
        color: Color32,
        right: f32,
    ) -> f32 {
        let letters: Vec<char> = text.chars().collect();
        let shortened = |kept: usize| -> String {
            let (head, tail) = (kept.div_ceil(2), letters.len() - kept / 2);
            let (head, tail) = (letters.iter().take(head), letters.iter().skip(tail));
            head.chain(std::iter::once(&'…')).chain(tail).collect()
        };
        let fits = |text: &str| self.width(text, font.clone()) <= right - at.x;
        if letters.is_empty() || fits(text) {
            return self.cut_text(at, text, font, color, right);
        }
        let (mut kept, mut over) = (0, letters.len());
        while over - kept > 1 {
            let middle = kept.midpoint(over);
            match fits(&shortened(middle)) {
                true => kept = middle,
                false => over = middle,
            }
        }
        self.cut_text(at, &shortened(kept), font, color, right)
    }

    /// Draws pieces of code, each in the colour of its meaning, or all in `color`.
    pub fn spans(&self, x: f32, y: f32, spans: &[TextSpan], color: Option<Color32>) -> f32 {
        let mut end = x;
        for span in spans {
            end = self.code(
                end,
                y,
                &span.text,
                color.unwrap_or_else(|| self.color(span.meaning)),
            );
        }
        end
    }

    /// Draws pieces of code cut with `…` so that they end before `right`. Returns their right edge.
    pub fn cut_spans(
        &self,
        Pos2 { x, y }: Pos2,
        spans: &[TextSpan],
        color: Option<Color32>,
        right: f32,
    ) -> f32 {
        let mut job = egui::text::LayoutJob::default();
        for span in spans {
            let color = color.unwrap_or_else(|| self.color(span.meaning));
            let format = egui::TextFormat {
                font_id: mono(CODE),
                color,
                ..egui::TextFormat::default()
            };
            job.append(&span.text, 0.0, format);
        }
        job.wrap = egui::text::TextWrapping::truncate_at_width((right - x).max(0.0));
        let galley = self.painter.layout_job(job);
        let width = galley.size().x;
        self.painter.galley(
            pos2(x.round(), top_of(&galley, &mono(CODE), y)),
            galley,
            self.tok.t1,
        );
        x + width
    }

    /// Returns the colour of a meaning.
    pub fn color(&self, meaning: TextRole) -> Color32 {
        let tok = self.tok;
        match meaning {
            TextRole::Plain => tok.t1,
            TextRole::Second => tok.t2,
            TextRole::Label => tok.t3,
            TextRole::Branch => tok.call,
            TextRole::Register => tok.register,
            TextRole::Number => tok.number,
            TextRole::Symbol => tok.symbol,
            TextRole::Punctuation => tok.punctuation,
            TextRole::Comment => tok.comment,
            TextRole::Read => tok.read,
            TextRole::External => tok.external,
            TextRole::Write => tok.write,
            TextRole::Taken => tok.taken,
            TextRole::Inferred => tok.inferred,
            TextRole::Unknown => tok.unknown,
            TextRole::Exception => tok.err,
        }
    }

    /// Fills a rectangle.
    pub fn fill(&self, rect: Rect, color: Color32) {
        self.painter.rect_filled(rect, 0.0, color);
    }

    /// Draws a frame of one pixel inside a rectangle.
    pub fn frame(&self, rect: Rect, radius: u8, color: Color32) {
        self.painter.rect_stroke(
            rect,
            CornerRadius::same(radius),
            Stroke::new(1.0, color),
            StrokeKind::Inside,
        );
    }

    /// Draws a horizontal hairline with its upper edge at `y`.
    pub fn line_across(&self, left: f32, right: f32, y: f32, color: Color32) {
        let y = y.round();
        self.fill(
            Rect::from_min_max(pos2(left, y), pos2(right, y + 1.0)),
            color,
        );
    }

    /// Draws a vertical hairline with its left edge at `x`.
    pub fn line_down(&self, x: f32, top: f32, bottom: f32, color: Color32) {
        let x = x.round();
        self.fill(
            Rect::from_min_max(pos2(x, top), pos2(x + 1.0, bottom)),
            color,
        );
    }

    /// Draws words of code in individual colours; `at` is the middle of their left edge.
    pub fn words<'w>(&self, at: Pos2, words: impl Iterator<Item = (&'w str, Color32)>) {
        let mut job = egui::text::LayoutJob::default();
        for (text, color) in words {
            let format = egui::TextFormat {
                font_id: mono(CODE),
                color,
                ..egui::TextFormat::default()
            };
            job.append(text, 0.0, format);
        }
        let galley = self.painter.layout_job(job);
        let top = pos2(at.x, top_of(&galley, &mono(CODE), at.y));
        self.painter.galley(top, galley, self.tok.t1);
    }

    /// Draws an icon centred at a point.
    pub fn icon(&self, center: Pos2, shape: char, size: f32, color: Color32) {
        self.text_centered(center, shape, icon(size), color);
    }

    /// Draws the badge of a position: its number on its colour, at least 16 x 14. Returns its right
    /// edge.
    pub fn badge(&self, x: f32, y: f32, number: u32) -> f32 {
        let text = number.to_string();
        let width = (self.width(&text, mono_bold(10.5)) + 8.0).max(16.0).round();
        let rect = Rect::from_min_size(pos2(x.round(), (y - 7.0).round()), vec2(width, 14.0));
        self.painter
            .rect_filled(rect, 3.0, self.tok.position(number));
        self.text_centered(rect.center(), text, mono_bold(10.5), self.tok.on_accent);
        rect.right()
    }

    /// Draws the dots under an inferred value: 2 x 1 every 4 pixels.
    pub fn dots(&self, left: f32, right: f32, y: f32) {
        let mut x = left.round();
        while x < right {
            self.fill(
                Rect::from_min_size(pos2(x, y.round()), vec2(2.0, 1.0)),
                self.tok.t3,
            );
            x += 4.0;
        }
    }

    /// Draws the box of an item that can be opened: 11 x 11, with `+` or `-`.
    pub fn fold_box(&self, center: Pos2, sign: FoldSign, color: Color32) {
        let center = pos2(center.x.round(), center.y.round());
        let rect = Rect::from_min_size(center - vec2(5.0, 5.0), vec2(11.0, 11.0));
        self.painter.rect_filled(rect, 2.0, self.tok.bg1);
        self.frame(rect, 2, self.tok.ctl);
        self.fill(
            Rect::from_min_size(center - vec2(2.0, 0.0), vec2(5.0, 1.0)),
            color,
        );
        if sign == FoldSign::Folded {
            self.fill(
                Rect::from_min_size(center - vec2(0.0, 2.0), vec2(1.0, 5.0)),
                color,
            );
        }
    }

    /// Fills a triangle.
    pub fn triangle(&self, corners: [Pos2; 3], color: Color32) {
        self.painter
            .add(Shape::convex_polygon(corners.to_vec(), color, Stroke::NONE));
    }

    /// Returns this pen, paler: for an answer that is being renewed.
    pub fn faded(mut self) -> Self {
        self.painter.multiply_opacity(STALE_OPACITY);
        self
    }
}

/// Returns the top of a text whose capitals have their middle at `y`.
/// Texts in row sizes share the baseline of code in every font: an offset of one pixel would show.
fn top_of(galley: &Galley, font: &FontId, y: f32) -> f32 {
    const CAPITAL: f32 = 0.73;
    let first = galley.rows.first().and_then(|row| row.row.glyphs.first());
    let baseline = first
        .filter(|_| !is_icon(font))
        .map(|glyph| glyph.pos.y.round());
    let size = if IN_ROWS.contains(&font.size) {
        CODE
    } else {
        font.size
    };
    baseline.map_or_else(
        || (y - galley.size().y / 2.0).round(),
        |baseline| (y + CAPITAL / 2.0 * size).round() - baseline,
    )
}

/// Font of table heads.
pub fn head_font() -> FontId {
    medium(11.5)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::theme::{FontSetup, install_fonts};

    #[test]
    fn texts_of_a_row_are_on_one_line() {
        let lines = std::rc::Rc::new(std::cell::RefCell::new(Vec::new()));
        let seen = lines.clone();
        let mut is_dressed = false;
        let mut harness = egui_kittest::Harness::new_ui(move |ui| {
            // Fonts arrive with the next frame.
            if !std::mem::replace(&mut is_dressed, true) {
                install_fonts(ui.ctx(), &FontSetup::default());
                return ui.ctx().request_repaint();
            }
            let pen = Pen::new(ui, ui.max_rect(), ThemeColors::current(ui));
            *seen.borrow_mut() = [mono(CODE), mono_bold(CODE), ui_font(11.5), ui_font(13.0)]
                .map(|font| {
                    let galley =
                        pen.painter
                            .layout_no_wrap("ab".to_owned(), font.clone(), Color32::WHITE);
                    (top_of(&galley, &font, 100.0) + galley.rows[0].row.glyphs[0].pos.y).round()
                })
                .to_vec();
        });
        harness.run();
        assert_eq!(*lines.borrow(), [105.0; 4]);
    }
}
