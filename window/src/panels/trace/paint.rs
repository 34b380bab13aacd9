//! Painting of a row of the trace.

use egui::{Pos2, Rect, pos2, vec2};
use stepback_debugger::action::CellName;
use stepback_debugger::messages::say;
use stepback_debugger::model::TextRole;
use stepback_debugger::model::effects::{EffectMeasure, EffectText, FittedEffects};
use stepback_debugger::model::marker_lines::{MarkerLine, MarkerTone};
use stepback_debugger::model::step_rows::StepRow;
use stepback_debugger::model::text::{address_digits, thousands};
use stepback_machine::Address;
use stepback_parsers::{Step, StepOrigin};

use super::spots::{OperandSpot, operand_spot};
use crate::panels::pen::{ADVANCE, Pen, ROW};
use crate::theme::{icon_fill, icons, mono, mono_bold, semi, ui as ui_font};

/// Minimum width of a panel with the offset in the function.
const OFFSET_FROM: f32 = 680.0;
/// Narrower panels have less room for instructions, and leave out their addresses, so that effects
/// stay in view.
const NARROW: f32 = 480.0;
/// Wider panels have room for long operands.
const WIDE: f32 = 640.0;
/// Distance between a cell and its value; the arrow is in the middle.
const ARROW: f32 = 18.0;
/// Indentation of one call depth.
const INDENT: f32 = 12.0;
/// Maximum indentation, in call depths.
const DEEPEST: u32 = 12;
/// Maximum number of letters of a thread name.
const TAG_LENGTH: usize = 8;
/// Maximum number of letters of a source line.
const LINE_LENGTH: u8 = 24;
/// Width of a letter of a source line.
const LINE_ADVANCE: f32 = 6.9;
/// Minimum width of a source line.
const LEAST_LINE: f32 = 60.0;
/// Maximum number of exception lines below one step.
const EXCEPTIONS: usize = 3;
/// Maximum number of other event lines below one step.
const LINES: usize = 4;
/// Gap between columns.
const GAP: f32 = 12.0;

/// Column positions of a list.
#[derive(Clone, Copy, Debug)]
pub struct TraceColumns {
    /// Right edge of the step numbers.
    number_end: f32,
    /// Vertical line at their right.
    pub hairline: f32,
    /// Room for the thread name at the right of the line; 0 with one thread.
    tag: f32,
    /// Left edge of addresses at the least depth.
    pub address: f32,
    /// Digits of an address; 0 if addresses are left out.
    digits: usize,
    /// Room for the offset in the function; 0 if it is left out.
    offset: f32,
    /// Room for mnemonic and operands.
    code: f32,
    /// Right edge of the rows.
    right: f32,
    /// Right edge of source lines; none if they are not shown.
    lines_end: Option<f32>,
    /// Least call depth in view.
    least_depth: u32,
}

/// Extents of the contents of the columns.
#[derive(Clone, Copy, Debug)]
pub struct TraceColumnContent {
    pub step_count: u64,
    /// Thread names of the trace.
    pub names: ThreadNameWidth,
    /// Least call depth in view.
    pub least_depth: u32,
    /// Highest address in view.
    pub highest: Address,
    /// Longest offset in a function in view.
    pub longest_offset: u64,
    /// The trace has program images.
    pub has_symbols: bool,
    /// The trace states values of registers.
    pub has_values: bool,
}

/// Length of the longest thread name, cached by the number of threads.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct ThreadNameWidth {
    /// Number of threads.
    pub threads: usize,
    /// Letters of the longest name.
    pub letters: usize,
}

/// Result of painting a row.
#[derive(Clone, Debug, Default)]
pub struct PaintedRow {
    /// Some text did not fit.
    pub is_cut: bool,
    /// Cell under the pointer.
    pub spot: Option<OperandSpot>,
}

/// Inputs of a step row. `row` is none until it is known, `line` if source lines are not shown, and
/// `pointer` if it is elsewhere.
pub struct RowPaint<'a> {
    pub row: Option<&'a StepRow>,
    pub is_done: bool,
    pub thread: &'a str,
    pub line: Option<&'a str>,
    pub pointer: Option<Pos2>,
}

