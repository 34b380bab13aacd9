//! Words of a stack from its pointer upward, with the saved register and the frame of each.

use std::ops::Range;

use anyhow::Result;
use stepback_index::answer::{
    AccessKinds, Call, Cell, CellAccess, FrameEntry, RegisterState, StepRecord, ValueSource,
};
use stepback_index::query::{NearestAccess, RegisterViewsAt, RegistersAt};
use stepback_index::{Cancel, Index, Query as _, QueryError};
use stepback_machine::flow::RecordedBranch;
use stepback_machine::{Address, InstructionSet, RegisterView, Registers, decode};
use stepback_parsers::{Position, Step};

use super::TextRole;
use super::memory::{BLOCK_BYTES, block_from};
use super::names::{function_name, place_name};
use super::regions::stack_pointer;
use super::table::{Table, TableCell, TableRow};
use super::text::short_hex;
use crate::analysis::tracked::{CellValue, cell_value};
use crate::messages::say;
use crate::model::moves::frame_of_step;
use crate::session::Session;

/// Maximum number of words shown.
const WORDS: u64 = 256;
/// Maximum size in bytes of a gap without accesses inside the stack; the stack ends at a larger
/// one.
const GAP: u64 = 1 << 16;

const HEADS: [&str; 7] = [
    "head-address",
    "head-from-sp",
    "head-value",
    "head-saved",
    "head-frame",
    "head-written-by",
    "head-means",
];

/// Lists the words of the stack of the thread at a position. Runs on a worker. Cost: the last write
/// of each word, and the registers that its step read.
///
/// # Errors
/// See [`stepback_index::QueryError`].
pub fn stack_memory(session: &Session, at: Position, cancel: &Cancel) -> Result<Table> {
    let index = &session.index;
    let file = RegistersAt {
        position: at,
        thread: None,
    }
    .run(index, cancel)?;
    let Some(pointer) = stack_pointer(session, file.thread, at, cancel)? else {
        return Ok(Table::new(
            say!("stackmem-the-stack-pointer-is-unknown").to_owned(),
            &HEADS,
            Vec::new(),
        ));
    };
    let word = u64::from(file.instruction_set.word_bytes()).max(4);
    let (mut rows, mut frame, mut words) = (Vec::new(), String::new(), 0);
    let (mut next, mut accessed) = (Some(pointer), 0..0);
    while let Some(address) = next.filter(|_| words < WORDS) {
        cancel.check()?;
        if !accessed.contains(&address) {
            let near = block_from(session, address, cancel)?
                .filter(|block| block.saturating_sub(address) <= GAP);
            let Some(block) = near else { break };
            accessed = block..block.saturating_add(BLOCK_BYTES);
            if block > address {
                rows.push(gap_row(pointer, address..block));
                next = Some(block);
                continue;
            }
        }
        (words, next) = (words + 1, address.checked_add(word));
        let cell = Cell::Memory {
            address: Address(address),
            len_bytes: word,
        };
        let found = StackWord::of(session, cell, at, cancel)?;
        // The name of a frame is bright in its first word and dim in the others.
        let meaning = if found.frame.as_ref() == Some(&frame) {
            TextRole::Label
        } else {
            TextRole::Symbol
        };
        rows.push(found.row(session, address, address - pointer, meaning));
        frame = found.frame.unwrap_or(frame);
    }
    let threads = index.threads();
    let whose = threads
        .get(usize::from(file.thread.0))
        .filter(|_| threads.len() > 1);
    let whose = whose
        .map(|thread| say!("stackmem-of", thread = &*thread.name))
        .unwrap_or_default();
    let pointer = format!("{pointer:x}");
    let summary = match words {
        0 => say!(
            "stackmem-nothing-is-accessed",
            whose = whose,
            pointer = pointer
        ),
        _ => say!(
            "stackmem-words",
            count = words,
            whose = whose,
            pointer = pointer
        ),
    };
    Ok(Table::new(summary, &HEADS, rows).without_empty())
}

