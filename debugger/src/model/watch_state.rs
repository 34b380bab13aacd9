//! Evaluates a watch at a position: its value in words, its writers, and the cells that it depends
//! on.

use anyhow::Result;
use stepback_index::answer::{AccessKinds, Cell, CellAccess, MemoryRange, Value, ValueSource};
use stepback_index::query::{Accesses, MemoryAt, NearestAccess};
use stepback_index::read::NameReader;
use stepback_index::{Cancel, Query as _, QueryError};
use stepback_machine::{Address, RegisterView};
use stepback_parsers::{Position, Step};

use super::text::short_hex;
use crate::action::Direction;
use crate::analysis::condition::next_edge;
use crate::analysis::names::NameError;
use crate::analysis::register_part::RegisterPart;
use crate::analysis::tracked::{EvaluationContext, cell_value, thread_of};
use crate::expression::{ChosenReading, Expression, ExpressionError, parse, split_range};
use crate::messages::say;
use crate::notes::{Watch, WatchType};
use crate::session::Session;

/// Maximum length of a text in bytes.
const TEXT_BYTES: u64 = 64;

/// Watch at a position.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct WatchState {
    /// Value in words; none if unknown.
    pub value: Option<String>,
    /// Value in hexadecimal, for the clipboard and the tooltip.
    pub hex: Option<String>,
    /// Reason why the value is unknown, or the error in the expression.
    pub reason: Option<String>,
    /// The expression is invalid at every position.
    pub is_wrong: bool,
    /// Provenance of the value.
    pub source: ValueSource,
    /// The step just before the position wrote it.
    pub is_news: bool,
    /// Last step that wrote it.
    pub written_by: Option<Step>,
    /// The value has not changed since before the first step.
    pub is_initial: bool,
    /// Next step that writes it.
    pub next_write: Option<Step>,
    /// Cells to which these writes refer.
    pub cells: Vec<Cell>,
    /// Memory address, if the watch is memory.
    pub address: Option<Address>,
    /// Readings chosen for its ambiguous numbers and names.
    pub readings: Vec<ChosenReading>,
}

/// Result of evaluating a watch at a position.
struct EvaluatedWatch {
    /// Cells that hold the value.
    cells: Vec<Cell>,
    /// Cells that hold the value or determine its address.
    all: Vec<Cell>,
    value: Value,
    source: ValueSource,
    /// Reason for the value of a register, or for a missing value.
    reason: Option<String>,
    address: Option<Address>,
}

/// Evaluates a watch at a position. Runs on a worker.
///
/// # Errors
/// See [`QueryError`]. A misspelt or unknown name is part of the answer, not an error.
pub fn watch_state(
    session: &Session,
    watch: &Watch,
    at: Position,
    cancel: &Cancel,
) -> Result<WatchState> {
    let (index, at) = (&session.index, at.min(session.index.end()));
    let scene = EvaluationContext {
        index,
        images: &session.images,
        thread: thread_of(index, at)?,
        cancel,
    };
    let meaning = match meaning(&scene, watch, at) {
        Ok(meaning) => meaning,
        Err(NameError::Trace(error)) => return Err(error.into()),
        Err(error) => {
            let is_wrong = error.is_misspelt();
            let reason = match &error {
                NameError::Expression { error, .. } => error.kind.to_string(),
                error => error.to_string(),
            };
            return Ok(WatchState {
                reason: Some(reason),
                is_wrong,
                ..WatchState::default()
            });
        }
    };
    let (mut written, mut next_write, mut unrecorded) = (None, None, None);
    for cell in &meaning.cells {
        let kinds = AccessKinds::Writes;
        let last = Accesses {
            nearest: NearestAccess::last(*cell, kinds, at),
            thread: None,
            skip: 0,
            limit: 1,
        };
        let last = match last.run(index, cancel) {
            Err(error @ QueryError::NotRecorded { .. }) => {
                unrecorded = Some(error.to_string());
                continue;
            }
            last => last?,
        };
        if let Some(last) = last {
            let by = match last.accesses.first() {
                Some(CellAccess::Step(hit)) => Some(hit.record.step),
                Some(CellAccess::Initial(_)) | None => None,
            };
            written = written.max(Some((last.position, by)));
        }
        let next = NearestAccess::next(*cell, kinds, at)
            .hit(index, cancel)?
            .map(|hit| hit.record.step);
        next_write = next_write.into_iter().chain(next).min();
    }
    let value = shown(&meaning.value, watch.kind);
    let unknown = || match (written, unrecorded) {
        (Some(_), _) => say!("watches-the-trace-does-not-tell").to_owned(),
        (None, Some(reason)) => reason,
        (None, None) => say!("watches-nothing-wrote-it-before-this").to_owned(),
    };
    let reason = match (&value, meaning.reason) {
        (Some(_), reason) => reason,
        (None, reason) => Some(reason.unwrap_or_else(unknown)),
    };
    Ok(WatchState {
        hex: short_hex(&meaning.value),
        reason,
        is_wrong: false,
        source: meaning.source,
        is_news: written.is_some_and(|(position, by)| position == at && by.is_some()),
        written_by: written.and_then(|(_, by)| by),
        is_initial: written.is_some_and(|(_, by)| by.is_none()),
        next_write,
        cells: meaning.cells,
        address: meaning.address,
        readings: scene.readings(split_range(&watch.expression).0, at),
        value,
    })
}