/// Indentation of a marker line, and the number of further markers.
pub struct MarkerPlace {
    pub indent: f32,
    pub more: usize,
}

/// Inputs of a step row that is known. `line` is none if source lines are not shown, and `pointer`
/// if it is elsewhere.
#[derive(Clone, Copy)]
pub struct KnownRowPaint<'a> {
    pub row: &'a StepRow,
    pub is_done: bool,
    pub line: Option<&'a str>,
    pub pointer: Option<Pos2>,
}

/// Horizontal range of the effects.
#[derive(Clone, Copy)]
struct EffectSpan {
    start: f32,
    end: f32,
}

impl EffectSpan {
    fn fitted(self, row: &StepRow) -> FittedEffects {
        let room = self.end - 4.0 - self.start;
        FittedEffects::new(
            &row.effects,
            &EffectMeasure {
                room,
                advance: ADVANCE,
                arrow: ARROW,
                gap: GAP,
            },
        )
    }
}

pub struct FoldedCall<'a> {
    pub name: &'a str,
    pub depth: u32,
    pub steps: u64,
}

impl TraceColumns {
    /// Lays out the columns of a list.
    pub fn new(body: Rect, shown: &TraceColumnContent) -> Self {
        let TraceColumnContent {
            step_count,
            names,
            least_depth,
            highest,
            longest_offset,
            has_symbols,
            has_values,
        } = *shown;
        let digits = thousands(step_count.saturating_sub(1)).chars().count();
        // A digit at size 11.5 is 6.9 wide; up to five digits the column has its designed width.
        let number_end = (12.0 + 6.9 * f32::from(u8::try_from(digits).unwrap_or(26)))
            .max(58.0)
            .round();
        let left = body.left();
        let longest = names.letters.min(TAG_LENGTH);
        let letters = f32::from(u8::try_from(longest).unwrap_or(0));
        let tag = if names.threads > 1 {
            (6.9 * letters + 8.0).round()
        } else {
            0.0
        };
        let has_offset = has_symbols && body.width() + 10.0 >= OFFSET_FROM;
        let is_narrow = body.width() + 10.0 < NARROW;
        let digits = if is_narrow {
            0
        } else {
            address_digits(highest)
        };
        let offset =
            f32::from(u8::try_from(format!("+{longest_offset:x}").len()).unwrap_or_default())
                * ADVANCE;
        Self {
            number_end: left + number_end,
            hairline: left + number_end + 6.0,
            tag,
            address: left + number_end + 28.0 + tag,
            digits,
            offset: if has_offset {
                (offset + 8.0).max(40.0)
            } else {
                0.0
            },
            code: match body.width() + 10.0 {
                _ if is_narrow => 152.0,
                // Operands of x86 are long, and without values there is room for them.
                width if width >= WIDE && !has_values => 248.0,
                _ => 168.0,
            },
            right: body.right(),
            lines_end: None,
            least_depth,
        }
    }

    /// Returns these columns with source lines at the right.
    pub fn with_lines(self) -> Self {
        let end = self.right - 8.0;
        Self {
            right: end,
            lines_end: Some(end),
            ..self
        }
    }

    /// Returns true if addresses are shown.
    pub fn has_addresses(&self) -> bool {
        self.digits > 0
    }

    /// Returns true if source lines are shown.
    pub fn has_lines(&self) -> bool {
        self.lines_end.is_some()
    }

    /// Returns the left edge of a source line that is shown in full.
    fn line_start(&self, line: &str) -> f32 {
        let letters = u8::try_from(line.chars().count())
            .unwrap_or(u8::MAX)
            .min(LINE_LENGTH);
        self.right - LINE_ADVANCE * f32::from(letters)
    }

    /// Returns the middle of the fold box of a call in a function of this depth.
    pub fn box_center(&self, depth: u32) -> f32 {
        self.hairline + self.tag + 10.5 + self.indent(depth)
    }

