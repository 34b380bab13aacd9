//! What is inferred around a position, and around the last writes of registers that lie further back.

use stepback_machine::{RegisterId, RegisterView};
use stepback_parsers::{Position, Source};

use crate::answers::access_kinds::AccessKinds;
use crate::answers::cancel::Cancel;
use crate::answers::error::QueryError;
use crate::answers::reason::Reason;
use crate::answers::thread::ThreadId;
use crate::answers::value::Value;
use crate::index::Index;
use crate::inference::engine::Circumstances;
use crate::inference::others::run_of;
use crate::inference::snapshot::{Snapshot, Surroundings, snapshot};
use crate::read::diversions::BREAKS;
use crate::read::markers::{MarkerReader, WantedMarkers};
use crate::read::operands::OperandReader;
use crate::read::problems::ProblemReader;
use crate::read::register_reader::RegisterReader;
use crate::read::slots::SlotReader;
use crate::read::views::ViewReader;

/// Around a position; four times as many steps before it tell 1 to 5 % more registers.
/// Behind it a register may be an address.
const NEAR: Surroundings = Surroundings { before: 1024, behind: 256 };
/// Where these do not tell the stack pointer, as in a long loop.
const WIDE: Surroundings = Surroundings { before: 4096, behind: 256 };
/// Around a write that lies further back.
const FAR: Surroundings = Surroundings { before: 64, behind: 128 };
/// How many far writes are looked at for one position.
const FAR_LIMIT: usize = 12;

/// A moment of a thread.
#[derive(Clone, Copy, Debug)]
pub(super) struct ThreadPosition {
    pub thread: ThreadId,
    pub position: Position,
}

/// What is inferred around a position.
pub(super) struct Around<'a, S> {
    index: &'a Index<S>,
    thread: ThreadId,
    position: Position,
    circumstances: Circumstances,
    near: Snapshot,
    /// By the slot of the write.
    far: Vec<(u64, Snapshot)>,
    /// Behind which slot only instructions changed registers; none before it is looked for.
    unbroken_from: Option<u64>,
    /// The positions of the last writes, where they are known already.
    pub writers: Option<Vec<(RegisterView, Option<Position>)>>,
}

impl<'a, S: Source> Around<'a, S> {
    pub fn new(
        index: &'a Index<S>,
        at: ThreadPosition,
        circumstances: Circumstances,
        cancel: &Cancel,
    ) -> Result<Self, QueryError> {
        cancel.check()?;
        let ThreadPosition { thread, position } = at;
        let mut near = snapshot_at(index, at, circumstances, NEAR)?;
        let word_bytes = index.instruction_set(thread).word_bytes();
        if near.view(RegisterView::new(RegisterId::SP, 0, word_bytes)).is_none() {
            near = snapshot_at(index, at, circumstances, WIDE)?;
        }
        if near.lanes.mode.has_windows() {
            near.lanes.mode = RegisterReader::new(index, thread, position).mode()?;
        }
        Ok(Self { index, thread, position, circumstances, near, far: Vec::new(), unbroken_from: None, writers: None })
    }

    /// How often two facts differed.
    pub fn contradictions(&self) -> u64 {
        let snapshots = self.far.iter().map(|(_, snapshot)| snapshot).chain([&self.near]);
        snapshots.map(|snapshot| snapshot.symbols.contradictions()).sum()
    }

    /// What is known of a view; none when that is nothing.
    pub fn view(&mut self, view: RegisterView, cancel: &Cancel) -> Result<Option<(Value, Reason)>, QueryError> {
        let near = self.near.view(view);
        if near.is_some() || !self.near.is_held(view) || !self.is_looked_for_far(view) {
            return Ok(near);
        }
        cancel.check()?;
        let Some(slot) = self.last_write(view, cancel)? else { return Ok(None) };
        // Where records were lost, steps between may be missing.
        if ProblemReader(self.index).may_miss_records(&(slot..=self.position.0)) {
            return Ok(None);
        }
        let place = match self.far.iter().position(|(known, _)| *known == slot) {
            Some(place) => place,
            None if self.far.len() == FAR_LIMIT => return Ok(None),
            None => {
                let at = ThreadPosition { thread: self.thread, position: Position(slot) };
                self.far.push((slot, snapshot_at(self.index, at, self.circumstances, FAR)?));
                self.far.len() - 1
            }
        };
        let Some((_, snapshot)) = self.far.get_mut(place) else { return Ok(None) };
        let mode = self.near.lanes.mode;
        if mode.has_windows() {
            // The cell that the name means at the position.
            snapshot.lanes.mode = mode;
        }
        // Where the mode differs the name may mean another register.
        Ok(if snapshot.lanes.mode == mode { snapshot.view(view) } else { None })
    }

    /// False for registers that most steps nearby write, or that few facts tell of.
    fn is_looked_for_far(&self, view: RegisterView) -> bool {
        let register = view.register;
        let computed = self.index.instruction_set(self.thread).computed_registers();
        let is_windowed = || register < RegisterId::PC || computed.contains(&register.0);
        register < RegisterId::SP || self.near.lanes.mode.has_windows() && is_windowed()
    }

    /// The slot of a view's last write, if nothing but instructions changed registers since.
    fn last_write(&mut self, view: RegisterView, cancel: &Cancel) -> Result<Option<u64>, QueryError> {
        let unbroken_from = match self.unbroken_from {
            Some(slot) => slot,
            None => {
                let wanted = WantedMarkers { kinds: &BREAKS, thread: Some(self.thread) };
                let last = MarkerReader(self.index).last(wanted, self.position, cancel)?;
                let slot = last.iter().map(|hit| hit.position.0).max().unwrap_or(0);
                *self.unbroken_from.insert(slot)
            }
        };
        if let Some(writers) = &self.writers {
            let written = writers.iter().find(|(known, _)| *known == view).and_then(|(_, at)| *at);
            return Ok(written.map(|at| at.0).filter(|slot| *slot > unbroken_from));
        }
        let slot = self.last_writer(view, cancel)?;
        Ok(slot.filter(|slot| *slot > unbroken_from))
    }

    /// The slot of a view's last write by a step.
    fn last_writer(&self, view: RegisterView, cancel: &Cancel) -> Result<Option<u64>, QueryError> {
        let (thread, at) = (self.thread, self.position.0);
        if self.index.has_operands_alone() {
            let reader = OperandReader { index: self.index, thread, kinds: AccessKinds::Writes };
            reader.check()?;
            let last = reader.last_uses(&[view], at, cancel)?.pop().flatten();
            return Ok(last.map(|last| last.slot));
        }
        let mut slot = None;
        for home in RegisterReader::new(self.index, thread, self.position).homes(view)?.lists() {
            slot = slot.max(ViewReader(self.index).last_register_slot(thread, home, at)?);
        }
        let Some(slot) = slot else { return Ok(None) };
        // What the trace states before the first step of the thread is no step's write.
        let owner = SlotReader(self.index).owner(thread, slot)?;
        Ok(owner.map(|_| slot))
    }
}

/// Follows the steps around a slot.
fn snapshot_at<S: Source>(
    index: &Index<S>,
    at: ThreadPosition,
    circumstances: Circumstances,
    around: Surroundings,
) -> Result<Snapshot, QueryError> {
    let ThreadPosition { thread, position: Position(slot) } = at;
    let run = run_of(index, thread, around.of(index, slot..slot))?;
    Ok(snapshot(&run, slot, circumstances))
}
