//! The call stack.

use std::sync::Arc;

use egui::{Rect, Ui, pos2};
use serde::{Deserialize, Serialize};
use stepback_index::{CallId, Cancel};
use stepback_parsers::Position;

use super::foot;
use super::foot::{FramePaint, Scene};
use super::rows::{Columns, StackRows, Touched};
use crate::panels::ViewCx;
use crate::panels::cursor_list::{AnswerPlace, CursorList, take_rect};
use crate::panels::keys::{PanelKey, take_keys};
use crate::panels::panel::Panel;
use crate::panels::pen::{INSET, Pen, ROW, head_font};
use crate::panels::row::{EmptyWords, button_response, empty_ui, error_ui, watch_for_late};
use crate::panels::thread::{ChooserView, ChosenThread, forget_missing_thread, thread_chooser_ui};
use crate::theme::{icons, ui as ui_font};
use stepback_debugger::action::{Action, Follow, PanelKind, WindowId};
use stepback_debugger::desk::SessionWatch;
use stepback_debugger::messages::say;
use stepback_debugger::model::call_stack::{
    CallStack, SourceWish, StackFrame, call_stack, called_at, entered_at, stack_frames,
};
use stepback_debugger::model::scroll::Viewport;
use stepback_debugger::worker::{Answer, Slot};

/// Whose stack, how deep.
const BAR: f32 = 30.0;
/// The heads of the columns.
const HEAD: f32 = 20.0;
/// All about one frame stands at the foot where so many frames, or all there are, are seen above it.
const FRAMES_ABOVE_FOOT: usize = 8;
/// How many frames are asked for at a time, so that stepping through a list of them rarely asks.
const BLOCK: usize = 128;

/// The frames around a position, innermost first.
#[derive(Debug, Serialize, Deserialize)]
pub struct StackPanel {
    /// What it shows the stack at.
    pub follow: Follow,
    /// Whose stack; none for the thread of the position.
    #[serde(default)]
    pub thread: ChosenThread,
    #[serde(skip)]
    session: SessionWatch,
    #[serde(skip)]
    state: Box<StackState>,
}

#[derive(Debug, Default)]
struct StackState {
    stack: Slot<(Position, ChosenThread), CallStack>,
    frames: FrameSlot,
    /// Its cursor is on a frame, by its place in the stack.
    list: CursorList,
    /// The frame under the pointer in the last frame.
    hovered: Option<usize>,
    held: Option<Held>,
}

/// Frames, with the lines of their calls once those are read.
type FrameSlot = Slot<(Vec<CallId>, SourceWish), Vec<StackFrame>>;

/// A stack that stays while its user looks at its frames: at a call site, the frames inside of it would be gone.
#[derive(Clone, Copy, Debug)]
struct Held {
    /// Where the stack is that stays.
    at: Position,
    /// Where the panel sent the window. Anywhere else the stack is that of the position again.
    sent_to: Position,
}

/// The stack that is shown.
pub struct StackView<'a> {
    pub pen: &'a Pen<'a>,
    pub stack: &'a CallStack,
}

impl StackPanel {
    /// The stack at what `follow` says.
    pub fn new(follow: Follow) -> Self {
        Self { follow, thread: None, session: SessionWatch::default(), state: Box::default() }
    }

    /// Where the stack is that is shown.
    fn position(&self, cx: &ViewCx<'_>) -> Position {
        let here = cx.desk.windows.position_of(self.follow);
        self.held(here).map_or(here, |held| held.at)
    }

    fn held(&self, here: Position) -> Option<Held> {
        self.state.held.filter(|held| held.sent_to == here)
    }

    /// The window that travels when a frame is clicked.
    fn window(&self, cx: &ViewCx<'_>) -> WindowId {
        cx.desk.windows.travelling(self.follow)
    }

