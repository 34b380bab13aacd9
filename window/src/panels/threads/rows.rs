//! The rows of the list of threads.

use egui::{Rect, Ui, pos2, vec2};
use stepback_index::ThreadId;

use crate::panels::ViewCx;
use crate::panels::menu::{MenuItem, menu_head_ui, menu_line_ui};
use crate::panels::pen::{ADVANCE, INSET, Pen, head_font};
use crate::panels::row::{RowState, StepLink, row_background, row_response};
use crate::theme::{icon, icons, mono, mono_bold, ui as ui_font};
use stepback_debugger::action::{Action, AppAction, PanelAction, TravelAction};
use stepback_debugger::analysis::thread_ending::Ending;
use stepback_debugger::messages::say;
use stepback_debugger::model::clock::{span_text, time_text};
use stepback_debugger::model::text::thousands;
use stepback_debugger::model::threads::{ThreadOrder, ThreadRow, ending_explained, ending_words};

/// Width of the bar that shows a thread's share of all steps.
const SHARE: f32 = 60.0;
/// Width of a digit of the numbers of steps.
const DIGIT: f32 = 7.2;

/// Where the columns are: each with its left edge and its width.
#[derive(Clone, Debug)]
pub struct Columns {
    list: Vec<(ThreadOrder, &'static str, f32, f32)>,
    right: f32,
}

/// What all rows of a frame share.
pub struct ThreadRows<'a> {
    /// Clipped to the list.
    pub pen: Pen<'a>,
    /// The window's state.
    pub cx: &'a ViewCx<'a>,
    /// Where the columns are.
    pub columns: Columns,
    /// The row under the cursor.
    pub cursor: usize,
    /// The thread of the position.
    pub here: Option<ThreadId>,
    /// Steps of the thread that has most.
    pub busiest: u64,
}

/// How wide the columns are for some rows: worked out once for them, since all rows are looked at.
#[derive(Clone, Debug, Default)]
pub struct Widths(Vec<Width>);

#[derive(Clone, Copy, Debug)]
struct Width {
    order: ThreadOrder,
    name: &'static str,
    wide: f32,
}

/// The head of a column: whether rows are sorted by it, and which way round.
pub struct HeadLook<'a> {
    pub name: &'a str,
    pub is_chosen: bool,
    pub is_reversed: bool,
    pub is_hovered: bool,
}

impl Widths {
    /// The widths for these rows; columns that no row has anything for are left out.
    pub fn of(rows: &[ThreadRow]) -> Self {
        use ThreadOrder::{Cores, Ending, First, Last, Name, Process, Started, Steps, Time};
        let longest = |text: &dyn Fn(&ThreadRow) -> usize| rows.iter().map(text).max().unwrap_or(0) as f32;
        let digits = |number: u64| thousands(number).len();
        let first = longest(&|row| row.life.map_or(0, |(first, _)| digits(first.0)));
        let last = longest(&|row| row.life.map_or(0, |(_, last)| digits(last.0)));
        let process = longest(&|row| row.process.as_ref().map_or(0, String::len));
        let lasted = longest(&|row| row.lasted().map_or(0, |lasted| span_text(lasted).chars().count()));
        let started = if rows.iter().any(|row| row.times.is_some()) { 108.0 } else { 0.0 };
        let ending = longest(&|row| ending_words(row.ending).len());
        let cores = longest(&|row| row.cores_text().len()).min(16.0);
        let mut widths = Vec::new();
        let mut add = |order, name, wide: f32, least: f32| {
            if wide > 0.0 {
                widths.push(Width { order, name, wide: wide.max(least) });
            }
        };
        add(Name, say!("threads-thread"), ADVANCE * longest(&|row| row.name.len()) + 14.0, 58.0);
        add(Process, say!("threads-process"), ADVANCE * process, 50.0);
        add(Steps, say!("threads-steps"), DIGIT * longest(&|row| digits(row.steps)) + SHARE + 8.0, 100.0);
        add(First, say!("threads-first-step"), DIGIT * first, 62.0);
        add(Last, say!("threads-last-step"), DIGIT * last, 62.0);
        add(Cores, say!("threads-cores"), ADVANCE * cores, 42.0);
        add(Ending, say!("threads-end"), 6.0 * ending, 44.0);
        add(Time, say!("threads-time"), DIGIT * lasted, 58.0);
        add(Started, say!("threads-started"), started, 0.0);
        Self(widths)
    }
}

