//! Registers that only one of two matched steps changes. Logs that list changed registers leave out
//! a write of the value that the register has already, so that the known state is compared instead.

use stepback_index::answer::{Value, ValueSource};
use stepback_index::query::RegisterViewsAt;
use stepback_index::{Query as _, QueryError};
use stepback_machine::{RegisterId, RegisterView};

use crate::divergence::TraceSide;
use crate::region::StepPair;
use crate::values::pass::ValuePass;
use crate::values::step::{BlockStep, StepDifferences};

/// Number of earlier steps of a block in which the last write of a register is searched.
const NEARBY: usize = 256;

/// Matched steps of two blocks.
#[derive(Clone, Copy)]
pub(crate) struct PlacedSteps<'b> {
    pub steps: [BlockStep<'b>; 2],
    /// Place of both in their blocks.
    pub place: u64,
    pub numbers: StepPair,
}

impl ValuePass<'_, '_> {
    /// Adds the differences of registers that only one of two executed steps writes.
    pub(crate) fn kept_registers(
        &mut self,
        placed: PlacedSteps<'_>,
        found: &mut StepDifferences,
    ) -> Result<(), QueryError> {
        let [a, b] = placed.steps;
        let is_comparable = self.comparer.is_one_format
            && a.step.is_executed
            && b.step.is_executed
            && a.step.encoding == b.step.encoding;
        if !is_comparable || written(a).eq(written(b)) {
            return Ok(());
        }
        // The instruction of an image may be another one than the one that ran.
        let is_recorded = !self.a.index.executed_codes().is_empty();
        let instruction = a.step.instruction().filter(|_| is_recorded);
        let uses = instruction
            .as_ref()
            .and_then(|known| known.registers.as_ref());
        let is_result = |view: RegisterView| {
            // The numbers of other registers are those of a trace.
            view.register < RegisterId::FIRST_NAMED
                && uses.is_none_or(|uses| {
                    let mut writes = uses.writes.iter();
                    writes.any(|known| known.register == view.register)
                })
        };
        for (side, writer, keeper) in [(TraceSide::B, a, b), (TraceSide::A, b, a)] {
            for (view, value) in writer.block.register_values(writer.step) {
                let is_kept = written(keeper).all(|register| register != view.register);
                if !is_kept || !is_result(view) {
                    continue;
                }
                let Some(kept) = self.kept_value(side, placed, view)? else {
                    continue;
                };
                let values = match side {
                    TraceSide::A => [kept, Value(value)],
                    TraceSide::B => [Value(value), kept],
                };
                self.comparer.register(view, values, a.step, found);
            }
        }
        found.cells.sort_by_key(|difference| difference.kind);
        Ok(())
    }

    /// Returns the value of a register that a step does not write; `None` if it is unknown.
    fn kept_value(
        &mut self,
        side: TraceSide,
        placed: PlacedSteps<'_>,
        view: RegisterView,
    ) -> Result<Option<Value>, QueryError> {
        let [a, b] = placed.steps;
        let (block, number) = match side {
            TraceSide::A => (a.block, placed.numbers.a),
            TraceSide::B => (b.block, placed.numbers.b),
        };
        let place = usize::try_from(placed.place).unwrap_or(usize::MAX);
        let earlier = block.steps().get(place.saturating_sub(NEARBY)..place);
        let mut writes = earlier
            .into_iter()
            .flatten()
            .rev()
            .flat_map(|step| block.registers(step).iter().rev());
        let last = writes.find(|write| write.view.register == view.register);
        if let Some(last) = last.filter(|last| last.view == view) {
            let value = block.value(last);
            return Ok(value.map(|bytes| Value(bytes.iter().copied().map(Some).collect())));
        }
        let register = (side, view.register);
        if self.lookups_left == 0 || self.unknown.contains(&register) {
            return Ok(None);
        }
        self.lookups_left -= 1;
        let kept = match side {
            TraceSide::A => &mut *self.a,
            TraceSide::B => &mut *self.b,
        };
        let question = RegisterViewsAt {
            position: kept.position(number)?,
            thread: kept.thread,
            views: vec![(String::new(), view)],
        };
        let state = question.run(kept.index, self.cancel)?.pop();
        let recorded = state.filter(|state| state.source == ValueSource::Recorded);
        if recorded.is_none() {
            self.unknown.insert(register);
        }
        Ok(recorded.map(|state| state.value))
    }
}

/// Returns the registers that a step writes.
fn written<'b>(step: BlockStep<'b>) -> impl Iterator<Item = RegisterId> + use<'b> {
    let writes = step.block.registers(step.step).iter();
    writes.map(|write| write.view.register)
}
