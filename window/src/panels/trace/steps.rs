//! The rows of a trace list.

use std::time::Instant;

use egui::{Rect, Ui, pos2, vec2};
use stepback_debugger::action::{Action, FoldAction, PanelAction};
use stepback_debugger::analysis::fatal_ending::FatalEnding;
use stepback_debugger::desk::Desk;
use stepback_debugger::messages::say;
use stepback_debugger::model::TraceWindow;
use stepback_debugger::model::hit_rows::ShownRow;
use stepback_debugger::model::names::function_name;
use stepback_debugger::model::scroll::{Scroll, Viewport};
use stepback_debugger::model::step_rows::StepRow;
use stepback_debugger::views::StepsView;
use stepback_debugger::worker::LATE_AFTER;
use stepback_index::answer::{Call, CallId, ThreadId, ThreadInfo};
use stepback_parsers::{Position, RegisterSource, Step};

use super::hits::HiddenRow;
use super::menu;
use super::menu::{FoldedSteps, TraceContext};
use super::paint::{
    FoldedCall, RowPaint, ThreadNameWidth, TraceColumnContent, TraceColumns, lines_below,
    paint_folded, paint_hit, paint_row, paint_slice,
};
use super::spots::GlimpseSlot;
use crate::panels::list::{List, ListArea, POSITION_TICK, ScrollBarTick};
use crate::panels::menu::context_menu;
use crate::panels::pen::{FoldSign, Pen, ROW};
use crate::panels::row::{RowState, button_response, error_ui, row_background, row_response};
use crate::panels::trace::hits::{
    EndNote, MarkedSteps, NOTE_ROWS, NotePaint, bookmark_ticks, difference_ticks, hit_ticks,
    is_hit, is_in_slice, marks_ui, slice_ticks,
};
use crate::panels::trace::spots::SourceLineCache;
use crate::panels::{HiddenPointer, PanelContext};

/// Rows around the position that stay in view while it moves.
const MARGIN: u64 = 3;
/// Rows below the last step: the text "End of trace", and room for exception lines.
const ROWS_BELOW: u64 = 3;
/// Minimum width of a list with source lines.
const LINES_FROM: f32 = 600.0;

/// The list of steps of one window.
#[derive(Debug)]
pub struct StepList {
    scroll: Scroll,
    /// The position and number of rows that were last brought into view.
    revealed: Option<(Position, u64)>,
    seen: SeenList,
    view: StepsView,
    page_rows: u64,
    held: HeldScroll,
    lines: SourceLineCache,
    /// Cached length of the thread names.
    longest: ThreadNameWidth,
    /// Query about the cell under the pointer.
    glimpse: GlimpseSlot,
    /// Distance that another window was scrolled and this one has to follow, in thousandths of a
    /// row.
    along: i64,
    /// The position moved, and lines below steps may still hide it.
    is_revealing: bool,
}

/// The list in the last frame.
#[derive(Clone, Copy, Debug)]
struct SeenList {
    rect: Rect,
    has_position: bool,
}

impl Default for SeenList {
    fn default() -> Self {
        Self {
            rect: Rect::NOTHING,
            has_position: true,
        }
    }
}

impl SeenList {
    /// Returns the distance by which the top edge moved, if the list became higher or lower in its
    /// place.
    fn edge_shift(&self, rect: Rect) -> Option<f32> {
        let is_in_place = rect.x_range() == self.rect.x_range() && rect.intersects(self.rect);
        is_in_place.then(|| rect.top() - self.rect.top())
    }
}

pub struct CallStep<'a> {
    pub row: &'a StepRow,
    pub call: CallId,
}

/// A folded call, if it is known, and the steps that it hides.
pub struct FoldedCallRow {
    pub call: CallId,
    pub known: Option<Call>,
    pub first: Step,
    pub last: Step,
}

impl ThreadNameWidth {
    fn of(self, threads: &[ThreadInfo]) -> Self {
        if self.threads == threads.len() {
            return self;
        }
        let letters = threads
            .iter()
            .map(|thread| thread.name.chars().count())
            .max()
            .unwrap_or(0);
        Self {
            threads: threads.len(),
            letters,
        }
    }
}

/// Scroll state while the rows of a new place are loading.
#[derive(Debug, Default)]
struct HeldScroll {
    /// Place that the list was to show in the last frame; its rows may have arrived.
    wanted: Scroll,
    /// Place that was shown in the last frame.
    shown: Scroll,
    /// Time since which the rows of the right place have been missing.
    since: Option<Instant>,
}