impl Columns {
    /// The columns in a list.
    pub fn new(list: Rect, widths: &Widths) -> Self {
        let mut left = list.left() + INSET;
        let place = |width: &Width| {
            let at = left;
            left += width.wide + INSET;
            (width.order, width.name, at, width.wide)
        };
        Self { list: widths.0.iter().map(place).collect(), right: list.right() - 8.0 }
    }

    /// The heads with their rectangles.
    pub fn heads(&self, head: Rect) -> Vec<(ThreadOrder, &'static str, Rect)> {
        let rect = |left: f32, width: f32| {
            Rect::from_min_max(pos2(left - 4.0, head.top()), pos2((left + width).min(self.right), head.bottom()))
        };
        let seen = self.list.iter().filter(|(_, _, left, _)| left + 24.0 < self.right);
        seen.map(|(order, name, left, width)| (*order, *name, rect(*left, *width))).collect()
    }

    fn place(&self, order: ThreadOrder) -> Option<(f32, f32)> {
        let found = self.list.iter().find(|(known, ..)| *known == order)?;
        Some((found.2, (found.2 + found.3).min(self.right))).filter(|(left, _)| left + 24.0 < self.right)
    }
}

/// Draws the head of a column; the one that rows are sorted by has a caret.
pub fn head_ui(pen: &Pen<'_>, rect: Rect, HeadLook { name, is_chosen, is_reversed, is_hovered }: HeadLook<'_>) {
    let (tok, y) = (pen.tok, rect.center().y);
    let color = if is_chosen || is_hovered { tok.t1 } else { tok.t2 };
    let end = pen.cut_text(pos2(rect.left() + 4.0, y), name, head_font(), color, rect.right());
    if is_chosen {
        let caret = if is_reversed { icons::CARET_UP } else { icons::CARET_DOWN };
        pen.text(end + 3.0, y, caret, icon(10.0), tok.t2);
    }
}

/// Goes to just behind a thread's first step.
pub fn to_first(row: &ThreadRow, cx: &ViewCx<'_>) -> Option<Action> {
    row.life.map(|(first, _)| Action::travel(cx.desk.windows.active, first.after()))
}

fn to_last(row: &ThreadRow, cx: &ViewCx<'_>) -> Option<Action> {
    row.life.map(|(_, last)| Action::travel(cx.desk.windows.active, last.after()))
}