    fn stack_ui(
        &mut self,
        ui: &mut Ui,
        rect: Rect,
        StackView { pen, stack }: StackView<'_>,
        cx: &ViewCx<'_>,
        out: &mut Vec<Action>,
    ) {
        let (bar, rest) = rect.split_top_bottom_at_y(rect.top() + BAR);
        self.bar_ui(ui, bar, StackView { pen, stack }, cx, out);
        if stack.frames.is_empty() {
            let words = EmptyWords(say!("stack-no-calls-here"), say!("stack-the-thread-has-not-executed"));
            return empty_ui(ui, pen, rest, icons::STACK, words);
        }
        let above = HEAD + ROW * stack.frames.len().min(FRAMES_ABOVE_FOOT) as f32;
        // It takes a third at most.
        let has_foot = rest.height() >= (above + foot::HEIGHT).max(3.0 * foot::HEIGHT);
        let foot_height = if has_foot { foot::HEIGHT } else { 0.0 };
        let (body, foot) = rest.split_top_bottom_at_y(rest.bottom() - foot_height);
        let (head, list) = body.split_top_bottom_at_y(body.top() + HEAD);
        let mut touched = self.keys(ui, stack, list, cx);
        let area = self.state.list.area(ui, list, stack.frames.len(), cx.tok);
        let (first, failure) = self.fetch(stack, &area.view, cx);
        if let Some(error) = failure {
            return error_ui(ui, pen, list, &error, out);
        }
        let columns = Columns::new(area.body);
        columns.head_ui(&Pen::new(ui, head, cx.tok), head);
        let here = cx.desk.windows.position_of(self.follow);
        let rows = StackRows {
            pen: Pen { painter: pen.painter.with_clip_rect(area.body), tok: cx.tok },
            cx,
            columns,
            window: self.window(cx),
            cursor: self.state.list.cursor,
            here: self.held(here).map(|held| held.sent_to),
            has_foot,
        };
        for (place, rect) in area.places() {
            let frame = frame_at(first, &self.state.frames, stack, place);
            rows.row_ui(ui, rect, place, frame, &mut touched);
        }
        self.state.hovered = touched.hovered;
        let shown = self.state.hovered.unwrap_or(self.state.list.cursor);
        let frame = frame_at(first, &self.state.frames, stack, shown);
        if let Some(frame) = frame.filter(|_| foot_height > 0.0) {
            foot::foot_ui(
                ui,
                foot,
                FramePaint { pen, place: shown, frame },
                Scene { cx, window: self.window(cx) },
                out,
            );
        }
        self.apply(touched, stack, first, cx, out);
    }

    /// Whose stack it is and how deep; the way back from a frame that was looked at.
    fn bar_ui(
        &mut self,
        ui: &Ui,
        bar: Rect,
        StackView { pen, stack }: StackView<'_>,
        cx: &ViewCx<'_>,
        out: &mut Vec<Action>,
    ) {
        let (tok, y) = (cx.tok, bar.center().y);
        pen.line_across(bar.left(), bar.right(), bar.bottom() - 1.0, tok.line);
        let thread = cx.desk.session.index.threads().get(usize::from(stack.thread.0));
        let name = thread.map_or("", |thread| thread.name.as_str());
        let left = bar.left() + INSET;
        let end = thread_chooser_ui(ui, pos2(left, y), ChooserView { pen, cx, shown: name }, &mut self.thread);
        let left = if end > left { end + INSET } else { left };
        let end = pen.text(left, y, say!("stack-frames", count = stack.frames.len()), ui_font(12.0), tok.t2);
        let Some(held) = self.held(cx.desk.windows.position_of(self.follow)) else { return };
        let words = say!("stack-at", position = held.at.0);
        let end = pen.text(end + 6.0, y, words, ui_font(12.0), tok.t2);
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
            out.push(Action::Travel(self.window(cx), held.at.0));
        }
        response.on_hover_text(say!("stack-travel-back-to-where-this"));
    }

    /// Asks for the frames around the view. Returns the place of the first of them, and why they cannot be had.
    fn fetch(&mut self, stack: &CallStack, view: &Viewport, cx: &ViewCx<'_>) -> (usize, Option<String>) {
        let top = self.state.list.top();
        let first = top / BLOCK * BLOCK;
        let end = (top + usize::try_from(view.page()).unwrap_or(BLOCK) + 2).div_ceil(BLOCK) * BLOCK;
        let key = stack.frames.get(first..end.min(stack.frames.len())).unwrap_or_default().to_vec();
        let wish = if cx.desk.session.images.are_lines_ready() { SourceWish::Told } else { SourceWish::LeftOut };
        let answer = self.state.frames.poll(&(key, wish), &cx.desk.worker, |(ids, wish)| {
            let (ids, wish, session) = (ids.clone(), *wish, Arc::clone(&cx.desk.session));
            move |cancel: &Cancel| Ok(stack_frames(&session, &ids, wish, cancel)?)
        });
        let failure = if let Answer::Failed(error) = answer { Some(error.to_owned()) } else { None };
        (first, failure)
    }

    fn keys(&mut self, ui: &Ui, stack: &CallStack, list: Rect, cx: &ViewCx<'_>) -> Touched {
        let mut touched = Touched::default();
        for key in take_keys(ui, cx) {
            let place = self.state.list.press(key, stack.frames.len(), list);
            match key {
                PanelKey::Enter => touched.entry = Some(place),
                PanelKey::ShiftEnter => touched.call = Some(place),
                PanelKey::Copy => touched.is_copied = true,
                _ => {}
            }
        }
        touched
    }

    fn apply(&mut self, touched: Touched, stack: &CallStack, first: usize, cx: &ViewCx<'_>, out: &mut Vec<Action>) {
        if let Some(cursor) = touched.cursor {
            self.state.list.cursor = cursor;
        }
        let call = |place: usize| frame_at(first, &self.state.frames, stack, place).map(|frame| frame.call);
        let to_call = touched.call.and_then(call).map(|call| called_at(&call));
        let to_entry = touched.entry.and_then(call).map(|call| entered_at(&call));
        let opened = touched.opened.and_then(call).map(|call| entered_at(&call));
        if let Some(to) = to_entry.or(to_call) {
            self.send(to, cx, out);
        }
        if let Some(at) = opened {
            out.push(Action::OpenWindowAt(cx.moment(at)));
        }
        out.extend(touched.asked);
        if touched.is_copied {
            let known = self.state.frames.peek().map_or([].as_slice(), |(_, frames)| frames.as_slice());
            let lines = (first as u64..).zip(known).map(|(number, frame)| frame.line(number));
            out.push(Action::Copy(lines.collect::<Vec<_>>().join("\n")));
        }
    }

    /// Sends the window to a frame, and keeps this stack meanwhile.
    fn send(&mut self, to: Position, cx: &ViewCx<'_>, out: &mut Vec<Action>) {
        self.state.held = Some(Held { at: self.position(cx), sent_to: to });
        out.push(Action::Travel(self.window(cx), to.0));
    }
}

