//! The register file as groups of cells, with the changes of the last move.

use anyhow::Result;
use stepback_index::answer::{RegisterFile, RegisterState, ThreadId, Value, ValueSource};
use stepback_index::query::{RegisterViewsAt, RegistersAt};
use stepback_index::read::{NameReader, SlotReader};
use stepback_index::{Cancel, Query as _};
use stepback_machine::display::{LaneFormat, LaneKind, StatusRegister};
use stepback_machine::{
    Address, InstructionSet, RegisterGroup, RegisterId, RegisterView, Registers,
};
use stepback_parsers::{Position, RegisterSource, Step};

use super::names::place_name;
use crate::analysis::register_part::{RegisterLane, RegisterPart};
use crate::messages::{say, spoken};
use crate::model::reason_words::reason_words;
use crate::model::so_far::SourceWords;
use crate::session::Session;

/// Request for a group of registers.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct BoardRequest {
    pub group: RegisterGroup,
    /// Thread name; none for the thread of the position.
    pub thread: Option<String>,
    /// Position of the shown state.
    pub position: Position,
    /// Position to compare with; registers that differ are marked as changed.
    pub previous: Position,
}

/// Register file of a thread, limited to one group.
#[derive(Clone, Debug)]
pub struct RegisterBoard {
    pub thread: ThreadId,
    pub thread_name: String,
    /// Group that is shown.
    pub group: RegisterGroup,
    /// Groups of which the thread has registers.
    pub available: Vec<RegisterGroup>,
    /// Address of the next step.
    pub pc: Option<RegisterCell>,
    /// Symbol at that address.
    pub pc_symbol: Option<String>,
    /// Program status register.
    pub psr: Option<RegisterCell>,
    /// Decoded program status.
    pub status: StatusRegister,
    /// True if the trace does not record register values.
    pub is_inferred: bool,
    /// Registers of the group, in order.
    pub core: Vec<RegisterCell>,
    /// Sections below the general registers, which can be shown or hidden.
    pub groups: Vec<RegisterSection>,
}

/// Registers that are shown or hidden together.
#[derive(Clone, Debug)]
pub struct RegisterSection {
    pub title: &'static str,
    /// Registers, in order.
    pub cells: Vec<RegisterCell>,
}

/// Register at a position, or a lane of one.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct RegisterCell {
    /// Displayed name.
    pub name: String,
    /// Name of the lower half of a 64-bit register: `w0`, `eax`.
    pub half_name: Option<String>,
    /// All digits of the value; `??` for an unknown byte.
    pub hex: String,
    pub value: Value,
    /// Value before the last move; none if the position did not move.
    pub before: Option<Value>,
    pub source: ValueSource,
    /// The last move changed it.
    pub is_changed: bool,
    /// The step just before the position wrote it.
    pub is_news: bool,
    /// Last step that wrote it.
    pub written_by: Option<Step>,
    /// Position from which the value holds; 0 for a value that the trace states before its first
    /// step.
    pub written_at: Option<Position>,
    /// Reason for an inferred value.
    pub reason: Option<String>,
}

/// Titles of the sections below the general registers.
const GROUP_TITLES: [&str; 3] = [
    "registers-vector-registers",
    "registers-floating-point-registers",
    "registers-system-registers",
];
const VECTOR: usize = 0;
const FLOATING_POINT: usize = 1;
const SYSTEM: usize = 2;

