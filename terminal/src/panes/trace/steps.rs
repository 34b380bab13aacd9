//! Step list: instructions and their effects.

use std::ops::Range;

use ratatui::layout::Rect;
use ratatui::style::{Modifier, Style};
use stepback_debugger::messages::say;
use stepback_debugger::model::effects::EffectText;
use stepback_debugger::model::hit_rows::{StepSelection, is_any_in};
use stepback_debugger::model::names::function_name;
use stepback_debugger::model::so_far::so_far;
use stepback_debugger::model::step_rows::StepRow;
use stepback_debugger::model::text::thousands;
use stepback_debugger::model::{TextRole, TextSpan, TraceWindow};
use stepback_debugger::views::StepsView;
use stepback_parsers::{Position, Step, StepOrigin};

use super::view::{PositionAnchor, ScrollView};
use crate::look::StyleRole;
use crate::pane::PaneContext;
use crate::panes::trace::pane::PickedEffect;
use crate::panes::trace::view::{TraceLine, report_lines, shown_lines};
use crate::pen::{CellRun, Pen, wrapped};

/// Width of the marks for hits, bookmarks and folds, in cells.
const MARKS: u16 = 2;
/// Maximum length of a thread name, in characters.
const NAME: usize = 10;
/// Width of the code column in narrow and in wide lists, in cells.
const CODE: [u16; 2] = [28, 44];
/// Minimum width of a wide list, in cells.
const WIDE: u16 = 100;
/// Maximum call depth that increases the indentation.
const DEEPEST: u32 = 12;

/// Step list of one window.
#[derive(Default)]
pub struct StepList {
    /// Scroll position.
    pub view: ScrollView,
    steps: StepsView,
    /// Position and row count when the list last scrolled to the position.
    revealed: Option<(Position, u64)>,
    /// Lines about the fatal end of the program.
    ending_lines: Vec<String>,
    /// Lines of the last frame.
    shown: Vec<TraceLine>,
}

/// Minimum number of lines with steps above the lines about the end of the program.
const STEPS: usize = 6;

/// Style of code.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct CodeStyle {
    pub has_colors: bool,
    /// Shows symbols instead of addresses.
    pub has_symbols: bool,
}

/// Column layout shared by all rows.
struct StepColumns {
    digits: usize,
    name: u16,
    address: usize,
    code: u16,
    least_depth: u32,
}

impl StepList {
    /// Returns the row of a step, if it was fetched.
    pub fn row_of(&self, step: Step) -> Option<&StepRow> {
        self.steps.step(step)
    }

    /// Returns the line at a screen row, counted from the top of the list.
    pub fn shown_at(&self, row: u16) -> Option<TraceLine> {
        self.shown.get(usize::from(row)).copied()
    }

    /// Moves the position's line to another row of the screen.
    pub fn arrange(&mut self, anchor: PositionAnchor, window: &TraceWindow) {
        self.view.anchor(window.gap_of(window.position), anchor);
    }

    /// Starts queries for the visible steps, and draws them.
    pub fn draw(
        &mut self,
        area: Rect,
        pen: &mut Pen<'_>,
        cx: &PaneContext<'_>,
        scene: &StepListContext<'_>,
    ) {
        let window = scene.window;
        self.view
            .resize(area.height.into(), Some(window.gap_of(window.position)));
        self.follow(window);
        self.steps.fetch(self.rows(), window, cx.desk);
        self.wrap_ending(area, cx);
        self.keep_in_view(window, usize::from(area.height));
        if let Some(error) = self.steps.error(self.rows(), window) {
            pen.role(CellRun::of(area, 0), &error, StyleRole::Error);
            return;
        }
        let columns = self.columns(area.width, cx);
        for (row, shown) in (0..area.height).zip(&self.shown) {
            self.draw_line(
                *shown,
                CellRun::of(area, row),
                pen,
                &StepPaint {
                    cx,
                    scene,
                    columns: &columns,
                },
            );
        }
    }

