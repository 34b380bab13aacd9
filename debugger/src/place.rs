//! Names of positions: POS of the command line and of "Go to".
//!
//! ```
//! use stepback_debugger::place::PositionName;
//!
//! assert_eq!("1,250".parse::<PositionName>()?, PositionName::Number(1250));
//! assert_eq!("line:7".parse::<PositionName>()?.to_string(), "line:7");
//! assert!("pc:main + 8#2".parse::<PositionName>().is_ok());
//! let error = "7th".parse::<PositionName>().unwrap_err();
//! assert!(error.to_string().starts_with("\"7th\" is not a position"));
//! # Ok::<(), anyhow::Error>(())
//! ```

use std::fmt;
use std::str::FromStr;

use anyhow::{Context as _, Result, anyhow, bail, ensure};
use stepback_index::answer::Hit;
use stepback_index::query::{
    FallsAcrossTime, NearestVisit, NthVisit, PositionOfLine, PositionOfTime, VisitsFrom,
};
use stepback_index::{Cancel, Index, Query as _, QueryError};
use stepback_machine::Address;
use stepback_parsers::{Line, Position};

use crate::clock::{TraceClock, clock_text, micros_of};
use crate::expression;
use crate::expression::{Expression, ExpressionError, IndexLookup, NameLookup, SymbolLookup};
use crate::image::{Images, SourceLineName};
use crate::messages::{say, spoken};
use crate::number::whole_digits;
use crate::session::Session;

/// The accepted forms, for messages and help.
pub const FORMS: &str =
    "N, start, end, 50%, line:N, i:N, r:N, time:T, pc:ADDR, pc:ADDR#K or FILE:LINE";

/// A position as a user names it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum PositionName {
    /// `N`: after N steps.
    Number(u64),
    /// `start`.
    Start,
    /// `end`.
    End,
    /// `50%`, `33.3%`: this share of all steps, rounded down.
    Percent(Percent),
    /// `line:N`: after the step to which this line belongs.
    Line(Line),
    /// `i:N`: after the N-th instruction, as DynamoRIO's tools count.
    Instruction(u64),
    /// `r:N`: after the step to which this record of a binary format belongs, as DynamoRIO's tools
    /// count.
    Record(u64),
    /// `time:T`: after the last step whose time is at most T.
    Time(u64),
    /// `time:DATE`: the same in a trace whose times are Unix microseconds, as they are printed.
    Date(u64),
    /// `FILE:LINE`: before the first step at a line of a source file.
    SourceLine(SourceLineName),
    /// `pc:ADDR`: before the first step at an address; `pc:ADDR#K`: before the K-th.
    Visit {
        /// Address as the user wrote it.
        address: String,
        /// Parsed address.
        expression: Expression,
        /// Number of the visit, from 1.
        number: u64,
    },
}

/// A percentage in billionths of a per cent, at most 100 %.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Percent(u64);

impl Percent {
    /// Maximum number of digits after the point.
    const DECIMALS: usize = 9;
    const ONE: u64 = 1_000_000_000;

    /// Returns this share of a number, rounded down.
    pub fn of(self, whole: u64) -> u64 {
        let part = u128::from(whole) * u128::from(self.0) / u128::from(100 * Self::ONE);
        // At most 100 per cent of a u64.
        u64::try_from(part).unwrap_or(whole)
    }

    fn parse(text: &str) -> Result<Self> {
        let value = scaled(text, Self::DECIMALS).context(say!("place-a-percentage-is-a-number"))?;
        ensure!(
            value <= 100 * Self::ONE,
            say!("place-percentages-go-from-0-to")
        );
        Ok(Self(value))
    }
}

impl fmt::Display for Percent {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (whole, fraction) = (self.0 / Self::ONE, self.0 % Self::ONE);
        if fraction == 0 {
            return write!(f, "{whole}%");
        }
        write!(
            f,
            "{whole}.{}%",
            format!("{fraction:09}").trim_end_matches('0')
        )
    }
}

impl FromStr for PositionName {
    type Err = anyhow::Error;