/// Reads the registers at a position and marks those that differ from the previous one. Runs on a
/// worker.
///
/// # Errors
/// See [`stepback_index::QueryError`].
pub fn register_board(
    session: &Session,
    request: &BoardRequest,
    cancel: &Cancel,
) -> Result<RegisterBoard> {
    let index = &session.index;
    let thread = match request
        .thread
        .as_deref()
        .and_then(|name| index.thread_by_name(name))
    {
        Some(thread) => thread,
        None => SlotReader(index).thread_at(request.position)?,
    };
    let set = NameReader(index).set_at(thread, request.position)?;
    let available = available_groups(session, thread, set);
    // Every thread has the core group, which replaces one that this thread lacks.
    let group = if available.contains(&request.group) {
        request.group
    } else {
        RegisterGroup::Core
    };
    let read = |position| -> Result<RegisterFile> {
        if group == RegisterGroup::Core {
            return Ok(RegistersAt {
                position,
                thread: Some(thread),
            }
            .run(index, cancel)?);
        }
        let views = group_views(session, thread, group, set);
        let registers = RegisterViewsAt {
            position,
            thread,
            views,
        }
        .run(index, cancel)?;
        Ok(RegisterFile {
            thread,
            instruction_set: set,
            registers,
        })
    };
    let now = read(request.position)?;
    let before = if request.position == request.previous {
        None
    } else {
        Some(read(request.previous)?)
    };
    let mut board = RegisterBoard::new(group, &now, before.as_ref());
    board.mark_news(request.position);
    let pc = board.pc.as_ref().and_then(|cell| cell.value.to_u64());
    board.pc_symbol = pc.and_then(|pc| place_name(&session.images, Address(pc)));
    let source = index.source();
    board.is_inferred =
        source.traits().registers == RegisterSource::Operands || source.leaves_values_out();
    let name = index
        .threads()
        .get(usize::from(thread.0))
        .map(|thread| thread.name.clone());
    (board.thread_name, board.available) = (name.unwrap_or_default(), available);
    Ok(board)
}

/// Returns the displayed name of a register that an instruction names: `x0` for `w0`, `rax` for
/// `%eax`. A name that the instruction set does not have is returned without the prefix.
pub fn shown_name(written: &str, set: InstructionSet) -> String {
    let name = written.trim_start_matches('%');
    let Some(view) = Registers::view(name, set) else {
        return name.to_owned();
    };
    let shown = Registers::shown(set)
        .into_iter()
        .find(|(_, other)| other.register == view.register);
    shown.map_or_else(|| name.to_owned(), |(name, _)| name)
}

/// Returns the short title of a group, for the chooser and the tab.
pub fn short_title(group: RegisterGroup) -> &'static str {
    match group {
        RegisterGroup::Core => say!("registers-core"),
        RegisterGroup::Single => say!("tab-single-precision"),
        RegisterGroup::Double => say!("tab-double-precision"),
        RegisterGroup::Vector => say!("tab-vectors"),
        RegisterGroup::Scalable => say!("registers-sve"),
        RegisterGroup::System => say!("registers-system"),
    }
}

/// Reports that no thread has registers of a group.
pub fn missing_group(group: RegisterGroup) -> &'static str {
    match group {
        RegisterGroup::Scalable => say!("apply-no-sve"),
        RegisterGroup::Core => say!("apply-no-general"),
        RegisterGroup::Single => say!("apply-no-single"),
        RegisterGroup::Double => say!("apply-no-double"),
        RegisterGroup::Vector => say!("apply-no-vector"),
        RegisterGroup::System => say!("apply-no-system"),
    }
}

/// Returns true if any thread has registers of a group.
pub fn has_group(session: &Session, group: RegisterGroup) -> bool {
    let count = session.index.threads().len();
    let mut threads = (0..count)
        .filter_map(|number| u16::try_from(number).ok())
        .map(ThreadId);
    threads.any(|thread| {
        let set = session.index.instruction_set(thread);
        !group_views(session, thread, group, set).is_empty()
    })
}

/// Returns the groups of which a thread has registers. SVE and system registers count if the trace
/// writes any.
fn available_groups(
    session: &Session,
    thread: ThreadId,
    set: InstructionSet,
) -> Vec<RegisterGroup> {
    let is_there = |group: &RegisterGroup| !group_views(session, thread, *group, set).is_empty();
    RegisterGroup::ALL.into_iter().filter(is_there).collect()
}

