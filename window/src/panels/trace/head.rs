//! The head of a trace list: the calls around the position, and its source line.

use std::sync::Arc;

use egui::{Rect, Role, Sense, Ui, WidgetInfo, pos2, vec2};
use stepback_index::Cancel;
use stepback_parsers::Position;

use crate::panels::PanelContext;
use crate::panels::pen::{INSET, Pen};
use crate::theme::{icon, icons, mono, mono_bold};
use stepback_debugger::action::{Action, PanelAction, PanelKind};
use stepback_debugger::image::SourceLine;
use stepback_debugger::messages::say;
use stepback_debugger::model::TraceWindow;
use stepback_debugger::model::source_view::source_of;
use stepback_debugger::model::step_rows::{CallPathEntry, call_path};
use stepback_debugger::worker::Slot;

const HEIGHT: f32 = 24.0;

/// Minimum width of a panel with the source line.
const SOURCE_FROM: f32 = 320.0;

/// Maximum number of frames; the outermost are left out.
const FRAMES: usize = 12;

/// The call path, innermost last, and the source line.
#[derive(Debug, Default)]
pub struct TraceHead {
    path: Slot<Position, Vec<CallPathEntry>>,
    source: Slot<Position, Option<Arc<SourceLine>>>,
}

/// Window that travels, and the actions.
pub struct TravelOutput<'a> {
    pub window: &'a TraceWindow,
    pub out: &'a mut Vec<Action>,
}

impl TraceHead {
    /// Draws the head at the top of a rectangle and returns the rest.
    pub fn ui(
        &mut self,
        ui: &mut Ui,
        rect: Rect,
        cx: &PanelContext<'_>,
        window: &TraceWindow,
        out: &mut Vec<Action>,
    ) -> Rect {
        let (bar, rest) = rect.split_top_bottom_at_y(rect.top() + HEIGHT);
        let pen = Pen::new(ui, bar, cx.tok);
        pen.line_across(bar.left(), bar.right(), bar.bottom() - 1.0, cx.tok.line);
        let session = Arc::clone(&cx.desk.session);
        let end = self.source_ui(ui, &pen, bar, cx, TravelOutput { window, out });
        let answer = self
            .path
            .poll(&window.position, &cx.desk.worker, |position| {
                let position = *position;
                move |_: &Cancel| call_path(&session, position)
            });
        if let Some(path) = answer.any() {
            let bar = Rect::from_min_max(bar.min, pos2(end, bar.bottom()));
            path_ui(ui, &pen, bar, path, TravelOutput { window, out });
        }
        rest
    }

    /// Draws the source line at the right, if there is room. Returns its left edge.
    fn source_ui(
        &mut self,
        ui: &Ui,
        pen: &Pen<'_>,
        bar: Rect,
        cx: &PanelContext<'_>,
        TravelOutput { window, out }: TravelOutput<'_>,
    ) -> f32 {
        let images = &cx.desk.session.images;
        if images.is_empty() || !images.are_lines_ready() || bar.width() < SOURCE_FROM {
            return bar.right();
        }
        let answer = self
            .source
            .poll(&window.position, &cx.desk.worker, |position| {
                let (position, session) = (*position, Arc::clone(&cx.desk.session));
                move |cancel: &Cancel| source_of(&session, position, cancel)
            });
        let Some(Some(line)) = answer.any() else {
            return bar.right();
        };
        let text = line.short();
        let left = bar.right() - INSET - pen.width(&text, mono(12.5)).min(bar.width() / 3.0);
        let rect = Rect::from_min_max(
            pos2(left, bar.top()),
            pos2(bar.right() - INSET, bar.bottom()),
        );
        let response = ui.interact(rect, ui.unique_id().with("source line"), Sense::CLICK);
        response.widget_info(|| {
            WidgetInfo::labeled(Role::Link, true, say!("trace-show-line", line = &*text))
        });
        let color = if response.hovered() {
            pen.tok.accent
        } else {
            pen.tok.t2
        };
        pen.cut_text(
            pos2(left, bar.center().y),
            &text,
            mono(12.5),
            color,
            rect.right() + 1.0,
        );
        if response.on_hover_text(line.to_string()).clicked() {
            out.push(Action::Panel(PanelAction::ShowPanel(PanelKind::Source)));
        }
        left
    }
}

/// Draws the call path. The innermost frame is always in view; frames are left out from the
/// outermost on.
fn path_ui(
    ui: &Ui,
    pen: &Pen<'_>,
    bar: Rect,
    path: &[CallPathEntry],
    TravelOutput { window, out }: TravelOutput<'_>,
) {
    const CARET: f32 = 18.0;
    let width_of = |part: &CallPathEntry| pen.width(&part.name, mono(12.5)) + CARET;
    let mut room = bar.width() - 2.0 * INSET;
    let fitting = path.iter().rev().take(FRAMES).take_while(|part| {
        room -= width_of(part);
        room > 0.0
    });
    let shown = fitting.count().max(1).min(path.len());
    let mut x = bar.left() + INSET;
    let y = bar.center().y;
    if shown < path.len() {
        x = pen.code(x, y, "…", pen.tok.t3) + 4.0;
    }
    for (place, part) in path.iter().enumerate().skip(path.len() - shown) {
        let is_innermost = place + 1 == path.len();
        if place > path.len() - shown || shown < path.len() {
            pen.text(x + 4.0, y, icons::CARET_RIGHT, icon(10.0), pen.tok.t3);
            x += CARET;
        }
        let (font, color) = if is_innermost {
            (mono_bold(12.5), pen.tok.symbol)
        } else {
            (mono(12.5), pen.tok.t3)
        };
        let end = pen.cut_text(pos2(x, y), &part.name, font, color, bar.right() - INSET);
        let rect = Rect::from_min_max(pos2(x, bar.top()), pos2(end, bar.bottom()));
        let response = ui.interact(rect, ui.unique_id().with(("path", place)), Sense::CLICK);
        let name = &part.name;
        response.widget_info(|| {
            WidgetInfo::labeled(
                Role::Link,
                true,
                say!("trace-to-the-call-of", name = &*name),
            )
        });
        if response.hovered() {
            pen.fill(
                Rect::from_min_size(pos2(x, y + 8.0), vec2(end - x, 1.0)),
                color,
            );
        }
        if response.clicked() {
            out.push(Action::travel(window.id, part.entered_at));
        }
        x = end;
    }
}