    fn from_str(text: &str) -> Result<Self> {
        let trimmed = text.trim();
        ensure!(
            !trimmed.is_empty(),
            "{}",
            say!("place-needed", forms = FORMS)
        );
        parse(trimmed)
            .with_context(|| {
                say!(
                    "place-no-position",
                    text = format!("{trimmed:?}"),
                    forms = FORMS
                )
            })
            .map_err(flat)
    }
}

impl fmt::Display for PositionName {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Number(number) => write!(f, "{number}"),
            Self::Start => f.write_str("start"),
            Self::End => f.write_str("end"),
            Self::Percent(percent) => write!(f, "{percent}"),
            Self::Line(Line(number)) => write!(f, "line:{number}"),
            Self::Instruction(number) => write!(f, "i:{number}"),
            Self::Record(number) => write!(f, "r:{number}"),
            Self::Time(time) => write!(f, "time:{time}"),
            Self::Date(micros) => write!(f, "time:{}", clock_text(*micros)),
            Self::SourceLine(line) => write!(f, "{line}"),
            Self::Visit {
                address, number: 1, ..
            } => write!(f, "pc:{address}"),
            Self::Visit {
                address, number, ..
            } => write!(f, "pc:{address}#{number}"),
        }
    }
}

impl PositionName {
    /// Returns the position in a trace. `pc:` may name symbols but no registers, which have values
    /// only at a position. Blocks; reads at most a few steps' text.
    ///
    /// # Errors
    /// The trace has no such position. The message names the last one.
    pub fn resolve(&self, session: &Session, cancel: &Cancel) -> Result<Position> {
        self.resolve_in(&session.index, &session.images, None, cancel)
    }

    /// Like [`Self::resolve`], with the register values at `from`: `pc:lr` is the return address of
    /// a function.
    ///
    /// # Errors
    /// See [`Self::resolve`].
    pub fn resolve_from(
        &self,
        session: &Session,
        from: Position,
        cancel: &Cancel,
    ) -> Result<Position> {
        self.resolve_in(&session.index, &session.images, Some(from), cancel)
    }

    /// Returns the next execution of the named code after one at `from`; none if it is not executed
    /// there or not again.
    ///
    /// # Errors
    /// See [`Self::resolve`].
    pub fn next_visit(
        &self,
        session: &Session,
        from: Position,
        cancel: &Cancel,
    ) -> Result<Option<Position>> {
        let Self::Visit {
            address,
            expression,
            ..
        } = self
        else {
            return Ok(None);
        };
        let context = context(&session.index, &session.images, Some(from), cancel);
        let code = expression
            .evaluate_all(&*context)
            .map_err(|error| unevaluated(address, error))?;
        let visit = |at: Position| -> Result<Option<Position>> {
            let mut nearest: Option<Position> = None;
            for pc in &code {
                let hit = NearestVisit::next(Address(*pc), at).run(&session.index, cancel)?;
                let entry = hit.map(|hit| hit.record.step.before());
                nearest = nearest.into_iter().chain(entry).min();
            }
            Ok(nearest)
        };
        match visit(from)? {
            Some(here) if here == from => visit(Position(from.0 + 1)),
            _ => Ok(None),
        }
    }

    /// Returns remarks about the position as phrases: a time that recurs because time runs
    /// backwards, or the chosen reading of an ambiguous number.
    ///
    /// # Errors
    /// See [`QueryError`].
    pub fn remarks(
        &self,
        session: &Session,
        from: Option<Position>,
        cancel: &Cancel,
    ) -> Result<Vec<String>> {
        match self {
            Self::Time(time) | Self::Date(time) => Ok(time_remark(*time, &session.index, cancel)?
                .into_iter()
                .collect()),
            Self::Visit { expression, .. } => {
                let context = context(&session.index, &session.images, from, cancel);
                Ok(expression
                    .readings(&*context)
                    .iter()
                    .map(ToString::to_string)
                    .collect())
            }
            _ => Ok(Vec::new()),
        }
    }

