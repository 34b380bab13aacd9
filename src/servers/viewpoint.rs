//! Queries about a position, shared by the gdb and DAP servers ([`Viewpoint`]): last writes and
//! explanations of values.

use std::collections::HashSet;

use anyhow::{Result, bail, ensure};
use stepback_debugger::action::{Direction as SliceDirection, SliceView};
use stepback_debugger::analysis::names::NameResolver;
use stepback_debugger::analysis::slice::{Frames, SliceReading};
use stepback_debugger::analysis::walk::{HitCursor, HitOutcome, HitQuery, Subject};
use stepback_debugger::image::VariablePlace;
use stepback_debugger::model::frame_place::{FrameLevel, FramePlace};
use stepback_debugger::model::local_names::named_value;
use stepback_debugger::model::slice::SliceWords;
use stepback_debugger::model::variable_values::ValueReader;
use stepback_debugger::session::Session;
use stepback_index::answer::{
    AccessKinds, ByteState, Cell, Direction, EdgeKinds, MemoryRange, StepRecord, ThreadId,
};
use stepback_index::query::{MemoryAt, MemoryOf, SliceQuery};
use stepback_index::read::NameReader;
use stepback_index::{Cancel, Index, Query as _, QueryError};
use stepback_machine::Address;
use stepback_parsers::Position;

use crate::cli::text::{grouped, printable, slice_line, step_line};

/// Maximum number of steps that an explanation reads.
const EXPLAINED_STEPS: usize = 1 << 12;

/// A frame of a thread at a position of a trace.
#[derive(Clone, Copy)]
pub struct Viewpoint<'a> {
    pub session: &'a Session,
    pub frame: FrameLevel,
    /// Position at which the registers are those of the frame. Memory is read at that of the program.
    pub registers_at: Position,
    pub cancel: &'a Cancel,
}

/// Reads memory as a thread sees it. The address may be a pointer with a tag.
///
/// # Errors
/// See [`QueryError`].
pub fn memory_of(
    index: &Index,
    thread: ThreadId,
    question: MemoryAt,
    cancel: &Cancel,
) -> Result<Vec<ByteState>, QueryError> {
    let set = index.instruction_set(thread);
    let address = Address(set.plain_address(question.address.0));
    MemoryOf {
        thread: Some(thread),
        question: MemoryAt {
            address,
            ..question
        },
    }
    .run(index, cancel)
}

/// The nearest access of a cell.
pub enum FoundAccess {
    Step(Box<StepRecord>),
    /// The trace states the cell before its first step, in this line.
    Initial(u64),
    Nothing,
}

/// Kind and direction of a search for an access.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct AccessSearch {
    pub kinds: AccessKinds,
    pub direction: Direction,
}

impl AccessSearch {
    /// Returns the search of a command such as `last-write`; none for other commands.
    pub fn find(name: &str) -> Option<Self> {
        let (direction, kind) = name.split_once('-')?;
        let direction = match direction {
            "last" => Direction::Back,
            "next" => Direction::Forward,
            _ => return None,
        };
        let kinds = match kind {
            "write" => AccessKinds::Writes,
            "read" => AccessKinds::Reads,
            "access" => AccessKinds::All,
            _ => return None,
        };
        Some(Self { kinds, direction })
    }
}

