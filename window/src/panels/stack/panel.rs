//! The panel of the call stack, with the details of one frame at its foot.

use egui::{Rect, Ui, pos2};
use serde::{Deserialize, Serialize};
use stepback_debugger::action::WindowId;
use stepback_debugger::action::{Action, AppAction, Follow, PanelAction, PanelKind};
use stepback_debugger::messages::say;
use stepback_debugger::model::call_stack::{StackFrame, entered_at, entered_words, evidence_words};
use stepback_debugger::model::so_far::left_so_far;
use stepback_debugger::views::{PanelView, StackView, ViewStatus};

use crate::panels::PanelContext;
use crate::panels::cursor_list::{CursorList, ListExtent, take_rect};
use crate::panels::panel::Panel;
use crate::panels::pen::{ADVANCE, INSET, Pen, ROW, head_font};
use crate::panels::row::{
    ChosenThread, EmptyMessage, StepLink, ThreadChooserView, button_response, empty_ui, error_ui,
    loading_ui, thread_chooser_ui, watch_for_late,
};
use crate::panels::stack::rows::{StackColumns, StackInput, StackRows};
use crate::theme::{icons, mono, mono_bold, ui as ui_font};

/// Height of the bar with the thread and the depth.
const BAR: f32 = 30.0;
/// Height of the column heads.
const HEAD: f32 = 20.0;
/// Number of frames that must be in view above the foot, or all frames if there are fewer.
const FRAMES_ABOVE_FOOT: usize = 8;

/// The frames around a position, innermost first.
#[derive(Serialize, Deserialize)]
#[serde(transparent)]
pub struct StackPanel {
    view: StackView,
    #[serde(skip)]
    list: CursorList,
    /// Stack frame under the pointer in the last screen frame.
    #[serde(skip)]
    hovered: Option<usize>,
}

impl StackPanel {
    /// Returns the window that travels when a frame is clicked.
    fn window(&self, cx: &PanelContext<'_>) -> WindowId {
        cx.desk
            .windows
            .travelling(self.view.follow().unwrap_or_default())
    }

    fn rows_ui(
        &mut self,
        ui: &mut Ui,
        rest: Rect,
        pen: &Pen<'_>,
        cx: &PanelContext<'_>,
        out: &mut Vec<Action>,
    ) {
        let count = self.view.stack().map_or(0, |stack| stack.frames.len());
        let above = HEAD + ROW * count.min(FRAMES_ABOVE_FOOT) as f32;
        // The foot takes a third of the height at most.
        let has_foot = rest.height() >= (above + HEIGHT).max(3.0 * HEIGHT);
        let foot_height = if has_foot { HEIGHT } else { 0.0 };
        let (body, foot) = rest.split_top_bottom_at_y(rest.bottom() - foot_height);
        let (head, list) = body.split_top_bottom_at_y(body.top() + HEAD);
        self.list.keys(
            ui,
            &mut self.view,
            ListExtent { rows: count, list },
            cx,
            out,
        );
        let area = self.list.area(ui, list, count, cx.tok);
        let (top, page) = (
            self.list.top(),
            usize::try_from(area.view.page()).unwrap_or(count),
        );
        if let Some(error) = self.view.fetch(top..top + page + 1, cx.desk) {
            return error_ui(ui, pen, list, &error, out);
        }
        let columns = StackColumns::new(area.body);
        columns.head_ui(&Pen::new(ui, head, cx.tok), head);
        let here = cx
            .desk
            .windows
            .position_of(self.view.follow().unwrap_or_default());
        let rows = StackRows {
            pen: Pen {
                painter: pen.painter.with_clip_rect(area.body),
                tok: cx.tok,
            },
            cx,
            columns,
            window: self.window(cx),
            cursor: self.list.cursor,
            here: self.view.held_at(cx.desk).map(|_| here),
            has_foot,
        };
        let mut touched = StackInput::default();
        for (place, rect) in area.places() {
            rows.row_ui(ui, rect, place, self.view.frame(place), &mut touched);
        }
        self.hovered = touched.hovered;
        let place = self.hovered.unwrap_or(self.list.cursor);
        if let Some(frame) = self.view.frame(place).filter(|_| has_foot) {
            foot_ui(
                ui,
                foot,
                FramePaint { pen, place, frame },
                StackFootContext {
                    cx,
                    window: self.window(cx),
                },
                out,
            );
        }
        if let Some(frame) = touched.opened.and_then(|place| self.view.frame(place)) {
            out.push(Action::Panel(PanelAction::OpenWindowAt(
                cx.moment(entered_at(&frame.call)),
            )));
        }
        if touched.is_copied {
            out.extend(
                self.view
                    .copied_whole()
                    .map(|it| Action::App(AppAction::Copy(it))),
            );
        }
        out.extend(touched.requested);
        touched
            .rows
            .apply(&mut self.view, &mut self.list, cx.desk, out);
    }