impl StackWord {
    /// Formats the function that stored the word, dimmed if its call has ended.
    fn frame_cell(&self, meaning: TextRole) -> TableCell {
        match &self.frame {
            Some(function) if self.is_stale => TableCell::new(
                TextRole::Label,
                say!("stackmem-stale", function = &**function),
            ),
            Some(function) => TableCell::new(meaning, function.clone()),
            None => TableCell::default(),
        }
    }
}

/// Builds one row for stack memory that no step accesses, such as the rest of an array.
fn gap_row(pointer: u64, gap: Range<u64>) -> TableRow {
    let address = gap.start;
    TableRow {
        name: say!("stackmem-gap-row", address = format!("{address:x}")),
        cells: vec![
            TableCell::new(TextRole::Second, format!("{address:08x}")),
            TableCell::new(TextRole::Second, format!("+{:#x}", address - pointer)),
            TableCell::new(
                TextRole::Label,
                say!("stackmem-gap", count = gap.end - address),
            ),
            TableCell::default(),
            TableCell::default(),
            TableCell::default(),
            TableCell::default(),
        ],
        address: Some(Address(address)),
        is_faded: true,
        ..TableRow::default()
    }
}

struct StackWord {
    value: CellValue,
    /// Register saved there, or a note that it is a return address: `x30`.
    saved: String,
    /// Function that stored it.
    frame: Option<String>,
    /// The call that stored it has ended, so the word is a leftover.
    is_stale: bool,
    written_by: Option<Step>,
}

impl StackWord {
    fn of(session: &Session, cell: Cell, at: Position, cancel: &Cancel) -> Result<Self> {
        let index = &session.index;
        let value = cell_value(index, cell, at, cancel)?;
        let last = NearestAccess::last(cell, AccessKinds::Writes, at).run(index, cancel)?;
        let Some(CellAccess::Step(hit)) = last else {
            return Ok(Self {
                value,
                saved: String::new(),
                frame: None,
                is_stale: false,
                written_by: None,
            });
        };
        let record = &hit.record;
        let calls = index.calls();
        let frame = frame_of_step(calls, record.thread, record.step);
        let function = frame
            .and_then(|id| calls.get(id))
            .map_or(record.pc, |frame| frame.function);
        // A return address on the stack belongs to the callee.
        let owner = match is_call(record) {
            true => calls.called_by(record.thread, record.step),
            false => frame,
        };
        let is_over = owner.is_some_and(|owner| !calls.contains(owner, at));
        let owner = owner.and_then(|owner| calls.get(owner));
        let is_stale = is_over && owner.is_some_and(|owner| !keeps_window(&owner, record));
        let saved = match owner.filter(|_| !is_stale) {
            Some(owner) => saved_words(session, record, &owner, &value, cancel)?,
            None => String::new(),
        };
        let frame = Some(function_name(&session.images, function));
        Ok(Self {
            value,
            saved,
            frame,
            is_stale,
            written_by: Some(record.step),
        })
    }

    fn row(&self, session: &Session, address: u64, offset: u64, frame: TextRole) -> TableRow {
        let meaning = match self.value.source {
            ValueSource::Inferred => TextRole::Inferred,
            ValueSource::External => TextRole::External,
            ValueSource::Recorded | ValueSource::Unknown => TextRole::Plain,
        };
        let value = match short_hex(&self.value.value) {
            Some(hex) => TableCell::new(meaning, hex),
            None => TableCell::new(TextRole::Label, say!("stackmem-unknown")),
        };
        let symbol = self
            .value
            .value
            .to_u64()
            .and_then(|value| place_name(&session.images, Address(value)));
        TableRow {
            name: say!("stackmem-row", address = format!("{address:x}")),
            cells: vec![
                TableCell::new(TextRole::Second, format!("{address:08x}")),
                TableCell::new(TextRole::Second, format!("+{offset:#x}")),
                value,
                TableCell::new(TextRole::Register, self.saved.clone()),
                self.frame_cell(frame),
                self.written_by
                    .map_or_else(TableCell::default, TableCell::Step),
                TableCell::new(TextRole::Symbol, symbol.unwrap_or_default()),
            ],
            position: self.written_by.map(Step::after),
            address: Some(Address(address)),
            ..TableRow::default()
        }
    }
}