impl<'a> Viewpoint<'a> {
    /// Resolves names here.
    ///
    /// # Errors
    /// See [`QueryError`].
    pub fn names(&self) -> Result<NameResolver<'a>, QueryError> {
        let (index, images) = (&self.session.index, &self.session.images);
        let thread = Some(self.frame.thread);
        NameResolver::new(index, images, self.registers_at, thread, self.cancel)
    }

    /// Finds the cell that a text names: a local variable or a part of one, a register, or memory.
    ///
    /// # Errors
    /// The text names no cell, or the trace cannot be read.
    pub fn cell(&self, text: &str) -> Result<Cell> {
        ensure!(
            !text.is_empty(),
            "a register, a variable or ADDR:LEN is missing"
        );
        match self.cell_of_local(text)? {
            Some(cell) => Ok(cell),
            None => Ok(self.names()?.cell(text)?),
        }
    }

    /// Returns the memory of a local variable or of a part of one, or the whole register that contains
    /// it; none if the text names none.
    ///
    /// # Errors
    /// It is in neither, or the trace cannot be read.
    pub fn cell_of_local(&self, text: &str) -> Result<Option<Cell>> {
        let Self {
            session,
            frame,
            cancel,
            ..
        } = *self;
        let Some(place) = FramePlace::find(session, frame, cancel)? else {
            return Ok(None);
        };
        let reader = ValueReader {
            session,
            place: &place,
            cancel,
        };
        let Some(value) = named_value(text, &reader)? else {
            return Ok(None);
        };
        // As in C++, a reference means the value to which it refers.
        let Some(value) = reader.referred(&value)? else {
            bail!("the reference {text} is not recorded here");
        };
        if value.place == VariablePlace::Unknown {
            bail!("the place of {text} is not recorded here");
        }
        if let Some(MemoryRange { address, len_bytes }) = value.memory() {
            return Ok(Some(Cell::Memory { address, len_bytes }));
        }
        let register = match value.register() {
            Some(number) => place.register(number, &session.index)?,
            None => None,
        };
        match register {
            Some(register) => Ok(Some(register)),
            None => bail!("{text} is neither in memory nor in a register here"),
        }
    }

    /// Returns the position at which a cell has the value that the frame shows.
    fn position_of(&self, cell: &Cell) -> Position {
        match cell {
            Cell::Register { .. } => self.registers_at,
            _ => self.frame.position,
        }
    }

    /// Describes the position and the step that follows.
    pub fn position_text(&self, next: Option<&StepRecord>) -> String {
        let index = &self.session.index;
        let next = match next {
            Some(record) => format!("next step {}", step_line(record, index)),
            None => "no step follows".to_owned(),
        };
        format!(
            "position {} of {}\n{next}",
            grouped(self.frame.position.0),
            grouped(index.step_count())
        )
    }

    /// Finds the nearest access of a cell.
    ///
    /// # Errors
    /// The text names no cell, or the trace cannot be read.
    pub fn access(&self, what: &str, search: AccessSearch) -> Result<FoundAccess> {
        let cell = self.cell(what)?;
        let from = self.position_of(&cell);
        let sought = HitQuery {
            subject: Subject::Accesses(cell, search.kinds),
            direction: search.direction,
        };
        let index = &self.session.index;
        let mut cursor = HitCursor::new(sought, from, 1, index, self.cancel);
        Ok(match cursor.next_hit()? {
            HitOutcome::Hit(hit) => FoundAccess::Step(Box::new(hit.record)),
            HitOutcome::Initial(line) => FoundAccess::Initial(line.0),
            HitOutcome::Nothing => FoundAccess::Nothing,
        })
    }

    /// Describes an access that was found.
    pub fn access_text(&self, found: &FoundAccess) -> String {
        match found {
            FoundAccess::Step(record) => format!("step {}", step_line(record, &self.session.index)),
            FoundAccess::Initial(line) => {
                format!("stated before the first step, in line {}", grouped(*line))
            }
            FoundAccess::Nothing => "nothing found".to_owned(),
        }
    }

    /// Explains a value, as `stepback why` does, in at most `limit` lines and one about the rest.
    ///
    /// # Errors
    /// The text names no cell, or the trace cannot be read.
    pub fn explanation(&self, what: &str, limit: usize) -> Result<Vec<String>> {
        let index = &self.session.index;
        let cell = self.cell(what)?;
        let at = self.position_of(&cell);
        let shown = match cell {
            Cell::Memory { address, len_bytes } => format!("{address}:{len_bytes}"),
            // A variable has no name on the command line.
            Cell::Register { view, thread } if self.names()?.register(what)?.is_none() => {
                NameReader(index).whole_name(view, index.instruction_set(thread))
            }
            _ => what.to_owned(),
        };
        let query = SliceQuery {
            cell,
            at,
            direction: Direction::Back,
            edges: EdgeKinds {
                addresses: false,
                flags: false,
                control: false,
                listed: false,
            },
            limit: EXPLAINED_STEPS,
        };
        let mut walk = query.walk(index, Some(self.frame.thread), self.cancel)?;
        let (mut reading, mut frames) = (SliceReading::default(), Frames::new(index));
        while let Some(row) = walk.next(self.cancel)? {
            reading.take(row, &mut frames, self.cancel)?;
        }
        for row in walk.into_rest() {
            reading.take(row, &mut frames, self.cancel)?;
        }
        let lines = reading.lines(SliceView::Chain, &HashSet::new());
        let words = SliceWords {
            session: self.session,
            reading: &reading,
            direction: SliceDirection::Back,
            cancel: self.cancel,
        };
        let mut texts = Vec::new();
        for line in lines.iter().take(limit) {
            texts.push(slice_line(line, &words.line(line)?, index));
        }
        let hidden = lines.len().saturating_sub(limit);
        if hidden > 0 {
            texts.push(format!(
                "{} more; stepback why TRACE {} --at {} prints all",
                grouped(u64::try_from(hidden)?),
                printable(&shown),
                at.0
            ));
        }
        Ok(texts)
    }
}