    /// Draws the thread and the depth of the stack, and a link back from a frame that was visited.
    fn bar_ui(
        &mut self,
        ui: &Ui,
        bar: Rect,
        pen: &Pen<'_>,
        cx: &PanelContext<'_>,
        out: &mut Vec<Action>,
    ) {
        let Some(stack) = self.view.stack() else {
            return;
        };
        let (tok, y, count, thread) = (cx.tok, bar.center().y, stack.frames.len(), stack.thread);
        pen.line_across(bar.left(), bar.right(), bar.bottom() - 1.0, tok.line);
        let thread = cx.desk.session.index.threads().get(usize::from(thread.0));
        let name = thread.map_or("", |thread| thread.name.as_str());
        let left = bar.left() + INSET;
        let end = thread_chooser_ui(
            ui,
            pos2(left, y),
            ThreadChooserView {
                pen,
                cx,
                shown: name,
            },
            self.view.thread_mut(),
        );
        let left = if end > left { end + INSET } else { left };
        let end = pen.text(
            left,
            y,
            say!("stack-frames", count = count),
            ui_font(12.0),
            tok.t2,
        );
        let Some(held) = self.view.held_at(cx.desk) else {
            return;
        };
        let end = pen.text(
            end + 6.0,
            y,
            say!("stack-at", position = held.0),
            ui_font(12.0),
            tok.t2,
        );
        let label = say!("stack-return-to-it");
        let back = Rect::from_min_max(
            pos2(end + 10.0, y - 10.0),
            pos2(end + 22.0 + pen.width(label, ui_font(12.0)), y + 10.0),
        );
        let response = button_response(ui, back, "return", label);
        if response.hovered() {
            pen.painter.rect_filled(back, 4.0, tok.bg3);
        }
        pen.text(back.left() + 6.0, y, label, ui_font(12.0), tok.accent);
        if response.clicked() {
            out.push(Action::travel(self.window(cx), held));
        }
        response.on_hover_text(say!("stack-travel-back-to-where-this"));
    }
}

impl Panel for StackPanel {
    fn make(_: PanelKind, _: WindowId) -> Self {
        Self {
            view: StackView::new(Follow::Active),
            list: CursorList::default(),
            hovered: None,
        }
    }

    fn kind(&self) -> PanelKind {
        self.view.kind()
    }

    fn title(&self) -> String {
        say!("stack-stack").to_owned()
    }

    fn follow(&self) -> Option<Follow> {
        self.view.follow()
    }

    fn is_pinnable(&self) -> bool {
        true
    }

    fn bind(&mut self, follow: Follow) {
        self.view.bind(follow);
    }

    fn choose_thread(&mut self, thread: ChosenThread) {
        *self.view.thread_mut() = thread;
    }

