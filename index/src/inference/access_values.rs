//! Inferred values of accesses.

use stepback_machine::{AccessKind, Endian, RegisterView};
use stepback_parsers::{Position, Step};

use crate::answers::cell::ThreadId;
use crate::answers::error::{Cancel, QueryError};
use crate::answers::slice::{SliceCell, SliceDefinition};
use crate::answers::step_record::{AccessTarget, Effect, StepRecord};
use crate::index::Index;
use crate::index::operand_table::UntracedRegisters;
use crate::inference::engine::{Circumstances, Engine};
use crate::inference::knowledge::Knowledge;
use crate::inference::observed::{ObservedAccess, ObservedRegister};
use crate::inference::others::run_of;
use crate::inference::run_slots::{RunSlots, StepRadius};
use crate::inference::snapshot::circumstances;
use crate::read::doubts;
use crate::read::slots::SlotReader;
use crate::read::untraced;

/// Steps to follow around an access: a later step may use its value as an address.
const AROUND: StepRadius = StepRadius {
    before: 128,
    after: 128,
};
/// Maximum distance of accesses that share a run.
const NEAR: u64 = 256;
const RUN_STEPS: u64 = 1024;
/// Maximum number of runs for one query.
const RUNS: usize = 12;

/// Values that some steps stored and loaded.
#[derive(Debug)]
pub(super) struct AccessValues {
    /// Sorted by slot.
    pieces: Vec<(ObservedAccess, Knowledge)>,
    registers: Vec<(ObservedRegister, Knowledge)>,
    is_big_endian: bool,
}

impl AccessValues {
    /// Infers the values that the steps of some slots stored and loaded. If they need too many
    /// runs, infers only those of the last ones.
    pub fn of(
        index: &Index,
        slots: &[u64],
        circumstances: Circumstances,
        cancel: &Cancel,
    ) -> Result<Self, QueryError> {
        let mut wanted = Vec::with_capacity(slots.len());
        for slot in slots {
            wanted.push((SlotReader(index).thread_at(Position(*slot))?, *slot));
        }
        wanted.sort_unstable();
        wanted.dedup();
        let mut runs: Vec<(ThreadId, Vec<u64>)> = Vec::new();
        for (thread, slot) in wanted {
            match runs.last_mut() {
                Some((known, slots)) if *known == thread && is_near(slots, slot) => {
                    slots.push(slot)
                }
                _ => runs.push((thread, vec![slot])),
            }
        }
        runs.sort_by_key(|(_, slots)| std::cmp::Reverse(slots.last().copied()));
        let mut values = Self {
            pieces: Vec::new(),
            registers: Vec::new(),
            is_big_endian: circumstances.endian == Endian::Big,
        };
        for (thread, slots) in runs.iter().take(RUNS) {
            cancel.check()?;
            let Some((first, last)) = slots.first().copied().zip(slots.last().copied()) else {
                continue;
            };
            let run = run_of(
                index,
                *thread,
                &RunSlots::single(index, AROUND.of(index, first..last)),
            )?;
            let mut engine = Engine::new(&run, circumstances);
            engine.watched = slots;
            (0..run.steps.len()).for_each(|place| engine.step(place));
            engine.symbols.resolve();
            let known = engine
                .observed
                .iter()
                .map(|observed| (*observed, engine.symbols.known(observed.term)));
            values.pieces.extend(known);
            let registers = engine.observed_registers.iter();
            values
                .registers
                .extend(registers.map(|given| (*given, engine.symbols.known(given.term))));
        }
        values.pieces.sort_by_key(|(observed, _)| observed.slot);
        Ok(values)
    }

    /// Returns a byte that the step of a slot wrote to a register.
    fn register_byte(&self, slot: u64, byte: RegisterView) -> Option<u8> {
        let given = self
            .registers
            .iter()
            .rev()
            .filter(|(given, _)| given.slot == slot);
        let mut found = given
            .filter(|(given, _)| given.view.register == byte.register)
            .filter_map(|(given, known)| {
                let place = byte
                    .offset
                    .checked_sub(given.view.offset)
                    .filter(|place| *place < given.view.size_bytes)?;
                known.byte(place)
            });
        found.next()
    }

