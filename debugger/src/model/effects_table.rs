//! Lists the inputs and outputs of calls, loop iterations and step ranges, and the differences
//! between two calls, as table rows.

use anyhow::{Result, anyhow};
use stepback_index::Cancel;
use stepback_index::answer::ValueSource;
use stepback_machine::Address;
use stepback_parsers::Position;

use super::TextRole;
use super::names::{function_name, place_name};
use super::so_far::so_far;
use super::table::{Table, TableCell, TableRow, thread_name};
use super::text::{short_hex, thousands};
use crate::action::{EffectsOf, OtherCall};
use crate::analysis::call_profile::next_call;
use crate::analysis::effects::{
    CallComparison, DifferingCell, EffectScope, Effects, PathDivergence, PathStep, UsedCell,
    UsedValue, call_around, call_of_function_around, compare_calls, effects_of, iteration_around,
    range_scope,
};
use crate::messages::say;
use crate::session::Session;

const HEADS: [&str; 6] = [
    "",
    "head-what",
    "head-bytes",
    "head-value",
    "head-symbol",
    "head-step",
];
const DIFFERENCE_HEADS: [&str; 6] = [
    "",
    "head-what",
    "head-step",
    "head-first-call",
    "head-second-call",
    "head-symbol",
];
/// Maximum number of memory bytes shown in a row.
const BYTES: usize = 16;

/// Builds the table for a query. Runs on a worker. Cost: a pass over the steps in scope.
///
/// # Errors
/// The call, loop or range does not exist; otherwise see [`stepback_index::QueryError`].
pub fn effects_table(session: &Session, of: EffectsOf, cancel: &Cancel) -> Result<Table> {
    let index = &session.index;
    let clamp = |at: Position| at.min(index.end());
    let scope = match of {
        EffectsOf::Call(at) => call_around(index, None, clamp(at))?.ok_or_else(no_call)?,
        EffectsOf::Round(at) => {
            let round = iteration_around(index, None, clamp(at), cancel)?;
            round.ok_or_else(|| anyhow!(say!("effects-no-loop")))?
        }
        EffectsOf::Range(range) => range_scope(index, None, clamp(range.first), clamp(range.last))?,
        EffectsOf::Comparison(at, other) => {
            return comparison_table(session, clamp(at), other, cancel);
        }
    };
    let effects = effects_of(index, scope, cancel)?;
    let rows = rows_of(session, &effects);
    let summary = so_far(session, &summary(session, &effects));
    Ok(Table::new(summary, &HEADS, rows))
}

fn no_call() -> anyhow::Error {
    anyhow!(say!("effects-no-call"))
}

/// Summarises the effects: `decode_field, steps 747 to 1,458: 712 steps read 9 registers and runs
/// of memory, and wrote 14`.
fn summary(session: &Session, effects: &Effects) -> String {
    let EffectScope {
        thread,
        from,
        to,
        head,
        ..
    } = effects.scope;
    let what = match (function_of(session, effects.scope), head) {
        (Some(name), Some(head)) => say!(
            "effects-round",
            function = name,
            head = format!("{:x}", head.0)
        ),
        (Some(name), None) => name,
        (None, _) => thread_name(session, thread),
    };
    let (inputs, outputs) = (
        effects.inputs.len() as u64 + effects.more_inputs,
        effects.outputs.len() as u64 + effects.more_outputs,
    );
    let mut text = say!(
        "effects-summary",
        what = what,
        from = thousands(from.0),
        to = thousands(to.0.saturating_sub(1).max(from.0)),
        steps = effects.steps,
        inputs = inputs,
        outputs = outputs
    );
    if effects.undecoded > 0 {
        text = say!(
            "effects-undecoded",
            summary = text,
            count = effects.undecoded
        );
    }
    if effects.left_out > 0 {
        text = say!("effects-left-out", summary = text, count = effects.left_out);
    }
    text
}

fn function_of(session: &Session, scope: EffectScope) -> Option<String> {
    let call = session.index.calls().get(scope.call?)?;
    Some(function_name(&session.images, call.function))
}