/// Returns the registers of a group, as wide as the thread's machine has them.
fn group_views(
    session: &Session,
    thread: ThreadId,
    group: RegisterGroup,
    set: InstructionSet,
) -> Vec<(String, RegisterView)> {
    let index = &session.index;
    let mut named = NameReader(index).named_registers(thread);
    named.retain(|(name, _)| RegisterGroup::of_named(name) == group);
    let mut views = Registers::of_group(group, set);
    if group == RegisterGroup::Scalable {
        let vector = NameReader(index).written_width(thread, RegisterId::V0..RegisterId::P0);
        let predicate =
            NameReader(index).written_width(thread, RegisterId::P0..RegisterId::FIRST_BANK);
        if vector <= SIMD_BYTES && predicate == 0 && named.is_empty() {
            return Vec::new();
        }
        // A predicate has one bit for each byte of a vector.
        let vector = vector.max(predicate.saturating_mul(8)).max(SIMD_BYTES);
        for (_, view) in &mut views {
            view.size_bytes = if view.register < RegisterId::P0 {
                vector
            } else {
                vector / 8
            };
        }
    }
    views.extend(named);
    views
}

/// Width in bytes of a vector register without SVE.
const SIMD_BYTES: u16 = 16;

impl RegisterBoard {
    /// Marks the registers that the step just before a position wrote.
    fn mark_news(&mut self, position: Position) {
        let groups = self.groups.iter_mut().flat_map(|group| &mut group.cells);
        for cell in self
            .core
            .iter_mut()
            .chain(groups)
            .chain(&mut self.pc)
            .chain(&mut self.psr)
        {
            cell.is_news = cell.written_by.is_some() && cell.written_at == Some(position);
        }
    }

    /// Sorts a register file into sections.
    pub fn new(group: RegisterGroup, now: &RegisterFile, before: Option<&RegisterFile>) -> Self {
        let mut board = Self {
            thread: now.thread,
            thread_name: String::new(),
            group,
            available: Vec::new(),
            pc: None,
            pc_symbol: None,
            psr: None,
            status: StatusRegister::default(),
            is_inferred: false,
            core: Vec::new(),
            groups: GROUP_TITLES
                .map(|title| RegisterSection {
                    title: spoken(title),
                    cells: Vec::new(),
                })
                .into(),
        };
        let others = SpecialRegisters::of(now.instruction_set);
        for state in &now.registers {
            let mut cell = RegisterCell::new(state, before);
            cell.half_name = half_name(state.view, now.instruction_set);
            match group {
                RegisterGroup::Core => board.add(cell, state.view.register, &others),
                _ => board.core.push(cell),
            }
        }
        let bytes = board
            .psr
            .as_ref()
            .map_or([].as_slice(), |psr| psr.value.0.as_slice());
        board.status = now.instruction_set.status(bytes);
        board.groups.retain(|group| !group.cells.is_empty());
        board
    }

    /// Returns a register by its displayed name.
    pub fn cell(&self, name: &str) -> Option<&RegisterCell> {
        self.all_cells().find(|cell| cell.name == name)
    }

    /// Returns a register or a lane of one by name: `v0`, `v0.s[2]`.
    pub fn part(&self, name: &str) -> Option<RegisterCell> {
        let part = RegisterPart::parse(name);
        let cell = self.cell(&part.name)?;
        part.lane
            .map_or_else(|| Some(cell.clone()), |lane| cell.lane(lane))
    }

    /// Iterates over all registers in display order.
    pub fn all_cells(&self) -> impl Iterator<Item = &RegisterCell> {
        let head = self.pc.iter().chain(&self.psr).chain(&self.core);
        head.chain(self.groups.iter().flat_map(|group| &group.cells))
    }

    /// Removes the registers of the group whose names do not contain a text, which may be in any
    /// case.
    pub fn filter(&mut self, text: &str) {
        let text = text.trim().to_lowercase();
        self.core.retain(|cell| cell.name.contains(&text));
    }

