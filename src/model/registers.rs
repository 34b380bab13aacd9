//! The register file as groups of cells, with what the last move changed.

use anyhow::Result;
use stepback_index::{
    AccessKinds, Cancel, Cell, Hit, InstructionSet, LastAccess, LastAccessAnswer, NextAccess, Query as _, RegisterFile,
    RegisterState, RegistersAt, ThreadId, Value, ValueSource,
};
use stepback_parsers::{Address, Position, RegisterId, Step};

use super::code::Code;
use super::names::place_name;
use super::text::flags;
use crate::session::Session;

/// A register file, ready to be painted.
#[derive(Clone, Debug)]
pub struct RegisterBoard {
    /// Whose it is.
    pub thread: ThreadId,
    /// The thread's name, where the trace has several.
    pub thread_name: Option<String>,
    /// Address of the next step.
    pub pc: Option<RegisterCell>,
    /// The symbol there.
    pub pc_symbol: Option<String>,
    /// The program status register.
    pub psr: Option<RegisterCell>,
    /// The mode that it says: `EL3h`, `svc`.
    pub mode: Option<String>,
    /// The general registers, in order.
    pub core: Vec<RegisterCell>,
    /// The others, which can be shown.
    pub groups: Vec<RegisterGroup>,
}

/// Registers that are shown together or not at all.
#[derive(Clone, Debug)]
pub struct RegisterGroup {
    /// What they are.
    pub title: &'static str,
    /// In order.
    pub cells: Vec<RegisterCell>,
}

/// A register at a position.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RegisterCell {
    /// As shown.
    pub name: String,
    /// All its digits; `??` for an unknown byte.
    pub hex: String,
    /// Its value.
    pub value: Value,
    /// Where the value comes from.
    pub source: ValueSource,
    /// The last move changed it.
    pub is_changed: bool,
    /// Who wrote it last.
    pub written_by: Option<Step>,
    /// Since when it is so; 0 for what the trace states before its first step.
    pub written_at: Option<Position>,
}

/// Which groups there are below the general registers.
const GROUP_TITLES: [&str; 2] = ["Vector registers", "System registers"];

/// The registers at a position, marked where they differ from those at `previous`. Runs on a worker.
///
/// # Errors
/// See [`stepback_index::QueryError`].
pub fn register_board(
    session: &Session,
    position: Position,
    previous: Position,
    cancel: &Cancel,
) -> Result<RegisterBoard> {
    let index = &session.index;
    let now = RegistersAt { position, thread: None }.run(index, cancel)?;
    let before = match position == previous {
        true => None,
        false => Some(RegistersAt { position: previous, thread: Some(now.thread) }.run(index, cancel)?),
    };
    let mut board = RegisterBoard::new(&now, before.as_ref());
    let pc = board.pc.as_ref().and_then(|cell| cell.value.to_u64());
    board.pc_symbol = pc.and_then(|pc| place_name(&session.images, Address(pc)));
    let threads = index.threads();
    let name = threads.get(usize::from(now.thread.0)).map(|thread| thread.name.clone());
    board.thread_name = name.filter(|_| threads.len() > 1);
    Ok(board)
}

impl RegisterBoard {
    /// Sorts a register file into groups.
    pub fn new(now: &RegisterFile, before: Option<&RegisterFile>) -> Self {
        let mut board = Self {
            thread: now.thread,
            thread_name: None,
            pc: None,
            pc_symbol: None,
            psr: None,
            mode: None,
            core: Vec::new(),
            groups: GROUP_TITLES.map(|title| RegisterGroup { title, cells: Vec::new() }).into(),
        };
        for state in &now.registers {
            board.add(RegisterCell::new(state, before), state.view.register);
        }
        board.mode = board.psr.as_ref().and_then(|psr| mode_text(&psr.value, now.instruction_set));
        board.groups.retain(|group| !group.cells.is_empty());
        board
    }

    /// A register by the name that is shown.
    pub fn cell(&self, name: &str) -> Option<&RegisterCell> {
        self.all_cells().find(|cell| cell.name == name)
    }

    /// All of them, in the order in which they are shown.
    pub fn all_cells(&self) -> impl Iterator<Item = &RegisterCell> {
        let head = self.pc.iter().chain(&self.psr).chain(&self.core);
        head.chain(self.groups.iter().flat_map(|group| &group.cells))
    }

    /// The names of the flags that are set, in words: `carry`, `negative, overflow`.
    pub fn flag_words(&self) -> String {
        let Some(psr) = &self.psr else { return String::new() };
        let word = |(letter, is_set)| match (letter, is_set) {
            ('n', Some(true)) => Some("negative"),
            ('z', Some(true)) => Some("zero"),
            ('c', Some(true)) => Some("carry"),
            ('v', Some(true)) => Some("overflow"),
            _ => None,
        };
        let words: Vec<&str> = flags(&psr.value).into_iter().filter_map(word).collect();
        words.join(", ")
    }

