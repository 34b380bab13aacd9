//! Registers and memory of two compared traces side by side ([`both_states`]).

use anyhow::Result;
use stepback_compare::{StepNumbers, ThreadComparison};
use stepback_index::answer::{AccessTarget, Effect, MemoryRange, RegisterState, StepRecord, Value};
use stepback_index::query::{MemoryAt, RegistersAt};
use stepback_index::read::StepCounter;
use stepback_index::{Cancel, Index, Query as _};
use stepback_machine::{Address, InstructionSet};
use stepback_parsers::{Position, Step};

use super::table::{Table, TableCell, TableRow};
use super::text::{leading_zeros, thousands};
use super::trace_differences::TraceDifferences;
use super::watch_state::watched_memory;
use super::{TextRole, TextSpan};
use crate::action::CellName;
use crate::analysis::step_places::step_record;
use crate::messages::say;
use crate::notes::Watch;
use crate::session::Session;

/// Number of words of the stack that are compared, from the stack pointer.
const STACK_WORDS: u64 = 16;

/// Maximum number of words of a watch that are compared.
const WATCHED_WORDS: usize = 32;
/// Number of bytes of such a word.
const WATCHED_BYTES: u64 = 8;

const HEADS: [&str; 4] = [
    "both-states-head-cell",
    "differences-head-state-a",
    "differences-head-state-b",
    "both-states-head-relation",
];

/// The state of both traces at a position of the first.
#[derive(Debug, Default)]
pub struct BothStates {
    pub table: Table,
    /// Cells of the first trace, by the keys of the rows.
    pub cells: Vec<CellName>,
}

/// A cell with its values in both traces.
struct StatePair {
    name: CellName,
    label: String,
    a: Value,
    b: Option<Value>,
}

/// Relation of two values, in the order of the rows.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum StateRelation {
    Different,
    /// Pointers to the same thing, which lies elsewhere.
    SamePointers,
    Equal,
    /// Not recorded in one trace.
    Unrelated,
}

/// Place at which the states of both traces are read.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct BothStatesPlace {
    /// Position in the first trace.
    pub position: Position,
    /// Index of the pair of threads.
    pub pair: usize,
    /// Watches of the first trace, whose memory is shown.
    pub watches: Vec<Watch>,
}

/// Reads the registers of the thread of a pair at a position, the words of the stack, the memory
/// that the last and the next step access, and that of the watches, in both traces. Memory that lies
/// elsewhere in the second trace is read there. Rows that differ come first. Runs on a worker.
///
/// # Errors
/// See [`stepback_index::QueryError`].
pub fn both_states(
    session: &Session,
    differences: &TraceDifferences,
    place: &BothStatesPlace,
    cancel: &Cancel,
) -> Result<BothStates> {
    let Some(threads) = differences.comparison.compared.get(place.pair) else {
        return Ok(BothStates::default());
    };
    let position = place.position;
    let (a, b) = (&session.index, &differences.other.index);
    let next_a = StepCounter::new(a, threads.threads.a).count_before(position)?;
    let next_b = threads.alignment.corresponding(next_a);
    let mut numbers_b = StepNumbers::new(b, threads.threads.b);
    let other = match next_b.checked_sub(1) {
        Some(last) if next_b >= threads.counts.b => numbers_b.step(last)?.after(),
        _ => numbers_b.step(next_b)?.before(),
    };
    let sides: [(&Index, Position); 2] = [(a, position), (b, other)];
    let mut pairs = registers(threads, sides, cancel)?;
    pairs.extend(stack(
        &pairs,
        a.instruction_set(threads.threads.a),
        sides,
        cancel,
    )?);
    let mut numbers_a = StepNumbers::new(a, threads.threads.a);
    for number in [next_a.checked_sub(1), Some(next_a)].into_iter().flatten() {
        let Some(partner) = threads.alignment.partner(number) else {
            continue;
        };
        let steps = [numbers_a.step(number)?, numbers_b.step(partner)?];
        pairs.extend(accessed(steps, sides, cancel)?);
    }
    for watch in &place.watches {
        let Some(range) = watched_memory(session, watch, position, cancel)? else {
            continue;
        };
        let in_second = |address| differences.comparison.to_second(place.pair, address);
        pairs.extend(watched(range, in_second, sides, cancel)?);
    }
    Ok(states(threads, pairs, other))
}