    /// Scrolls to the position if it moved. A list that the user scrolled away stays.
    fn follow(&mut self, window: &TraceWindow) {
        let (gap, now) = (
            window.gap_of(window.position),
            (window.position, window.row_count()),
        );
        if self.revealed == Some(now) {
            return;
        }
        let is_far =
            self.revealed.is_none() || !self.view.has(gap.saturating_sub(self.view.height / 2));
        match is_far && !self.view.has(gap) {
            true => {
                self.view.anchor(gap, PositionAnchor::Middle);
                // Near its end, the list ends at the bottom of the screen.
                let least = (window.row_count() + 2).saturating_sub(self.view.height);
                self.view.top = self.view.top.min(least);
            }
            false => self.view.reveal(gap),
        }
        self.revealed = Some(now);
    }

    /// Fetches only the last step: its effects can be picked in raw text as well.
    pub fn fetch_last(&mut self, cx: &PaneContext<'_>, window: &TraceWindow) {
        self.steps.fetch_last(window, cx.desk);
    }

    /// Returns the visible rows.
    fn rows(&self) -> Range<u64> {
        self.view.top..self.view.top.saturating_add(self.view.height)
    }

    /// Wraps the text about the end of the program.
    fn wrap_ending(&mut self, area: Rect, cx: &PaneContext<'_>) {
        let width = usize::from(area.width.saturating_sub(2 * MARKS)).max(1);
        let lines = cx.desk.ending().map(|report| report_lines(report));
        self.ending_lines = lines
            .iter()
            .flatten()
            .flat_map(|line| wrapped(&cx.look.signs.clean(line), width))
            .take(usize::from(area.height).saturating_sub(STEPS).max(1))
            .collect();
    }

    /// Scrolls further if lines below steps would push the position out of view.
    fn keep_in_view(&mut self, window: &TraceWindow, height: usize) {
        let gap = window.gap_of(window.position);
        let was_in_view = self.view.has(gap);
        // At the end of the trace, the lines below it belong to the position.
        let died = self.ending_lines.len();
        let least = match (gap >= window.row_count(), died.checked_sub(1)) {
            (true, Some(last)) => TraceLine::Died(last),
            (true, None) => TraceLine::End,
            (false, _) => TraceLine::Position,
        };
        let lines = |view: &ScrollView, steps: &StepsView| {
            let mut lines = shown_lines(window, view.top, height, |step| steps.step(step));
            if lines.last() == Some(&TraceLine::End) {
                lines.extend((0..died).map(TraceLine::Died));
                lines.truncate(height);
            }
            lines
        };
        self.shown = lines(&self.view, &self.steps);
        while was_in_view && self.view.top < gap && !self.shown.contains(&least) {
            self.view.top += 1;
            self.shown = lines(&self.view, &self.steps);
        }
    }

    fn columns(&self, width: u16, cx: &PaneContext<'_>) -> StepColumns {
        let index = &cx.desk.session.index;
        let rows = || {
            self.shown.iter().filter_map(|shown| match shown {
                TraceLine::Step(step) => self.row_of(*step),
                _ => None,
            })
        };
        let highest = rows().map(|row| row.address.0).max().unwrap_or(0);
        // Only visible names are measured: there may be thousands of threads.
        let names = rows().filter_map(|row| index.threads().get(usize::from(row.thread.0)));
        let name = names
            .map(|thread| thread.name.chars().count().min(NAME))
            .max()
            .unwrap_or(0);
        let has_threads = index.threads().len() > 1;
        StepColumns {
            digits: thousands(index.step_count()).chars().count(),
            name: if has_threads {
                u16::try_from(name + 1).unwrap_or(0)
            } else {
                0
            },
            address: if highest > u64::from(u32::MAX) {
                12.max(format!("{highest:x}").len())
            } else {
                8
            },
            code: if width < WIDE { CODE[0] } else { CODE[1] },
            least_depth: rows().map(|row| row.depth).min().unwrap_or(0),
        }
    }

