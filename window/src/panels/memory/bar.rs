//! The bar of a memory panel: address, grouping, legend.

use egui::{Rect, Role, Sense, Stroke, StrokeKind, Ui, WidgetInfo, pos2, vec2};
use stepback_debugger::action::Action;
use stepback_debugger::expression::OtherReading;
use stepback_debugger::messages::say;
use stepback_debugger::model::address_text::{AddressResult, STACK};
use stepback_debugger::model::so_far::{SOURCES, SourceWords};
use stepback_parsers::RegisterSource;

use super::panel::MemoryPanel;
use crate::panels::PanelContext;
use crate::panels::memory::shape::ByteMark;
use crate::panels::pen::Pen;
use crate::panels::row::button_response;
use crate::theme::{icon, icons, mono, mono_bold, ui as ui_font};

/// Width of the address field.
const FIELD: f32 = 160.0;

/// The other interpretation of the typed text, and the place of its button.
struct OtherReadingArea {
    other: Option<OtherReading>,
    bar: Rect,
    left: f32,
}

impl MemoryPanel {
    /// Draws the bar.
    pub(super) fn bar_ui(
        &mut self,
        ui: &mut Ui,
        bar: Rect,
        evaluated: Option<&AddressResult>,
        cx: &PanelContext<'_>,
        out: &mut Vec<Action>,
    ) {
        let pen = Pen::new(ui, bar, cx.tok);
        pen.line_across(bar.left(), bar.right(), bar.bottom() - 1.0, cx.tok.line);
        let field = Rect::from_min_size(
            bar.min + vec2(8.0, 4.0),
            vec2(FIELD.min(bar.width() - 16.0), 22.0),
        );
        self.field_ui(ui, field, &pen, evaluated, cx);
        let toggle =
            Rect::from_min_size(pos2(field.right() + 2.0, bar.top() + 4.0), vec2(22.0, 22.0));
        if toggle.right() < bar.right() - 4.0 {
            self.following_ui(ui, toggle, &pen);
        }
        let mut x = toggle.right() + 4.0;
        for group in [1u8, 2, 4, 8] {
            let segment = Rect::from_min_size(pos2(x, bar.top() + 5.0), vec2(22.0, 20.0));
            if segment.right() < bar.right() - 4.0 {
                self.segment_ui(ui, segment, &pen, group);
            }
            x += 24.0;
        }
        let button = Rect::from_min_size(pos2(x, bar.top() + 5.0), vec2(22.0, 20.0));
        if button.right() < bar.right() - 4.0 {
            self.view_menu_ui(ui, button, &pen, cx, out);
        }
        x += 24.0;
        match evaluated {
            Some(Err(_)) if self.is_at_unrecorded_stack(cx) => self.stated_ui(
                ui,
                &pen,
                Rect::from_min_max(pos2(x + 10.0, bar.top()), bar.max),
                say!("memory-no-stack-pointer"),
            ),
            Some(Err(error)) => error_ui(
                ui,
                &pen,
                Rect::from_min_max(pos2(x + 10.0, bar.top()), bar.max),
                error,
            ),
            _ => {
                let other = evaluated
                    .and_then(|value| OtherReading::of(self.view.address(), *value.as_ref().ok()?));
                let left = self.other_reading_ui(
                    ui,
                    &pen,
                    OtherReadingArea {
                        other,
                        bar,
                        left: x + 2.0,
                    },
                    cx,
                );
                let left = self.compared_ui(ui, &pen, bar, left + 4.0, cx);
                match self.search_words() {
                    Some(words) => self.stated_ui(
                        ui,
                        &pen,
                        Rect::from_min_max(pos2(left + 8.0, bar.top()), bar.max),
                        &words,
                    ),
                    None => legend_ui(ui, &pen, bar, left, cx),
                }
            }
        }
    }

    /// Draws a button for the other interpretation of an ambiguous address. Returns its right edge.
    fn other_reading_ui(
        &mut self,
        ui: &Ui,
        pen: &Pen<'_>,
        place: OtherReadingArea,
        cx: &PanelContext<'_>,
    ) -> f32 {
        let OtherReadingArea { other, bar, left } = place;
        let Some(other) = other else { return left };
        let words = match other {
            OtherReading::Decimal(value) => say!("memory-or-decimal", value = format!("{value:x}")),
            OtherReading::Address(value) => say!("memory-or-address", value = format!("{value:x}")),
        };
        let wide = pen.width(&words, ui_font(11.5)) + 12.0;
        let rect = Rect::from_min_size(pos2(left + 4.0, bar.top() + 5.0), vec2(wide, 20.0));
        if rect.right() > bar.right() - 4.0 {
            return left;
        }
        let response = button_response(ui, rect, "other reading", &words);
        if response.hovered() || response.has_focus() {
            pen.painter.rect_filled(rect, 3.0, pen.tok.bg3);
        }
        pen.text_centered(rect.center(), &words, ui_font(11.5), pen.tok.accent);
        if response.clicked() {
            self.view.show(&format!("{:#x}", other.value()), cx.desk);
        }
        response.on_hover_text(say!("memory-what-was-typed-can-be"));
        rect.right()
    }