fn registers(
    threads: &ThreadComparison,
    sides: [(&Index, Position); 2],
    cancel: &Cancel,
) -> Result<Vec<StatePair>> {
    let file = |(index, position): (&Index, Position), thread| {
        let question = RegistersAt {
            position,
            thread: Some(thread),
        };
        question.run(index, cancel)
    };
    let [in_a, in_b] = sides;
    let in_b = file(in_b, threads.threads.b)?;
    let pair = |state: RegisterState| StatePair {
        name: CellName::Register(state.name.clone()),
        b: in_b.get(&state.name).cloned(),
        label: state.name,
        a: state.value,
    };
    let in_a = file(in_a, threads.threads.a)?;
    Ok(in_a.registers.into_iter().map(pair).collect())
}

/// Returns the words from the stack pointers on.
fn stack(
    registers: &[StatePair],
    set: InstructionSet,
    sides: [(&Index, Position); 2],
    cancel: &Cancel,
) -> Result<Vec<StatePair>> {
    let pointer = registers
        .iter()
        .find(|pair| pair.label == "sp" || pair.label == "rsp");
    let pointers = pointer.and_then(|pair| Some([pair.a.to_u64()?, pair.b.as_ref()?.to_u64()?]));
    let Some(pointers) = pointers else {
        return Ok(Vec::new());
    };
    let [one, other] = pointers.map(|pointer| set.stack_end(pointer));
    let word = u64::from(set.word_bytes());
    let mut found = Vec::new();
    for offset in (0..STACK_WORDS).map(|place| place * word) {
        let places = [one, other].map(|base| Address(base.wrapping_add(offset)));
        found.push(memory(places, word, sides, cancel)?);
    }
    Ok(found)
}

/// Returns the memory that two matched steps access, in their order.
fn accessed(
    [one, other]: [Step; 2],
    sides: [(&Index, Position); 2],
    cancel: &Cancel,
) -> Result<Vec<StatePair>> {
    let [(a, _), (b, _)] = sides;
    let of_step = |step, index| step_record(step, index, cancel);
    let Some((one, other)) = of_step(one, a)?.zip(of_step(other, b)?) else {
        return Ok(Vec::new());
    };
    let (in_a, in_b) = (accesses(&one), accesses(&other));
    let mut found = Vec::new();
    for ((one, size), (other, other_size)) in in_a.into_iter().zip(in_b) {
        if size == other_size {
            found.push(memory([one, other], size, sides, cancel)?);
        }
    }
    Ok(found)
}

/// Returns the words of watched memory, at most [`WATCHED_WORDS`].
fn watched(
    range: MemoryRange,
    in_second: impl Fn(Address) -> Address,
    sides: [(&Index, Position); 2],
    cancel: &Cancel,
) -> Result<Vec<StatePair>> {
    let mut found = Vec::new();
    let mut start = 0;
    while start < range.len_bytes && found.len() < WATCHED_WORDS {
        let len_bytes = (range.len_bytes - start).min(WATCHED_BYTES);
        let one = Address(range.address.0.wrapping_add(start));
        found.push(memory([one, in_second(one)], len_bytes, sides, cancel)?);
        start += len_bytes;
    }
    Ok(found)
}

fn accesses(record: &StepRecord) -> Vec<(Address, u64)> {
    let effects = record.effects.iter();
    let places = effects.filter_map(|effect| match effect {
        Effect::Access(access) => match access.target {
            AccessTarget::Memory {
                address,
                size_bytes,
            } => Some((address, size_bytes)),
            _ => None,
        },
        _ => None,
    });
    places.collect()
}

fn memory(
    places: [Address; 2],
    len_bytes: u64,
    sides: [(&Index, Position); 2],
    cancel: &Cancel,
) -> Result<StatePair> {
    let value = |address, (index, position): (&Index, Position)| {
        let question = MemoryAt {
            position,
            address,
            len_bytes,
        };
        let bytes = question.run(index, cancel)?;
        let mut bytes: Vec<_> = bytes.iter().map(|byte| byte.value).collect();
        if index.info().is_big_endian {
            bytes.reverse();
        }
        anyhow::Ok(Value(bytes))
    };
    let [one, other] = places;
    let [in_a, in_b] = sides;
    let elsewhere = match one == other {
        true => String::new(),
        false => format!(" / {:x}", other.0),
    };
    Ok(StatePair {
        name: CellName::Memory(format!("{:#x}", one.0), len_bytes),
        label: format!("[{:x}{elsewhere}:{len_bytes}]", one.0),
        a: value(one, in_a)?,
        b: Some(value(other, in_b)?),
    })
}

fn relation(threads: &ThreadComparison, pair: &StatePair) -> StateRelation {
    let known = pair.b.as_ref().filter(|other| !other.is_unknown());
    let Some(other) = known.filter(|_| !pair.a.is_unknown()) else {
        return StateRelation::Unrelated;
    };
    let mut bytes = pair.a.0.iter().zip(&other.0);
    let differs = bytes.any(|(one, other)| one.zip(*other).is_some_and(|(a, b)| a != b));
    match differs {
        false => StateRelation::Equal,
        true if threads.are_same_pointers(&pair.a, other) => StateRelation::SamePointers,
        true => StateRelation::Different,
    }
}

