//! The words of a stack from its pointer upward, and what they are: who saved them, and in which frame.

use std::ops::Range;

use anyhow::Result;
use stepback_index::{
    AccessKinds, Cancel, Cell, LastAccess, LastAccessAnswer, Query as _, RegisterViewsAt, RegistersAt, StepRecord,
    ValueSource,
};
use stepback_machine::{Address, Branch, Registers, decode};
use stepback_parsers::{Position, Step};

use super::Meaning;
use super::ground::frame_of_step;
use super::memory::{BLOCK_BYTES, block_from};
use super::names::{function_name, place_name};
use super::regions::stack_pointer;
use super::table::{Table, TableCell, TableRow};
use super::text::short_hex;
use crate::analysis::cell_value::{CellValue, cell_value};
use crate::messages::say;
use crate::session::Session;

/// So many words are shown.
const WORDS: u64 = 256;
/// What lies above more bytes that no step accesses is no longer the stack.
const GAP: u64 = 1 << 16;

const HEADS: [&str; 7] =
    ["head-address", "head-from-sp", "head-value", "head-saved", "head-frame", "head-written-by", "head-means"];

/// The words of the stack of the thread of a position. Runs on a worker.
/// Cost: the last write of each word, and the registers that its step read.
///
/// # Errors
/// See [`stepback_index::QueryError`].
pub fn stack_memory(session: &Session, at: Position, cancel: &Cancel) -> Result<Table> {
    let index = &session.index;
    let file = RegistersAt { position: at, thread: None }.run(index, cancel)?;
    let Some(pointer) = stack_pointer(session, file.thread, at, cancel)? else {
        return Ok(Table::new(say!("stackmem-the-stack-pointer-is-unknown").to_owned(), &HEADS, Vec::new()));
    };
    let word = u64::from(file.instruction_set.word_bytes()).max(4);
    let (mut rows, mut frame, mut words) = (Vec::new(), String::new(), 0);
    let (mut next, mut accessed) = (Some(pointer), 0..0);
    while let Some(address) = next.filter(|_| words < WORDS) {
        cancel.check()?;
        if !accessed.contains(&address) {
            let near = block_from(session, address, cancel)?.filter(|block| block.saturating_sub(address) <= GAP);
            let Some(block) = near else { break };
            accessed = block..block.saturating_add(BLOCK_BYTES);
            if block > address {
                rows.push(gap_row(pointer, address..block));
                next = Some(block);
                continue;
            }
        }
        (words, next) = (words + 1, address.checked_add(word));
        let cell = Cell::Memory { address: Address(address), len_bytes: word };
        let found = StackWord::of(session, cell, at, cancel)?;
        // Where a frame begins its name is bright, and quiet in its other words.
        let meaning = if found.frame.as_ref() == Some(&frame) { Meaning::Label } else { Meaning::Symbol };
        rows.push(found.row(session, address, address - pointer, meaning));
        frame = found.frame.unwrap_or(frame);
    }
    let threads = index.threads();
    let whose = threads.get(usize::from(file.thread.0)).filter(|_| threads.len() > 1);
    let whose = whose.map(|thread| say!("stackmem-of", thread = &*thread.name)).unwrap_or_default();
    let pointer = format!("{pointer:x}");
    let summary = match words {
        0 => say!("stackmem-nothing-is-accessed", whose = whose, pointer = pointer),
        _ => say!("stackmem-words", count = words, whose = whose, pointer = pointer),
    };
    Ok(Table::new(summary, &HEADS, rows).without_empty())
}

/// Memory of the stack that no step accesses, such as the rest of an array: one row.
fn gap_row(pointer: u64, gap: Range<u64>) -> TableRow {
    let address = gap.start;
    TableRow {
        name: say!("stackmem-gap-row", address = format!("{address:x}")),
        cells: vec![
            TableCell::new(Meaning::Second, format!("{address:08x}")),
            TableCell::new(Meaning::Second, format!("+{:x}", address - pointer)),
            TableCell::new(Meaning::Label, say!("stackmem-gap", count = gap.end - address)),
            TableCell::default(),
            TableCell::default(),
            TableCell::default(),
            TableCell::default(),
        ],
        position: None,
        address: Some(Address(address)),
        is_faded: true,
    }
}

/// A word of the stack.
struct StackWord {
    value: CellValue,
    /// What it is: `x30`, `return address`.
    saved: String,
    /// The function that stored it.
    frame: Option<String>,
    written_by: Option<Step>,
}