/// Returns the memory that a watch shows at a position; `None` if it shows something else, or if
/// its address is unknown. Runs on a worker.
///
/// # Errors
/// See [`QueryError`].
pub fn watched_memory(
    session: &Session,
    watch: &Watch,
    at: Position,
    cancel: &Cancel,
) -> Result<Option<MemoryRange>> {
    let index = &session.index;
    let scene = EvaluationContext {
        index,
        images: &session.images,
        thread: thread_of(index, at)?,
        cancel,
    };
    match meaning(&scene, watch, at) {
        Ok(found) => Ok(found.address.and_then(|address| {
            found.cells.iter().find_map(|cell| match cell {
                Cell::Memory {
                    address: first,
                    len_bytes,
                } if *first == address => Some(MemoryRange {
                    address,
                    len_bytes: *len_bytes,
                }),
                Cell::Memory { .. } | Cell::Physical { .. } | Cell::Register { .. } => None,
            })
        })),
        Err(NameError::Trace(error)) => Err(error.into()),
        Err(_) => Ok(None),
    }
}

/// Finds the nearest position at which the value of a watch changes. Runs on a worker.
///
/// # Errors
/// The expression is misspelt, or the trace cannot be read.
pub fn next_change(
    session: &Session,
    watch: &Watch,
    from: Position,
    direction: Direction,
    cancel: &Cancel,
) -> Result<Option<Position>> {
    let index = &session.index;
    let scene = EvaluationContext {
        index,
        images: &session.images,
        thread: thread_of(index, from)?,
        cancel,
    };
    let mut state = |at: Position| -> Result<(Option<Value>, Vec<Cell>), NameError> {
        match meaning(&scene, watch, at) {
            Ok(meaning) => Ok((Some(meaning.value), meaning.all)),
            Err(error @ NameError::Trace(_)) => Err(error),
            Err(error) if error.is_misspelt() => Err(error),
            // The cells that determine its address may become known.
            Err(_) => Ok((None, dependencies(&scene, watch, at))),
        }
    };
    let is_edge = |before: &Option<Value>, after: &Option<Value>| before != after;
    Ok(next_edge(&scene, from, direction, &mut state, &is_edge)?)
}

/// Value of a watch at a place of its curve.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct WaveLevel {
    /// Value in words; none if unknown.
    pub words: Option<String>,
    /// Value as a number, if it is one.
    pub number: Option<f64>,
    /// Provenance of the value.
    pub source: ValueSource,
}

