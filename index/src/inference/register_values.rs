//! Inferred values of registers at a position ([`PositionInference`]). The engine follows the steps
//! around the position. For registers that these do not determine, it follows the steps around
//! their last writes, at most [`FAR_LIMIT`] of them, since a register keeps its value until the
//! next write.

use std::ops::Range;

use stepback_machine::{RegisterId, RegisterView, Registers};
use stepback_parsers::Position;

use crate::answers::cell::{AccessKinds, ThreadId};
use crate::answers::error::{Cancel, QueryError};
use crate::answers::register_file::{
    Inference, InferenceReason, InferredRegister, RegisterState, ValueDerivation,
};
use crate::answers::value::{Value, ValueSource};
use crate::index::Index;
use crate::index::operand_table::UntracedRegisters;
use crate::inference::ending::unfinished_slots;
use crate::inference::engine::Circumstances;
use crate::inference::others::run_of;
use crate::inference::run_slots::{RunSlots, StepRadius};
use crate::inference::snapshot::{Snapshot, circumstances, snapshot};
use crate::read::doubts::{self, BREAKS};
use crate::read::markers::{MarkerReader, WantedMarkers};
use crate::read::operands::OperandReader;
use crate::read::register_reader::RegisterReader;
use crate::read::slots::SlotReader;
use crate::read::untraced;
use crate::read::views::ViewReader;

/// Returns the registers of a thread at a position that its steps imply, without using recorded
/// values.
pub(crate) fn infer_registers(
    index: &Index,
    thread: ThreadId,
    position: Position,
    cancel: &Cancel,
) -> Result<Inference, QueryError> {
    SlotReader(index).check_position(position)?;
    if doubts::is_filtered(index, position, cancel)? {
        return Ok(Inference {
            registers: Vec::new(),
            contradictions: 0,
        });
    }
    let hidden = Circumstances {
        are_values_taken: false,
        ..circumstances(index)
    };
    let mut around = PositionInference::new(
        index,
        ThreadPosition { thread, position },
        hidden,
        None,
        cancel,
    )?;
    let mut registers = Vec::new();
    for (name, view) in Registers::shown(index.instruction_set(thread)) {
        let found = around
            .view(view, cancel)?
            .filter(|_| view.register != RegisterId::PC);
        registers.extend(found.map(|(value, reason)| InferredRegister {
            name,
            view,
            value,
            reason,
        }));
    }
    Ok(Inference {
        registers,
        contradictions: around.contradictions(),
    })
}

/// Fills in the inferred values of registers without a recorded value. Does nothing for traces that
/// record values.
pub(crate) fn fill_registers(
    index: &Index,
    thread: ThreadId,
    position: Position,
    registers: &mut [RegisterState],
    cancel: &Cancel,
) -> Result<(), QueryError> {
    if unfinished_slots(index, thread, position)?.is_some() {
        let next = registers
            .iter_mut()
            .filter(|register| register.view.register == RegisterId::PC);
        next.for_each(|register| register.value.0.fill(None));
    }
    let untraced = untraced::untraced_registers(index, thread)?;
    let is_untraced =
        |register: &RegisterState| register.value.is_unknown() && untraced.includes(register.view);
    let computed = index.instruction_set(thread).computed_registers();
    let is_missing = index.has_operands_alone()
        || registers
            .iter()
            .any(|register| is_missing(register, &computed));
    let is_wanted = index.is_inferred() && is_missing || registers.iter().any(is_untraced);
    if !is_wanted || doubts::is_filtered(index, position, cancel)? {
        return Ok(());
    }
    let at = ThreadPosition { thread, position };
    let known = circumstances(index);
    let circumstances = Circumstances {
        are_values_taken: known.are_values_taken || untraced != UntracedRegisters::Nothing,
        ..known
    };
    let mut around = PositionInference::new(index, at, circumstances, Some(&*registers), cancel)?;
    let is_open = |register: &RegisterState| {
        register.value.is_unknown() && (index.is_inferred() || is_untraced(register))
    };
    for register in registers.iter_mut().filter(|register| is_open(register)) {
        if let Some((value, reason)) = around.view(register.view, cancel)? {
            (register.value, register.source, register.reason) =
                (value, ValueSource::Inferred, Some(reason));
        }
    }
    Ok(())
}

/// Returns true for a computation register without a known value. Vector and state registers count
/// only if they were written: most programs never use them.
fn is_missing(register: &RegisterState, computed: &Range<u16>) -> bool {
    let number = register.view.register;
    let is_seldom =
        (RegisterId::V0..RegisterId::P0).contains(&number) || computed.contains(&number.0);
    register.value.is_unknown()
        && (number < RegisterId::PC || is_seldom && register.written_at.is_some())
}