    fn add(&mut self, cell: RegisterCell, register: RegisterId) {
        match register {
            RegisterId::PC => self.pc = Some(cell),
            RegisterId::PSR => self.psr = Some(cell),
            RegisterId::LR | RegisterId::SP => self.core.push(cell),
            id if id < RegisterId::SP => self.core.push(cell),
            id => {
                let place = usize::from(id >= RegisterId::FIRST_NAMED);
                if let Some(group) = self.groups.get_mut(place) {
                    group.cells.push(cell);
                }
            }
        }
    }
}

impl RegisterCell {
    fn new(state: &RegisterState, before: Option<&RegisterFile>) -> Self {
        let old = before.and_then(|before| before.get(&state.name));
        Self {
            name: state.name.clone(),
            hex: state.value.hex(),
            value: state.value.clone(),
            source: state.source,
            is_changed: before.is_some() && old != Some(&state.value),
            written_by: state.written_by,
            written_at: state.written_at,
        }
    }

    /// The word for where the value comes from.
    pub fn source_word(&self) -> &'static str {
        source_word(self.source)
    }
}

/// Who wrote a register and who will, with the instructions.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct RegisterDetail {
    /// The symbol at its value.
    pub symbol: Option<String>,
    /// The last step that wrote it.
    pub written_by: Option<(Step, Code)>,
    /// The next step that writes it.
    pub next_write: Option<(Step, Code)>,
}

/// Asks for the writes of a register around a position. Runs on a worker.
///
/// # Errors
/// See [`stepback_index::QueryError`].
pub fn register_detail(session: &Session, name: &str, position: Position, cancel: &Cancel) -> Result<RegisterDetail> {
    let index = &session.index;
    let file = RegistersAt { position, thread: None }.run(index, cancel)?;
    let Some(state) = file.state(name) else { return Ok(RegisterDetail::default()) };
    let cell = Cell::Register { thread: file.thread, view: state.view };
    let writes = AccessKinds::Writes;
    let last = LastAccess { cell, kinds: writes, before: position }.run(index, cancel)?;
    let next = NextAccess { cell, kinds: writes, from: position }.run(index, cancel)?;
    let writer = |hit: &Hit| (hit.record.step, Code::new(&hit.record.text, hit.record.pc, &session.images));
    let written_by = if let LastAccessAnswer::Step(hit) = &last { Some(writer(hit)) } else { None };
    let symbol = state.value.to_u64().and_then(|value| place_name(&session.images, Address(value)));
    Ok(RegisterDetail { symbol, written_by, next_write: next.as_ref().map(writer) })
}

/// In which of some columns, each an equal part of the trace, a register of a thread is written. Runs on a worker.
///
/// Cost: one question for each column that has a write, none for the others.
///
/// # Errors
/// See [`stepback_index::QueryError`].
pub fn write_columns(
    session: &Session,
    (name, thread): (&str, ThreadId),
    columns: u32,
    cancel: &Cancel,
) -> Result<Vec<u32>> {
    let index = &session.index;
    let Some(view) = index.register_view(name, thread) else { return Ok(Vec::new()) };
    let (cell, steps) = (Cell::Register { thread, view }, u128::from(index.step_count().max(1)));
    let mut found = Vec::new();
    let mut before = index.end();
    while let LastAccessAnswer::Step(hit) =
        (LastAccess { cell, kinds: AccessKinds::Writes, before }).run(index, cancel)?
    {
        let column = u128::from(hit.record.step.0) * u128::from(columns) / steps;
        found.push(u32::try_from(column).unwrap_or(u32::MAX));
        // The first step of the column: what else is written in it does not show.
        let first = (column * steps).div_ceil(u128::from(columns.max(1)));
        before = Position(u64::try_from(first).unwrap_or(u64::MAX).min(hit.record.step.0));
    }
    Ok(found)
}

/// The word for where a value comes from.
pub fn source_word(source: ValueSource) -> &'static str {
    match source {
        ValueSource::Recorded => "recorded",
        ValueSource::Inferred => "inferred",
        ValueSource::External => "external change",
        ValueSource::Unknown => "unknown",
    }
}