    fn draw_line(&self, shown: TraceLine, run: CellRun, pen: &mut Pen<'_>, drawn: &StepPaint<'_>) {
        let StepPaint { cx, scene, columns } = drawn;
        let window = scene.window;
        match shown {
            TraceLine::Position => draw_position(run, pen, window),
            TraceLine::Step(step) => self.draw_step(step, run, pen, drawn),
            TraceLine::Below(step, line) => {
                let Some(row) = self.row_of(step) else { return };
                let rest = run.after(MARKS + u16::try_from(columns.digits).unwrap_or(0) + 3);
                match row.exceptions.get(line) {
                    Some(exception) => {
                        _ = pen.role(rest, exception, StyleRole::Text(TextRole::Exception))
                    }
                    None => {
                        let line = row
                            .lines
                            .get(line.saturating_sub(row.exceptions.len().min(3)));
                        line.iter()
                            .for_each(|line| _ = pen.spans(rest, &line.spans));
                    }
                }
            }
            TraceLine::Folded { call, first, last } => {
                let known = self.steps.call(call);
                let name = known.map_or_else(String::new, |call| {
                    function_name(&cx.desk.session.images, call.function)
                });
                let rest = draw_marks(
                    run,
                    pen,
                    drawn,
                    StepMarks {
                        first,
                        last,
                        fold: "+",
                    },
                );
                let rest = draw_number(rest, pen, columns, first);
                let steps = last.0.saturating_sub(first.0).saturating_add(1);
                let words = say!("terminal-folded", name = name, count = steps);
                pen.role(rest.after(1), &words, StyleRole::Text(TextRole::Symbol));
            }
            TraceLine::Hidden { first, last } => {
                let steps = last.0.saturating_sub(first.0).saturating_add(1);
                let words = match drawn.scene.window.only_hits.of {
                    StepSelection::Hits => say!("terminal-hidden", count = steps),
                    StepSelection::Slice => say!("terminal-hidden-slice", count = steps),
                };
                pen.role(run.after(MARKS), &words, StyleRole::Text(TextRole::Label));
            }
            TraceLine::Died(line) => {
                let words = self.ending_lines.get(line).map_or("", String::as_str);
                pen.role(run.after(MARKS), words, StyleRole::Warning);
            }
            TraceLine::End => {
                let words = so_far(&cx.desk.session, say!("terminal-end-of-trace"));
                pen.role(run.after(MARKS), &words, StyleRole::Text(TextRole::Label));
            }
        }
    }

    fn draw_step(&self, step: Step, run: CellRun, pen: &mut Pen<'_>, drawn: &StepPaint<'_>) {
        let StepPaint { cx, scene, columns } = drawn;
        let is_last = scene.window.position.last_step() == Some(step);
        let row = self.row_of(step);
        let fold = if row.is_some_and(|row| row.call.is_some()) {
            "-"
        } else {
            " "
        };
        let rest = draw_marks(
            run,
            pen,
            drawn,
            StepMarks {
                first: step,
                last: step,
                fold,
            },
        );
        let rest = draw_number(rest, pen, columns, step);
        let Some(row) = row else { return };
        let origin = if row.origin == StepOrigin::Recorded {
            " "
        } else {
            "~"
        };
        let mut rest = pen.role(rest, origin, StyleRole::Text(TextRole::Inferred));
        if columns.name > 0 {
            let thread = cx
                .desk
                .session
                .index
                .threads()
                .get(usize::from(row.thread.0));
            let name = thread.map_or("", |thread| thread.name.as_str());
            pen.role(
                rest.first(columns.name - 1),
                name,
                StyleRole::Text(TextRole::Label),
            );
            rest = rest.after(columns.name);
        }
        let depth = row.depth.saturating_sub(columns.least_depth).min(DEEPEST);
        let rest = rest.after(u16::try_from(depth).unwrap_or(0));
        let dim = row.is_idle();
        let address = format!("{:0width$x} ", row.address.0, width = columns.address);
        let rest = pen.role(rest, &address, StyleRole::Text(TextRole::Second));
        let code = code_spans(row, scene.code);
        let end = pen.spans(rest, &code);
        if dim {
            pen.mark(
                CellRun { end: end.x, ..rest },
                Style::new().add_modifier(Modifier::DIM),
            );
        }
        // Effects start at a fixed column, or right after longer code.
        let column = rest.after(columns.code);
        let effects = if column.x > end.x {
            column
        } else {
            end.after(2)
        };
        let picked = scene.picked.filter(|_| is_last);
        draw_effects(effects, pen, row, picked);
        if is_last {
            pen.mark(
                CellRun { end: end.x, ..rest },
                Style::new().add_modifier(Modifier::BOLD),
            );
        }
    }
}

/// Context for drawing a step list.
pub struct StepListContext<'a> {
    pub window: &'a TraceWindow,
    pub code: CodeStyle,
    /// The picked effect of the last step.
    pub picked: Option<&'a PickedEffect>,
}

struct StepPaint<'a> {
    cx: &'a PaneContext<'a>,
    scene: &'a StepListContext<'a>,
    columns: &'a StepColumns,
}