    fn indent(&self, depth: u32) -> f32 {
        INDENT
            * f32::from(
                u8::try_from(depth.saturating_sub(self.least_depth).min(DEEPEST)).unwrap_or(0),
            )
    }

    /// Paints the thread of a row if there are several threads.
    fn paint_thread(&self, pen: &Pen<'_>, y: f32, thread: &str) {
        if self.tag > 0.0 {
            let left = self.hairline + 7.0;
            pen.cut_text(
                pos2(left, y),
                thread,
                mono(11.5),
                pen.tok.t3,
                left + self.tag - 6.0,
            );
        }
    }

    fn address_width(&self) -> f32 {
        ADVANCE * self.digits as f32
    }
}

/// Paints a step, or only its number while the rest is loading.
pub fn paint_row(
    pen: &Pen<'_>,
    columns: &TraceColumns,
    rect: Rect,
    step: Step,
    RowPaint {
        row,
        is_done,
        thread,
        line,
        pointer,
    }: RowPaint<'_>,
) -> PaintedRow {
    let (tok, y) = (pen.tok, rect.center().y);
    let number_color = if is_done { tok.t1 } else { tok.t3 };
    let number = pen.text_left_of(
        columns.number_end,
        y,
        thousands(step.0),
        mono(11.5),
        number_color,
    );
    let Some(row) = row else {
        return PaintedRow::default();
    };
    paint_origin(pen, columns, pos2(number, y), row.origin);
    if row.is_kernel && !is_done {
        pen.fill(
            Rect::from_min_max(pos2(columns.hairline + 1.0, rect.top()), rect.max),
            tok.bg2,
        );
    }
    columns.paint_thread(pen, y, thread);
    guides(pen, columns, rect, row.depth);
    let dimmed = row.is_idle().then_some(tok.t3);
    let mut x = columns.address + columns.indent(row.depth);
    if columns.has_addresses() {
        pen.code(
            x,
            y,
            address_text(row.address.0, columns.digits),
            dimmed.unwrap_or(tok.t2),
        );
        x += columns.address_width() + 10.0;
    }
    if let Some(offset) = row.offset.filter(|_| columns.offset > 0.0) {
        pen.cut_text(
            pos2(x, y),
            &format!("+{offset:x}"),
            mono(12.5),
            tok.t3,
            x + columns.offset - 2.0,
        );
    }
    x += columns.offset;
    let painted = paint_code(
        pen,
        columns,
        pos2(x, y),
        KnownRowPaint {
            row,
            is_done,
            line,
            pointer,
        },
    );
    let below = |place: usize| rect.translate(vec2(0.0, ROW * (1.0 + place as f32)));
    let exceptions = row.exceptions.iter().take(EXCEPTIONS).enumerate();
    exceptions.for_each(|(place, text)| paint_exception(pen, columns, below(place), text));
    let first = row.exceptions.len().min(EXCEPTIONS);
    for (place, line) in row.lines.iter().take(LINES).enumerate() {
        let more = row.lines.len().saturating_sub(LINES);
        let more = if place + 1 == LINES { more } else { 0 };
        paint_marker(
            pen,
            columns,
            below(first + place),
            line,
            MarkerPlace {
                indent: columns.indent(row.depth),
                more,
            },
        );
    }
    painted
}

/// Marks steps that were not recorded. A reconstructed step has a dot after its number, an inferred
/// one the dots of inferred values below it.
fn paint_origin(
    pen: &Pen<'_>,
    columns: &TraceColumns,
    Pos2 { x: number, y }: Pos2,
    origin: StepOrigin,
) {
    match origin {
        StepOrigin::Recorded => {}
        StepOrigin::Reconstructed => {
            pen.fill(
                Rect::from_min_size(
                    pos2(columns.number_end + 2.0, y.round() - 1.0),
                    vec2(2.0, 2.0),
                ),
                pen.tok.t3,
            );
        }
        StepOrigin::Inferred => pen.dots(number, columns.number_end, y + 7.0),
    }
}

/// Returns the number of lines below a row.
pub fn lines_below(row: &StepRow) -> usize {
    row.exceptions.len().min(EXCEPTIONS) + row.lines.len().min(LINES)
}