/// Steps to follow around a position. Four times as many steps before it yield 1 to 5 % more
/// registers. A later step may use a register as an address.
const NEAR: StepRadius = StepRadius {
    before: 1024,
    after: 256,
};
/// Steps to follow if these do not yield the stack pointer, as in a long loop.
const WIDE: StepRadius = StepRadius {
    before: 4096,
    after: 256,
};
/// Steps to follow if the trace itself records the stack pointer, and so nearly all registers for
/// computation.
const STATED: StepRadius = StepRadius {
    before: 128,
    after: 128,
};
/// Steps to follow around an earlier write.
const FAR: StepRadius = StepRadius {
    before: 64,
    after: 128,
};
/// Steps to follow around an earlier write if the trace records most values: those loaded or stored
/// then are among them.
const FAR_STATED: StepRadius = StepRadius {
    before: 32,
    after: 64,
};
/// Maximum number of earlier writes to examine for one position.
const FAR_LIMIT: usize = 12;
/// Maximum distance in slots of earlier writes that share a run.
const FAR_TOGETHER: u64 = 32;

/// A position of a thread.
#[derive(Clone, Copy, Debug)]
pub(super) struct ThreadPosition {
    pub thread: ThreadId,
    pub position: Position,
}

/// Values inferred around a position.
pub(super) struct PositionInference<'a> {
    index: &'a Index,
    thread: ThreadId,
    position: Position,
    circumstances: Circumstances,
    near: Snapshot,
    /// Snapshots around earlier last writes, by the slot of the write.
    far: Vec<(u64, Snapshot)>,
    /// Slot after which only instructions changed registers; `None` until it is needed.
    unbroken_from: Option<u64>,
    /// Last writes of the requested registers, if they are known already.
    writers: Option<Vec<(RegisterView, u64)>>,
    /// True if the trace itself records the stack pointer, and so most values.
    is_stated: bool,
}

impl<'a> PositionInference<'a> {
    pub fn new(
        index: &'a Index,
        at: ThreadPosition,
        circumstances: Circumstances,
        known: Option<&[RegisterState]>,
        cancel: &Cancel,
    ) -> Result<Self, QueryError> {
        cancel.check()?;
        let ThreadPosition { thread, position } = at;
        let word_bytes = index.instruction_set(thread).word_bytes();
        let stack_pointer = RegisterView::new(RegisterId::SP, 0, word_bytes);
        let are_taken = circumstances.are_values_taken && index.source().leaves_values_out();
        let is_stated = are_taken && is_known(index, at, stack_pointer, known.unwrap_or_default())?;
        let slots = position.0..position.0;
        let mut near = snapshot_of(
            index,
            thread,
            slots.clone(),
            circumstances,
            if is_stated { STATED } else { NEAR },
        )?;
        if !is_stated && near.view(stack_pointer).is_none() {
            near = snapshot_of(index, thread, slots, circumstances, WIDE)?;
        }
        if near.lanes.mode.has_windows() {
            near.lanes.mode = RegisterReader::new(index, thread, position).mode()?;
        }
        let writers = known.map(|known| known.iter().filter_map(writer_of_unknown).collect());
        let (far, unbroken_from) = (Vec::new(), None);
        Ok(Self {
            index,
            thread,
            position,
            circumstances,
            near,
            far,
            unbroken_from,
            writers,
            is_stated,
        })
    }

    /// Returns the number of contradictions between facts.
    pub fn contradictions(&self) -> u64 {
        let snapshots = self
            .far
            .iter()
            .map(|(_, snapshot)| snapshot)
            .chain([&self.near]);
        snapshots
            .map(|snapshot| snapshot.symbols.contradictions())
            .sum()
    }

    /// Returns the inferred value of a view; `None` if no bit of it is known.
    pub fn view(
        &mut self,
        view: RegisterView,
        cancel: &Cancel,
    ) -> Result<Option<(Value, InferenceReason)>, QueryError> {
        let near = self.near.view(view);
        let is_held = match self.near.lanes.way(view.register, view.offset) {
            Some(ValueDerivation::Held) => true,
            Some(ValueDerivation::Lost) => self.is_kept_by_others(view),
            _ => false,
        };
        if near.is_some() || !is_held || !self.is_looked_for_far(view) {
            return Ok(near);
        }
        cancel.check()?;
        let Some(slot) = self.last_write(view, cancel)? else {
            return Ok(None);
        };
        // If records were lost, steps in between may be missing.
        if doubts::may_miss_records(self.index, &(slot..=self.position.0)) {
            return Ok(None);
        }
        let slots = self.far_writes(slot);
        let place = match self.far.iter().position(|(known, _)| *known == slots.end) {
            Some(place) => place,
            None if self.far.len() == FAR_LIMIT => return Ok(None),
            None => {
                let (last, around) = (slots.end, if self.is_stated { FAR_STATED } else { FAR });
                let snapshot =
                    snapshot_of(self.index, self.thread, slots, self.circumstances, around)?;
                self.far.push((last, snapshot));
                self.far.len() - 1
            }
        };
        let Some((_, snapshot)) = self.far.get_mut(place) else {
            return Ok(None);
        };
        let mode = self.near.lanes.mode;
        if mode.has_windows() {
            // The name refers to this cell at the position.
            snapshot.lanes.mode = mode;
        }
        // In another mode the name may refer to another register.
        Ok(if snapshot.lanes.mode == mode {
            snapshot.view(view)
        } else {
            None
        })
    }