impl Default for StepList {
    fn default() -> Self {
        let (scroll, revealed, seen, view, page_rows, held, lines, longest, glimpse, along) =
            Default::default();
        let is_revealing = false;
        Self {
            scroll,
            revealed,
            seen,
            view,
            page_rows,
            held,
            lines,
            longest,
            glimpse,
            along,
            is_revealing,
        }
    }
}

/// Inputs that all rows of a frame share.
struct StepListFrame<'a, 'b> {
    pen: &'a Pen<'b>,
    cx: &'a PanelContext<'b>,
    window: &'a TraceWindow,
    columns: TraceColumns,
}

impl StepList {
    /// Returns the number of whole rows in view, less one.
    pub fn page_rows(&self) -> u64 {
        self.page_rows
    }

    /// Returns a step if its row is loaded.
    pub fn row_of(&self, step: Step) -> Option<&StepRow> {
        self.view.step(step)
    }

    /// Draws the list.
    pub fn ui(
        &mut self,
        ui: &mut Ui,
        rect: Rect,
        cx: &PanelContext<'_>,
        window: &TraceWindow,
        out: &mut Vec<Action>,
    ) {
        let area = self.layout(ui, rect, TraceContext { cx, window }, out);
        self.view.fetch(area.range(), window, cx.desk);
        self.longest = self.longest.of(cx.desk.session.index.threads());
        let area = self.without_gaps(ui, area, window);
        let pen = Pen::new(ui, area.body, cx.tok);
        if let Some(error) = self.view.error(area.range(), window) {
            return error_ui(ui, &pen, area.body, &error, out);
        }
        let columns = self.columns(&area, cx, window);
        let columns = self.with_lines(columns, &area, cx, window);
        pen.line_down(
            columns.hairline,
            area.body.top(),
            area.body.bottom(),
            cx.tok.line,
        );
        let frame = StepListFrame {
            pen: &pen,
            cx,
            window,
            columns,
        };
        let gap = self.rows_ui(ui, &area, &frame, out);
        match gap {
            Some(y) => position_line(&pen, &area, y, window.id.0),
            None => position_arrow(&pen, &area, window),
        }
    }

    /// Scrolls, and follows the position when it moved.
    fn layout(
        &mut self,
        ui: &mut Ui,
        rect: Rect,
        scene: TraceContext<'_>,
        out: &mut Vec<Action>,
    ) -> ListArea {
        let TraceContext { cx, window } = scene;
        let rect = Rect::from_min_max(pos2(rect.left(), rect.top() + 2.0), rect.max);
        let rows = window.row_count();
        let now = (window.position, rows);
        let below = ROWS_BELOW + ending_rows(cx.desk);
        let view = Viewport {
            rows: rows + below,
            height: rect.height(),
            row_height: ROW,
        };
        // A list that is made smaller keeps the position in view, unless the user had scrolled away
        // from it.
        let is_resized = self.seen.has_position && self.seen.rect.height() != rect.height();
        let gap = window.gap_of(window.position);
        if is_resized
            && HiddenPointer::is_within(ui, rect)
            && let Some(shift) = self.seen.edge_shift(rect)
        {
            // No row moves under the pointer.
            self.scroll.by_pixels(shift, &view);
        }
        if self.revealed != Some(now) || is_resized && !self.scroll.shows_gap(gap, &view) {
            self.scroll.reveal_gap(gap, MARGIN, &view);
            self.revealed = Some(now);
            self.is_revealing = true;
        }
        let others = cx
            .desk
            .windows
            .list
            .iter()
            .filter(|other| other.id != window.id);
        let ticks: Vec<ScrollBarTick> = hit_ticks(cx, window, rect.height())
            .chain(slice_ticks(cx, window, rect.height()))
            .chain(difference_ticks(cx, window, rect.height()))
            .chain(bookmark_ticks(cx, window))
            .chain(others.chain([window]).map(|shown| ScrollBarTick {
                row: window.gap_of(shown.position),
                color: cx.tok.position(shown.id.0),
                width: POSITION_TICK,
            }))
            .collect();
        let list = List {
            rows: rows + below,
            ticks: &ticks,
            has_lasting_bar: true,
        };
        self.scroll.by_way(std::mem::take(&mut self.along), &view);
        let before = self.scroll;
        let area = list.ui(ui, rect, &mut self.scroll, cx.tok);
        let direction = self.scroll.way_from(&before, ROW);
        if direction != 0 && cx.desk.windows.is_synced {
            out.push(Action::Panel(PanelAction::ScrollAlong(
                window.id, direction,
            )));
        }
        let area = self.make_room(area, scene);
        self.page_rows = area.view.page().saturating_sub(1);
        self.seen = SeenList {
            rect,
            has_position: self.scroll.shows_gap(gap, &area.view),
        };
        area
    }