    fn add(&mut self, cell: RegisterCell, register: RegisterId, others: &SpecialRegisters) {
        match register {
            // Registers that the kernel or the compiler sets, such as the segments of x86, may have
            // low numbers.
            id if others.system.contains(&id) => self.push(SYSTEM, cell),
            RegisterId::PC => self.pc = Some(cell),
            RegisterId::PSR => self.psr = Some(cell),
            RegisterId::LR | RegisterId::SP => self.core.push(cell),
            id if id < RegisterId::SP => self.core.push(cell),
            id if id >= RegisterId::FIRST_BANK => match RegisterGroup::of_named(&cell.name) {
                RegisterGroup::Vector => self.push(VECTOR, cell),
                _ => self.push(SYSTEM, cell),
            },
            _ => self.push(others.rest, cell),
        }
    }

    fn push(&mut self, group: usize, cell: RegisterCell) {
        if let Some(group) = self.groups.get_mut(group) {
            group.cells.push(cell);
        }
    }
}

/// Returns the name of the lower half of a 64-bit register, if it has one.
fn half_name(view: RegisterView, set: InstructionSet) -> Option<String> {
    let half = RegisterView::new(view.register, view.offset, 4);
    Registers::name(half, set)
        .filter(|_| view.size_bytes == 8)
        .map(str::to_owned)
}

/// Registers of an instruction set other than the general ones.
struct SpecialRegisters {
    system: Vec<RegisterId>,
    /// Section of the registers that belong to no other section.
    rest: usize,
}

impl SpecialRegisters {
    fn of(set: InstructionSet) -> Self {
        let system = Registers::of_group(RegisterGroup::System, set)
            .iter()
            .map(|(_, view)| view.register)
            .collect();
        let has_vectors = !Registers::of_group(RegisterGroup::Vector, set).is_empty();
        Self {
            system,
            rest: if has_vectors { VECTOR } else { FLOATING_POINT },
        }
    }
}

impl RegisterCell {
    fn new(state: &RegisterState, before: Option<&RegisterFile>) -> Self {
        let old = before.and_then(|before| before.get(&state.name)).cloned();
        Self {
            name: state.name.clone(),
            half_name: None,
            hex: state.value.hex(),
            is_changed: before.is_some() && old.as_ref() != Some(&state.value),
            is_news: false,
            value: state.value.clone(),
            before: old,
            source: state.source,
            written_by: state.written_by,
            written_at: state.written_at,
            reason: state.reason.as_ref().map(reason_words),
        }
    }

    /// Returns a lane as a separate register; none if the register is too narrow.
    pub fn lane(&self, lane: RegisterLane) -> Option<Self> {
        let size = usize::from(lane.size_bytes);
        let range = usize::from(lane.index).checked_mul(size)?
            ..(usize::from(lane.index) + 1).checked_mul(size)?;
        let cut = |value: &Value| {
            value
                .0
                .get(range.clone())
                .map(|bytes| Value(bytes.to_vec()))
        };
        let value = cut(&self.value)?;
        let before = self.before.as_ref().and_then(cut);
        Some(Self {
            name: format!("{}{lane}", self.name),
            half_name: None,
            hex: value.hex(),
            is_changed: self.is_changed && before.as_ref() != Some(&value),
            source: if value.is_unknown() {
                ValueSource::Unknown
            } else {
                self.source
            },
            value,
            before,
            ..self.clone()
        })
    }

    /// Returns the word for the provenance of the value.
    pub fn source_word(&self) -> &'static str {
        SourceWords::of(self.source).phrase
    }
}

