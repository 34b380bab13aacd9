//! When and where a step was, and nothing else of it.

use std::ops::Range;

use stepback_machine::{Address, InstructionSet, Mode};
use stepback_parsers::{EventSink, Step, StepEvent, ThreadNumber};

use crate::answers::error::QueryError;
use crate::answers::thread::ThreadId;
use crate::index::Index;
use crate::read::slots::SlotReader;

/// When and where a step was.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct StepPoint {
    /// As [`SlotReader::time_of`] gives it.
    pub time: Option<u64>,
    /// Its address.
    pub pc: Address,
    /// How it decodes.
    pub instruction_set: InstructionSet,
    /// Which registers its plain names mean.
    pub mode: Mode,
}

/// Finds the points of steps.
pub struct PointReader<'a>(pub &'a Index);

impl PointReader<'_> {
    /// When and where a step was. Cost: the text of this one step is read; nothing is inferred.
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

    /// The addresses of the steps of a thread among so many steps from one on. Cost: the text of all of these is read once,
    /// which is ten times quicker than asking for each.
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

/// Keeps the addresses of the steps of a thread.
struct ThreadStepAddresses<'a> {
    index: &'a Index,
    thread: ThreadId,
    /// By their numbers in this run of the parser.
    threads: Vec<ThreadId>,
    /// The next one.
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

/// Keeps what the first step tells.
#[derive(Default)]
struct FirstStep(Option<(Address, InstructionSet, Mode)>);

impl EventSink for FirstStep {
    fn begin_step(&mut self, step: &StepEvent<'_>) {
        self.0
            .get_or_insert((step.pc, step.instruction_set, step.mode));
    }
}
