//! What is inferred around a position, and around the last writes of registers that lie further back.

use std::ops::Range;

use stepback_machine::{RegisterId, RegisterView};
use stepback_parsers::Position;

use crate::answers::access_kinds::AccessKinds;
use crate::answers::cancel::Cancel;
use crate::answers::error::QueryError;
use crate::answers::reason::{InferenceReason, ValueDerivation};
use crate::answers::register_file::RegisterState;
use crate::answers::thread::ThreadId;
use crate::answers::value::Value;
use crate::index::Index;
use crate::inference::engine::Circumstances;
use crate::inference::others::run_of;
use crate::inference::run_slots::RunSlots;
use crate::inference::snapshot::{Snapshot, snapshot};
use crate::inference::surroundings::StepRadius;
use crate::read::diversions::BREAKS;
use crate::read::markers::{MarkerReader, WantedMarkers};
use crate::read::operands::OperandReader;
use crate::read::problems::ProblemReader;
use crate::read::register_reader::RegisterReader;
use crate::read::slots::SlotReader;
use crate::read::untraced::UntracedReader;
use crate::read::views::ViewReader;

/// Around a position; four times as many steps before it tell 1 to 5 % more registers.
/// Behind it a register may be an address.
const NEAR: StepRadius = StepRadius {
    before: 1024,
    behind: 256,
};
/// Where these do not tell the stack pointer, as in a long loop.
const WIDE: StepRadius = StepRadius {
    before: 4096,
    behind: 256,
};
/// Where the trace itself tells the stack pointer, and so nearly all that programs compute with.
const TOLD: StepRadius = StepRadius {
    before: 128,
    behind: 128,
};
/// Around a write that lies further back.
const FAR: StepRadius = StepRadius {
    before: 64,
    behind: 128,
};
/// The same where the trace itself tells most values: what was loaded or stored then is among them.
const FAR_TOLD: StepRadius = StepRadius {
    before: 32,
    behind: 64,
};
/// How many places of far writes are looked at for one position.
const FAR_LIMIT: usize = 12;
/// Far writes that lie closer together are looked at as one.
const FAR_TOGETHER: u64 = 32;

/// A moment of a thread.
#[derive(Clone, Copy, Debug)]
pub(super) struct ThreadPosition {
    pub thread: ThreadId,
    pub position: Position,
}

/// What is inferred around a position.
pub(super) struct PositionInference<'a> {
    index: &'a Index,
    thread: ThreadId,
    position: Position,
    circumstances: Circumstances,
    near: Snapshot,
    /// By the slot of the last write that they are around.
    far: Vec<(u64, Snapshot)>,
    /// Behind which slot only instructions changed registers; none before it is looked for.
    unbroken_from: Option<u64>,
    /// The slots of the last writes of those that are asked for, where they are known already.
    writers: Option<Vec<LastRegisterWrite>>,
    /// The trace itself tells the stack pointer, and so most values.
    is_told: bool,
}

/// Where a register was last written.
#[derive(Clone, Copy, Debug)]
struct LastRegisterWrite {
    view: RegisterView,
    slot: u64,
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
        let is_told = are_taken && is_known(index, at, stack_pointer, known.unwrap_or_default())?;
        let slots = position.0..position.0;
        let mut near = snapshot_of(
            index,
            thread,
            slots.clone(),
            circumstances,
            if is_told { TOLD } else { NEAR },
        )?;
        if !is_told && near.view(stack_pointer).is_none() {
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
            is_told,
        })
    }

    /// How often two facts differed.
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

    /// What is known of a view; none when that is nothing.
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
        // Where records were lost, steps between may be missing.
        if ProblemReader(self.index).may_miss_records(&(slot..=self.position.0)) {
            return Ok(None);
        }
        let slots = self.far_writes(slot);
        let place = match self.far.iter().position(|(known, _)| *known == slots.end) {
            Some(place) => place,
            None if self.far.len() == FAR_LIMIT => return Ok(None),
            None => {
                let (last, around) = (slots.end, if self.is_told { FAR_TOLD } else { FAR });
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
            // The cell that the name means at the position.
            snapshot.lanes.mode = mode;
        }
        // Where the mode differs the name may mean another register.
        Ok(if snapshot.lanes.mode == mode {
            snapshot.view(view)
        } else {
            None
        })
    }

    /// False for registers that most steps nearby write, or that few facts tell of.
    fn is_looked_for_far(&self, view: RegisterView) -> bool {
        let register = view.register;
        let computed = self.index.instruction_set(self.thread).computed_registers();
        let is_windowed = || register < RegisterId::PC || computed.contains(&register.0);
        register < RegisterId::SP
            || self.near.lanes.mode.has_windows() && is_windowed()
            || self.is_kept_by_others(view)
    }

    /// True for a register that holds what its last record wrote, whatever ran between the steps that are shown:
    /// a kernel that others ask for something gives none of its results in vector registers.
    fn is_kept_by_others(&self, view: RegisterView) -> bool {
        self.is_told && (RegisterId::V0..RegisterId::P0).contains(&view.register)
    }

    /// The first and the last of the far writes around one that are looked at with it: none of the registers that are
    /// asked for is written between its own last write and the position.
    fn far_writes(&self, slot: u64) -> Range<u64> {
        let slots = || self.writers.iter().flatten().map(|writer| writer.slot);
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

    /// The slot of a view's last write, if nothing but instructions changed registers since.
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
                .find(|writer| writer.view == view)
                .map(|writer| writer.slot);
            return Ok(written.filter(|slot| *slot > unbroken_from));
        }
        let slot = self.last_writer(view, cancel)?;
        Ok(slot.filter(|slot| *slot > unbroken_from))
    }

    /// The slot of a view's last write by a step.
    fn last_writer(&self, view: RegisterView, cancel: &Cancel) -> Result<Option<u64>, QueryError> {
        let (thread, at) = (self.thread, self.position.0);
        let untraced = UntracedReader(self.index).of(thread)?;
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
        // What the trace states before the first step of the thread is no step's write.
        let owner = SlotReader(self.index).owner(thread, slot)?;
        Ok(owner.map(|_| slot))
    }
}

/// True when the trace itself tells something of a register at a position.
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

/// The last write of a register without a value.
fn writer_of_unknown(state: &RegisterState) -> Option<LastRegisterWrite> {
    let slot = state.written_at.filter(|_| state.value.is_unknown())?.0;
    Some(LastRegisterWrite {
        view: state.view,
        slot,
    })
}

/// Follows the steps around some slots; the registers are those at the last.
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