struct StepMarks {
    first: Step,
    last: Step,
    fold: &'static str,
}

/// Draws a bookmark, a hit or a step of the slice, then the fold sign.
fn draw_marks(run: CellRun, pen: &mut Pen<'_>, drawn: &StepPaint<'_>, marks: StepMarks) -> CellRun {
    let desk = drawn.cx.desk;
    // An item at the very start has no step before it.
    let from = if marks.first == Step(0) {
        0
    } else {
        marks.first.after().0
    };
    let to = marks.last.after().0;
    let is_hit = || {
        desk.find
            .found()
            .is_some_and(|found| found.is_any_in(marks.first.after().0..=to))
    };
    let slice = desk.slice.slice();
    let is_in_slice =
        || slice.is_some_and(|slice| is_any_in(&slice.positions, marks.first.after().0..=to));
    let rest = match () {
        () if desk.bookmarks.moment_in(from, to).is_some() => {
            pen.role(run, "#", StyleRole::Bookmark)
        }
        () if is_hit() => pen.role(run, "*", StyleRole::Hit),
        () if is_in_slice() => pen.role(run, "~", StyleRole::Text(TextRole::Taken)),
        () => run.after(1),
    };
    pen.role(rest, marks.fold, StyleRole::Text(TextRole::Label))
}

fn draw_number(run: CellRun, pen: &mut Pen<'_>, columns: &StepColumns, step: Step) -> CellRun {
    let number = format!("{:>width$}", thousands(step.0), width = columns.digits);
    pen.role(run, &number, StyleRole::Text(TextRole::Label))
}

/// Returns the code of a step, with symbols or as recorded, with or without colours.
fn code_spans(row: &StepRow, style: CodeStyle) -> Vec<TextSpan> {
    if !style.has_symbols {
        return vec![TextSpan::new(TextRole::Plain, row.text.clone())];
    }
    let mut spans = vec![TextSpan::new(
        row.code.mnemonic.meaning,
        format!("{:<6} ", row.code.mnemonic.text),
    )];
    spans.extend(row.code.operands.iter().cloned());
    if !style.has_colors {
        spans
            .iter_mut()
            .for_each(|span| span.meaning = TextRole::Plain);
    }
    spans
}

/// Draws the effects of a step; the picked one is highlighted.
fn draw_effects(run: CellRun, pen: &mut Pen<'_>, row: &StepRow, picked: Option<&PickedEffect>) {
    let mut rest = run;
    for (place, effect) in row.effects.iter().enumerate() {
        let before = rest;
        rest = pen.spans(rest, &effect_spans(effect));
        if picked.is_some_and(|picked| picked.effect == Some(place)) {
            pen.mark(
                CellRun {
                    end: rest.x,
                    ..before
                },
                pen.look.style(StyleRole::Picked),
            );
        }
        rest = rest.after(2);
    }
    for note in &row.notes {
        rest = pen
            .role(rest, note, StyleRole::Text(TextRole::Comment))
            .after(2);
    }
}

/// Returns the text of an effect: `x0 ← 5a7d`, with `~` if the trace does not state the value.
pub fn effect_spans(effect: &EffectText) -> Vec<TextSpan> {
    let mut spans = vec![effect.label.clone()];
    if let Some(value) = &effect.value {
        let arrow = if effect.is_read { " → " } else { " ← " };
        spans.push(TextSpan::new(TextRole::Punctuation, arrow));
        let (meaning, sign) = if effect.is_inferred {
            (TextRole::Inferred, "~")
        } else {
            (TextRole::Plain, "")
        };
        spans.push(TextSpan::new(meaning, format!("{sign}{value}")));
    }
    if let Some(size) = effect.size_bytes {
        spans.push(TextSpan::new(TextRole::Label, format!(":{size}")));
    }
    spans
}

/// Draws the line of the position, with its number.
fn draw_position(run: CellRun, pen: &mut Pen<'_>, window: &TraceWindow) {
    let role = StyleRole::Position(window.id.0);
    pen.line(run, pen.look.style(role));
    let words = format!(" {} ", thousands(window.position.0));
    let rest = run.after(2);
    if window.id.0 > 1 {
        pen.role(
            rest,
            &format!(" [{}] {}", window.id.0, words.trim_start()),
            role,
        );
    } else {
        pen.role(rest, &words, role);
    }
}