    /// Follows the scrolling of another window, in thousandths of a row.
    pub fn scroll_along(&mut self, direction: i64) {
        self.along = self.along.saturating_add(direction);
    }

    /// Drops the pending distance to follow, because the list is not in view.
    pub fn stay(&mut self) {
        self.along = 0;
    }

    /// Scrolls on if the lines below steps would push the position out of view.
    fn make_room(&mut self, area: ListArea, scene: TraceContext<'_>) -> ListArea {
        let TraceContext { cx, window } = scene;
        let (gap, mut scroll) = (window.gap_of(window.position), area.scroll());
        if !self.is_revealing
            || gap < scroll.top
            || gap > scroll.top.saturating_add(area.view.page())
        {
            return area;
        }
        let height = |row: u64| ROW + self.height_below(row, window);
        let mut y: f32 = (scroll.top..gap).map(height).sum();
        // At the end, the words below the last step belong to the position.
        let rows_after = if gap == window.row_count() {
            1 + ending_rows(cx.desk)
        } else {
            1
        };
        // The row of the last step stays in view.
        while y + ROW * rows_after as f32 > area.body.height() && scroll.top + 1 < gap {
            y -= height(scroll.top);
            scroll = Scroll {
                top: scroll.top + 1,
                pixels: 0.0,
            };
        }
        self.is_revealing =
            !cx.desk.is_ending_known() || !self.view.are_known(scroll.top..gap, window);
        self.scroll = scroll;
        area.scrolled_to(scroll)
    }

    /// Returns the place to show: for a moment the previous one, in preference to rows without
    /// content.
    fn without_gaps(&mut self, ui: &Ui, area: ListArea, window: &TraceWindow) -> ListArea {
        let is_here = |area: &ListArea| self.view.are_known(area.range(), window);
        let now = Instant::now();
        let (before, shown) = (
            area.scrolled_to(self.held.wanted),
            area.scrolled_to(self.held.shown),
        );
        let (shown, since) = match self.held.since.unwrap_or(now) {
            _ if is_here(&area) => (area, None),
            // Rows arrive one frame after the position moves on: while it is dragged, the list
            // follows.
            _ if is_here(&before) => (before, Some(now)),
            since if is_here(&shown) && now.duration_since(since) < LATE_AFTER => {
                (shown, Some(since))
            }
            since => (area, Some(since)),
        };
        if since.is_some() {
            ui.ctx().request_repaint_after(LATE_AFTER);
        }
        self.held = HeldScroll {
            wanted: area.scroll(),
            shown: shown.scroll(),
            since,
        };
        shown
    }

    /// Makes room for source lines if they are enabled, known, and the list is wide enough.
    fn with_lines(
        &mut self,
        columns: TraceColumns,
        area: &ListArea,
        cx: &PanelContext<'_>,
        window: &TraceWindow,
    ) -> TraceColumns {
        let is_wanted = cx.desk.sources.is_in_rows && !cx.desk.session.images.is_empty();
        if !is_wanted || area.body.width() < LINES_FROM {
            return columns;
        }
        let Self { view, lines, .. } = self;
        let shown = || view.known_steps(area.range(), window);
        lines.fetch(shown().map(|row| row.address), cx);
        let has_some = shown().any(|row| lines.line(row.address).is_some());
        if has_some {
            columns.with_lines()
        } else {
            columns
        }
    }

    /// Returns the source line of a step, unless the step above it in view has the same line.
    fn line_of(&self, step: Step, window: &TraceWindow) -> Option<String> {
        let line = |step: Step| self.lines.line(self.view.step(step)?.address);
        let here = line(step)?;
        let row = window.row_of(step);
        let above = row
            .checked_sub(1)
            .filter(|_| row != self.held.shown.top)
            .and_then(|row| match window.row(row)? {
                ShownRow::Step(step) => line(step),
                _ => None,
            });
        let is_same =
            above.is_some_and(|above| (&above.file, above.line) == (&here.file, here.line));
        (!is_same).then(|| here.short())
    }

