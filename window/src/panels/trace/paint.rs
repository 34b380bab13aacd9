//! How a row of the trace looks.

use egui::{Pos2, Rect, pos2, vec2};
use stepback_machine::Address;
use stepback_parsers::{Step, StepOrigin};

use super::spots::{OperandSpot, operand_spot};
use crate::panels::pen::{ADVANCE, Pen, ROW};
use crate::theme::{icon_fill, icons, mono, mono_bold, semi, ui as ui_font};
use stepback_debugger::action::CellName;
use stepback_debugger::messages::say;
use stepback_debugger::model::TextRole;
use stepback_debugger::model::effects::{EffectMeasure, EffectText, FittedEffects};
use stepback_debugger::model::marker_lines::{MarkerLine, MarkerTone};
use stepback_debugger::model::step_rows::StepRow;
use stepback_debugger::model::text::{address_digits, thousands};

/// Narrower panels leave out the offset in the function.
const OFFSET_FROM: f32 = 680.0;
/// Narrower panels have less room for instructions.
const NARROW: f32 = 480.0;
/// Wider panels have room for long operands.
const WIDE: f32 = 640.0;
/// Between a cell and its value, the arrow in the middle.
const ARROW: f32 = 18.0;
/// One level of calls.
const INDENT: f32 = 12.0;
/// Deeper calls are not indented further.
const DEEPEST: u32 = 12;
/// Longer names of threads are cut.
const TAG_LENGTH: usize = 8;
/// Longer source lines are cut.
const LINE_LENGTH: u8 = 24;
/// A letter of a source line.
const LINE_ADVANCE: f32 = 6.9;
/// Less of a source line says nothing.
const LEAST_LINE: f32 = 60.0;
/// Lines of exceptions below one step, at most.
const EXCEPTIONS: usize = 3;
/// Lines of other events below one step, at most.
const LINES: usize = 4;
/// Gap between columns.
const GAP: f32 = 12.0;

/// Where the columns of a list are.
#[derive(Clone, Copy, Debug)]
pub struct TraceColumns {
    /// Where step numbers end.
    number_end: f32,
    /// The line to their right.
    pub hairline: f32,
    /// Room for the name of the thread to the right of it; 0 where there is one thread.
    tag: f32,
    /// Where addresses begin at the least depth.
    pub address: f32,
    /// Digits of an address.
    digits: usize,
    /// Room for the offset in the function; 0 where it is left out.
    offset: f32,
    /// Room for mnemonic and operands.
    code: f32,
    /// Where rows end.
    right: f32,
    /// Where source lines end; none where they are not shown.
    lines_end: Option<f32>,
    /// The least depth in view.
    least_depth: u32,
}

/// What columns have to have room for.
#[derive(Clone, Copy, Debug)]
pub struct TraceColumnContent {
    /// Steps of the trace.
    pub step_count: u64,
    /// The names of its threads.
    pub names: ThreadNameWidth,
    /// The least depth in view.
    pub least_depth: u32,
    /// The highest address in view.
    pub highest: Address,
    /// The longest offset in a function in view.
    pub longest_offset: u64,
    /// The trace has program images.
    pub has_symbols: bool,
    /// The trace states values of registers.
    pub has_values: bool,
}

/// How long names of threads are: looked at once for as many threads as there are.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct ThreadNameWidth {
    /// How many threads there are.
    pub threads: usize,
    /// Letters of the longest name.
    pub letters: usize,
}

/// What was painted of a row.
#[derive(Clone, Debug, Default)]
pub struct PaintedRow {
    /// Something did not fit.
    pub is_cut: bool,
    /// The cell under the pointer.
    pub spot: Option<OperandSpot>,
}

/// A step as far as it is known, whether it is done, whose it is, its source line where that is shown, and the pointer
/// where it is on the row.
pub struct RowPaint<'a> {
    pub row: Option<&'a StepRow>,
    pub is_done: bool,
    pub thread: &'a str,
    pub line: Option<&'a str>,
    pub pointer: Option<Pos2>,
}

/// Where a line of a marker begins, and how many more there are.
pub struct MarkerPlace {
    pub indent: f32,
    pub more: usize,
}

/// A step, whether it is done, its source line where that is shown, and the pointer where it is on the row.
#[derive(Clone, Copy)]
pub struct KnownRowPaint<'a> {
    pub row: &'a StepRow,
    pub is_done: bool,
    pub line: Option<&'a str>,
    pub pointer: Option<Pos2>,
}

/// Where effects are shown.
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

/// A folded call.
pub struct FoldedCall<'a> {
    pub name: &'a str,
    pub depth: u32,
    pub steps: u64,
}