/// Evaluates a watch and lists the cells that it depends on: while none of them is written, the
/// value does not change. Runs on a worker.
///
/// # Errors
/// The expression is misspelt, or the trace cannot be read.
pub fn watch_level(
    scene: &EvaluationContext<'_>,
    watch: &Watch,
    at: Position,
) -> Result<(WaveLevel, Vec<Cell>), NameError> {
    match meaning(scene, watch, at) {
        Ok(meaning) => {
            let level = WaveLevel {
                words: shown(&meaning.value, watch.kind),
                number: number_of(&meaning.value, watch.kind),
                source: meaning.source,
            };
            Ok((level, meaning.all))
        }
        Err(error @ NameError::Trace(_)) => Err(error),
        Err(error) if error.is_misspelt() => Err(error),
        Err(_) => Ok((WaveLevel::default(), dependencies(scene, watch, at))),
    }
}

/// Interprets a value as a number of its type.
fn number_of(value: &Value, kind: WatchType) -> Option<f64> {
    let bits = value.to_u64()?;
    let signed = |size: u32| Some(((bits << (64 - 8 * size)) as i64 >> (64 - 8 * size)) as f64);
    match kind {
        WatchType::Hex | WatchType::U8 | WatchType::U16 | WatchType::U32 | WatchType::U64 => {
            Some(bits as f64)
        }
        WatchType::I8 => signed(1),
        WatchType::I16 => signed(2),
        WatchType::I32 => signed(4),
        WatchType::I64 => signed(8),
        WatchType::F32 => Some(f64::from(f32::from_bits(bits as u32))),
        WatchType::F64 => Some(f64::from_bits(bits)),
        WatchType::Ascii | WatchType::Utf8 => None,
    }
}

fn dependencies(scene: &EvaluationContext<'_>, watch: &Watch, at: Position) -> Vec<Cell> {
    let inner = load_of(&watch.expression).map_or(&*watch.expression, |(address, _)| address);
    parse(inner)
        .map(|expression| scene.evaluate(&expression, at).cells)
        .unwrap_or_default()
}

fn meaning(
    scene: &EvaluationContext<'_>,
    watch: &Watch,
    at: Position,
) -> Result<EvaluatedWatch, NameError> {
    let text = watch.expression.trim();
    let name = text.strip_prefix("reg::").unwrap_or(text);
    let register = RegisterPart::parse(name)
        .view_at(scene.index, scene.thread, at)
        .map_err(NameError::Trace)?;
    if let Some((thread, view)) = register {
        let size = watch
            .kind
            .size_bytes()
            .map_or(view.size_bytes, |size| size.min(view.size_bytes));
        let view = RegisterView::new(view.register, view.offset, size);
        return of_cell(
            scene,
            Cell::Register { thread, view },
            ValueInputs::default(),
            at,
        );
    }
    if let Some((address, size_bytes)) = load_of(text) {
        let (address, around) = number(scene, address, at)?;
        let len_bytes = match (watch.kind.size_bytes(), size_bytes) {
            (Some(size), _) => u64::from(size),
            (None, Some(size)) => size,
            (None, None) => u64::from(
                NameReader(scene.index)
                    .set_at(scene.thread, at)
                    .map_err(NameError::Trace)?
                    .word_bytes(),
            ),
        };
        let address = Address(address);
        let range = MemoryRange { address, len_bytes };
        return of_memory(scene, watch.kind, range, around, at);
    }
    // If several symbols have one name, none is chosen: evaluating the expression below lists them.
    if let [symbol] = &*scene.images.symbols_named(text)
        && !symbol.is_code()
    {
        let whole = if symbol.size_bytes == 0 {
            8
        } else {
            symbol.size_bytes.min(8)
        };
        let len_bytes = watch.kind.size_bytes().map_or(whole, u64::from);
        let around = ValueInputs::default();
        let address = symbol.address;
        let range = MemoryRange { address, len_bytes };
        return of_memory(scene, watch.kind, range, around, at);
    }
    if let (address, Some(length)) = split_range(text) {
        let (address, mut around) = number(scene, address, at)?;
        let (length, of_length) = count(scene, length, at)?;
        around.cells.extend(of_length.cells);
        around.source = around.source.max(of_length.source);
        let len_bytes = watch.kind.size_bytes().map_or(length.max(1), u64::from);
        let address = Address(address);
        let range = MemoryRange { address, len_bytes };
        return of_memory(scene, watch.kind, range, around, at);
    }
    let (value, ValueInputs { cells, source }) = number(scene, text, at)?;
    let size = watch.kind.size_bytes().map_or(8, usize::from);
    let bytes = value
        .to_le_bytes()
        .iter()
        .take(size)
        .map(|byte| Some(*byte))
        .collect();
    let (all, reason) = (cells.clone(), None);
    Ok(EvaluatedWatch {
        cells,
        all,
        value: Value(bytes),
        source,
        reason,
        address: None,
    })
}