    /// Lays out the columns. They do not move while the list shows the same calls.
    fn columns(
        &self,
        area: &ListArea,
        cx: &PanelContext<'_>,
        window: &TraceWindow,
    ) -> TraceColumns {
        let shown = || self.view.known_steps(area.range(), window);
        let least_depth = shown().map(|row| row.depth).min().unwrap_or(0);
        let highest = shown().map(|row| row.address).max().unwrap_or_default();
        let longest_offset = shown()
            .filter_map(|row| row.offset)
            .max()
            .unwrap_or_default();
        let index = &cx.desk.session.index;
        let has_values = index.source().traits().registers == RegisterSource::Recorded;
        let shown = TraceColumnContent {
            step_count: index.step_count(),
            names: self.longest,
            least_depth,
            highest,
            longest_offset,
            has_symbols: !cx.desk.session.images.is_empty(),
            has_values,
        };
        TraceColumns::new(area.body, &shown)
    }

    /// Draws the rows. Returns the height of the position if it is in view.
    fn rows_ui(
        &mut self,
        ui: &mut Ui,
        area: &ListArea,
        frame: &StepListFrame<'_, '_>,
        out: &mut Vec<Action>,
    ) -> Option<f32> {
        let mut gap = None;
        // Lines below a step push down the following rows.
        let mut below = 0.0;
        let gap_row = frame.window.gap_of(frame.window.position);
        for (row, rect) in area.rows() {
            let rect = rect.translate(vec2(0.0, below));
            if row == gap_row {
                gap = gap.or(Some(rect.top()));
            }
            match frame.window.row(row) {
                Some(ShownRow::Step(step)) => below += self.step_ui(ui, rect, step, frame, out),
                Some(ShownRow::Folded { call, first, last }) => folded_ui(
                    ui,
                    rect,
                    FoldedCallRow {
                        call,
                        known: self.view.call(call),
                        first,
                        last,
                    },
                    frame,
                    out,
                ),
                Some(ShownRow::Hidden { first, last }) => {
                    let row = HiddenRow {
                        rect,
                        first,
                        last,
                        pen: frame.pen,
                        columns: &frame.columns,
                    };
                    row.ui(
                        ui,
                        TraceContext {
                            cx: frame.cx,
                            window: frame.window,
                        },
                        out,
                    );
                }
                None if row == frame.window.row_count() => {
                    let is_whole = frame.cx.desk.session.index.is_whole();
                    let end = if is_whole {
                        say!("trace-end-of-trace")
                    } else {
                        say!("trace-end-of-what-is-indexed")
                    };
                    frame.pen.label(
                        frame.columns.address + 2.0,
                        rect.center().y,
                        end,
                        frame.cx.tok.t3,
                    );
                    let (note, scene) = (
                        NotePaint {
                            pen: frame.pen,
                            columns: &frame.columns,
                        },
                        TraceContext {
                            cx: frame.cx,
                            window: frame.window,
                        },
                    );
                    below += fatal(frame.cx.desk)
                        .map_or(0.0, |ending| EndNote(ending).ui(ui, rect, note, scene, out));
                }
                None => {}
            }
            if row + 1 == gap_row {
                gap = Some(match frame.window.row(row) {
                    // The position is somewhere among the hidden steps.
                    Some(ShownRow::Hidden { last, .. }) if frame.window.position < last.after() => {
                        rect.bottom() - 1.0
                    }
                    _ => rect.bottom() + self.height_below(row, frame.window),
                });
            }
        }
        gap
    }

    fn height_below(&self, row: u64, window: &TraceWindow) -> f32 {
        match window.row(row) {
            Some(ShownRow::Step(step)) => self.view.step(step).map_or(0.0, height_below),
            _ => 0.0,
        }
    }

