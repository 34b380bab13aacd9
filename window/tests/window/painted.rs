//! Painted text and colours of a window, for checks that names cannot make.

use egui::{Color32, Rect, Shape};
use stepback_window::theme::ThemeColors;

use crate::support::Driver;

impl Driver {
    /// Returns the visible text painted within a named widget, from left to right.
    #[track_caller]
    pub fn painted(&self, label: &str) -> String {
        self.painted_in(self.rect(label))
    }

    /// Returns the visible text painted within a rectangle, from left to right.
    pub fn painted_in(&self, rect: Rect) -> String {
        let mut found = Vec::new();
        for clipped in &self.harness.output().shapes {
            collect_text(&clipped.shape, clipped.clip_rect, rect, &mut found);
        }
        found.sort_by(|(one, _), (other, _)| one.total_cmp(other));
        found
            .into_iter()
            .map(|(_, text)| text)
            .collect::<Vec<_>>()
            .join(" ")
    }

    /// Returns the centre of a text painted within a named widget.
    #[track_caller]
    pub fn place_of_text(&self, label: &str, text: &str) -> egui::Pos2 {
        self.rect_of_text(label, text).center()
    }

    /// Returns the rectangle of a text painted within a named widget.
    #[track_caller]
    pub fn rect_of_text(&self, label: &str, text: &str) -> Rect {
        let within = self.rect(label);
        let mut found = Vec::new();
        for clipped in &self.harness.output().shapes {
            collect_places(&clipped.shape, within, text, &mut found);
        }
        *found
            .first()
            .unwrap_or_else(|| panic!("no {text:?} in {label:?}: {}", self.painted(label)))
    }

    /// Returns the visible text painted in the line of a widget, from its left edge to the right
    /// edge of its panel.
    #[track_caller]
    pub fn painted_beside(&self, label: &str) -> String {
        let rect = self.rect(label);
        // Panels are side by side; each is wider than 300 pixels.
        self.painted_in(Rect::from_min_max(
            rect.min,
            rect.max + egui::vec2(300.0, 0.0),
        ))
    }

    /// Returns the text of a register in a register panel.
    #[track_caller]
    pub fn register(&self, name: &str) -> String {
        let painted = self.painted(&format!("register {name}"));
        painted.split(' ').skip(1).collect()
    }

    /// Returns the rectangles two pixels wide that are painted within a named widget, by their
    /// upper edges.
    #[track_caller]
    pub fn painted_dots(&self, label: &str) -> Vec<Rect> {
        let rect = self.rect(label);
        let mut dots = Vec::new();
        for clipped in &self.harness.output().shapes {
            collect_dots(&clipped.shape, rect, &mut dots);
        }
        dots
    }

    /// Returns the rectangles painted in the colour of hits.
    pub fn hit_marks(&self) -> Vec<Rect> {
        let tok = ThemeColors::of(self.harness.ctx.theme());
        let mut marks = Vec::new();
        for clipped in &self.harness.output().shapes {
            collect_filled(&clipped.shape, tok.hit, &mut marks);
        }
        marks
    }

    /// Returns true if the background of a widget is painted in the colour for the widget under the
    /// pointer.
    #[track_caller]
    pub fn is_raised(&self, label: &str) -> bool {
        let tok = ThemeColors::of(self.harness.ctx.theme());
        let mut raised = Vec::new();
        for clipped in &self.harness.output().shapes {
            collect_filled(&clipped.shape, tok.bg3, &mut raised);
        }
        raised.contains(&self.rect(label))
    }

    /// Returns true if a widget is painted in the colour of changes by the last move.
    #[track_caller]
    pub fn is_highlighted(&self, label: &str) -> bool {
        let rect = self.rect(label);
        let tok = ThemeColors::of(self.harness.ctx.theme());
        let mut colors = Vec::new();
        for clipped in &self.harness.output().shapes {
            collect_colors(&clipped.shape, rect, &mut colors);
        }
        colors.contains(&tok.changed)
    }
}

fn collect_text(shape: &Shape, clip: Rect, within: Rect, found: &mut Vec<(f32, String)>) {
    match shape {
        Shape::Vec(shapes) => shapes
            .iter()
            .for_each(|shape| collect_text(shape, clip, within, found)),
        Shape::Text(text) => {
            let center = text.visual_bounding_rect().center();
            if within.contains(center) && clip.contains(center) {
                found.push((text.pos.x, text.galley.text().to_owned()));
            }
        }
        _ => {}
    }
}

fn collect_places(shape: &Shape, within: Rect, wanted: &str, found: &mut Vec<Rect>) {
    match shape {
        Shape::Vec(shapes) => shapes
            .iter()
            .for_each(|shape| collect_places(shape, within, wanted, found)),
        Shape::Text(text) if text.galley.text() == wanted => {
            let rect = text.visual_bounding_rect();
            found.extend(within.contains(rect.center()).then_some(rect));
        }
        _ => {}
    }
}

fn collect_dots(shape: &Shape, within: Rect, found: &mut Vec<Rect>) {
    match shape {
        Shape::Vec(shapes) => shapes
            .iter()
            .for_each(|shape| collect_dots(shape, within, found)),
        Shape::Rect(dot)
            if dot.rect.width() == 2.0
                && dot.rect.height() <= 2.0
                && within.contains_rect(dot.rect) =>
        {
            found.push(dot.rect);
        }
        _ => {}
    }
}

fn collect_filled(shape: &Shape, color: Color32, found: &mut Vec<Rect>) {
    match shape {
        Shape::Vec(shapes) => shapes
            .iter()
            .for_each(|shape| collect_filled(shape, color, found)),
        Shape::Rect(filled) if filled.fill == color => found.push(filled.rect),
        _ => {}
    }
}

fn collect_colors(shape: &Shape, within: Rect, found: &mut Vec<Color32>) {
    match shape {
        Shape::Vec(shapes) => shapes
            .iter()
            .for_each(|shape| collect_colors(shape, within, found)),
        Shape::Text(text) if within.contains(text.visual_bounding_rect().center()) => {
            found.extend(
                text.galley
                    .job
                    .sections
                    .iter()
                    .map(|section| section.format.color),
            );
            found.push(text.fallback_color);
        }
        _ => {}
    }
}