impl ThreadRows<'_> {
    /// Draws a row. True when it was clicked.
    pub fn row_ui(&self, ui: &Ui, rect: Rect, place: usize, row: &ThreadRow, out: &mut Vec<Action>) -> bool {
        let (pen, tok, y) = (&self.pen, self.cx.tok, rect.center().y);
        let response = row_response(ui, rect, ("thread", row.thread.0), || {
            say!("threads-row", name = &*row.name, count = row.steps)
        });
        let is_selected = self.here == Some(row.thread);
        let state = RowState { is_selected, is_cursor: self.cursor == place, has_focus: self.cx.has_focus };
        row_background(pen, rect, &response, state);
        let color = if row.is_idle { tok.t3 } else { tok.t1 };
        self.name(rect, row, color);
        if let Some((left, right)) = self.columns.place(ThreadOrder::Process) {
            pen.cut_text(pos2(left, y), row.process.as_deref().unwrap_or(""), mono(12.0), tok.t2, right);
        }
        self.steps(y, row, color);
        self.life(ui, y, row, out);
        if let Some((left, right)) = self.columns.place(ThreadOrder::Cores) {
            pen.cut_text(pos2(left, y), &row.cores_text(), mono(12.0), tok.t2, right);
        }
        self.ending(rect, row);
        self.time(y, row);
        let is_touched = response.clicked() || response.secondary_clicked();
        if response.middle_clicked() || (response.clicked() && ui.input(|input| input.modifiers.command)) {
            out.extend(
                row.life.map(|(first, _)| Action::Panel(PanelAction::OpenWindowAt(self.cx.moment(first.after())))),
            );
        } else if response.double_clicked() {
            out.push(Action::Travel(TravelAction::StayInThread(Some(row.name.clone()))));
        } else if response.clicked() {
            out.extend(to_first(row, self.cx));
        }
        response.context_menu(|ui| self.menu(ui, row, out));
        is_touched
    }

    /// The thread that the window stays in has a pin.
    fn name(&self, rect: Rect, row: &ThreadRow, color: egui::Color32) {
        let (pen, y) = (&self.pen, rect.center().y);
        let Some((left, right)) = self.columns.place(ThreadOrder::Name) else { return };
        let is_held = self.cx.desk.windows.active().thread == Some(row.thread);
        let font = if self.here == Some(row.thread) { mono_bold(12.5) } else { mono(12.5) };
        let end = pen.cut_text(pos2(left, y), &row.name, font, color, right);
        if is_held {
            pen.text(end + 3.0, y, icons::PIN, icon(11.0), self.cx.tok.accent);
        }
    }

    fn steps(&self, y: f32, row: &ThreadRow, color: egui::Color32) {
        let (pen, tok) = (&self.pen, self.cx.tok);
        let Some((left, right)) = self.columns.place(ThreadOrder::Steps) else { return };
        let track = Rect::from_min_size(pos2(left, y - 4.0), vec2(SHARE, 8.0));
        pen.painter.rect_filled(track, 2.0, tok.bg3);
        let share = row.steps as f32 / self.busiest.max(1) as f32;
        // A thread that ran has a bar, however short.
        let width = (SHARE * share).max(if row.steps > 0 { 1.0 } else { 0.0 });
        pen.painter.rect_filled(Rect::from_min_size(track.min, vec2(width, 8.0)), 2.0, tok.taken);
        if track.right() + 16.0 < right {
            pen.text_left_of(right, y, thousands(row.steps), mono(12.0), color);
        }
    }

    fn life(&self, ui: &Ui, y: f32, row: &ThreadRow, out: &mut Vec<Action>) {
        let Some((first, last)) = row.life else { return };
        for (order, step) in [(ThreadOrder::First, first), (ThreadOrder::Last, last)] {
            let Some((left, right)) = self.columns.place(order) else { continue };
            let pen = Pen { painter: self.pen.painter.with_clip_rect(clip(&self.pen, right)), tok: self.pen.tok };
            StepLink { step, trace: self.cx.trace(), window: self.cx.desk.windows.active }.ui(ui, &pen, left, y, out);
        }
    }

    fn ending(&self, rect: Rect, row: &ThreadRow) {
        let (pen, tok) = (&self.pen, self.cx.tok);
        let Some((left, right)) = self.columns.place(ThreadOrder::Ending) else { return };
        let color = if row.ending == Ending::Killed { tok.err } else { tok.t2 };
        pen.cut_text(pos2(left, rect.center().y), ending_words(row.ending), ui_font(12.0), color, right);
    }

    fn time(&self, y: f32, row: &ThreadRow) {
        let lasted = row.lasted().map(span_text);
        let started = row.times.map(|(first, _)| time_text(first));
        for (order, text) in [(ThreadOrder::Time, lasted), (ThreadOrder::Started, started)] {
            let Some(((left, right), text)) = self.columns.place(order).zip(text) else { continue };
            self.pen.cut_text(pos2(left, y), &text, mono(12.0), self.cx.tok.t2, right);
        }
    }

    fn menu(&self, ui: &mut Ui, row: &ThreadRow, out: &mut Vec<Action>) {
        let tok = self.cx.tok;
        menu_head_ui(ui, tok, &say!("threads-head", name = &*row.name), ending_explained(row.ending));
        if MenuItem::new(say!("threads-travel-to-its-first-step")).icon(icons::START).key("Enter").ui(ui, tok) {
            out.extend(to_first(row, self.cx));
        }
        if MenuItem::new(say!("threads-travel-to-its-last-step")).icon(icons::END).ui(ui, tok) {
            out.extend(to_last(row, self.cx));
        }
        if self.cx.desk.windows.active().thread == Some(row.thread) {
            if MenuItem::new(say!("threads-step-through-all-threads")).ui(ui, tok) {
                out.push(Action::Travel(TravelAction::StayInThread(None)));
            }
        } else if MenuItem::new(say!("threads-stay-in-this-thread")).icon(icons::PIN).key("double click").ui(ui, tok) {
            out.push(Action::Travel(TravelAction::StayInThread(Some(row.name.clone()))));
        }
        menu_line_ui(ui, tok);
        if MenuItem::new(say!("threads-copy")).icon(icons::COPY).key("Ctrl+C").ui(ui, tok) {
            out.push(Action::App(AppAction::Copy(row.line())));
        }
    }
}

/// What a column may paint: nothing right of its edge.
fn clip(pen: &Pen<'_>, right: f32) -> Rect {
    let clip = pen.painter.clip_rect();
    Rect::from_min_max(clip.min, pos2(right.min(clip.right()), clip.bottom()))
}