/// The processor's mode as the low bits of the status register say it (Arm ARM: PSTATE.M).
fn mode_text(psr: &Value, set: InstructionSet) -> Option<String> {
    let low = psr.0.first().copied().flatten()?;
    let is_wide = low & 0x10 == 0;
    if set == InstructionSet::A64 && is_wide {
        let stack = if low & 1 == 0 { 't' } else { 'h' };
        return Some(format!("EL{}{stack}", low >> 2 & 3));
    }
    let mode = match low & 0x1f {
        0x10 => "usr",
        0x11 => "fiq",
        0x12 => "irq",
        0x13 => "svc",
        0x16 => "mon",
        0x17 => "abt",
        0x1a => "hyp",
        0x1b => "und",
        0x1f => "sys",
        // M-profile has no such field.
        _ => return None,
    };
    Some(if low & 0x20 == 0 { mode.to_owned() } else { format!("{mode}, Thumb") })
}

#[cfg(test)]
mod tests {
    use stepback_parsers::{RegisterView, Registers};

    use super::*;
    use crate::model::test_session::overflow;

    fn state(name: &str, value: Option<u64>) -> RegisterState {
        let view = Registers::view(name, InstructionSet::A64).unwrap_or(RegisterView::new(RegisterId(100), 0, 8));
        let bytes = (0..view.size_bytes)
            .map(|place| value.map(|value| value.checked_shr(8 * u32::from(place)).unwrap_or(0) as u8));
        let source = if value.is_some() { ValueSource::Recorded } else { ValueSource::Unknown };
        RegisterState {
            name: name.to_owned(),
            view,
            value: Value(bytes.collect()),
            source,
            written_at: None,
            written_by: None,
        }
    }

    fn file(states: Vec<RegisterState>) -> RegisterFile {
        RegisterFile { thread: ThreadId(0), instruction_set: InstructionSet::A64, registers: states }
    }

    #[track_caller]
    fn check(board: &RegisterBoard, expected: &str) {
        let shown =
            |cell: &RegisterCell| format!("{}={}{}", cell.name, cell.hex, if cell.is_changed { "!" } else { "" });
        let core: Vec<String> = board.core.iter().map(shown).collect();
        let groups = board.groups.iter().map(|group| format!("{}: {}", group.title, group.cells.len()));
        let parts: Vec<String> = std::iter::once(core.join(" ")).chain(groups).collect();
        assert_eq!(parts.join("; "), expected);
    }

    #[test]
    fn a_change_is_what_differs_from_before() {
        let before = file(vec![state("x0", Some(1)), state("x1", None), state("x2", Some(3))]);
        let now = file(vec![state("x0", Some(2)), state("x1", Some(7)), state("x2", Some(3))]);
        check(
            &RegisterBoard::new(&now, Some(&before)),
            "x0=0000000000000002! x1=0000000000000007! x2=0000000000000003",
        );
        check(&RegisterBoard::new(&before, None), "x0=0000000000000001 x1=???????????????? x2=0000000000000003");
    }

    #[test]
    fn vectors_and_system_registers_are_groups_of_their_own() {
        let now =
            file(vec![state("sp", Some(0x10)), state("v0", None), state("fpcr", None), state("vbar_el3", Some(0))]);
        check(&RegisterBoard::new(&now, None), "sp=0000000000000010; Vector registers: 2; System registers: 1");
    }

    #[test]
    fn the_status_register_says_flags_and_mode() {
        let board = RegisterBoard::new(&file(vec![state("psr", Some(0x6000_03cd))]), None);
        assert_eq!((board.flag_words(), board.mode.as_deref()), ("zero, carry".to_owned(), Some("EL3h")));
        assert_eq!(mode_text(&Value(vec![Some(0x33)]), InstructionSet::T32).as_deref(), Some("svc, Thumb"));
        assert_eq!(mode_text(&Value(vec![None]), InstructionSet::A64), None);
    }

    #[test]
    fn the_strip_of_writes_has_every_column_with_a_write() {
        let session = overflow();
        let columns = |count| write_columns(&session, ("x19", ThreadId(0)), count, &Cancel::default()).unwrap();
        let steps: Vec<u32> = columns(1763).into_iter().filter(|step| (1180..1260).contains(step)).collect();
        assert_eq!(steps, [1253, 1188]);
        assert_eq!(columns(1), [0]);
    }

    #[test]
    fn a_register_knows_who_wrote_it_and_who_will() {
        let session = overflow();
        let detail = register_detail(&session, "x19", Position(1250), &Cancel::default()).unwrap();
        let writer =
            |writer: Option<(Step, Code)>| writer.map(|(step, code)| format!("{} {}", step.0, code.full_text()));
        assert_eq!(writer(detail.written_by).as_deref(), Some("1188 add    x19, x19, #3"));
        assert_eq!(writer(detail.next_write).as_deref(), Some("1253 add    x19, x19, #3"));
    }
}
