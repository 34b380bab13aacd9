//! Registers at a slot, as inferred from the surrounding steps.

use std::ops::Range;

use stepback_machine::{Mode, RegisterView};

use crate::answers::cell::ThreadId;
use crate::answers::error::QueryError;
use crate::answers::register_file::InferenceReason;
use crate::answers::value::Value;
use crate::index::Index;
use crate::inference::engine::{Circumstances, Engine};
use crate::inference::registers::RegisterLanes;
use crate::inference::run::{ThreadRun, run_alone};
use crate::inference::run_slots::{RunSlots, StepRadius};
use crate::inference::symbols::Symbols;

/// Returns the properties of a trace that affect inference.
pub(super) fn circumstances(index: &Index) -> Circumstances {
    Circumstances {
        is_execution_stated: false,
        // In a trace without values, concurrent writers are determined for each run.
        is_shared: index.threads().len() > 1 && !index.is_inferred(),
        is_memory_followed: true,
        is_end_doubted: index.source().is_recorded_by_block(),
        are_values_taken: index.source().leaves_values_out(),
        endian: index.contents.traits.endian,
    }
}

/// Returns the values of some views of at most 8 bytes at a slot, inferred without following
/// memory.
pub(super) fn registers_alone(
    index: &Index,
    thread: ThreadId,
    slot: u64,
    around: StepRadius,
    views: &[RegisterView],
) -> Result<Vec<Option<u64>>, QueryError> {
    let run = run_alone(
        index,
        thread,
        &RunSlots::around(index, thread, slot..slot, around)?,
    )?;
    Ok(numbers_at(
        &run,
        slot,
        Circumstances {
            is_memory_followed: false,
            ..circumstances(index)
        },
        views,
    ))
}

/// Returns the values of some views of at most 8 bytes at a slot, inferred from a run.
pub(super) fn numbers_at(
    run: &ThreadRun<'_>,
    slot: u64,
    circumstances: Circumstances,
    views: &[RegisterView],
) -> Vec<Option<u64>> {
    let known = snapshot(run, slot, circumstances);
    let number = |view: &RegisterView| {
        let lane = known.lanes.lane(view.register, view.offset)?;
        known
            .symbols
            .known(lane.term.cut(8 * view.size_bytes.min(8) as u8))
            .number()
    };
    views.iter().map(number).collect()
}

/// Registers at a slot with their known bits.
pub(super) struct Snapshot {
    pub lanes: RegisterLanes,
    pub symbols: Symbols,
}

impl Snapshot {
    /// Returns the inferred value of a view; `None` if no bit of it is known.
    pub fn view(&self, view: RegisterView) -> Option<(Value, InferenceReason)> {
        let mut reason = None;
        let mut bytes = Vec::with_capacity(usize::from(view.size_bytes));
        for offset in view.offset..view.offset.saturating_add(view.size_bytes) {
            let lane = self.lanes.lane(view.register, offset);
            let known = lane.and_then(|lane| Some((lane, self.symbols.fact(lane.term)?)));
            reason = reason.or(known.map(|(lane, fact)| InferenceReason {
                fact,
                way: lane.way,
            }));
            bytes.push(known.and_then(|(lane, _)| self.symbols.known(lane.term).byte(offset % 8)));
        }
        let value = Value(bytes);
        reason
            .filter(|_| !value.is_unknown())
            .map(|reason| (value, reason))
    }
}

/// Follows the steps of a run and returns the registers at a slot.
pub(super) fn snapshot(run: &ThreadRun<'_>, slot: u64, circumstances: Circumstances) -> Snapshot {
    let mut engine = Engine::new(run, circumstances);
    let place = run.steps.partition_point(|step| step.slot <= slot);
    go_through(&mut engine, 0..place);
    engine.take_markers(place, slot);
    if circumstances.is_end_doubted && place == run.steps.len() {
        engine.forget_unfinished();
    }
    engine.registers.mode = mode_at(run, place);
    engine.registers.hold();
    go_through(&mut engine, place..run.steps.len());
    let Engine {
        registers,
        mut symbols,
        ..
    } = engine;
    symbols.resolve();
    Snapshot {
        lanes: registers.held(),
        symbols,
    }
}

fn go_through(engine: &mut Engine<'_>, places: Range<usize>) {
    places.for_each(|place| engine.step(place));
}

/// Returns the mode after the step before `place`; without such a step, that of the first one.
fn mode_at(run: &ThreadRun<'_>, place: usize) -> Mode {
    match place.checked_sub(1).and_then(|last| run.steps.get(last)) {
        Some(step) => step.mode_after,
        None => run
            .steps
            .first()
            .filter(|step| step.mode.has_windows())
            .map_or(Mode::Other, |step| step.mode),
    }
}
