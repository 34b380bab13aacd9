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
use crate::inference::others::run_of;
use crate::inference::snapshot::{Snapshot, Surroundings, circumstances, snapshot};
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

/// What is inferred around a position.
pub(super) struct Around<'a, S> {
    index: &'a Index<S>,
    thread: ThreadId,
    position: Position,
    near: Snapshot,
    /// By the slot of the write.
    far: Vec<(u64, Snapshot)>,
    /// Behind which slot only instructions changed registers; none before it is looked for.
    unbroken_from: Option<u64>,
    /// The positions of the last writes, where they are known already.
    pub writers: Option<Vec<(RegisterView, Option<Position>)>>,
}

impl<'a, S: Source> Around<'a, S> {
    pub fn new(index: &'a Index<S>, thread: ThreadId, position: Position, cancel: &Cancel) -> Result<Self, QueryError> {
        cancel.check()?;
        let mut near = snapshot_at(index, thread, position.0, NEAR)?;
        let word_bytes = index.instruction_set(thread).word_bytes();
        if near.view(RegisterView::new(RegisterId::SP, 0, word_bytes)).is_none() {
            near = snapshot_at(index, thread, position.0, WIDE)?;
        }
        Ok(Self { index, thread, position, near, far: Vec::new(), unbroken_from: None, writers: None })
    }

    /// How often two facts differed.
    pub fn contradictions(&self) -> u64 {
        let snapshots = self.far.iter().map(|(_, snapshot)| snapshot).chain([&self.near]);
        snapshots.map(|snapshot| snapshot.symbols.contradictions()).sum()
    }

    /// What is known of a view; none when that is nothing.
    pub fn view(&mut self, view: RegisterView, cancel: &Cancel) -> Result<Option<(Value, Reason)>, QueryError> {
        let near = self.near.view(view);
        if near.is_some() || !self.near.is_held(view) || view.register >= RegisterId::SP {
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
                self.far.push((slot, snapshot_at(self.index, self.thread, slot, FAR)?));
                self.far.len() - 1
            }
        };
        // Where the mode differs the name may mean another register.
        let snapshot = self.far.get(place).map(|(_, snapshot)| snapshot);
        Ok(snapshot.filter(|snapshot| snapshot.mode == self.near.mode).and_then(|snapshot| snapshot.view(view)))
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
    thread: ThreadId,
    slot: u64,
    around: Surroundings,
) -> Result<Snapshot, QueryError> {
    let run = run_of(index, thread, around.of(index, slot..slot))?;
    Ok(snapshot(&run, slot, circumstances(index)))
}