fn rows_of(session: &Session, effects: &Effects) -> Vec<TableRow> {
    let sets = [
        (
            TextRole::Read,
            say!("accesses-read"),
            &effects.inputs,
            effects.more_inputs,
        ),
        (
            TextRole::Write,
            say!("accesses-write"),
            &effects.outputs,
            effects.more_outputs,
        ),
    ];
    let mut rows = Vec::new();
    for (meaning, word, cells, more) in sets {
        rows.extend(
            cells
                .iter()
                .map(|cell| used_row(session, cell, TableCell::new(meaning, word))),
        );
        if more > 0 {
            let words = say!("effects-more", count = more);
            let cells = vec![
                TableCell::new(meaning, word),
                TableCell::new(TextRole::Label, words.clone()),
            ];
            rows.push(TableRow {
                name: words,
                cells,
                ..TableRow::default()
            });
        }
    }
    rows
}

fn used_row(session: &Session, cell: &UsedCell, kind: TableCell) -> TableRow {
    let meaning = match cell.source {
        ValueSource::Inferred => TextRole::Inferred,
        ValueSource::External => TextRole::External,
        ValueSource::Recorded | ValueSource::Unknown => TextRole::Plain,
    };
    let unknown = || TableCell::new(TextRole::Label, say!("accesses-unknown"));
    let (name, address, bytes, value) = match &cell.used {
        UsedValue::Register { name, value } => {
            let text = short_hex(value).map_or_else(unknown, |text| TableCell::new(meaning, text));
            (name.clone(), None, value.0.len() as u64, text)
        }
        UsedValue::Memory {
            address,
            len_bytes,
            bytes,
        } => {
            let cut = if *len_bytes > BYTES as u64 {
                " …"
            } else {
                ""
            };
            let text = TableCell::new(meaning, format!("{}{cut}", byte_words(bytes)));
            (
                format!("{:08x}", address.0),
                Some(*address),
                *len_bytes,
                text,
            )
        }
    };
    let symbol = address
        .and_then(|address| place_name(&session.images, address))
        .unwrap_or_default();
    let step = cell.at.and_then(Position::last_step);
    let step = step.map_or_else(TableCell::default, TableCell::Step);
    let row_name = say!("effects-row", kind = kind.text(), name = &*name);
    let cells = vec![
        kind,
        TableCell::new(TextRole::Plain, name),
        TableCell::number(bytes),
        value,
        TableCell::new(TextRole::Symbol, symbol),
        step,
    ];
    TableRow {
        name: row_name,
        cells,
        position: cell.at,
        address,
        ..TableRow::default()
    }
}

/// Formats bytes, unknown ones as `??`: `b8 fb ??`.
fn byte_words(bytes: &[Option<u8>]) -> String {
    let word =
        |byte: &Option<u8>| byte.map_or_else(|| "??".to_owned(), |byte| format!("{byte:02x}"));
    bytes
        .iter()
        .take(BYTES)
        .map(word)
        .collect::<Vec<_>>()
        .join(" ")
}

fn comparison_table(
    session: &Session,
    at: Position,
    other: OtherCall,
    cancel: &Cancel,
) -> Result<Table> {
    let index = &session.index;
    let one = call_around(index, None, at)?.ok_or_else(no_call)?;
    let function = one
        .call
        .and_then(|id| index.calls().get(id))
        .ok_or_else(no_call)?
        .function;
    let other_at = match other {
        OtherCall::Around(at) => Some(at.min(index.end())),
        OtherCall::Near(direction) => next_call(index, function, direction, one.from, cancel)?,
    };
    let name = function_name(&session.images, function);
    let none = || anyhow!(say!("effects-no-other-call", function = &*name));
    let other = match other_at {
        Some(at) => call_of_function_around(index, function, at)?.ok_or_else(none)?,
        None => return Err(none()),
    };
    if other.call == one.call {
        return Err(anyhow!(say!("effects-the-same-call", function = &*name)));
    }
    // The earlier call comes first, independent of the call that the user chose.
    let (one, other) = if other.from < one.from {
        (other, one)
    } else {
        (one, other)
    };
    let comparison = compare_calls(index, one, other, cancel)?;
    let stated = ComparedCalls {
        session,
        function,
        one,
        other,
    };
    let summary = so_far(session, &stated.summary(&name, &comparison));
    Ok(Table::new(summary, &DIFFERENCE_HEADS, stated.rows(&comparison)).without_empty())
}

