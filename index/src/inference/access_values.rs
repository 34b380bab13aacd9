//! Inferred values of accesses.

use std::collections::HashMap;
use std::collections::hash_map::Entry;
use std::ops::Range;

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
use crate::inference::run::ThreadRun;
use crate::inference::run_slots::{RunSlots, StepRadius};
use crate::inference::snapshot::circumstances;
use crate::read::doubts;
use crate::read::slots::SlotReader;
use crate::read::untraced;

/// Slots whose values are inferred together. The boundaries are fixed, so that the value of an
/// access does not depend on which others are asked for.
const BLOCK_SLOTS: u64 = 256;
/// Steps to follow around a block: a later step may use a value as an address.
const AROUND: StepRadius = StepRadius {
    before: 128,
    after: 128,
};

/// Values that steps stored and loaded. Cost: one run of a thread for each block of slots in which
/// a value is read.
pub(super) struct AccessValues<'i> {
    index: &'i Index,
    circumstances: Circumstances,
    blocks: HashMap<(ThreadId, u64), BlockValues>,
}

/// Values that a thread stored and loaded in a block of slots.
struct BlockValues {
    /// Sorted by slot.
    pieces: Vec<(ObservedAccess, Knowledge)>,
    registers: Vec<(ObservedRegister, Knowledge)>,
}

/// A byte of memory that the step of a slot accessed.
#[derive(Clone, Copy, Debug)]
pub(super) struct AccessedByte {
    pub slot: u64,
    pub kind: AccessKind,
    pub address: u64,
}

impl<'i> AccessValues<'i> {
    pub fn new(index: &'i Index, circumstances: Circumstances) -> Self {
        Self {
            index,
            circumstances,
            blocks: HashMap::new(),
        }
    }

    /// Infers the values of the block that contains a slot.
    fn block(&mut self, slot: u64, cancel: &Cancel) -> Result<&BlockValues, QueryError> {
        let thread = SlotReader(self.index).thread_at(Position(slot))?;
        match self.blocks.entry((thread, slot / BLOCK_SLOTS)) {
            Entry::Occupied(known) => Ok(known.into_mut()),
            Entry::Vacant(free) => {
                cancel.check()?;
                let first = slot - slot % BLOCK_SLOTS;
                let slots = first..first + BLOCK_SLOTS;
                let around = RunSlots::single(self.index, AROUND.of(self.index, slots.clone()));
                let run = run_of(self.index, thread, &around)?;
                Ok(free.insert(BlockValues::of(&run, slots, self.circumstances)))
            }
        }
    }

    /// Returns a byte that an access stored or loaded.
    pub fn byte(
        &mut self,
        accessed: AccessedByte,
        cancel: &Cancel,
    ) -> Result<Option<u8>, QueryError> {
        let endian = self.circumstances.endian;
        Ok(self.block(accessed.slot, cancel)?.byte(accessed, endian))
    }

    /// Returns a byte that the step of a slot wrote to a register.
    fn register_byte(
        &mut self,
        slot: u64,
        byte: RegisterView,
        cancel: &Cancel,
    ) -> Result<Option<u8>, QueryError> {
        Ok(self.block(slot, cancel)?.register_byte(slot, byte))
    }
}

impl BlockValues {
    fn of(run: &ThreadRun<'_>, slots: Range<u64>, circumstances: Circumstances) -> Self {
        let mut engine = Engine::new(run, circumstances);
        engine.watched = slots;
        (0..run.steps.len()).for_each(|place| engine.step(place));
        engine.symbols.resolve();
        let (accesses, registers) = (
            std::mem::take(&mut engine.observed),
            std::mem::take(&mut engine.observed_registers),
        );
        let mut pieces: Vec<_> = accesses
            .into_iter()
            .map(|observed| (observed, engine.symbols.known(observed.term)))
            .collect();
        pieces.sort_by_key(|(observed, _)| observed.slot);
        let registers = registers
            .into_iter()
            .map(|given| (given, engine.symbols.known(given.term)));
        Self {
            pieces,
            registers: registers.collect(),
        }
    }

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

    fn byte(&self, accessed: AccessedByte, endian: Endian) -> Option<u8> {
        let AccessedByte {
            slot,
            kind,
            address,
        } = accessed;
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
                let place = match endian {
                    Endian::Big => observed.size_bytes - 1 - offset,
                    Endian::Little => offset,
                };
                known.byte(u16::from(place))
            });
        found.next()
    }
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
    let mut values = AccessValues::new(
        index,
        Circumstances {
            are_values_taken,
            ..known
        },
    );
    for defined in open {
        for (byte, place) in defined
            .value
            .0
            .iter_mut()
            .zip(0u16..)
            .filter(|(byte, _)| byte.is_none())
        {
            *byte = match defined.cell {
                SliceCell::Register { view, .. } => {
                    let offset = view.offset.saturating_add(place);
                    values.register_byte(
                        slot,
                        RegisterView::new(view.register, offset, 1),
                        cancel,
                    )?
                }
                SliceCell::Memory { address, .. } => {
                    let accessed = AccessedByte {
                        slot,
                        kind: AccessKind::Write,
                        address: address.0.wrapping_add(place.into()),
                    };
                    values.byte(accessed, cancel)?
                }
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
    if !index.is_inferred() {
        return Ok(());
    }
    let Some(last) = records.iter().rev().find(has_access) else {
        return Ok(());
    };
    if doubts::is_filtered(index, last.step.after(), cancel)? {
        return Ok(());
    }
    let mut values = AccessValues::new(index, circumstances(index));
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
            for (byte, offset) in access.value.0.iter_mut().zip(0u64..) {
                let accessed = AccessedByte {
                    slot,
                    kind: access.kind,
                    address: address.0.wrapping_add(offset),
                };
                *byte = values.byte(accessed, cancel)?;
            }
            if values.circumstances.endian == Endian::Big {
                access.value.0.reverse();
            }
            access.is_inferred = !access.value.is_unknown();
        }
    }
    Ok(())
}