impl TraceColumns {
    /// The columns of a list in a rectangle.
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
        let digits = thousands(step_count.saturating_sub(1)).len();
        // Mono 11.5 is 6.9 wide; up to five digits the measures of the design hold.
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
        let digits = address_digits(highest);
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
                width if width < NARROW => 152.0,
                // Operands of x86 are long, and without values there is room for them.
                width if width >= WIDE && !has_values => 248.0,
                _ => 168.0,
            },
            right: body.right(),
            lines_end: None,
            least_depth,
        }
    }

    /// The same with source lines at the right.
    pub fn with_lines(self) -> Self {
        let end = self.right - 8.0;
        Self {
            right: end,
            lines_end: Some(end),
            ..self
        }
    }

    /// Whether source lines are shown.
    pub fn has_lines(&self) -> bool {
        self.lines_end.is_some()
    }

    /// Where a source line begins when all of it is shown.
    fn line_start(&self, line: &str) -> f32 {
        let letters = u8::try_from(line.chars().count())
            .unwrap_or(u8::MAX)
            .min(LINE_LENGTH);
        self.right - LINE_ADVANCE * f32::from(letters)
    }

    /// The middle of the fold box of a call in a function of this depth.
    pub fn box_center(&self, depth: u32) -> f32 {
        self.hairline + self.tag + 10.5 + self.indent(depth)
    }

    fn indent(&self, depth: u32) -> f32 {
        INDENT
            * f32::from(
                u8::try_from(depth.saturating_sub(self.least_depth).min(DEEPEST)).unwrap_or(0),
            )
    }

    /// Paints whose row it is, where there are several threads.
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

/// Paints a step, or only its number while the rest is on its way.
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
    let x = columns.address + columns.indent(row.depth);
    pen.code(
        x,
        y,
        address_text(row.address.0, columns.digits),
        dimmed.unwrap_or(tok.t2),
    );
    let mut x = x + columns.address_width() + 10.0;
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

/// Tells steps apart that nothing recorded: a point behind the number of one that was reconstructed, and below the number
/// of one that was inferred the dots that inferred values have.
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

/// How many lines stand below a row.
pub fn lines_below(row: &StepRow) -> usize {
    row.exceptions.len().min(EXCEPTIONS) + row.lines.len().min(LINES)
}

/// What happened at a step, quieter than the steps themselves unless it is an error.
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
    let is_code_cut = operands + width > columns.right;
    let operands_end = match is_code_cut {
        true => pen.cut_spans(
            pos2(operands, y),
            &row.code.operands,
            dimmed,
            columns.right - 2.0,
        ),
        false => pen.spans(operands, y, &row.code.operands, dimmed),
    };
    let close = operands_end + GAP;
    let (aligned, right) = ((x + columns.code).max(close), columns.right);
    let line_start = line.map_or(right, |line| columns.line_start(line) - GAP);
    // The neatest way in which everything is shown: what a step changed comes before the column and the source line.
    let ways = [(aligned, line_start), (aligned, right), (close, right)]
        .map(|(start, end)| EffectSpan { start, end });
    let neatest = ways.into_iter().find(|way| !way.fitted(row).is_short());
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
        is_cut: is_cut || is_code_cut,
        spot: spot.or_else(operand),
    }
}

/// How far effects reach, whether some are not shown as a whole, and the cell under the pointer.
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

/// `exception at bfb1e598a4e5bda9 …`: the trace's own words, its address first.
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
        let color = if place == 0 && is_address {
            tok.t1
        } else {
            tok.t2
        };
        x = pen.cut_text(pos2(x, y), word, mono(12.5), color, columns.right - 4.0) + ADVANCE;
        if x >= columns.right {
            return;
        }
    }
}

/// Paints a note in as many lines as it takes, with one more left free. Returns their height.
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

/// Paints the source line of a row where there is room for a part of it.
fn paint_line(pen: &Pen<'_>, columns: &TraceColumns, Pos2 { x, y }: Pos2, line: &str) {
    let Some(end) = columns.lines_end.filter(|end| end - x >= LEAST_LINE) else {
        return;
    };
    pen.cut_text(pos2(x, y), line, mono(11.5), pen.tok.t3, end + 1.0);
}

/// Marks a row that has a hit of the search.
pub fn paint_hit(pen: &Pen<'_>, rect: Rect) {
    pen.fill(
        Rect::from_min_size(rect.min, vec2(3.0, rect.height())),
        pen.tok.hit,
    );
}

/// Marks a row that is a step of the slice: beside the mark of a hit.
pub fn paint_slice(pen: &Pen<'_>, rect: Rect) {
    pen.fill(
        Rect::from_min_size(rect.min + vec2(3.0, 0.0), vec2(2.0, rect.height())),
        pen.tok.taken,
    );
}

/// Paints the row that stands for the steps of a folded call.
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

/// A line below the fold box of each call that the row is inside of.
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