fn states(threads: &ThreadComparison, pairs: Vec<StatePair>, other: Position) -> BothStates {
    let related = pairs
        .into_iter()
        .map(|pair| (relation(threads, &pair), pair));
    let mut related: Vec<_> = related.collect();
    related.sort_by_key(|(relation, _)| *relation);
    let mut known = Vec::new();
    related.retain(|(_, pair)| {
        let is_new = !known.contains(&pair.label);
        known.push(pair.label.clone());
        is_new
    });
    let is_different =
        |(relation, _): &&(StateRelation, StatePair)| *relation == StateRelation::Different;
    let summary = say!(
        "both-states-summary",
        count = related.iter().filter(is_different).count(),
        position = thousands(other.0)
    );
    let rows = (0..)
        .zip(&related)
        .map(|(key, (relation, pair))| row(key, *relation, pair));
    BothStates {
        table: Table::new(summary, &HEADS, rows.collect()),
        cells: related.into_iter().map(|(_, pair)| pair.name).collect(),
    }
}

fn row(key: u64, relation: StateRelation, pair: &StatePair) -> TableRow {
    let (role, words) = match relation {
        StateRelation::Different => (TextRole::Plain, say!("both-states-different")),
        StateRelation::SamePointers => (TextRole::Symbol, say!("both-states-same-pointers")),
        StateRelation::Equal => (TextRole::Second, say!("both-states-equal")),
        StateRelation::Unrelated => (TextRole::Second, ""),
    };
    let digits = |value: Option<&Value>| match value {
        Some(value) if !value.is_unknown() => digits_cell(role, &value.hex()),
        _ => TableCell::new(TextRole::Unknown, say!("differences-not-recorded")),
    };
    TableRow {
        name: pair.label.clone(),
        key,
        cells: vec![
            TableCell::new(TextRole::Register, pair.label.clone()),
            digits(Some(&pair.a)),
            digits(pair.b.as_ref()),
            TableCell::new(role, words),
        ],
        is_faded: matches!(relation, StateRelation::Equal | StateRelation::Unrelated),
        ..TableRow::default()
    }
}