    /// Draws a step. Returns the height of the lines below it.
    fn step_ui(
        &mut self,
        ui: &mut Ui,
        rect: Rect,
        step: Step,
        frame: &StepListFrame<'_, '_>,
        out: &mut Vec<Action>,
    ) -> f32 {
        let StepListFrame {
            pen,
            cx,
            window,
            columns,
        } = frame;
        let known = self.view.step(step);
        let height = known.map_or(0.0, height_below);
        let touch = Rect::from_min_max(rect.min, rect.max + vec2(0.0, height));
        let response = row_response(ui, touch, ("step", step.0), || {
            say!("trace-step", step = step.0.to_string())
        });
        let is_done = window.position.last_step() == Some(step);
        let state = RowState {
            is_selected: is_done,
            is_cursor: false,
            has_focus: true,
        };
        row_background(pen, rect, &response, state);
        if is_hit(cx, step, step) {
            paint_hit(pen, rect);
        }
        if is_in_slice(cx, step, step) {
            paint_slice(pen, rect);
        }
        marks_ui(
            ui,
            pen,
            rect,
            &response,
            MarkedSteps {
                cx,
                first: step,
                last: step,
            },
        );
        if is_done || response.hovered() {
            pen.line_down(columns.hairline, rect.top(), rect.bottom(), cx.tok.line);
        }
        let thread = known.map_or("", |row| thread_name(cx, row.thread));
        // A window that stays in a thread passes over the steps of others.
        let is_aside = known
            .zip(window.thread)
            .is_some_and(|(row, thread)| row.thread != thread);
        let aside = is_aside.then(|| Pen::clone(pen).faded());
        let line = self.line_of(step, window).filter(|_| columns.has_lines());
        let pointer = response.hover_pos().or(response.interact_pointer_pos());
        let paint = RowPaint {
            row: known,
            is_done,
            thread,
            line: line.as_deref(),
            pointer,
        };
        let fitted = paint_row(aside.as_ref().unwrap_or(pen), columns, rect, step, paint);
        let Some(row) = known else { return 0.0 };
        let scene = TraceContext { cx, window };
        if let Some(spot) = &fitted.spot {
            spot.underline(pen);
        }
        if let Some(call) = row.call.filter(|_| !window.only_hits.is_on) {
            fold_box_ui(ui, rect, CallStep { row, call }, frame, out);
        }
        if response.middle_clicked()
            || (response.clicked() && ui.input(|input| input.modifiers.command))
        {
            out.push(Action::Panel(PanelAction::OpenWindowAt(
                cx.moment(step.after()),
            )));
        } else if response.clicked() {
            let to = if is_upper_edge(rect, &response) {
                step.before()
            } else {
                step.after()
            };
            out.push(Action::travel(window.id, to));
            fitted
                .spot
                .iter()
                .for_each(|spot| spot.act(&response, row, &scene, out));
        }
        context_menu(&response, |ui| {
            menu::step_menu(ui, row, cx, window, out);
        });
        let pointer = response
            .hover_pos()
            .filter(|pointer| pointer.y > rect.bottom());
        if let Some(exception) = pointer.and_then(|pointer| exception_at(row, rect, pointer.y)) {
            response.on_hover_ui_at_pointer(|ui| {
                ui.label(egui::RichText::new(exception).font(crate::theme::mono(12.0)));
                ui.label(say!("trace-in-the-traces-own-words"));
            });
        } else if let Some(spot) = &fitted.spot {
            spot.tooltip(&response, row, &scene, &mut self.glimpse);
        } else if fitted.is_cut {
            response.on_hover_ui_at_pointer(|ui| {
                let text = match columns.has_addresses() {
                    true => row.full_text(),
                    false => format!("{:x}   {}", row.address.0, row.full_text()),
                };
                ui.label(egui::RichText::new(text).font(crate::theme::mono(12.0)));
            });
        }
        height
    }
}

fn thread_name<'a>(cx: &PanelContext<'a>, thread: ThreadId) -> &'a str {
    cx.desk
        .session
        .index
        .threads()
        .get(usize::from(thread.0))
        .map_or("", |thread| thread.name.as_str())
}

/// Returns true if a click is in the top quarter of a row, which means the position before it.
/// Anywhere else a click on a row means "after that step".
fn is_upper_edge(rect: Rect, response: &egui::Response) -> bool {
    response
        .interact_pointer_pos()
        .is_some_and(|pointer| pointer.y < rect.top() + rect.height() / 4.0)
}

fn height_below(row: &StepRow) -> f32 {
    ROW * lines_below(row) as f32
}

/// Returns the exception line below a step's row at a height.
fn exception_at(row: &StepRow, rect: Rect, y: f32) -> Option<&str> {
    let place = ((y - rect.bottom()) / ROW) as usize;
    row.exceptions
        .get(place)
        .filter(|_| place < lines_below(row))
        .map(String::as_str)
}