impl Panel for StackPanel {
    fn make(_: PanelKind, _: WindowId) -> Self {
        Self::new(Follow::Active)
    }

    fn kind(&self) -> PanelKind {
        PanelKind::Stack
    }

    fn title(&self) -> String {
        say!("stack-stack").to_owned()
    }

    fn follow(&self) -> Option<Follow> {
        Some(self.follow)
    }

    fn is_pinnable(&self) -> bool {
        true
    }

    fn bind(&mut self, follow: Follow) {
        self.follow = follow;
    }

    fn choose_thread(&mut self, thread: ChosenThread) {
        self.thread = thread;
    }

    fn ui(&mut self, ui: &mut Ui, cx: &ViewCx<'_>, out: &mut Vec<Action>) {
        if self.session.is_new(&cx.desk.session) {
            *self.state = StackState::default();
            forget_missing_thread(&mut self.thread, &cx.desk.session);
        }
        let rect = take_rect(ui);
        let pen = Pen::new(ui, rect, cx.tok);
        let mut slot = std::mem::take(&mut self.state.stack);
        let answer = slot.poll(&(self.position(cx), self.thread.clone()), &cx.desk.worker, |(position, thread)| {
            let (position, thread, session) = (*position, thread.clone(), Arc::clone(&cx.desk.session));
            move |_: &Cancel| Ok(call_stack(&session, thread.as_deref(), position)?)
        });
        let place = AnswerPlace { pen: &pen, rect };
        place.ui(ui, &answer, out, |ui, pen, stack, out| self.stack_ui(ui, rect, StackView { pen, stack }, cx, out));
        if slot.is_waiting() || self.state.frames.is_waiting() {
            watch_for_late(ui);
        }
        self.state.stack = slot;
    }
}

/// A frame that is known, by its place in the stack.
fn frame_at<'a>(first: usize, frames: &'a FrameSlot, stack: &CallStack, place: usize) -> Option<&'a StackFrame> {
    let (_, frames) = frames.peek()?;
    let id = stack.frames.get(place)?;
    let near = place.checked_sub(first).and_then(|place| frames.get(place)).filter(|frame| frame.id == *id);
    near.or_else(|| frames.iter().find(|frame| frame.id == *id))
}

impl Columns {
    fn head_ui(&self, pen: &Pen<'_>, head: Rect) {
        let (tok, y) = (pen.tok, head.center().y);
        pen.line_across(head.left(), head.right(), head.bottom() - 1.0, tok.line);
        let mut heads = vec![(self.name, say!("stack-function"))];
        heads.extend(self.arguments.map(|x| (x, say!("stack-arguments-at-its-entry"))));
        heads.extend(self.place.map(|x| (x, say!("stack-called-from"))));
        for (x, words) in heads {
            pen.text(x, y, words, head_font(), tok.t2);
        }
        pen.text_left_of(self.right, y, say!("stack-step"), head_font(), tok.t2);
    }
}