/// Formats a value with dim leading zeros.
fn digits_cell(role: TextRole, hex: &str) -> TableCell {
    let (zeros, digits) = hex.split_at(leading_zeros(hex));
    TableCell::Spans {
        number: None,
        spans: vec![
            TextSpan::new(TextRole::Label, zeros),
            TextSpan::new(role, digits),
        ],
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use super::*;
    use crate::analysis::compare_traces::compare_traces;
    use crate::session::test_session::tarmac;

    /// Returns a trace that stores a value of r0 at a place of the stack.
    fn trace(value: u32, extra_step: &str) -> String {
        format!(
            "1 clk IT (1) 00008000 e590d000 A svc : LDR sp,[r0]\n\
             1 clk R r13 00009000\n\
             {extra_step}\
             3 clk IT (3) 00008004 e59f0010 A svc : LDR r0,0x801c\n\
             3 clk R r0 {value:08x}\n\
             4 clk IT (4) 00008008 e58d0004 A svc : STR r0,[sp,#4]\n\
             4 clk MW4 00009004 {value:08x}\n\
             5 clk IT (5) 0000800c e1a00000 A svc : NOP\n"
        )
    }

    /// Lists the rows that are not faded, at a position.
    #[track_caller]
    fn check(a: &str, b: &str, position: u64, expected: &[&str]) {
        check_watched(a, b, position, &[], expected);
    }

    /// Does the same with watches.
    #[track_caller]
    fn check_watched(a: &str, b: &str, position: u64, watches: &[&str], expected: &[&str]) {
        let ((session, _a), (other, _b)) = (tarmac(a), tarmac(b));
        let (cancel, progress) = (Cancel::default(), Default::default());
        let comparison =
            compare_traces(&session, &other, Default::default(), &progress, &cancel).unwrap();
        let differences = TraceDifferences::new(&session, other, comparison, &cancel).unwrap();
        let differences = Arc::new(differences);
        let place = BothStatesPlace {
            position: Position(position),
            pair: 0,
            watches: watches.iter().map(|text| Watch::parse(text)).collect(),
        };
        let states = both_states(&session, &differences, &place, &cancel).unwrap();
        assert_eq!(states.table.rows.len(), states.cells.len());
        let rows = states.table.rows.iter().filter(|row| !row.is_faded);
        let shown = rows.map(|row| {
            let cells = row.cells.iter().take(3);
            cells.map(TableCell::text).collect::<Vec<_>>().join(" ")
        });
        assert_eq!(
            shown.collect::<Vec<_>>(),
            expected,
            "{}",
            states.table.summary
        );
    }

    #[test]
    fn values_that_differ_come_first() {
        let (a, b) = (trace(0x11, ""), trace(0x22, ""));
        check(&a, &b, 1, &[]);
        check(&a, &b, 2, &["r0 00000011 00000022"]);
        let both = ["r0 00000011 00000022", "[9004:4] 00000011 00000022"];
        check(&a, &b, 3, &both);
        check(&a, &a, 3, &[]);
    }

    /// Returns a trace that stores a word on a stack and far from it.
    fn far_trace(stack: u32, buffer: u32, value: u32) -> String {
        format!(
            "1 clk IT (1) 00008000 e590d000 A svc : LDR sp,[r0]\n\
             1 clk R r13 {stack:08x}\n\
             2 clk IT (2) 00008004 e58d1100 A svc : STR r1,[sp,#0x100]\n\
             2 clk MW4 {:08x} {value:08x}\n\
             3 clk IT (3) 00008008 e5801000 A svc : STR r1,[r0]\n\
             3 clk MW4 {buffer:08x} {value:08x}\n\
             4 clk IT (4) 0000800c e1a00000 A svc : NOP\n\
             5 clk IT (5) 00008010 e1a00000 A svc : NOP\n",
            stack + 0x100
        )
    }

    #[test]
    fn watched_memory_is_shown_where_each_trace_has_it() {
        let buffer = 0x0012_0000;
        let [a, b] =
            [(0x9000, 0x11), (0x19000, 0x22)].map(|(stack, value)| far_trace(stack, buffer, value));
        // An entered address, which neither of the last steps accesses.
        let buffer = "[120000:4] 00000011 00000022";
        check_watched(
            &a,
            &b,
            5,
            &["0x120000:4"],
            &[buffer, "sp 00009000 00019000"],
        );
        // The stack lies elsewhere.
        let stack = "[9100 / 19100:4] 00000011 00000022";
        check_watched(&a, &b, 5, &["[sp+0x100]"], &[stack, "sp 00009000 00019000"]);
        check_watched(&a, &b, 5, &["0x9100:4"], &[stack, "sp 00009000 00019000"]);
        // Neither a register nor an unknown expression is memory.
        check_watched(&a, &b, 5, &["r1", "nothing"], &["sp 00009000 00019000"]);
    }

    #[test]
    fn a_global_near_a_moved_stack_is_at_its_address_in_both_traces() {
        let [a, b] = [(0x9000, 0x11), (0x19000, 0x22)]
            .map(|(stack, value)| far_trace(stack, 0x0004_0000, value));
        let global = "[40000:4] 00000011 00000022";
        let expected = [global, "sp 00009000 00019000"];
        check_watched(&a, &b, 5, &["0x40000:4"], &expected);
    }

    #[test]
    fn every_row_states_its_relation() {
        let (a, b) = (trace(0x11, ""), trace(0x22, ""));
        let ((session, _a), (other, _b)) = (tarmac(&a), tarmac(&b));
        let (cancel, progress) = (Cancel::default(), Default::default());
        let comparison =
            compare_traces(&session, &other, Default::default(), &progress, &cancel).unwrap();
        let differences = TraceDifferences::new(&session, other, comparison, &cancel).unwrap();
        let place = BothStatesPlace {
            position: Position(2),
            pair: 0,
            watches: Vec::new(),
        };
        let states = both_states(&session, &differences, &place, &cancel).unwrap();
        let line = |name: &str| {
            let row = states.table.rows.iter().find(|row| row.name == name);
            row.unwrap().line()
        };
        assert_eq!(line("r0"), "r0  00000011  00000022  differs");
        assert_eq!(line("sp"), "sp  00009000  00009000  equal");
        assert_eq!(line("[9004:4]"), "[9004:4]  not recorded  not recorded");
        let zeros: Vec<_> = states.table.rows[0].cells[1].spans().iter().collect();
        assert_eq!(zeros[0], &TextSpan::new(TextRole::Label, "000000"));
        assert!(states.table.summary.starts_with("1 value differs"));
    }

    #[test]
    fn an_insertion_moves_the_position_of_the_second_trace() {
        let inserted = "2 clk IT (2) 00009000 e1a00000 A svc : NOP\n";
        let (a, b) = (trace(0x11, ""), trace(0x22, inserted));
        check(&a, &b, 1, &[]);
        check(&a, &b, 2, &["r0 00000011 00000022"]);
    }
}