    /// Draws the switch that re-evaluates the expression at every move.
    fn following_ui(&mut self, ui: &Ui, rect: Rect, pen: &Pen<'_>) {
        let tok = pen.tok;
        let response = ui.interact(
            rect,
            ui.unique_id().with("follow the expression"),
            Sense::CLICK,
        );
        response.widget_info(|| {
            WidgetInfo::selected(
                Role::Button,
                true,
                self.view.is_following(),
                say!("memory-follow"),
            )
        });
        if self.view.is_following() || response.hovered() {
            pen.painter.rect_filled(
                rect,
                4.0,
                if self.view.is_following() {
                    tok.bg4
                } else {
                    tok.bg3
                },
            );
        }
        pen.icon(
            rect.center(),
            icons::LINK,
            14.0,
            if self.view.is_following() {
                tok.accent
            } else {
                tok.t2
            },
        );
        if response.has_focus() {
            pen.painter
                .rect_stroke(rect, 4.0, Stroke::new(2.0, tok.focus), StrokeKind::Inside);
        }
        if response.clicked() {
            self.view.toggle_following();
        }
        response.on_hover_text(match self.view.is_following() {
            true => say!("memory-follow-on").to_owned(),
            false => say!("memory-follow-off", expression = self.view.address()),
        });
    }

    fn field_ui(
        &mut self,
        ui: &mut Ui,
        field: Rect,
        pen: &Pen<'_>,
        evaluated: Option<&AddressResult>,
        cx: &PanelContext<'_>,
    ) {
        let tok = pen.tok;
        let end = evaluated.and_then(|value| value.as_ref().ok().copied());
        let bias = end.and_then(|end| self.view.stack_bias(end, cx.desk));
        let value = match (end, bias) {
            // The stack of SPARC begins above its pointer.
            (Some(value), Some(bias)) => format!("+{bias:x} = {value:x}"),
            (Some(value), None) => format!("= {value:x}"),
            _ => String::new(),
        };
        let value_width = pen.width(&value, mono(11.5));
        let is_error = matches!(evaluated, Some(Err(_))) && !self.is_at_unrecorded_stack(cx);
        let edge = if is_error { tok.err } else { tok.ctl };
        pen.painter.rect(
            field,
            4.0,
            tok.bg1,
            Stroke::new(1.0, edge),
            StrokeKind::Inside,
        );
        let shown = self.view.address_text();
        let mut text = self.typed.clone().unwrap_or_else(|| shown.clone());
        let inner = Rect::from_min_max(field.min + vec2(8.0, 0.0), field.max - vec2(8.0, 0.0));
        let edit = egui::TextEdit::singleline(&mut text)
            .id(ui.unique_id().with("address"))
            .frame(egui::Frame::NONE)
            .margin(egui::Margin::ZERO)
            .font(mono(12.5))
            .text_color(tok.t1)
            .align(egui::Align2::LEFT_CENTER)
            .desired_width(inner.width());
        let response = ui.put(inner, edit);
        response.widget_info(|| WidgetInfo::labeled(Role::TextInput, true, say!("memory-address")));
        if response.has_focus() {
            pen.painter
                .rect_stroke(field, 4.0, Stroke::new(2.0, tok.focus), StrokeKind::Inside);
        } else if shown == self.view.address()
            && pen.width(&text, mono(12.5)) + value_width + 26.0 < field.width()
        {
            pen.text_left_of(
                field.right() - 8.0,
                field.center().y,
                value,
                mono(11.5),
                tok.t3,
            );
        }
        if let Some(bias) = bias.filter(|_| shown == STACK) {
            let response = response.clone();
            response.on_hover_text(say!("memory-stack-bias", bias = format!("{bias:x}")));
        }
        // An expression is accepted when it is complete; Escape drops it.
        let is_given_up =
            response.lost_focus() && ui.input(|input| input.key_pressed(egui::Key::Escape));
        let is_entered = text != shown || ui.input(|input| input.key_pressed(egui::Key::Enter));
        if response.lost_focus() && is_entered && !is_given_up && !text.trim().is_empty() {
            self.view.show(&text, cx.desk);
        }
        self.typed = response.has_focus().then_some(text);
    }

    /// Returns true if the panel shows the stack in a format without register values: nothing is
    /// wrong with the expression.
    fn is_at_unrecorded_stack(&self, cx: &PanelContext<'_>) -> bool {
        let traits = cx.desk.session.index.source().traits();
        self.view.address() == STACK && traits.registers == RegisterSource::Operands
    }