/// Paints an event of a step, quieter than the steps themselves unless it is an error.
fn paint_marker(
    pen: &Pen<'_>,
    columns: &TraceColumns,
    rect: Rect,
    line: &MarkerLine,
    MarkerPlace { indent, more }: MarkerPlace,
) {
    let (tok, y) = (pen.tok, rect.center().y);
    let (background, bar) = match line.tone {
        MarkerTone::Plain => (tok.bg2, tok.line2),
        MarkerTone::Kernel => (tok.warn_bg, tok.warn),
        MarkerTone::Alarm => (tok.err_bg, tok.err),
    };
    let left = Rect::from_min_max(pos2(columns.hairline + 1.0, rect.top()), rect.max);
    pen.fill(left, background);
    pen.fill(Rect::from_min_size(left.min, vec2(3.0, rect.height())), bar);
    let mut x = columns.address + indent + 12.0;
    let right = columns.right - 4.0 - if more > 0 { 70.0 } else { 0.0 };
    for span in &line.spans {
        let font = if span.meaning == TextRole::Label {
            ui_font(11.5)
        } else {
            mono(12.0)
        };
        let color = if span.meaning == TextRole::Label {
            tok.t2
        } else {
            pen.color(span.meaning)
        };
        x = pen.cut_text(pos2(x, y), &span.text, font, color, right);
    }
    if more > 0 {
        pen.text_left_of(
            columns.right - 4.0,
            y,
            say!("trace-more", count = more),
            ui_font(11.5),
            tok.t2,
        );
    }
}

fn paint_code(
    pen: &Pen<'_>,
    columns: &TraceColumns,
    Pos2 { x, y }: Pos2,
    done: KnownRowPaint<'_>,
) -> PaintedRow {
    let KnownRowPaint {
        row, line, pointer, ..
    } = done;
    let dimmed = row.is_idle().then_some(pen.tok.t3);
    let mnemonic_end = pen.spans(x, y, std::slice::from_ref(&row.code.mnemonic), dimmed);
    let operands = (x + 6.0 * ADVANCE).max(mnemonic_end + ADVANCE);
    let width: f32 = row
        .code
        .operands
        .iter()
        .map(|span| pen.width(&span.text, mono(12.5)))
        .sum();
    // The number of hidden effects needs room after the operands.
    let has_effects = row.effects.iter().any(|effect| !effect.is_read);
    let note = if has_effects {
        GAP + 2.0 * ADVANCE
    } else {
        0.0
    };
    let is_code_cut = operands + width > columns.right - note;
    let operands_end = match is_code_cut {
        true => pen.cut_spans(
            pos2(operands, y),
            &row.code.operands,
            dimmed,
            columns.right - note.max(2.0),
        ),
        false => pen.spans(operands, y, &row.code.operands, dimmed),
    };
    let close = operands_end + GAP;
    let (aligned, right) = ((x + columns.code).max(close), columns.right);
    let line_start = line.map_or(right, |line| columns.line_start(line) - GAP);
    // The neatest layout that shows all effects is used: effects take precedence over column
    // alignment and the source line.
    let ways = [(aligned, line_start), (aligned, right), (close, right)]
        .map(|(start, end)| EffectSpan { start, end });
    let neatest = ways
        .into_iter()
        .find(|direction| !direction.fitted(row).is_short());
    let PaintedEffects {
        x: end,
        is_cut,
        spot,
    } = paint_effects(
        pen,
        y,
        neatest.unwrap_or(EffectSpan {
            start: close,
            end: right,
        }),
        done,
    );
    if let Some(line) = line {
        paint_line(
            pen,
            columns,
            pos2((line_start + GAP).max(end + GAP), y),
            line,
        );
    }
    let operand = || operand_spot(pen, pos2(operands, y), row, pointer?);
    PaintedRow {
        is_cut: is_cut || is_code_cut || !columns.has_addresses(),
        spot: spot.or_else(operand),
    }
}