    /// Like [`Self::resolve_from`], for any index.
    ///
    /// # Errors
    /// See [`Self::resolve`].
    pub fn resolve_in(
        &self,
        index: &Index,
        images: &Images,
        from: Option<Position>,
        cancel: &Cancel,
    ) -> Result<Position> {
        match self {
            Self::Number(number) => checked(index, Position(*number)),
            Self::Start => Ok(Position(0)),
            Self::End => Ok(index.end()),
            Self::Percent(percent) => Ok(Position(percent.of(index.step_count()))),
            Self::Line(line) => position_of_line(index, *line, cancel),
            Self::Instruction(number) => checked(index, Position(*number)),
            Self::Record(number) => position_of_record(index, *number),
            Self::Time(time) => position_of_time(index, *time, cancel),
            Self::Date(micros) => {
                ensure!(
                    TraceClock::of(index) == TraceClock::UnixMicros,
                    InvalidPositionName(say!("place-no-dates", place = self.to_string()))
                );
                position_of_time(index, *micros, cancel)
            }
            Self::SourceLine(line) => {
                let code = line.code(images, cancel)?;
                ensure!(!code.is_empty(), InvalidPositionName(line.no_code()));
                let code: Vec<u64> = code.into_iter().map(|address| address.0).collect();
                position_of_visit(index, &code, 1, cancel)
            }
            Self::Visit {
                address,
                expression,
                number,
            } => {
                let context = context(index, images, from, cancel);
                let code = expression
                    .evaluate_all(&*context)
                    .map_err(|error| unevaluated(address, error))?;
                position_of_visit(index, &code, *number, cancel)
            }
        }
    }
}

/// Returns the names at a position, or only symbols if there is no position.
fn context<'a>(
    index: &'a Index,
    images: &'a Images,
    from: Option<Position>,
    cancel: &'a Cancel,
) -> Box<dyn NameLookup + 'a> {
    match from {
        Some(from) => Box::new(IndexLookup::new(index, images, from, None, cancel)),
        None => Box::new(SymbolLookup {
            index,
            images,
            cancel,
        }),
    }
}

/// Returns the remark that a time recurs because time runs backwards.
fn time_remark(time: u64, index: &Index, cancel: &Cancel) -> Result<Option<String>> {
    let falls = FallsAcrossTime(time).run(index, cancel)?;
    Ok(falls.first().map(|first| {
        let (step, count) = (first.step.0, falls.len());
        let (time, step, more) = (time.to_string(), step.to_string(), count.saturating_sub(1));
        match more {
            0 => say!("place-time-ambiguous", time = time, step = step),
            _ => say!(
                "place-time-ambiguous-often",
                time = time,
                step = step,
                more = more.to_string()
            ),
        }
    }))
}

/// Flattens an error chain to one sentence, since callers may show only the outermost error.
fn flat(error: anyhow::Error) -> anyhow::Error {
    anyhow!("{error:#}")
}

/// Error: the position does not exist, but may exist in a longer trace. Contains a sentence.
#[derive(Debug)]
struct MissingPosition(String);