/// Returns the maximum length of a lane in characters, so that columns keep their width while
/// stepping.
pub fn lane_characters(format: LaneFormat) -> usize {
    let size = usize::from(format.size_bytes);
    let digits = match size {
        1 => 3,
        2 => 5,
        4 => 10,
        8 => 20,
        _ => 39,
    };
    match (format.kind, size) {
        (LaneKind::Hex, _) => 2 * size,
        (LaneKind::Unsigned, _) => digits,
        (LaneKind::Signed, _) => digits + 1,
        (LaneKind::Float, 2) => 10,
        (LaneKind::Float, 4) => 14,
        (LaneKind::Float, _) => 24,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::session::test_session::overflow;

    fn state(name: &str, value: Option<u64>) -> RegisterState {
        let view = Registers::view(name, InstructionSet::A64).unwrap_or(RegisterView::new(
            RegisterId::FIRST_NAMED,
            0,
            8,
        ));
        let bytes = (0..view.size_bytes).map(|place| {
            value.map(|value| value.checked_shr(8 * u32::from(place)).unwrap_or(0) as u8)
        });
        let source = if value.is_some() {
            ValueSource::Recorded
        } else {
            ValueSource::Unknown
        };
        RegisterState {
            name: name.to_owned(),
            view,
            value: Value(bytes.collect()),
            source,
            written_at: None,
            written_by: None,
            reason: None,
        }
    }

    fn file(states: Vec<RegisterState>) -> RegisterFile {
        RegisterFile {
            thread: ThreadId(0),
            instruction_set: InstructionSet::A64,
            registers: states,
        }
    }

    #[test]
    fn registers_of_x86_and_risc_v_are_in_their_groups() {
        let sections = |set: InstructionSet| {
            let named = |(name, view): (String, RegisterView)| RegisterState {
                name,
                view,
                ..state("x0", Some(0))
            };
            let registers = Registers::shown(set).into_iter().map(named).collect();
            let now = RegisterFile {
                thread: ThreadId(0),
                instruction_set: set,
                registers,
            };
            let board = RegisterBoard::new(RegisterGroup::Core, &now, None);
            let last = |cells: &[RegisterCell]| {
                cells
                    .last()
                    .map(|cell| cell.name.clone())
                    .unwrap_or_default()
            };
            let groups = board
                .groups
                .iter()
                .map(|group| format!("{} {}", group.title, last(&group.cells)));
            groups
                .chain([format!("{} {}", board.core.len(), last(&board.core))])
                .collect::<Vec<_>>()
                .join(", ")
        };
        assert_eq!(
            sections(InstructionSet::X86_64),
            "Vector registers xmm15, System registers gs, 16 r15"
        );
        assert_eq!(
            sections(InstructionSet::Riscv64),
            "Floating-point registers fcsr, 31 t6"
        );
    }

    #[track_caller]
    fn check(board: &RegisterBoard, expected: &str) {
        let shown = |cell: &RegisterCell| {
            format!(
                "{}={}{}",
                cell.name,
                cell.hex,
                if cell.is_changed { "!" } else { "" }
            )
        };
        let core: Vec<String> = board.core.iter().map(shown).collect();
        let groups = board
            .groups
            .iter()
            .map(|group| format!("{}: {}", group.title, group.cells.len()));
        let parts: Vec<String> = std::iter::once(core.join(" ")).chain(groups).collect();
        assert_eq!(parts.join("; "), expected);
    }

    #[test]
    fn only_what_the_last_step_wrote_is_news() {
        let request = BoardRequest {
            group: RegisterGroup::Core,
            thread: None,
            position: Position(1249),
            previous: Position(3),
        };
        let board = register_board(&overflow(), &request, &Cancel::default()).unwrap();
        let news: Vec<&str> = board
            .core
            .iter()
            .filter(|cell| cell.is_news)
            .map(|cell| &*cell.name)
            .collect();
        // Step 1,248: `orr w0, w0, #0xffffff80`.
        assert_eq!(news, ["x0"]);
        assert!(board.core.iter().filter(|cell| cell.is_changed).count() > 3);
    }

    #[test]
    fn a_change_is_what_differs_from_before() {
        let before = file(vec![
            state("x0", Some(1)),
            state("x1", None),
            state("x2", Some(3)),
        ]);
        let now = file(vec![
            state("x0", Some(2)),
            state("x1", Some(7)),
            state("x2", Some(3)),
        ]);
        check(
            &RegisterBoard::new(RegisterGroup::Core, &now, Some(&before)),
            "x0=0000000000000002! x1=0000000000000007! x2=0000000000000003",
        );
        check(
            &RegisterBoard::new(RegisterGroup::Core, &before, None),
            "x0=0000000000000001 x1=???????????????? x2=0000000000000003",
        );
    }

    #[test]
    fn vectors_and_system_registers_are_groups_of_their_own() {
        let now = file(vec![
            state("sp", Some(0x10)),
            state("v0", None),
            state("fpcr", None),
            state("vbar_el3", Some(0)),
        ]);
        check(
            &RegisterBoard::new(RegisterGroup::Core, &now, None),
            "sp=0000000000000010; Vector registers: 2; System registers: 1",
        );
    }

    #[test]
    fn flags_of_x86_are_those_of_its_manuals() {
        let text = |bytes: &[Option<u8>], set: InstructionSet| -> String {
            let flags = set.status(bytes).flags.into_iter();
            flags
                .map(|flag| crate::model::text::flag_letter(flag.letter, flag.is_set))
                .collect()
        };
        assert_eq!(
            text(&[Some(0x45), Some(0x08)], InstructionSet::X86_64),
            "OsZaPC"
        );
        assert_eq!(text(&[Some(0x80), None], InstructionSet::X86_32), "?Szapc");
        assert_eq!(text(&[], InstructionSet::Riscv64), "");
    }

    #[test]
    fn a_lane_is_a_register_of_its_own() {
        let bytes = |first: u8| {
            Value(
                (0..16)
                    .map(|place| (place != 9).then_some(first + place))
                    .collect(),
            )
        };
        let mut before = state("v0", None);
        before.value = Value(
            (0..16)
                .map(|place| Some(if place < 4 { 0 } else { place }))
                .collect(),
        );
        let now = RegisterState {
            value: bytes(0),
            source: ValueSource::Recorded,
            ..state("v0", None)
        };
        let cell = RegisterBoard::new(
            RegisterGroup::Vector,
            &file(vec![now]),
            Some(&file(vec![before])),
        )
        .core
        .remove(0);
        let lane = |size_bytes, index| cell.lane(RegisterLane { size_bytes, index });
        let shown = |lane: Option<RegisterCell>| {
            lane.map(|lane| format!("{} {} {}", lane.name, lane.hex, lane.is_changed))
        };
        assert_eq!(shown(lane(4, 0)).as_deref(), Some("v0.s[0] 03020100 true"));
        assert_eq!(shown(lane(4, 1)).as_deref(), Some("v0.s[1] 07060504 false"));
        assert_eq!(
            shown(lane(8, 1)).as_deref(),
            Some("v0.d[1] 0f0e0d0c0b0a??08 true")
        );
        assert_eq!(
            lane(1, 9).map(|lane| lane.source),
            Some(ValueSource::Unknown)
        );
        assert_eq!(shown(lane(8, 2)), None);
    }

    #[test]
    fn every_thread_has_the_groups_of_its_architecture() {
        let session = overflow();
        let request = |group| BoardRequest {
            group,
            thread: None,
            position: Position(1250),
            previous: Position(1250),
        };
        let board = |group| register_board(&session, &request(group), &Cancel::default()).unwrap();
        let core = board(RegisterGroup::Core);
        let expected = [
            RegisterGroup::Core,
            RegisterGroup::Single,
            RegisterGroup::Double,
            RegisterGroup::Vector,
        ];
        assert_eq!(core.available[..4], expected);
        assert!(!core.available.contains(&RegisterGroup::Scalable));
        let vectors = board(RegisterGroup::Vector);
        assert_eq!(
            (
                vectors.core.len(),
                vectors.core[0].name.as_str(),
                vectors.core[0].hex.len()
            ),
            (32, "v0", 32)
        );
        assert_eq!(board(RegisterGroup::Scalable).group, RegisterGroup::Core);
    }

    #[test]
    fn system_registers_are_found_by_a_part_of_their_name() {
        let mut board = RegisterBoard::new(
            RegisterGroup::System,
            &file(vec![
                state("vbar_el3", Some(1)),
                state("ttbr0_el1", Some(2)),
                state("ttbr1_el1", None),
            ]),
            None,
        );
        board.filter(" TTBR ");
        check(
            &board,
            "ttbr0_el1=0000000000000002 ttbr1_el1=????????????????",
        );
    }
}