/// Right edge of the painted effects, whether some are cut or hidden, and the cell under the
/// pointer.
struct PaintedEffects {
    x: f32,
    is_cut: bool,
    spot: Option<OperandSpot>,
}

fn paint_effects(
    pen: &Pen<'_>,
    y: f32,
    span: EffectSpan,
    done: KnownRowPaint<'_>,
) -> PaintedEffects {
    let (row, fitted) = (done.row, span.fitted(done.row));
    let mut x = span.start;
    let is_cut = fitted.is_short()
        || fitted.is_read_hidden
        || !row.notes.is_empty()
        || row.lines.len() > LINES;
    let mut spot = None;
    for effect in &fitted.shown {
        let end = paint_effect(pen, pos2(x, y), effect, done);
        let on = |cell: &CellName| {
            let rect = OperandSpot::at(done.pointer?, x, end, y)?;
            Some(OperandSpot {
                cell: cell.clone(),
                label: effect.label.text.clone(),
                rect,
            })
        };
        spot = spot.or_else(|| effect.cell.as_ref().and_then(on));
        x = end + GAP;
    }
    if fitted.hidden > 0 {
        x = pen.code(x, y, format!("+{}", fitted.hidden), pen.tok.t3) + GAP;
    }
    PaintedEffects {
        x: x - GAP,
        is_cut,
        spot,
    }
}

fn paint_effect(
    pen: &Pen<'_>,
    Pos2 { x, y }: Pos2,
    effect: &EffectText,
    KnownRowPaint { row, is_done, .. }: KnownRowPaint<'_>,
) -> f32 {
    let tok = pen.tok;
    let is_plain_text = effect.cell.is_none();
    let dimmed = !row.is_executed;
    let color = if dimmed {
        tok.t3
    } else {
        pen.color(effect.label.meaning)
    };
    let font = if is_plain_text {
        ui_font(11.5)
    } else {
        mono(12.5)
    };
    let end = pen.text(x, y, &effect.label.text, font, color);
    let Some(value) = effect.shown_value() else {
        return end;
    };
    pen.text_centered(
        pos2(end + ARROW / 2.0, y),
        effect.arrow(),
        ui_font(11.5),
        tok.t3,
    );
    let start = end + ARROW;
    if effect.value.is_none() {
        return pen.label(start, y, value, tok.t3);
    }
    let font = if is_done { mono_bold(12.5) } else { mono(12.5) };
    let is_store = !effect.is_read && effect.label.text.starts_with('[');
    let color = match (dimmed, is_store) {
        (true, _) => tok.t3,
        (false, _) if effect.label.meaning == TextRole::External => tok.external,
        (false, false) if effect.is_inferred => tok.inferred,
        (false, true) => tok.write,
        (false, false) => tok.t1,
    };
    let end = pen.text(start, y, value, font, color);
    if effect.is_inferred {
        pen.dots(start, end, y + 7.0);
    }
    end
}

/// Paints an exception in the trace's own words, its address first: `exception at bfb1e598a4e5bda9
/// …`.
fn paint_exception(pen: &Pen<'_>, columns: &TraceColumns, rect: Rect, text: &str) {
    let (tok, y) = (pen.tok, rect.center().y);
    pen.fill(rect, tok.err_bg);
    pen.fill(
        Rect::from_min_size(rect.min, vec2(3.0, rect.height())),
        tok.err,
    );
    pen.text_centered(
        pos2(columns.number_end - 7.0, y),
        icons::WARNING,
        icon_fill(13.0),
        tok.err,
    );
    let mut x = pen.text(
        columns.address + 2.0,
        y,
        say!("trace-exception"),
        semi(12.0),
        tok.err,
    ) + 8.0;
    let words = text
        .split_whitespace()
        .skip_while(|word| matches!(*word, "E" | "EXC" | "IT" | "ES"));
    for (place, word) in words.enumerate() {
        let is_address =
            matches!(word.len(), 8 | 16) && word.bytes().all(|byte| byte.is_ascii_hexdigit());
        if place == 0 && is_address {
            x = pen.code(x, y, say!("trace-at"), tok.t1) + ADVANCE;
        }
        let is_number = place == 1 && word.bytes().all(|byte| byte.is_ascii_hexdigit());
        if is_number {
            x = pen.label(x, y, say!("trace-exception-number"), tok.t2) + ADVANCE;
        }
        let number = u64::from_str_radix(word, 16).ok().filter(|_| is_number);
        let word = number.map_or_else(|| word.to_owned(), |number| format!("{number:#x}"));
        let color = if place == 0 && is_address {
            tok.t1
        } else {
            tok.t2
        };
        x = pen.cut_text(pos2(x, y), &word, mono(12.5), color, columns.right - 4.0) + ADVANCE;
        if x >= columns.right {
            return;
        }
    }
}