    fn segment_ui(&mut self, ui: &Ui, segment: Rect, pen: &Pen<'_>, group: u8) {
        let tok = pen.tok;

        let response = button_response(
            ui,
            segment,
            ("group", group),
            &say!("memory-group-by", count = group),
        );
        let is_chosen = self.view.group() == group;
        if is_chosen || response.hovered() {
            pen.painter
                .rect_filled(segment, 3.0, if is_chosen { tok.bg4 } else { tok.bg3 });
        }
        let (font, color) = if is_chosen {
            (mono_bold(11.5), tok.t1)
        } else {
            (mono(11.5), tok.t2)
        };
        pen.text_centered(segment.center(), group, font, color);
        if response.clicked() {
            self.view.group_by(group);
        }
    }
}

/// Draws the message of an error in the expression. The tooltip also names its column.
fn error_ui(ui: &Ui, pen: &Pen<'_>, rect: Rect, error: &str) {
    let (y, color) = (rect.center().y, pen.tok.err);
    let what = error
        .split_once(": ")
        .filter(|(place, _)| place.starts_with(say!("memory-column")))
        .map_or(error, |(_, what)| what);
    pen.text(rect.left(), y, icons::WARNING, icon(13.0), color);
    pen.cut_text(
        pos2(rect.left() + 18.0, y),
        what,
        ui_font(11.5),
        color,
        rect.right() - 8.0,
    );
    let response = ui.interact(rect, ui.unique_id().with("error"), Sense::hover());
    response.widget_info(|| WidgetInfo::labeled(Role::Label, true, error));
    response.on_hover_text(error);
}

/// Width of the sign that marks are left out of the legend.
const MORE: f32 = 24.0;

/// Draws the legend of the byte marks at the right, as many as fit, the most frequent first.
fn legend_ui(ui: &Ui, pen: &Pen<'_>, bar: Rect, left: f32, cx: &PanelContext<'_>) {
    let tok = pen.tok;
    let y = bar.center().y;
    let has_values = cx.desk.session.index.source().traits().registers == RegisterSource::Recorded;
    let marks = if has_values {
        [
            (
                say!("memory-just-written"),
                "a9",
                Some(ByteMark::Written),
                tok.changed,
            ),
            (
                say!("memory-differs"),
                "a9",
                Some(ByteMark::Differs),
                tok.t1,
            ),
            (
                say!("memory-inferred"),
                "a9",
                Some(ByteMark::Inferred),
                tok.inferred,
            ),
            (
                say!("memory-external-2"),
                "a9",
                Some(ByteMark::External),
                tok.external,
            ),
        ]
    } else {
        [
            (say!("memory-last-written"), "??", None, tok.write),
            (say!("memory-last-read"), "??", None, tok.read),
            (
                say!("memory-just-written"),
                "??",
                Some(ByteMark::Written),
                tok.changed,
            ),
            (
                say!("memory-inferred"),
                "a9",
                Some(ByteMark::Inferred),
                tok.inferred,
            ),
        ]
    };
    let width_of = |word: &str| pen.width(word, ui_font(11.0)) + 35.0;
    let room = bar.right() - 1.0 - left;
    let fitting = |room: f32| {
        let ends = marks.iter().scan(0.0, |end, (word, ..)| {
            *end += width_of(word);
            Some(*end)
        });
        ends.take_while(|end| *end <= room).count()
    };
    let mut x = bar.right() - 13.0;
    let mut shown = fitting(room);
    if shown < marks.len() && room >= MORE {
        // The tooltip has the other marks.
        shown = fitting(room - MORE);
        x = pen.text_left_of(x, y, "…", ui_font(11.0), tok.t2) - 12.0;
    }
    for (word, digits, mark, color) in marks.into_iter().take(shown).rev() {
        let start = pen.text_left_of(x, y, word, ui_font(11.0), tok.t2);
        let sample = Rect::from_min_size(
            pos2((start - 23.0).round(), (y - 8.0).round()),
            vec2(17.0, 16.0),
        );
        if let Some(mark) = mark {
            mark.paint(pen, sample);
        }
        pen.text_centered(sample.center(), digits, mono(11.5), color);
        x = sample.left() - 12.0;
    }
    let rect = Rect::from_min_max(pos2(x, bar.top()), bar.max);
    let response = ui.interact(rect, ui.unique_id().with("legend"), Sense::hover());
    response.widget_info(|| {
        WidgetInfo::labeled(Role::Label, true, say!("memory-what-the-marks-of-bytes"))
    });
    response.on_hover_ui(|ui| {
        ui.label(say!("memory-just-written-by-the-step"));
        ui.label(say!("memory-differs-from-the-position-where"));
        if !has_values {
            ui.label(say!("memory-the-trace-has-no-values"));
        }
        for words in SOURCES.map(|source| SourceWords::of(source).meaning) {
            ui.label(words);
        }
    });
}