/// Parses a memory operand, `[sp+8]` or `u32[sp+8]`: its address and its size in bytes.
fn load_of(text: &str) -> Option<(&str, Option<u64>)> {
    let (head, inner) = text.trim().strip_suffix(']')?.split_once('[')?;
    let size_bytes = match head.trim() {
        "" => None,
        "u8" => Some(1),
        "u16" => Some(2),
        "u32" => Some(4),
        "u64" => Some(8),
        _ => return None,
    };
    let mut depth = 0i32;
    let is_whole = inner.chars().all(|letter| {
        depth += i32::from(letter == '[') - i32::from(letter == ']');
        depth >= 0
    });
    is_whole.then_some((inner, size_bytes))
}

/// Inputs of a computed number.
struct ValueInputs {
    cells: Vec<Cell>,
    /// Least certain provenance of the inputs.
    source: ValueSource,
}

impl Default for ValueInputs {
    /// No inputs, hence nothing uncertain.
    fn default() -> Self {
        Self {
            cells: Vec::new(),
            source: ValueSource::Recorded,
        }
    }
}

fn number(
    scene: &EvaluationContext<'_>,
    text: &str,
    at: Position,
) -> Result<(u64, ValueInputs), NameError> {
    value_of(scene, text, parse(text), at)
}

/// Evaluates a number in C syntax: a length is not an address.
fn count(
    scene: &EvaluationContext<'_>,
    text: &str,
    at: Position,
) -> Result<(u64, ValueInputs), NameError> {
    value_of(scene, text, parse(text).and_then(Expression::in_c), at)
}

fn value_of(
    scene: &EvaluationContext<'_>,
    text: &str,
    expression: Result<Expression, ExpressionError>,
    at: Position,
) -> Result<(u64, ValueInputs), NameError> {
    let named = |error: ExpressionError| NameError::Expression {
        text: text.to_owned(),
        error,
    };
    let found = scene.evaluate(&expression.map_err(named)?, at);
    scene.cancel.check().map_err(NameError::Trace)?;
    Ok((
        found.value.map_err(named)?,
        ValueInputs {
            cells: found.cells,
            source: found.source,
        },
    ))
}

fn of_memory(
    scene: &EvaluationContext<'_>,
    kind: WatchType,
    range: MemoryRange,
    around: ValueInputs,
    at: Position,
) -> Result<EvaluatedWatch, NameError> {
    let MemoryRange {
        address,
        mut len_bytes,
    } = range;
    if kind.is_text() {
        len_bytes = text_length(scene, address, at).map_err(NameError::Trace)?;
    }
    let mut found = of_cell(scene, Cell::Memory { address, len_bytes }, around, at)?;
    if kind.is_text() && scene.index.info().is_big_endian {
        // Characters are kept in memory order.
        found.value.0.reverse();
    }
    Ok(found)
}

/// Returns the length of a text including its terminating zero.
fn text_length(
    scene: &EvaluationContext<'_>,
    address: Address,
    at: Position,
) -> Result<u64, QueryError> {
    let memory = MemoryAt {
        position: at,
        address,
        len_bytes: TEXT_BYTES,
    }
    .run(scene.index, scene.cancel)?;
    let end = memory
        .iter()
        .position(|byte| matches!(byte.value, None | Some(0)));
    Ok(end.map_or(TEXT_BYTES, |end| end as u64 + 1))
}