fn fold_box_ui(
    ui: &Ui,
    rect: Rect,
    CallStep { row, call }: CallStep<'_>,
    frame: &StepListFrame<'_, '_>,
    out: &mut Vec<Action>,
) {
    let is_folded = frame.window.folds.is_folded(call);
    let center = pos2(frame.columns.box_center(row.depth), rect.center().y);
    let step = row.step.0.to_string();
    let name = if is_folded {
        say!("trace-unfold-step", step = step)
    } else {
        say!("trace-fold-step", step = step)
    };
    let touch = Rect::from_center_size(center, vec2(16.0, ROW));
    let response = button_response(ui, touch, ("fold", row.step.0), &name);
    let color = if response.hovered() {
        frame.cx.tok.focus
    } else {
        frame.cx.tok.t1
    };
    let sign = if is_folded {
        FoldSign::Folded
    } else {
        FoldSign::Open
    };
    frame.pen.fold_box(center, sign, color);
    if response.clicked() {
        out.push(Action::Panel(PanelAction::Activate(frame.window.id)));
        out.push(Action::Fold(FoldAction::Toggle(call)));
    }
}

fn folded_ui(
    ui: &Ui,
    rect: Rect,
    FoldedCallRow {
        call,
        known,
        first,
        last,
    }: FoldedCallRow,
    frame: &StepListFrame<'_, '_>,
    out: &mut Vec<Action>,
) {
    let StepListFrame {
        pen,
        cx,
        window,
        columns,
    } = frame;
    let (name, depth, thread) = match known {
        Some(frame) => (
            function_name(&cx.desk.session.images, frame.function),
            frame.depth,
            thread_name(cx, frame.thread),
        ),
        None => (say!("trace-call").to_owned(), 0, ""),
    };
    let response = row_response(ui, rect, ("folded", call.0), || {
        say!("trace-folded", name = &*name)
    });
    let is_done = window.position.last_step() == Some(last);
    row_background(
        pen,
        rect,
        &response,
        RowState {
            is_selected: is_done,
            is_cursor: false,
            has_focus: true,
        },
    );
    if is_hit(cx, first, last) {
        paint_hit(pen, rect);
    }
    if is_in_slice(cx, first, last) {
        paint_slice(pen, rect);
    }
    marks_ui(ui, pen, rect, &response, MarkedSteps { cx, first, last });
    paint_folded(
        pen,
        columns,
        rect,
        FoldedCall {
            name: &name,
            depth,
            steps: last.0 - first.0 + 1,
        },
        thread,
    );
    if response.double_clicked() {
        out.push(Action::Panel(PanelAction::Activate(window.id)));
        out.push(Action::Fold(FoldAction::Toggle(call)));
    } else if response.clicked() {
        let to = if is_upper_edge(rect, &response) {
            first.before()
        } else {
            last.after()
        };
        out.push(Action::travel(window.id, to));
    }
    context_menu(&response, |ui| {
        let folded = FoldedSteps { first, last };
        menu::folded_menu(ui, call, folded, cx, out);
    });
}

/// Draws the position: a line between rows with a triangle at the left edge.
fn position_line(pen: &Pen<'_>, area: &ListArea, y: f32, number: u32) {
    let color = pen.tok.position(number);
    let (left, y) = (area.body.left(), y.round());
    pen.fill(
        Rect::from_min_max(pos2(left, y - 1.0), pos2(area.body.right(), y + 1.0)),
        color,
    );
    pen.triangle(
        [
            pos2(left, y - 6.0),
            pos2(left + 8.0, y),
            pos2(left, y + 6.0),
        ],
        color,
    );
}

/// Draws an arrow at the edge beyond which the position is.
fn position_arrow(pen: &Pen<'_>, area: &ListArea, window: &TraceWindow) {
    let (row, seen) = (window.gap_of(window.position), area.range());
    let (left, color) = (area.body.left() + 2.0, pen.tok.position(window.id.0));
    let (edge, base) = match () {
        () if row < seen.start => (area.body.top() + 2.0, 8.0),
        () if row > seen.end => (area.body.bottom() - 2.0, -8.0),
        () => return,
    };
    pen.triangle(
        [
            pos2(left, edge + base),
            pos2(left + 6.0, edge),
            pos2(left + 12.0, edge + base),
        ],
        color,
    );
}

/// Returns the guess about a fatal signal at the end of the trace.
fn fatal(desk: &Desk) -> Option<&FatalEnding> {
    desk.ending()?.fatal()
}

/// Returns the number of rows that the note about the end of the program may take.
fn ending_rows(desk: &Desk) -> u64 {
    if fatal(desk).is_some() { NOTE_ROWS } else { 0 }
}