/// Two calls of one function.
struct ComparedCalls<'a> {
    session: &'a Session,
    function: Address,
    one: EffectScope,
    other: EffectScope,
}

impl ComparedCalls<'_> {
    fn summary(&self, name: &str, comparison: &CallComparison) -> String {
        let mut text = say!(
            "effects-comparison",
            function = name,
            one = thousands(self.one.from.0),
            other = thousands(self.other.from.0),
            inputs = comparison.inputs.differing.len(),
            outputs = comparison.outputs.differing.len(),
            partings = comparison.partings.len()
        );
        let one_sided = comparison.inputs.one_sided.len() + comparison.outputs.one_sided.len();
        if one_sided > 0 {
            text = say!("effects-one-sided", summary = text, count = one_sided);
        }
        if comparison.is_cut {
            text = say!("effects-cut", summary = text);
        }
        text
    }

    fn rows(&self, comparison: &CallComparison) -> Vec<TableRow> {
        let inputs = (TextRole::Read, say!("effects-input"), self.one.from);
        let outputs = (TextRole::Write, say!("effects-output"), self.one.to);
        let cells = |(meaning, word, at): (TextRole, &'static str, Position),
                     cells: &[DifferingCell]| {
            let kind = || TableCell::new(meaning, word);
            cells
                .iter()
                .map(|cell| TableRow {
                    position: Some(at),
                    ..self.cell_row(cell, kind())
                })
                .collect::<Vec<_>>()
        };
        let partings = comparison
            .partings
            .iter()
            .map(|parting| self.parting_row(parting));
        let read_by_one = (
            TextRole::Label,
            say!("effects-input-one-sided"),
            self.one.from,
        );
        let written_by_one = (
            TextRole::Label,
            say!("effects-output-one-sided"),
            self.one.to,
        );
        let stated = [
            cells(inputs, &comparison.inputs.differing),
            cells(outputs, &comparison.outputs.differing),
            partings.collect(),
            cells(read_by_one, &comparison.inputs.one_sided),
            cells(written_by_one, &comparison.outputs.one_sided),
        ];
        stated.into_iter().flatten().collect()
    }

    fn cell_row(&self, cell: &DifferingCell, kind: TableCell) -> TableRow {
        let unknown = || say!("accesses-unknown").to_owned();
        let (name, address, one, other) = match cell {
            DifferingCell::Register { name, one, other } => {
                let text = |value| short_hex(value).unwrap_or_else(unknown);
                (name.clone(), None, text(one), text(other))
            }
            DifferingCell::Memory {
                address,
                one,
                other,
                ..
            } => (
                format!("{:08x}", address.0),
                Some(*address),
                byte_words(one),
                byte_words(other),
            ),
        };
        let symbol = address
            .and_then(|address| place_name(&self.session.images, address))
            .unwrap_or_default();
        let row_name = say!("effects-row", kind = kind.text(), name = &*name);
        let plain = |text: String| TableCell::new(TextRole::Plain, text);
        let cells = vec![
            kind,
            plain(name),
            TableCell::default(),
            plain(one),
            plain(other),
            TableCell::new(TextRole::Symbol, symbol),
        ];
        TableRow {
            name: row_name,
            cells,
            address,
            ..TableRow::default()
        }
    }

    /// Builds the row for a divergence: the place, the next instruction in each call, and the place
    /// where they meet again.
    fn parting_row(&self, parting: &PathDivergence) -> TableRow {
        let direction = |step: Option<PathStep>| match step {
            Some(at) => say!("effects-goes-to", place = self.offset(at.pc)),
            None => say!("effects-ends").to_owned(),
        };
        let place = parting.parts.map_or_else(
            || say!("effects-entry").to_owned(),
            |(one, _)| self.offset(one.pc),
        );
        let meets = match parting.meets {
            Some((one, _)) => say!("effects-meet", place = self.offset(one.pc)),
            None => say!("effects-meet-no-more").to_owned(),
        };
        let word = say!("effects-way");
        let plain = |text: String| TableCell::new(TextRole::Plain, text);
        let cells = vec![
            TableCell::new(TextRole::Label, word),
            plain(place.clone()),
            parting
                .parts
                .map_or_else(TableCell::default, |(one, _)| TableCell::Step(one.step)),
            plain(direction(parting.ways.0)),
            plain(direction(parting.ways.1)),
            plain(meets),
        ];
        let position = parting
            .parts
            .map_or(self.one.from, |(one, _)| one.step.after());
        let name = say!("effects-row", kind = word, name = place);
        TableRow {
            name,
            cells,
            position: Some(position),
            ..TableRow::default()
        }
    }

    /// Formats an address relative to the function's first instruction: `+1c`.
    fn offset(&self, pc: Address) -> String {
        match pc.0.checked_sub(self.function.0) {
            Some(offset) => format!("+{offset:#x}"),
            None => format!("-{:x}", self.function.0 - pc.0),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::action::Direction;
    use crate::action::StepRange;
    use crate::session::test_session::overflow_with_image;

    #[track_caller]
    fn check(of: EffectsOf, expected: &[&str]) {
        let table = effects_table(&overflow_with_image(), of, &Cancel::default()).unwrap();
        let row = |row: &TableRow| row.line().split_whitespace().collect::<Vec<_>>().join(" ");
        let lines: Vec<String> = std::iter::once(table.summary.clone())
            .chain(table.rows.iter().map(row))
            .collect();
        assert_eq!(lines, expected);
    }

    #[test]
    fn a_call_lists_what_it_reads_and_writes() {
        let expected = [
            "hexval, steps 874 to 880: 7 steps, 2 inputs, 4 outputs",
            "read w0 4 35 874",
            "read x30 8 80000414 880",
            "write x0 8 5 879",
            "write x1 8 ffffffde 877",
            "write x2 8 5 875",
            "write psr 4 800003cd 878",
        ];
        check(EffectsOf::Call(Position(880)), &expected);
    }

    #[test]
    fn a_call_without_steps_stands_for_its_caller() {
        // The trace ends with a jump to an address without code.
        let of = EffectsOf::Call(Position(1763));
        let table = effects_table(&overflow_with_image(), of, &Cancel::default()).unwrap();
        let expected = "dispatch, steps 1,758 to 1,762: 5 steps, ";
        assert!(table.summary.starts_with(expected), "{}", table.summary);
    }

    #[test]
    fn a_range_has_runs_of_memory_with_symbols() {
        let expected = [
            "cpu0, steps 1,249 to 1,253: 5 steps, 3 inputs, 3 outputs",
            "read x0<7:0> 1 a9 1,249",
            "read w1 4 5a7d 1,250",
            "read x19 8 8002000f 1,249",
            "write x0 8 ffffffbd 1,251",
            "write x19 8 80020012 1,253",
            "write 80020010 2 a9 bd heap+0x10 1,252",
        ];
        check(
            EffectsOf::Range(StepRange {
                first: Position(1249),
                last: Position(1254),
            }),
            &expected,
        );
    }

    #[test]
    fn two_calls_differ_in_what_they_find_and_where_they_go() {
        let expected = [
            "mini_malloc at 672 and at 851: 3 inputs and 5 outputs differ; control flow diverges once",
            "input x30 800007c0 800003b0",
            "input 8001fff2 00 00 02 80 mini_hole+0x2",
            "input 8001fff8 00 30 heap_used",
            "output x1 10 8001f000",
            "output x2 8001fff0 0",
            "output x3 0 75",
            "output psr 200003cd 800003cd",
            "output 8001fff8 10 30 heap_used",
            "path +0x14 677 to +0x18 to +0x44 rejoin at +0x40",
        ];
        check(
            EffectsOf::Comparison(Position(852), OtherCall::Around(Position(673))),
            &expected,
        );
    }

    #[test]
    fn there_may_be_no_other_call_and_no_loop() {
        let session = overflow_with_image();
        let failed = |of| {
            effects_table(&session, of, &Cancel::default())
                .unwrap_err()
                .to_string()
        };
        assert_eq!(
            failed(EffectsOf::Comparison(
                Position(673),
                OtherCall::Near(Direction::Back)
            )),
            "there is no other call of mini_malloc"
        );
        assert_eq!(
            failed(EffectsOf::Round(Position(3))),
            "the position is not inside a loop"
        );
    }
}