/// Returns true if the storing call is a handler that spills a register window for the function
/// around it.
fn keeps_window(owner: &Call, record: &StepRecord) -> bool {
    owner.entered == FrameEntry::Exception && record.instruction_set.has_windows()
}

/// Names the register that a function saved there: a callee-saved register or the return address,
/// if it has its value from the call of the function, to which the word belongs. A call instruction
/// stores the return address.
fn saved_words(
    session: &Session,
    record: &StepRecord,
    owner: &Call,
    value: &CellValue,
    cancel: &Cancel,
) -> Result<String> {
    let (index, set) = (&session.index, record.instruction_set);
    let is_code = |number: u64| session.images.code_at(Address(number)).is_some();
    let Some(number) = value.value.to_u64() else {
        return Ok(String::new());
    };
    if is_call(record) {
        return Ok(say!("stackmem-return-address").to_owned());
    }
    let Some(encoding) = record.encoding else {
        return Ok(String::new());
    };
    let instruction = decode(encoding, record.pc, set);
    let Some(used) = instruction.registers.as_ref() else {
        return Ok(String::new());
    };
    let named = used
        .reads
        .iter()
        .filter(|view| is_saved_by_callee(**view, set));
    let views = named
        .filter_map(|view| Some((Registers::name(*view, set)?.to_owned(), *view)))
        .collect();
    let (position, thread) = (record.step.before(), record.thread);
    let states = RegisterViewsAt {
        position,
        thread,
        views,
    }
    .run(index, cancel)?;
    for state in states
        .into_iter()
        .filter(|state| state.value.to_u64() == Some(number))
    {
        if !is_as_called(index, &state, record, owner, cancel)? {
            continue;
        }
        return Ok(
            match set.is_link_register(state.view.register) && is_code(number) {
                true => say!("stackmem-register-return", register = &*state.name),
                false => state.name,
            },
        );
    }
    Ok(String::new())
}

/// Returns true for registers that a function must restore or needs to return.
fn is_saved_by_callee(view: RegisterView, set: InstructionSet) -> bool {
    let saved = set
        .abi()
        .callee_saved
        .iter()
        .filter_map(|name| Registers::view(name, set));
    set.is_link_register(view.register)
        || saved
            .into_iter()
            .any(|saved| saved.register == view.register)
}

/// Returns true if a register still has its value from the entry of the function. A function with a
/// register window has its own registers.
fn is_as_called(
    index: &Index,
    state: &RegisterState,
    record: &StepRecord,
    owner: &Call,
    cancel: &Cancel,
) -> Result<bool, QueryError> {
    let cell = Cell::Register {
        thread: record.thread,
        view: state.view,
    };
    let before = record.step.before();
    let last = NearestAccess::last(cell, AccessKinds::Writes, before).run(index, cancel)?;
    Ok(match last {
        Some(CellAccess::Step(hit)) => {
            keeps_window(owner, record) || hit.position <= owner.entered_at()
        }
        _ => true,
    })
}

fn is_call(record: &StepRecord) -> bool {
    use stepback_machine::flow::TextFlow;
    let by_text = || record.instruction_set.text_flow(&record.text) == Some(TextFlow::Call);
    matches!(
        record.branch,
        RecordedBranch::Call | RecordedBranch::IndirectCall
    ) || by_text()
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
        assert!(
            table.summary.contains("above the stack pointer"),
            "{}",
            table.summary
        );
    }
}