/// Paints a note in as many lines as it takes, and leaves one more line free. Returns the height of
/// both.
pub fn paint_note(pen: &Pen<'_>, columns: &TraceColumns, first: Rect, text: &str) -> f32 {
    let (left, width) = (
        columns.address + 2.0,
        (columns.right - columns.address - 12.0).max(80.0),
    );
    let galley = pen
        .painter
        .layout(text.to_owned(), ui_font(11.5), pen.tok.t1, width);
    let rows = (galley.size().y / ROW).ceil() + 1.0;
    let rect = Rect::from_min_size(first.min, vec2(first.width(), rows * ROW));
    pen.fill(rect, pen.tok.warn_bg);
    pen.fill(
        Rect::from_min_size(rect.min, vec2(3.0, rect.height())),
        pen.tok.warn,
    );
    pen.text_centered(
        pos2(columns.number_end - 7.0, first.center().y),
        icons::WARNING,
        icon_fill(13.0),
        pen.tok.warn,
    );
    pen.painter.galley(
        pos2(left.round(), (first.top() + 2.0).round()),
        galley,
        pen.tok.t1,
    );
    rect.height()
}

/// Paints the source line of a row if enough of it fits.
fn paint_line(pen: &Pen<'_>, columns: &TraceColumns, Pos2 { x, y }: Pos2, line: &str) {
    let Some(end) = columns.lines_end.filter(|end| end - x >= LEAST_LINE) else {
        return;
    };
    pen.cut_text(pos2(x, y), line, mono(11.5), pen.tok.t3, end + 1.0);
}

/// Marks a row that contains a hit of the search.
pub fn paint_hit(pen: &Pen<'_>, rect: Rect) {
    pen.fill(
        Rect::from_min_size(rect.min, vec2(3.0, rect.height())),
        pen.tok.hit,
    );
}

/// Marks a row that contains a step of the slice, next to the mark of a hit.
pub fn paint_slice(pen: &Pen<'_>, rect: Rect) {
    pen.fill(
        Rect::from_min_size(rect.min + vec2(3.0, 0.0), vec2(2.0, rect.height())),
        pen.tok.taken,
    );
}

/// Paints the row that represents the steps of a folded call.
pub fn paint_folded(
    pen: &Pen<'_>,
    columns: &TraceColumns,
    rect: Rect,
    FoldedCall { name, depth, steps }: FoldedCall<'_>,
    thread: &str,
) {
    let y = rect.center().y;
    columns.paint_thread(pen, y, thread);
    let depth = depth.saturating_sub(1);
    guides(pen, columns, rect, depth.saturating_add(1));
    let x = columns.address + columns.indent(depth) + 2.0;
    let end = pen.code(x, y, name, pen.tok.symbol);
    let folded = say!("trace-folded-steps", count = steps);
    pen.label(end + 10.0, y, folded, pen.tok.t3);
}

/// Draws a line below the fold box of each call that contains the row.
fn guides(pen: &Pen<'_>, columns: &TraceColumns, rect: Rect, depth: u32) {
    let levels = depth.saturating_sub(columns.least_depth).min(DEEPEST);
    for level in 0..levels {
        let x = columns.box_center(columns.least_depth + level);
        pen.line_down(x.floor(), rect.top(), rect.bottom(), pen.tok.line2);
    }
}

fn address_text(address: u64, digits: usize) -> String {
    format!("{address:0digits$x}")
}