fn of_cell(
    scene: &EvaluationContext<'_>,
    cell: Cell,
    around: ValueInputs,
    at: Position,
) -> Result<EvaluatedWatch, NameError> {
    let found = cell_value(scene.index, cell, at, scene.cancel).map_err(NameError::Trace)?;
    let value = found.value;
    let address = match cell {
        Cell::Memory { address, .. } => Some(address),
        Cell::Register { .. } | Cell::Physical { .. } => None,
    };
    // A value is no more certain than the address that it was read from.
    let source = found.source.max(around.source);
    let all = around.cells.into_iter().chain([cell]).collect();
    Ok(EvaluatedWatch {
        cells: vec![cell],
        all,
        value,
        source,
        reason: found.reason,
        address,
    })
}

/// Formats a value; none if a byte that it needs is unknown.
fn shown(value: &Value, kind: WatchType) -> Option<String> {
    let number = || value.to_u64();
    let signed = |size: u32| {
        number().map(|bits| ((bits << (64 - 8 * size)) as i64 >> (64 - 8 * size)).to_string())
    };
    match kind {
        WatchType::Hex => short_hex(value),
        WatchType::U8 | WatchType::U16 | WatchType::U32 | WatchType::U64 => {
            number().map(|bits| bits.to_string())
        }
        WatchType::I8 => signed(1),
        WatchType::I16 => signed(2),
        WatchType::I32 => signed(4),
        WatchType::I64 => signed(8),
        WatchType::F32 => number().map(|bits| float(f64::from(f32::from_bits(bits as u32)))),
        WatchType::F64 => number().map(|bits| float(f64::from_bits(bits))),
        WatchType::Ascii | WatchType::Utf8 => text_of(value, kind),
    }
}

fn float(number: f64) -> String {
    let is_plain = number == 0.0 || (1e-4..1e16).contains(&number.abs()) || !number.is_finite();
    if is_plain {
        format!("{number}")
    } else {
        format!("{number:e}")
    }
}