    /// Returns a byte that an access of a slot stored or loaded.
    pub fn byte(&self, slot: u64, kind: AccessKind, address: u64) -> Option<u8> {
        let first = self
            .pieces
            .partition_point(|(observed, _)| observed.slot < slot);
        let here = self
            .pieces
            .iter()
            .skip(first)
            .take_while(|(observed, _)| observed.slot == slot);
        let mut found = here
            .filter(|(observed, _)| observed.kind == kind)
            .filter_map(|(observed, known)| {
                let offset = address.wrapping_sub(observed.address);
                let offset = u8::try_from(offset)
                    .ok()
                    .filter(|offset| *offset < observed.size_bytes)?;
                let place = if self.is_big_endian {
                    observed.size_bytes - 1 - offset
                } else {
                    offset
                };
                known.byte(u16::from(place))
            });
        found.next()
    }
}

fn is_near(slots: &[u64], slot: u64) -> bool {
    let (first, last) = (
        slots.first().copied().unwrap_or(slot),
        slots.last().copied().unwrap_or(slot),
    );
    slot - last <= NEAR && slot - first <= RUN_STEPS
}

/// Fills in the inferred values of cells that a step defined and whose values the trace does not
/// record.
pub(crate) fn fill_cells(
    index: &Index,
    step: Step,
    cells: &mut [SliceDefinition],
    cancel: &Cancel,
) -> Result<(), QueryError> {
    let slot = step.after().0;
    let thread = SlotReader(index).thread_at(Position(slot))?;
    let untraced = untraced::untraced_registers(index, thread)?;
    let has_windows = index.instruction_set(thread).has_windows();
    let is_open = |defined: &SliceDefinition| match defined.cell {
        SliceCell::Register { view, .. } => {
            !has_windows && (index.is_inferred() || untraced.includes(view))
        }
        SliceCell::Memory { .. } => index.is_inferred(),
        SliceCell::Flags { .. } => false,
    };
    let is_unknown = |defined: &SliceDefinition| defined.value.0.contains(&None);
    let mut open = cells
        .iter_mut()
        .filter(|defined| is_unknown(defined) && is_open(defined))
        .peekable();
    if open.peek().is_none() || doubts::is_filtered(index, Position(slot), cancel)? {
        return Ok(());
    }
    let known = circumstances(index);
    let are_values_taken = known.are_values_taken || untraced != UntracedRegisters::Nothing;
    let values = AccessValues::of(
        index,
        &[slot],
        Circumstances {
            are_values_taken,
            ..known
        },
        cancel,
    )?;
    for defined in open {
        for (byte, place) in defined
            .value
            .0
            .iter_mut()
            .zip(0u16..)
            .filter(|(byte, _)| byte.is_none())
        {
            *byte = match defined.cell {
                SliceCell::Register { view, .. } => values.register_byte(
                    slot,
                    RegisterView::new(view.register, view.offset.saturating_add(place), 1),
                ),
                SliceCell::Memory { address, .. } => values.byte(
                    slot,
                    AccessKind::Write,
                    address.0.wrapping_add(place.into()),
                ),
                SliceCell::Flags { .. } => None,
            };
            defined.is_inferred |= byte.is_some();
        }
    }
    Ok(())
}

/// Fills in the inferred values of accesses without a recorded value. Does nothing for traces that
/// record values.
pub(crate) fn fill_accesses(
    index: &Index,
    records: &mut [StepRecord],
    cancel: &Cancel,
) -> Result<(), QueryError> {
    let has_access = |record: &&StepRecord| {
        record
            .effects
            .iter()
            .any(|effect| matches!(effect, Effect::Access(_)))
    };
    let slots: Vec<u64> = records
        .iter()
        .filter(has_access)
        .map(|record| record.step.after().0)
        .collect();
    let Some(last) = slots.last().filter(|_| index.is_inferred()) else {
        return Ok(());
    };
    if doubts::is_filtered(index, Position(*last), cancel)? {
        return Ok(());
    }
    let values = AccessValues::of(index, &slots, circumstances(index), cancel)?;
    for record in records {
        let slot = record.step.after().0;
        let accesses = record.effects.iter_mut().filter_map(|effect| match effect {
            Effect::Access(access) => Some(access),
            _ => None,
        });
        for access in
            accesses.filter(|access| access.value.is_unknown() && access.host_operation.is_none())
        {
            let AccessTarget::Memory { address, .. } = access.target else {
                continue;
            };
            let bytes = access.value.0.iter_mut().zip(0u64..);
            bytes.for_each(|(byte, offset)| {
                *byte = values.byte(slot, access.kind, address.0.wrapping_add(offset))
            });
            if values.is_big_endian {
                access.value.0.reverse();
            }
            access.is_inferred = !access.value.is_unknown();
        }
    }
    Ok(())
}