impl fmt::Display for MissingPosition {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl std::error::Error for MissingPosition {}

/// Error: the name has no meaning in this trace. Contains a sentence.
#[derive(Debug)]
struct InvalidPositionName(String);

impl fmt::Display for InvalidPositionName {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl std::error::Error for InvalidPositionName {}

/// Returns the error for an address without a value. An error of the index or the trace stays the
/// source, since that may be repaired.
fn unevaluated(address: &str, error: ExpressionError) -> anyhow::Error {
    match error.cause() {
        Some(_) => anyhow::Error::new(error).context(format!("pc:{address}")),
        None => InvalidPositionName(format!("pc:{address}: {error}")).into(),
    }
}

/// Returns true if the trace has no position of this name, as opposed to a read error.
pub fn is_misnamed(error: &anyhow::Error) -> bool {
    error.is::<InvalidPositionName>() || is_missing(error)
}

/// Returns true if the trace ends before the position: more of the trace may have it.
pub fn is_missing(error: &anyhow::Error) -> bool {
    error.is::<MissingPosition>()
        || matches!(error.downcast_ref(), Some(QueryError::BeyondEnd { .. }))
}

fn checked(index: &Index, requested: Position) -> Result<Position> {
    let end = index.end();
    if requested > end {
        Err(MissingPosition(say!(
            "place-position-beyond",
            position = requested.0,
            end = end.0
        ))
        .into())
    } else {
        Ok(requested)
    }
}

fn position_of_line(index: &Index, line: Line, cancel: &Cancel) -> Result<Position> {
    let lines = index.info().lines;
    let unavailable = || InvalidPositionName(say!("place-no-raw-text", line = line.0.to_string()));
    ensure!(index.source().is_text(), unavailable());
    let beyond = || {
        MissingPosition(say!(
            "place-line-beyond",
            line = line.0.to_string(),
            end = lines.to_string()
        ))
    };
    ensure!(line.0 <= lines, beyond());
    Ok(PositionOfLine(line).run(index, cancel)?)
}

/// A trace without steps is not refused: its first times may still arrive.
fn position_of_time(index: &Index, time: u64, cancel: &Cancel) -> Result<Position> {
    ensure!(
        index.info().time_range.is_some() || index.step_count() == 0,
        InvalidPositionName(say!("place-no-times", time = time.to_string()))
    );
    Ok(PositionOfTime(time).run(index, cancel)?)
}

fn position_of_record(index: &Index, number: u64) -> Result<Position> {
    let source = index.source();
    let format = &source.traits().format;
    let Some(count) = source.record_count() else {
        bail!(InvalidPositionName(say!(
            "place-no-records",
            format = format.to_string(),
            number = number.to_string()
        )))
    };
    let beyond = || {
        MissingPosition(say!(
            "place-record-beyond",
            record = number.to_string(),
            end = count.to_string()
        ))
    };
    checked(
        index,
        source.position_of_record(number)?.ok_or_else(beyond)?,
    )
}

fn position_of_visit(
    index: &Index,
    code: &[u64],
    number: u64,
    cancel: &Cancel,
) -> Result<Position> {
    let found = match *code {
        [pc] => nth_visit(index, Address(pc), number, cancel)?,
        _ => nth_visit_of_any(index, code, number, cancel)?,
    };
    let addresses = || {
        code.iter()
            .map(|pc| format!("{pc:#x}"))
            .collect::<Vec<_>>()
            .join(", ")
    };
    match found {
        Some(position) => Ok(position),
        None if number == 1 => bail!(MissingPosition(say!(
            "place-no-step-at",
            address = addresses()
        ))),
        None => bail!(MissingPosition(say!(
            "place-fewer-at",
            count = number.to_string(),
            address = addresses()
        ))),
    }
}

fn nth_visit(index: &Index, pc: Address, number: u64, cancel: &Cancel) -> Result<Option<Position>> {
    let visit = |pc: Address| -> Result<Option<Hit>> {
        Ok(match number {
            1 => NearestVisit::next(pc, Position(0)).run(index, cancel)?,
            _ => NthVisit { pc, number }.run(index, cancel)?,
        })
    };
    let hit = match visit(pc)? {
        // If bit 0 selects the decoding, an odd address is a code address as registers hold it.
        None if pc.0 % 2 == 1 => {
            let even = Address(pc.0 - 1);
            visit(even)?.filter(|hit| hit.record.instruction_set.code_address(pc.0) == even.0)
        }
        hit => hit,
    };
    Ok(hit.map(|hit| hit.record.step.before()))
}

/// Returns the K-th visit of any of several addresses. Cost: the first K visits of each.
fn nth_visit_of_any(
    index: &Index,
    code: &[u64],
    number: u64,
    cancel: &Cancel,
) -> Result<Option<Position>> {
    let Ok(limit) = usize::try_from(number) else {
        return Ok(None);
    };
    let mut visits = Vec::new();
    for pc in code {
        let visits_of_one = VisitsFrom {
            pc: Address(*pc),
            from: Position(0),
            limit,
        }
        .run(index, cancel)?;
        visits.extend(visits_of_one.iter().map(|step| step.before()));
    }
    visits.sort_unstable();
    Ok(limit
        .checked_sub(1)
        .and_then(|before| visits.get(before).copied()))
}

fn parse(text: &str) -> Result<PositionName> {
    let lower = text.to_ascii_lowercase();
    match lower.as_str() {
        "start" => return Ok(PositionName::Start),
        "end" => return Ok(PositionName::End),
        _ => {}
    }
    if let Some(percent) = text.strip_suffix('%') {
        return Percent::parse(percent.trim_end()).map(PositionName::Percent);
    }
    let Some((kind, rest)) = text.split_once(':') else {
        let is_negative = text
            .strip_prefix('-')
            .is_some_and(|digits| whole_digits(digits).is_some());
        ensure!(
            !is_negative,
            "{}",
            say!("place-negative", text = format!("{text:?}"))
        );
        let is_name = text
            .chars()
            .all(|letter| letter.is_alphanumeric() || letter == '_')
            && !text.starts_with(|first: char| first.is_ascii_digit());
        ensure!(!is_name, "{}", say!("place-symbol-meant", text = text));
        return whole(text).map(PositionName::Number);
    };
    let rest = rest.trim();
    match kind.trim_end().to_ascii_lowercase().as_str() {
        "line" => parse_line(rest),
        "i" => counted_from_one(rest, "place-instructions-from-one").map(PositionName::Instruction),
        "r" => counted_from_one(rest, "place-records-from-one").map(PositionName::Record),
        "time" => parse_time(rest),
        "pc" => parse_visit(rest),
        kind => SourceLineName::parse(text)
            .map(PositionName::SourceLine)
            .with_context(|| say!("place-no-kind", kind = format!("{kind:?}"))),
    }
}

fn parse_line(text: &str) -> Result<PositionName> {
    counted_from_one(text, "place-lines-from-one").map(|number| PositionName::Line(Line(number)))
}

/// Reads a number of something that is counted from 1. `message` is the error for 0.
fn counted_from_one(text: &str, message: &'static str) -> Result<u64> {
    let number = whole(text)?;
    ensure!(number > 0, spoken(message));
    Ok(number)
}

/// Reads a time. Times with a point are kept in millionths of the trace's unit, as the trace's own
/// are (`1.5 us` is 1500000). A date contains hyphens.
fn parse_time(text: &str) -> Result<PositionName> {
    if text.contains('-') {
        let date = micros_of(text).map(PositionName::Date);
        return date.with_context(|| say!("place-no-date", text = format!("{text:?}")));
    }
    if text.contains('.') {
        return scaled(text, 6)
            .map(PositionName::Time)
            .context(say!("place-a-time-is-a-number"));
    }
    whole(text).map(PositionName::Time)
}

fn parse_visit(text: &str) -> Result<PositionName> {
    if let Some(line) = SourceLineName::parse(text) {
        return Ok(PositionName::SourceLine(line));
    }
    // A quoted name may contain a #: `main::{closure#0}`.
    let numbered = text
        .rsplit_once('#')
        .filter(|(_, number)| !number.contains('`'));
    let (address, number) = match numbered {
        Some((address, number)) => (
            address.trim_end(),
            whole(number.trim_start()).context(say!("place-after-stands-which-visit-is"))?,
        ),
        None => (text, 1),
    };
    ensure!(number > 0, say!("place-visits-count-from-1"));
    let expression = expression::parse(address)?;
    Ok(PositionName::Visit {
        address: address.to_owned(),
        expression,
        number,
    })
}

/// Reads a whole number, with or without separators between thousands.
fn whole(text: &str) -> Result<u64> {
    ensure!(!text.is_empty(), say!("place-a-number-is-missing"));
    let digits =
        whole_digits(text).with_context(|| say!("place-not-whole", text = format!("{text:?}")))?;
    digits
        .parse()
        .with_context(|| say!("place-too-large", text = format!("{text:?}")))
}

/// Reads a number with up to `decimals` digits after the point, times ten to the power of
/// `decimals`.
fn scaled(text: &str, decimals: usize) -> Result<u64> {
    let (before, after) = text.split_once('.').unwrap_or((text, "0"));
    let is_fraction = !after.is_empty() && after.bytes().all(|byte| byte.is_ascii_digit());
    let no_number = || say!("place-no-number", text = format!("{text:?}"));
    ensure!(is_fraction, no_number());
    let many = || {
        say!(
            "place-many-digits",
            text = format!("{text:?}"),
            most = decimals.to_string()
        )
    };
    ensure!(after.len() <= decimals, many());
    let digits = whole_digits(before).with_context(no_number)?;
    format!("{digits}{after:0<decimals$}")
        .parse()
        .with_context(|| say!("place-number-too-large", text = format!("{text:?}")))
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use stepback_index::build::{BuildOptions, index_in_memory};
    use stepback_parsers::Tarmac;

    use super::*;

    #[track_caller]
    fn check(text: &str, expected: PositionName) {
        assert_eq!(
            text.parse::<PositionName>()
                .map_err(|error| error.to_string()),
            Ok(expected),
            "{text}"
        );
    }

    #[track_caller]
    fn check_error(text: &str, expected: &str) {
        let error = text.parse::<PositionName>().expect_err(text).to_string();
        assert!(error.contains(expected), "{text:?}: {error}");
        assert!(error.contains(FORMS), "{text:?}: {error}");
    }

    #[track_caller]
    fn check_text(text: &str, expected: &str) {
        assert_eq!(
            text.parse::<PositionName>().expect(text).to_string(),
            expected
        );
    }

    #[test]
    fn every_form_of_the_command_line_is_read() {
        check("0", PositionName::Number(0));
        check("1250", PositionName::Number(1250));
        check("1,250", PositionName::Number(1250));
        check("12,345,678", PositionName::Number(12_345_678));
        check("18446744073709551615", PositionName::Number(u64::MAX));
        check(" start ", PositionName::Start);
        check("END", PositionName::End);
        check("line:7", PositionName::Line(Line(7)));
        check("Line: 48,211", PositionName::Line(Line(48_211)));
        check("i:1,250", PositionName::Instruction(1250));
        check("R:7", PositionName::Record(7));
        check("time:3", PositionName::Time(3));
        check("time:1.5", PositionName::Time(1_500_000));
        check("time:0.000001", PositionName::Time(1));
        let date = PositionName::Date(1_795_313_909_000_123);
        check("time:2026-11-22 02:18:29.000123", date.clone());
        check("time: 2026-11-22T02:18:29.000123Z", date);
        check("50%", PositionName::Percent(Percent(50 * Percent::ONE)));
        check("33.3 %", PositionName::Percent(Percent(33_300_000_000)));
    }

    #[test]
    fn a_place_prints_as_it_is_read() {
        for text in [
            "0",
            "1250",
            "start",
            "end",
            "50%",
            "33.3%",
            "0.000000001%",
            "100%",
            "line:7",
            "time:3",
            "time:2026-11-22 02:18:29.000123",
        ] {
            check_text(text, text);
        }
        for text in [
            "pc:main",
            "pc:main#2",
            "pc:0x8000 + 4#3",
            "pc:`a::{closure#0}`",
            "pc:`a::{closure#0}`#2",
        ] {
            check_text(text, text);
        }
        check_text("pc: main #1", "pc:main");
        check_text("PC:`a#2`", "pc:`a#2`");
    }

    #[test]
    fn what_is_wrong_is_said_with_the_forms_that_are_right() {
        for text in ["", "  "] {
            check_error(text, "expected a position");
        }
        check_error("7th", "\"7th\" is not a position");
        check_error("7th", "\"7th\" is not a whole number");
        check_error("-1", "\"-1\" is not a whole number");
        check_error("-1,000", "positions start at 0");
        check_error("0x10", "\"0x10\" is not a whole number");
        check_error("1,25", "\"1,25\" is not a whole number");
        check_error("1,2500", "is not a whole number");
        check_error("1234,567", "is not a whole number");
        check_error(",123", "is not a whole number");
        check_error("18446744073709551616", "does not fit into 64 bits");
        check_error("line:", "a number is missing");
        check_error("line:0", "lines are numbered from 1");
        check_error("line:x", "\"x\" is not a whole number");
        check_error("time:", "a number is missing");
        check_error("time:1.", "is not a number");
        check_error("time:2026-13-01", "is not a date");
        check_error("time:-5", "is not a date");
        check_error("time:1.0000001", "more than 6 decimal places");
        check_error("%", "is not a number");
        check_error("101%", "percentages go from 0% to 100%");
        check_error("100.1%", "percentages go from 0% to 100%");
        check_error("-1%", "is not a number");
        check_error("99999999999999999999%", "is too large");
        check_error("pc:", "expected an address");
        check_error(
            "pc:main+",
            "column 6: expected a number, a register, a symbol or memory",
        );
        check_error("pc:main#", "expected a visit number after #");
        check_error("pc:main#x", "expected a visit number after #");
        check_error("pc:main#0", "visits are numbered from 1");
        check_error("step:5", "\"step\" is not one of line, i, r, time and pc");
    }

    #[test]
    fn a_percentage_is_exact_for_any_number_of_steps() {
        let of = |text: &str, whole| Percent::parse(text).expect(text).of(whole);
        assert_eq!(of("50", 1763), 881);
        assert_eq!(of("100", u64::MAX), u64::MAX);
        assert_eq!(of("0", u64::MAX), 0);
        assert_eq!(of("0.1", 10_000_000_000), 10_000_000);
        assert_eq!(of("99.999999999", 100), 99);
    }

    const TRACE: &[u8] = b"0 clk R r1 00008009\n\
        10 clk IT (1) 00008000 e1a00000 A svc : NOP\n\
        20 clk IT (2) 00008004 e1a00000 A svc : NOP\n20 clk R r0 00000001\n\
        30 clk IT (3) 00008000 e1a00000 A svc : NOP\n\
        40 clk IT (4) 00008008 e1a00000 A svc : NOP\n";

    fn resolve(text: &str, from: Option<Position>) -> Result<Position> {
        let tarmac = Tarmac::open(Box::new(TRACE.to_vec()), Default::default()).expect("a trace");
        let index = index_in_memory(Arc::new(tarmac), &BuildOptions::default()).expect("an index");
        text.parse::<PositionName>()?.resolve_in(
            &index,
            &Images::default(),
            from,
            &Cancel::default(),
        )
    }

    #[track_caller]
    fn check_position(text: &str, expected: u64) {
        assert_eq!(
            resolve(text, None).expect(text),
            Position(expected),
            "{text}"
        );
    }

    #[track_caller]
    fn check_refused(text: &str, expected: &str) {
        assert_eq!(resolve(text, None).expect_err(text).to_string(), expected);
    }

    #[test]
    fn every_form_leads_to_its_position() {
        for (text, position) in [
            ("start", 0),
            ("end", 4),
            ("0", 0),
            ("4", 4),
            ("50%", 2),
            ("49%", 1),
            ("100%", 4),
        ] {
            check_position(text, position);
        }
        for (text, position) in [
            ("line:1", 0),
            ("line:2", 1),
            ("line:3", 2),
            ("line:4", 2),
            ("line:6", 4),
        ] {
            check_position(text, position);
        }
        for (text, position) in [
            ("time:9", 0),
            ("time:10", 1),
            ("time:29", 2),
            ("time:99", 4),
        ] {
            check_position(text, position);
        }
        for (text, position) in [
            ("pc:0x8000", 0),
            ("pc:0x8000#2", 2),
            ("pc:0x8000+4", 1),
            ("pc:0x8008#1", 3),
        ] {
            check_position(text, position);
        }
    }

    #[test]
    fn what_the_trace_does_not_have_is_refused_with_what_it_has() {
        check_refused("5", "position 5 is past the end of the trace (4)");
        check_refused(
            "line:7",
            "line 7 is past the end of the trace, which is line 6",
        );
        check_refused(
            "time:1970-01-01 00:00:00.000020",
            "time:1970-01-01 00:00:00.000020 is a date, and the times of this trace are plain \
             numbers: use time:N",
        );
        check_refused("pc:0x9000", "no step of the trace is at 0x9000");
        check_refused(
            "pc:0x8000#3",
            "fewer than 3 steps of the trace are at 0x8000",
        );
        check_refused(
            "pc:main",
            "pc:main: column 1: no register or symbol is named \"main\" (no image: give one with --image)",
        );
    }

    #[test]
    fn an_odd_address_finds_thumb_code() {
        check_position("pc:0x8005", 1);
    }

    #[test]
    fn registers_need_a_position_to_have_a_value() {
        check_refused(
            "pc:r1",
            "pc:r1: column 1: r1 could not be read: no position is given",
        );
        let at = |text| resolve(text, Some(Position(1))).map_err(|error| error.to_string());
        assert_eq!(at("pc:r1"), Ok(Position(3)));
        assert_eq!(
            at("pc:r0"),
            Err("pc:r0: column 1: r0 is unknown at this position".to_owned())
        );
    }
}
