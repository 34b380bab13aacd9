//! Words of a stack from its pointer upward, with the saved register and the frame of each.

use std::ops::Range;

use anyhow::Result;
use stepback_index::answer::{
    AccessKinds, Call, Cell, CellAccess, FrameEntry, MemoryRange, RegisterState, StepRecord,
    ValueSource,
};
use stepback_index::query::{NearestAccess, RegisterViewsAt, RegistersAt};
use stepback_index::{Cancel, Index, Query as _, QueryError};
use stepback_machine::flow::RecordedBranch;
use stepback_machine::semantics::{InstructionInput, ValueOrigin};
use stepback_machine::{AccessKind, Address, InstructionSet, RegisterView, Registers, decode};
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
        let range = MemoryRange {
            address: Address(address),
            len_bytes: word,
        };
        let found = StackWord::of(session, range, at, cancel)?;
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
    let thread = threads
        .get(usize::from(file.thread.0))
        .filter(|_| threads.len() > 1)
        .map(|thread| &*thread.name);
    let pointer = format!("{pointer:x}");
    let summary = match (words, thread) {
        (0, None) => say!("stackmem-nothing-is-accessed", pointer = pointer),
        (0, Some(thread)) => say!(
            "stackmem-nothing-is-accessed-of-thread",
            thread = thread,
            pointer = pointer
        ),
        (_, None) => say!("stackmem-words", count = words, pointer = pointer),
        (_, Some(thread)) => say!(
            "stackmem-words-of-thread",
            count = words,
            thread = thread,
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
    /// Describes the word of `len_bytes` at an address.
    fn of(session: &Session, word: MemoryRange, at: Position, cancel: &Cancel) -> Result<Self> {
        let (index, address) = (&session.index, word.address);
        let cell = Cell::Memory {
            address,
            len_bytes: word.len_bytes,
        };
        let value = cell_value(index, cell, at, cancel)?;
        let number = value.value.to_u64();
        let last = NearestAccess::last(cell, AccessKinds::Writes, at).run(index, cancel);
        let Some(CellAccess::Step(hit)) = QueryError::if_recorded(last)?.flatten() else {
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
            // A call instruction stores the return address.
            Some(_) if number.is_some() && is_call(record) => {
                say!("stackmem-return-address").to_owned()
            }
            Some(owner) => {
                let stored = stored_register(index, record, address, cancel)?;
                match stored.filter(|stored| number.is_some() && stored.value.to_u64() == number) {
                    Some(stored) => saved_words(session, record, &owner, stored, cancel)?,
                    None => String::new(),
                }
            }
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

/// Names a register that a function stored: a callee-saved register or the return address, if it
/// had its value from the call of the function, to which the word then belongs.
fn saved_words(
    session: &Session,
    record: &StepRecord,
    owner: &Call,
    stored: RegisterState,
    cancel: &Cancel,
) -> Result<String> {
    let (index, set) = (&session.index, record.instruction_set);
    if !is_saved_by_callee(stored.view, set)
        || !is_as_called(index, &stored, record, owner, cancel)?
    {
        return Ok(String::new());
    }
    let number = stored.value.to_u64();
    let is_code = number.is_some_and(|number| session.images.code_at(Address(number)).is_some());
    Ok(
        match set.is_link_register(stored.view.register) && is_code {
            true => say!("stackmem-register-return", register = &*stored.name),
            false => stored.name,
        },
    )
}

/// Returns the register that a step stored at an address, with its value: the n-th register of a
/// list for the n-th word.
fn stored_register(
    index: &Index,
    record: &StepRecord,
    address: Address,
    cancel: &Cancel,
) -> Result<Option<RegisterState>, QueryError> {
    let set = record.instruction_set;
    let state_of = |view: RegisterView| -> Result<Option<RegisterState>, QueryError> {
        let Some(name) = Registers::name(view, set) else {
            return Ok(None);
        };
        let states = RegisterViewsAt {
            position: record.step.before(),
            thread: record.thread,
            views: vec![(name.to_owned(), view)],
        };
        Ok(states.run(index, cancel)?.pop())
    };
    let Some(encoding) = record.encoding else {
        return Ok(None);
    };
    let instruction = decode(encoding, record.pc, set);
    let stores = instruction.meaning.memory.iter().filter(|operand| {
        operand.kind == AccessKind::Write && operand.segment.is_none() && operand.index.is_none()
    });
    for store in stores {
        let (Some(base), Some(size_bytes)) = (store.base, store.size_bytes) else {
            continue;
        };
        let Some(base) = state_of(base)?.and_then(|base| base.value.to_u64()) else {
            return Ok(None);
        };
        let start = base.wrapping_add_signed(store.displacement);
        let place = match store.address_bytes {
            4 => u64::from((address.0 as u32).wrapping_sub(start as u32)),
            _ => address.0.wrapping_sub(start),
        };
        let Some(place) = u16::try_from(place)
            .ok()
            .filter(|place| *place < size_bytes)
        else {
            continue;
        };
        return match *instruction.origins_of_value(&store.value, place..size_bytes) {
            [
                ValueOrigin {
                    input: InstructionInput::Register(view),
                    is_copy: true,
                },
            ] => state_of(view),
            _ => Ok(None),
        };
    }
    Ok(None)
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
    use crate::session::test_session::{overflow, tarmac};

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

    /// In `PUSH {reglist}` the lowest register is at the lowest address (Armv7-M ARM, A7.7.99):
    /// registers of equal values do not share a name. `r3` is no callee-saved register.
    #[test]
    fn words_of_a_push_are_the_registers_of_its_list_in_order() {
        let zeros = (3..12)
            .map(|number| format!("1 clk R r{number} 00000000\n"))
            .collect::<String>();
        let stored = (0..10)
            .map(|word| {
                let value = if word == 9 { "00008007" } else { "00000000" };
                format!("3 clk MW4 {:08x} {value}\n", 0x2000_0fd8 + 4 * word)
            })
            .collect::<String>();
        let text = format!(
            "1 clk IT (1) 00008000 4668 T thread : MOV r0,sp\n1 clk R r13 20001000\n{zeros}\
             2 clk IT (2) 00008002 f000f801 T thread : BL 0x8008\n2 clk R r14 00008007\n\
             3 clk IT (3) 00008008 e92d4ff8 T thread : PUSH.W {{r3-r11,lr}}\n\
             3 clk R r13 20000fd8\n{stored}\
             4 clk IT (4) 0000800c bf00 T thread : NOP\n"
        );
        let (session, _directory) = tarmac(&text);
        let table = stack_memory(&session, session.index.end(), &Cancel::default()).unwrap();
        let saved: Vec<String> = table.rows.iter().map(|row| row.cells[3].text()).collect();
        let expected = ["", "r4", "r5", "r6", "r7", "r8", "r9", "r10", "r11", "lr"];
        assert_eq!(
            saved,
            expected,
            "{:#?}",
            table.rows.iter().map(TableRow::line).collect::<Vec<_>>()
        );
    }
}
