//! Queries for the registers of a thread at a position: all of them ([`RegistersAt`]), some
//! ([`RegisterViewsAt`]), and those that follow from the semantics of its steps
//! ([`InferredRegisters`]). A recorded register costs the text of its last write.

use stepback_machine::{InstructionSet, RegisterView};
use stepback_parsers::Position;

use crate::answers::cell::{AccessKinds, ThreadId};
use crate::answers::error::{Cancel, QueryError};
use crate::answers::register_file::{Inference, RegisterFile, RegisterState};
use crate::answers::value::ValueSource;
use crate::index::Index;
use crate::inference::register_values::{fill_registers, infer_registers};
use crate::query::question::Query;
use crate::read::names::NameReader;
use crate::read::operands::OperandReader;
use crate::read::register_reader::RegisterReader;
use crate::read::slots::SlotReader;
use crate::read::untraced;

/// Reads all registers of a thread at a position. Cost: one step's text for each distinct last
/// write; in a trace that records no registers, that of [`crate::query::InferredRegisters`] and some
/// thousand decoded steps for the last writers.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct RegistersAt {
    /// Position of the query.
    pub position: Position,
    /// Thread of the registers; without it, that of the last step before the position.
    pub thread: Option<ThreadId>,
}

impl Query for RegistersAt {
    type Answer = RegisterFile;

    fn run(&self, index: &Index, cancel: &Cancel) -> Result<RegisterFile, QueryError> {
        SlotReader(index).check_position(self.position)?;
        let thread = match self.thread {
            Some(thread) if usize::from(thread.0) >= index.threads().len() => {
                return Err(QueryError::NoThread(format!("#{}", thread.0)));
            }
            Some(thread) => thread,
            None => SlotReader(index).thread_at(self.position)?,
        };
        let names = NamesOf {
            thread,
            set: NameReader(index).set_at(thread, self.position)?,
        };
        file_at(index, names, self.position, cancel)
    }
}

/// Thread of the registers, and the instruction set that names them.
#[derive(Clone, Copy, Debug)]
pub(crate) struct NamesOf {
    pub thread: ThreadId,
    pub set: InstructionSet,
}

/// Returns all registers of a thread at a position, under the names of an instruction set.
pub(crate) fn file_at(
    index: &Index,
    names: NamesOf,
    at: Position,
    cancel: &Cancel,
) -> Result<RegisterFile, QueryError> {
    let NamesOf { thread, set } = names;
    let mut registers = states(
        index,
        thread,
        NameReader(index).shown_registers(thread, set),
        at,
        cancel,
    )?;
    fill_registers(index, thread, at, &mut registers, cancel)?;
    Ok(RegisterFile {
        thread,
        instruction_set: set,
        registers,
    })
}

/// Reads some registers of a thread at a position. Cost: as [`RegistersAt`], for only these.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct RegisterViewsAt {
    /// Position of the query.
    pub position: Position,
    /// Thread of the registers.
    pub thread: ThreadId,
    /// Requested views, each with the name for its answer.
    pub views: Vec<(String, RegisterView)>,
}

impl Query for RegisterViewsAt {
    type Answer = Vec<RegisterState>;

    fn run(&self, index: &Index, cancel: &Cancel) -> Result<Vec<RegisterState>, QueryError> {
        SlotReader(index).check_position(self.position)?;
        let mut states = states(
            index,
            self.thread,
            self.views.clone(),
            self.position,
            cancel,
        )?;
        fill_registers(index, self.thread, self.position, &mut states, cancel)?;
        Ok(states)
    }
}

/// Returns the recorded states of some registers; for those known only from operands, their writers
/// without values.
fn states(
    index: &Index,
    thread: ThreadId,
    named: Vec<(String, RegisterView)>,
    at: Position,
    cancel: &Cancel,
) -> Result<Vec<RegisterState>, QueryError> {
    let mut reader = RegisterReader::new(index, thread, at);
    let operands = OperandReader {
        index,
        thread,
        kinds: AccessKinds::Writes.into(),
    };
    let has_writers = index.has_operands_alone();
    let untraced = untraced::untraced_registers(index, thread)?;
    let is_decoded = |view: RegisterView| has_writers || untraced.includes(view);
    let views: Vec<_> = named
        .iter()
        .map(|(_, view)| *view)
        .filter(|view| is_decoded(*view))
        .collect();
    let writers = operands.last_uses(&views, at.0, cancel)?;
    let mut states = reader.states(named, cancel)?;
    for (state, writer) in states
        .iter_mut()
        .filter(|state| is_decoded(state.view))
        .zip(writers)
    {
        let Some(writer) = writer else { continue };
        let position = Position(writer.slot);
        // A line may have written it since under another name: `sp_svc` is `x19`.
        if state.written_at.is_none_or(|written| written < position) {
            (state.written_at, state.written_by) = (Some(position), position.last_step());
            state.value.0.fill(None);
            state.source = ValueSource::Unknown;
        }
    }
    Ok(states)
}

/// Infers the registers of a thread at a position from its steps, without the values that the trace
/// may state. Cost: some thousand steps are read, and some hundred around the last write of a
/// register that these do not write.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct InferredRegisters {
    /// Position of the query.
    pub position: Position,
    /// Thread of the registers.
    pub thread: ThreadId,
}

impl Query for InferredRegisters {
    type Answer = Inference;

    fn run(&self, index: &Index, cancel: &Cancel) -> Result<Inference, QueryError> {
        infer_registers(index, self.thread, self.position, cancel)
    }
}
