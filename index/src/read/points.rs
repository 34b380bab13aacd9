//! When and where a step was, and nothing else of it.

use stepback_machine::{Address, InstructionSet};
use stepback_parsers::{EventSink, Source, Step, StepEvent};

use crate::answers::error::QueryError;
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
}

/// Finds the points of steps.
pub struct PointReader<'a, S>(pub &'a Index<S>);

impl<S: Source> PointReader<'_, S> {
    /// When and where a step was. Cost: the text of this one step is read; nothing is inferred.
    ///
    /// # Errors
    /// See [`QueryError`].
    pub fn point_of(&self, step: Step) -> Result<StepPoint, QueryError> {
        let slots = SlotReader(self.0);
        let slot = step.0.saturating_add(1);
        let mut first = FirstStep::default();
        slots.parse_slots(slot..slot.saturating_add(1), &mut first)?;
        let (pc, instruction_set) = first.pc.zip(first.instruction_set).ok_or(QueryError::TraceChanged)?;
        Ok(StepPoint { time: slots.time_of(step)?, pc, instruction_set })
    }
}

/// Keeps the address of the first step.
#[derive(Default)]
struct FirstStep {
    pc: Option<Address>,
    instruction_set: Option<InstructionSet>,
}

impl EventSink for FirstStep {
    fn begin_step(&mut self, step: &StepEvent<'_>) {
        self.pc.get_or_insert(step.pc);
        self.instruction_set.get_or_insert(step.instruction_set);
    }
}