    fn ui(&mut self, ui: &mut Ui, cx: &PanelContext<'_>, out: &mut Vec<Action>) {
        let rect = take_rect(ui);
        let pen = Pen::new(ui, rect, cx.tok);
        let status = self.view.poll(cx.desk);
        let faded = pen.clone().faded();
        let shown = if self.view.is_late() { &faded } else { &pen };
        let (bar, rest) = rect.split_top_bottom_at_y(rect.top() + BAR);
        match status {
            ViewStatus::Failed(error) => error_ui(ui, &pen, rect, &error, out),
            ViewStatus::Loading(_) => loading_ui(&pen, rect),
            ViewStatus::Empty { title, advice } => {
                self.bar_ui(ui, bar, shown, cx, out);
                empty_ui(ui, shown, rest, icons::STACK, EmptyMessage(&title, &advice));
            }
            ViewStatus::Rows(_) => {
                self.bar_ui(ui, bar, shown, cx, out);
                self.rows_ui(ui, rest, shown, cx, out);
            }
        }
        if self.view.is_waiting() {
            watch_for_late(ui);
        }
    }
}

impl StackColumns {
    fn head_ui(&self, pen: &Pen<'_>, head: Rect) {
        let (tok, y) = (pen.tok, head.center().y);
        pen.line_across(head.left(), head.right(), head.bottom() - 1.0, tok.line);
        let mut heads = vec![(self.name, say!("stack-function"))];
        heads.extend(
            self.arguments
                .map(|x| (x, say!("stack-arguments-at-its-entry"))),
        );
        heads.extend(self.place.map(|x| (x, say!("stack-called-from"))));
        for (x, words) in heads {
            pen.text(x, y, words, head_font(), tok.t2);
        }
        pen.text_left_of(self.right, y, say!("stack-step"), head_font(), tok.t2);
    }
}

/// Height of the foot: four lines.
pub const HEIGHT: f32 = 84.0;

/// A frame and its index in the stack.
pub struct FramePaint<'a> {
    pub pen: &'a Pen<'a>,
    pub place: usize,
    pub frame: &'a StackFrame,
}

/// Panel context and the window that travels.
pub struct StackFootContext<'a> {
    pub cx: &'a PanelContext<'a>,
    pub window: WindowId,
}

/// Draws the details of a frame.
pub fn foot_ui(
    ui: &Ui,
    rect: Rect,
    FramePaint { pen, place, frame }: FramePaint<'_>,
    StackFootContext { cx, window }: StackFootContext<'_>,
    out: &mut Vec<Action>,
) {
    let (tok, left, right) = (pen.tok, rect.left() + INSET, rect.right() - 10.0);
    pen.fill(rect, tok.bg1);
    pen.line_across(rect.left(), rect.right(), rect.top(), tok.line);
    let mut y = rect.top() + 15.0;
    let end = pen.cut_text(
        pos2(left, y),
        &format!("{place} {}", frame.name),
        mono_bold(12.5),
        tok.symbol,
        right - 90.0,
    );
    let address = format!("{:x}", frame.call.function.0);
    if address != frame.name {
        pen.code(end + ADVANCE, y, address, tok.t2);
    }
    y += ROW;
    let mut x = pen.label(left, y, entered_words(&frame.call), tok.t2);
    if let Some(site) = &frame.call_site {
        x = pen.label(x + 4.0, y, say!("stack-from-step"), tok.t2) + 4.0;
        x = StepLink {
            step: site.step,
            trace: cx.trace(),
            window,
        }
        .ui(ui, pen, x, y, out)
            + 8.0;
        pen.cut_text(pos2(x, y), &site.place_text(), mono(12.0), tok.t2, right);
    }
    y += ROW;
    let how = say!(
        "stack-found-because",
        left = left_so_far(&cx.desk.session, &frame.call),
        evidence = evidence_words(frame.call.evidence)
    );
    pen.cut_text(pos2(left, y), &how, crate::theme::ui(11.5), tok.t2, right);
    y += ROW;
    let mut x = left;
    for argument in &frame.arguments {
        let text = argument.value_text();
        if x + ADVANCE * (argument.name.len() + text.len() + 1) as f32 > right {
            pen.label(x, y, "…", tok.t3);
            break;
        }
        let end = pen.code(x, y, &argument.name, tok.register);
        let color = if argument.value.is_unknown() {
            tok.unknown
        } else {
            tok.t1
        };
        x = pen.code(end + ADVANCE * 0.7, y, text, color) + 14.0;
    }
}