    /// Returns false for registers that most nearby steps write, or that few facts determine.
    fn is_looked_for_far(&self, view: RegisterView) -> bool {
        let register = view.register;
        let computed = self.index.instruction_set(self.thread).computed_registers();
        let is_windowed = || register < RegisterId::PC || computed.contains(&register.0);
        register < RegisterId::SP
            || self.near.lanes.mode.has_windows() && is_windowed()
            || self.is_kept_by_others(view)
    }

    /// Returns true for a register that keeps the value of its last record, although unrecorded
    /// code may run between the recorded steps. Kernels return no results in vector registers.
    fn is_kept_by_others(&self, view: RegisterView) -> bool {
        self.is_stated && (RegisterId::V0..RegisterId::P0).contains(&view.register)
    }

    /// Returns the range of earlier writes to examine together with `slot`. No requested register
    /// is written between its last write and the position.
    fn far_writes(&self, slot: u64) -> Range<u64> {
        let slots = || self.writers.iter().flatten().map(|(_, slot)| *slot);
        let last = slots()
            .filter(|other| (slot..slot + FAR_TOGETHER).contains(other))
            .max()
            .unwrap_or(slot);
        let first = slots()
            .filter(|other| *other <= slot && last - other < FAR_TOGETHER)
            .min()
            .unwrap_or(slot);
        first..last
    }

    /// Returns the slot of a view's last write, if only instructions changed registers since.
    fn last_write(
        &mut self,
        view: RegisterView,
        cancel: &Cancel,
    ) -> Result<Option<u64>, QueryError> {
        let unbroken_from = match self.unbroken_from {
            _ if self.is_kept_by_others(view) => 0,
            Some(slot) => slot,
            None => {
                let wanted = WantedMarkers {
                    kinds: &BREAKS,
                    thread: Some(self.thread),
                };
                let last = MarkerReader(self.index).last(wanted, self.position, cancel)?;
                let slot = last.iter().map(|hit| hit.position.0).max().unwrap_or(0);
                *self.unbroken_from.insert(slot)
            }
        };
        if let Some(writers) = &self.writers {
            let written = writers
                .iter()
                .find(|(written, _)| *written == view)
                .map(|(_, slot)| *slot);
            return Ok(written.filter(|slot| *slot > unbroken_from));
        }
        let slot = self.last_writer(view, cancel)?;
        Ok(slot.filter(|slot| *slot > unbroken_from))
    }

    /// Returns the slot of a view's last write by a step.
    fn last_writer(&self, view: RegisterView, cancel: &Cancel) -> Result<Option<u64>, QueryError> {
        let (thread, at) = (self.thread, self.position.0);
        let untraced = untraced::untraced_registers(self.index, thread)?;
        if self.index.has_operands_alone() || untraced.includes(view) {
            let reader = OperandReader {
                index: self.index,
                thread,
                kinds: AccessKinds::Writes.into(),
            };
            let last = reader.last_uses(&[view], at, cancel)?.pop().flatten();
            return Ok(last.map(|last| last.slot));
        }
        let mut slot = None;
        for home in RegisterReader::new(self.index, thread, self.position)
            .homes(view)?
            .lists()
        {
            slot = slot.max(ViewReader(self.index).last_register_slot(thread, home, at)?);
        }
        let Some(slot) = slot else { return Ok(None) };
        // State recorded before the first step of the thread is not a write of a step.
        let owner = SlotReader(self.index).owner(thread, slot)?;
        Ok(owner.map(|_| slot))
    }
}

/// Returns true if the trace itself records part of a register's value at a position.
fn is_known(
    index: &Index,
    at: ThreadPosition,
    view: RegisterView,
    known: &[RegisterState],
) -> Result<bool, QueryError> {
    if let Some(state) = known.iter().find(|state| state.view == view) {
        return Ok(!state.value.is_unknown());
    }
    let state = RegisterReader::new(index, at.thread, at.position).state(String::new(), view)?;
    Ok(!state.value.is_unknown())
}

/// Returns the last write of a register without a value.
fn writer_of_unknown(state: &RegisterState) -> Option<(RegisterView, u64)> {
    let slot = state.written_at.filter(|_| state.value.is_unknown())?.0;
    Some((state.view, slot))
}

/// Follows the steps around some slots. The snapshot is that of the last slot.
fn snapshot_of(
    index: &Index,
    thread: ThreadId,
    slots: Range<u64>,
    circumstances: Circumstances,
    around: StepRadius,
) -> Result<Snapshot, QueryError> {
    let slot = slots.end;
    let run = run_of(
        index,
        thread,
        &RunSlots::around(index, thread, slots, around)?,
    )?;
    Ok(snapshot(&run, slot, circumstances))
}