/// Formats characters up to a zero or an unknown byte; none if the first byte is unknown.
fn text_of(value: &Value, kind: WatchType) -> Option<String> {
    let known: Vec<u8> = value.0.iter().map_while(|byte| *byte).collect();
    if known.is_empty() {
        return None;
    }
    let is_open = known.len() < value.0.len();
    let bytes: Vec<u8> = known
        .iter()
        .copied()
        .take_while(|byte| *byte != 0)
        .collect();
    let text = match kind {
        WatchType::Utf8 => String::from_utf8_lossy(&bytes).escape_debug().to_string(),
        _ => bytes.escape_ascii().to_string(),
    };
    let is_ended = bytes.len() < known.len() || !is_open;
    Some(format!("\"{text}\"{}", if is_ended { "" } else { "…" }))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::session::test_session::{overflow, overflow_with_image, tarmac};

    #[track_caller]
    fn check(watch: &str, at: u64, expected: &str) {
        let state = watch_state(
            &overflow(),
            &Watch::parse(watch),
            Position(at),
            &Cancel::default(),
        )
        .unwrap();
        let writer = state
            .written_by
            .map(|step| format!(" by {}", step.0))
            .unwrap_or_default();
        let next = state
            .next_write
            .map(|step| format!(" then {}", step.0))
            .unwrap_or_default();
        let value = state
            .value
            .unwrap_or_else(|| format!("unknown: {}", state.reason.unwrap_or_default()));
        assert_eq!(format!("{value}{writer}{next}"), expected, "{watch}");
    }

    #[test]
    fn registers_memory_and_sums_have_values_and_writers() {
        check("x19", 1250, "8002000f by 1188 then 1253");
        check("w19 i32", 1250, "-2147352561 by 1188 then 1253");
        check("x19 - x22 u64", 1250, "15 by 1188 then 1253");
        check("u8[0x80020010]", 1250, "a9 by 1249");
        check("[x19 + 1] u8", 1250, "169 by 1249");
        check("80020010:1 u8", 1250, "169 by 1249");
    }

    #[test]
    fn what_is_worked_out_is_no_surer_than_what_it_is_worked_out_of() {
        let (session, _place) = tarmac(
            "1 clk IT (0) 00001000 d2840001 O EL1h_n : MOV x1,#0x2000\n1 clk R X1 0000000000002000\n\
             2 clk IT (1) 00001004 f9400020 O EL1h_n : LDR x0,[x1]\n2 clk MR8 00002000 0000000000002008\n\
             2 clk R X0 0000000000002008\n3 clk IT (2) 00001008 f9000001 O EL1h_n : STR x1,[x0]\n\
             3 clk MW8 00002008 0000000000002000\n",
        );
        let source = |text: &str, at: u64| {
            watch_state(
                &session,
                &Watch::parse(text),
                Position(at),
                &Cancel::default(),
            )
            .unwrap()
            .source
        };
        assert_eq!(source("[0x2000] + 1", 1), ValueSource::Inferred);
        assert_eq!(source("[0x2000] + 1", 2), ValueSource::Recorded);
        assert_eq!(source("1 + 1", 1), ValueSource::Recorded);
        assert_eq!(source("[[0x2000]]", 3), ValueSource::Recorded);
        assert_eq!(source("x9 + 1", 3), ValueSource::Unknown);
    }

    #[test]
    fn what_is_unknown_says_why() {
        check(
            "[0xdead0000] u32",
            1250,
            "unknown: no write before this position",
        );
        check(
            "no_such_name + 1",
            1250,
            "unknown: no register or symbol is named \"no_such_name\" (no image: give one with --image)",
        );
        let wrong = |text: &str| {
            watch_state(
                &overflow(),
                &Watch::parse(text),
                Position(9),
                &Cancel::default(),
            )
            .unwrap()
            .is_wrong
        };
        assert!(wrong("x0 +") && !wrong("[0xdead0000]"));
    }

    #[test]
    fn texts_end_at_their_zero_and_floats_are_numbers() {
        let (session, _place) = tarmac(
            "1 clk IT (0) 00001000 f9000020 O EL1h_n : STR x0,[x1]\n1 clk MW8 00002000 0000006f6c6c6568\n\
             2 clk IT (1) 00001004 f9000020 O EL1h_n : STR x0,[x1]\n2 clk MW8 00002008 3ff8000000000000\n",
        );
        let value = |text: &str| {
            watch_state(
                &session,
                &Watch::parse(text),
                Position(2),
                &Cancel::default(),
            )
            .unwrap()
            .value
        };
        assert_eq!(value("[0x2000] ascii").as_deref(), Some("\"hello\""));
        assert_eq!(value("[0x2008] f64").as_deref(), Some("1.5"));
        assert_eq!(value("[0x2006] utf8").as_deref(), Some("\"\""));
        assert_eq!(value("[0x2010] utf8"), None);
        assert_eq!(float(1e-9), "1e-9");
    }

    #[test]
    fn changes_are_found_on_both_sides_and_a_write_of_the_same_is_none() {
        let (session, cancel) = (overflow_with_image(), Cancel::default());
        let change = |text: &str, from: u64, direction| {
            let found = next_change(
                &session,
                &Watch::parse(text),
                Position(from),
                direction,
                &cancel,
            )
            .unwrap();
            found.map(|position| position.0)
        };
        assert_eq!(
            (
                change("x19", 1250, Direction::Back),
                change("x19", 1250, Direction::Forward)
            ),
            (Some(1189), Some(1254))
        );
        // The memory that x19 points to changes when x19 does.
        assert_eq!(change("u8[x19+1]", 1251, Direction::Forward), Some(1254));
        let same =
            "1 clk IT (0) 00001000 d2800020 O EL1h_n : MOV x0,#1\n1 clk R X0 0000000000000001\n";
        let (session, _place) =
            tarmac(&[same, &same.replace("1 clk", "2 clk").replace("(0)", "(1)")].concat());
        let watch = Watch::parse("x0");
        assert_eq!(
            next_change(&session, &watch, Position(1), Direction::Forward, &cancel).unwrap(),
            None
        );
    }
}
