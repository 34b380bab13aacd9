//! Time and address of a step, without its other data.

use std::ops::Range;

use stepback_machine::{Address, InstructionSet, Mode};
use stepback_parsers::{EventSink, Step, StepEvent, ThreadNumber};

use crate::answers::error::QueryError;
use crate::answers::thread::ThreadId;
use crate::index::Index;
use crate::read::slots::SlotReader;

/// Time and address of a step.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct StepPoint {
    /// Time, as [`SlotReader::time_of`] returns it.
    pub time: Option<u64>,
    /// Address.
    pub pc: Address,
    /// Instruction set.
    pub instruction_set: InstructionSet,
    /// Mode, which resolves its plain register names.
    pub mode: Mode,
}

/// Finds the points of steps.
pub struct PointReader<'a>(pub &'a Index);

impl PointReader<'_> {
    /// Returns the time and address of a step. Cost: the text of this one step is read; nothing is
    /// inferred.
    ///
    /// # Errors
    /// See [`QueryError`].
    pub fn point_of(&self, step: Step) -> Result<StepPoint, QueryError> {
        let slots = SlotReader(self.0);
        let slot = step.0.saturating_add(1);
        let mut first = FirstStep::default();
        slots.parse_slots(slot..slot.saturating_add(1), &mut first)?;
        let (pc, instruction_set, mode) = first.0.ok_or(QueryError::TraceChanged)?;
        Ok(StepPoint {
            time: slots.time_of(step)?,
            pc,
            instruction_set,
            mode,
        })
    }

    /// Returns the addresses of a thread's steps in a range of steps. Cost: the text of all of
    /// these is read once, which is ten times quicker than a query for each.
    ///
    /// # Errors
    /// See [`QueryError`].
    pub fn addresses_of(
        &self,
        thread: ThreadId,
        steps: Range<Step>,
    ) -> Result<Vec<(Step, Address)>, QueryError> {
        let (first, behind) = (
            steps.start.0.saturating_add(1),
            steps.end.0.saturating_add(1),
        );
        let mut found = ThreadStepAddresses {
            index: self.0,
            thread,
            threads: Vec::new(),
            step: steps.start,
            found: Vec::new(),
        };
        SlotReader(self.0).parse_slots(first..behind, &mut found)?;
        Ok(found.found)
    }
}

/// Collects the addresses of the steps of a thread.
struct ThreadStepAddresses<'a> {
    index: &'a Index,
    thread: ThreadId,
    /// Threads by their numbers in this run of the parser.
    threads: Vec<ThreadId>,
    /// Next step.
    step: Step,
    found: Vec<(Step, Address)>,
}

impl EventSink for ThreadStepAddresses<'_> {
    fn thread_named(&mut self, _thread: ThreadNumber, name: &str) {
        self.threads
            .push(self.index.thread_by_name(name).unwrap_or_default());
    }

    fn begin_step(&mut self, step: &StepEvent<'_>) {
        let thread = self
            .threads
            .get(usize::from(step.thread.0))
            .copied()
            .unwrap_or_default();
        if thread == self.thread {
            self.found.push((self.step, step.pc));
        }
        self.step = Step(self.step.0.saturating_add(1));
    }
}

/// Address, instruction set and mode of the first step.
#[derive(Default)]
struct FirstStep(Option<(Address, InstructionSet, Mode)>);

impl EventSink for FirstStep {
    fn begin_step(&mut self, step: &StepEvent<'_>) {
        self.0
            .get_or_insert((step.pc, step.instruction_set, step.mode));
    }
}
