//! The list of steps or the raw text of the trace, below a head with the calls around the position
//! and its source line.

use std::sync::Arc;

use egui::{Rect, Role, Sense, Ui, WidgetInfo, pos2, vec2};
use serde::{Deserialize, Serialize};
use stepback_debugger::action::WindowId;
use stepback_debugger::action::{Action, CellName, Follow, PanelAction, PanelKind};
use stepback_debugger::desk::SessionWatch;
use stepback_debugger::image::SourceLine;
use stepback_debugger::messages::say;
use stepback_debugger::model::TraceWindow;
use stepback_debugger::model::source_view::source_of;
use stepback_debugger::model::step_rows::{CallPathEntry, call_path};
use stepback_debugger::worker::Slot;
use stepback_index::Cancel;
use stepback_parsers::Position;

use crate::panels::PanelContext;
use crate::panels::cursor_list::take_rect;
use crate::panels::panel::Panel;
use crate::panels::pen::{INSET, Pen};
use crate::panels::trace::hits::hits_bar_ui;
use crate::panels::trace::menu::TraceContext;
use crate::panels::trace::raw::{RawList, raw_bar_ui};
use crate::panels::trace::steps::StepList;
use crate::theme::{icon, icons, mono, mono_bold};

/// The trace as a list, with a position.
#[derive(Debug, Serialize, Deserialize)]
pub struct TracePanel {
    /// Trace window that is shown.
    pub window: WindowId,
    #[serde(skip)]
    session: SessionWatch,
    #[serde(skip)]
    state: Box<TraceState>,
}

#[derive(Debug, Default)]
struct TraceState {
    head: TraceHead,
    steps: StepList,
    raw: RawList,
}

impl TracePanel {
    /// Creates a list for a trace window.
    pub fn new(window: WindowId) -> Self {
        Self {
            window,
            session: SessionWatch::default(),
            state: Box::default(),
        }
    }

    /// Returns the number of rows that a page key moves by: those in view, less one for context.
    pub fn page_rows(&self) -> u64 {
        self.state.steps.page_rows().max(1)
    }

    /// Follows the scrolling of another window, in thousandths of a row.
    pub fn scroll_along(&mut self, way_in_thousandths: i64) {
        self.state.steps.scroll_along(way_in_thousandths);
    }
}

impl Panel for TracePanel {
    fn make(_: PanelKind, window: WindowId) -> Self {
        Self::new(window)
    }

    fn kind(&self) -> PanelKind {
        PanelKind::Trace
    }

    fn title(&self) -> String {
        say!("trace-trace").to_owned()
    }

    fn follow(&self) -> Option<Follow> {
        Some(Follow::Window(self.window))
    }

    fn bind(&mut self, follow: Follow) {
        if let Follow::Window(window) = follow {
            self.window = window;
        }
    }

    fn window(&self) -> Option<WindowId> {
        Some(self.window)
    }

    /// Returns the cell for "last write": the first cell that the step before the position changed.
    fn selection(&self, cx: &PanelContext<'_>) -> Option<CellName> {
        let step = cx.desk.windows.get(self.window)?.position.last_step()?;
        let row = self.state.steps.row_of(step)?;
        let changed = row
            .effects
            .iter()
            .find(|effect| !effect.is_read && effect.cell.is_some());
        let written = || {
            row.operands
                .written
                .first()
                .map(|name| CellName::Register(name.clone()))
        };
        changed
            .and_then(|effect| effect.cell.clone())
            .or_else(written)
    }

    fn ui(&mut self, ui: &mut egui::Ui, cx: &PanelContext<'_>, out: &mut Vec<Action>) {
        if self.session.is_new(&cx.desk.session) {
            *self.state = TraceState::default();
        }
        let window = cx.desk.windows.followed(self.window);
        let rect = take_rect(ui);
        let is_pressed =
            ui.input(|input| input.pointer.any_pressed()) && ui.rect_contains_pointer(rect);
        if is_pressed && cx.desk.windows.active != window.id {
            out.push(Action::Panel(PanelAction::Activate(window.id)));
        }
        let list = self.state.head.ui(ui, rect, cx, window, out);
        if window.is_raw {
            self.state.steps.stay();
            let list = raw_bar_ui(ui, list, TraceContext { cx, window }, out);
            self.state.raw.ui(ui, list, cx, window, out);
        } else {
            let is_filtered = window.only_hits.is_on;
            let list = if is_filtered {
                hits_bar_ui(ui, list, TraceContext { cx, window }, out)
            } else {
                list
            };
            self.state.steps.ui(ui, list, cx, window, out);
        }
    }
}

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