impl StackWord {
    fn of(session: &Session, cell: Cell, at: Position, cancel: &Cancel) -> Result<Self> {
        let index = &session.index;
        let value = cell_value(index, cell, at, cancel)?;
        let last = LastAccess { cell, kinds: AccessKinds::Writes, before: at }.run(index, cancel)?;
        let LastAccessAnswer::Step(hit) = last else {
            return Ok(Self { value, saved: String::new(), frame: None, written_by: None });
        };
        let record = &hit.record;
        let calls = index.calls();
        let frame = frame_of_step(calls, record.thread, record.step).and_then(|id| calls.get(id));
        let function = frame.map_or(record.pc, |frame| frame.function);
        let saved = saved_words(session, record, &value, cancel)?;
        let frame = Some(function_name(&session.images, function));
        Ok(Self { value, saved, frame, written_by: Some(record.step) })
    }

    fn row(&self, session: &Session, address: u64, offset: u64, frame: Meaning) -> TableRow {
        let meaning = match self.value.source {
            ValueSource::Inferred => Meaning::Inferred,
            ValueSource::External => Meaning::External,
            ValueSource::Recorded | ValueSource::Unknown => Meaning::Plain,
        };
        let value = match short_hex(&self.value.value) {
            Some(hex) => TableCell::new(meaning, hex),
            None => TableCell::new(Meaning::Label, say!("stackmem-unknown")),
        };
        let symbol = self.value.value.to_u64().and_then(|value| place_name(&session.images, Address(value)));
        TableRow {
            name: say!("stackmem-row", address = format!("{address:x}")),
            cells: vec![
                TableCell::new(Meaning::Second, format!("{address:08x}")),
                TableCell::new(Meaning::Second, format!("+{offset:x}")),
                value,
                TableCell::new(Meaning::Register, self.saved.clone()),
                TableCell::new(frame, self.frame.clone().unwrap_or_default()),
                self.written_by.map_or_else(TableCell::default, TableCell::Step),
                TableCell::new(Meaning::Symbol, symbol.unwrap_or_default()),
            ],
            position: self.written_by.map(Step::after),
            address: Some(Address(address)),
            is_faded: false,
        }
    }
}

/// Which register a step stored there: those that it reads and that held the value; a call stores where it returns to.
fn saved_words(session: &Session, record: &StepRecord, value: &CellValue, cancel: &Cancel) -> Result<String> {
    let (index, set) = (&session.index, record.instruction_set);
    let is_code = |number: u64| session.images.code_at(Address(number)).is_some();
    let Some(number) = value.value.to_u64() else { return Ok(String::new()) };
    if matches!(record.branch, Branch::Call | Branch::IndirectCall) || is_call(record) {
        return Ok(say!("stackmem-return-address").to_owned());
    }
    let Some(encoding) = record.encoding else { return Ok(String::new()) };
    let instruction = decode(encoding, record.pc, set);
    let Some(used) = instruction.registers.as_ref() else { return Ok(String::new()) };
    let named = used.reads.iter().filter_map(|view| Some((Registers::name(*view, set)?.to_owned(), *view)));
    let views: Vec<_> = named.filter(|(name, _)| !matches!(name.as_str(), "sp" | "rsp" | "esp")).collect();
    let (position, thread) = (record.step.before(), record.thread);
    let states = RegisterViewsAt { position, thread, views }.run(index, cancel)?;
    let held = states.into_iter().find(|state| state.value.to_u64() == Some(number));
    let is_link = |name: &str| matches!(name, "x30" | "lr" | "ra" | "r14");
    Ok(match held {
        Some(state) if is_link(&state.name) && is_code(number) => {
            say!("stackmem-register-return", register = &*state.name)
        }
        Some(state) => state.name,
        None => String::new(),
    })
}

fn is_call(record: &StepRecord) -> bool {
    use stepback_machine::TextFlow;
    record.instruction_set.text_flow(&record.text) == Some(TextFlow::Call)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::session::test_session::overflow;

    #[test]
    fn words_of_the_stack_say_which_register_was_saved_by_whom() {
        let table = stack_memory(&overflow(), Position(1250), &Cancel::default()).unwrap();
        let lines: Vec<String> = table.rows.iter().take(12).map(TableRow::line).collect();
        assert!(lines.iter().any(|line| line.contains("x30")), "{lines:#?}");
        assert!(lines.iter().any(|line| line.contains("x19")), "{lines:#?}");
        assert!(table.summary.contains("above the stack pointer"), "{}", table.summary);
    }
}
