//! Reads of a register by the operands of instructions ([`RegisterReads`]), in traces that record
//! register writes but no reads, and uses of a register that no line or record shows
//! ([`OperandsOf`]).
//!
//! The steps are decoded one after the other, away from the position: the code at an address may
//! have changed, so only the step itself shows its instruction. Cost: the steps up to the one that
//! is found, some millions a second.

use std::ops::Range;

use stepback_machine::banks::{Bank, ThreadStack};
use stepback_machine::{AccessKind, Mode, RegisterId, RegisterView};
use stepback_parsers::Position;

use crate::answers::cell::{AccessKinds, Direction, ThreadId};
use crate::answers::error::{Cancel, QueryError};
use crate::answers::step_record::{Access, Doubt, Hit};
use crate::index::Index;
use crate::read::doubts;
use crate::read::operands::{OperandReader, OperandStep, OperandUse, use_of};
use crate::read::records;
use crate::read::register_reader::RegisterReader;
use crate::read::slots::{SlotReader, ThreadSlot};

/// Number of steps decoded at once, at first and at most.
const BLOCKS: Range<u64> = 32..1 << 14;

/// Reads of a register by a thread.
pub(super) struct RegisterReads<'a> {
    index: &'a Index,
    thread: ThreadId,
    /// Requested view.
    view: RegisterView,
    /// View under the register's plain name in instructions.
    plain: RegisterView,
    /// Banks of its plain name that the trace names, and whether each matches the requested
    /// register.
    banks: Vec<(Bank, bool)>,
    /// Mode in which the plain name means it; `Other` if a bank was requested by its own name.
    mode: Mode,
}

impl<'a> RegisterReads<'a> {
    /// Creates a reader for a register, as the mode at a position resolves it.
    ///
    /// # Errors
    /// [`QueryError::NotRecorded`] for registers that instructions name by number, as system
    /// registers.
    pub fn new(
        index: &'a Index,
        thread: ThreadId,
        view: RegisterView,
        at: Position,
    ) -> Result<Self, QueryError> {
        let requested = index
            .banks
            .iter()
            .find(|known| known.register == view.register);
        if requested.is_none() && view.register >= RegisterId::FIRST_NAMED {
            let format = index.contents.traits.format.clone();
            return Err(QueryError::NotRecorded {
                format,
                what: "reads of system registers",
            });
        }
        let register = requested.map_or(view.register, |known| known.plain);
        let shared = index.banks.iter().filter(|known| known.plain == register);
        let (mode, banks) = match requested {
            Some(known) => (Mode::Other, vec![(known.bank, true)]),
            None => {
                // From mode words, because the steps are compared by those.
                let mode = RegisterReader::new(index, thread, at)
                    .mode()?
                    .in_stack(ThreadStack::Unsaid);
                let banks = shared.map(|known| (known.bank, known.bank.is_in_use(mode)));
                (mode, banks.collect())
            }
        };
        Ok(Self {
            index,
            thread,
            view,
            plain: RegisterView { register, ..view },
            banks,
            mode,
        })
    }

    /// Returns the nearest read by steps before or after a position.
    pub fn nearest(
        &self,
        mut at: Position,
        direction: Direction,
        cancel: &Cancel,
    ) -> Result<Option<Hit>, QueryError> {
        let mut block = BLOCKS.start;
        loop {
            cancel.check()?;
            let step = match direction {
                Direction::Back => SlotReader(self.index).owner(self.thread, at.0)?,
                Direction::Forward => SlotReader(self.index).next_step_of(self.thread, at)?,
            };
            let Some(nearest) = step.map(|step| step.after().0) else {
                return Ok(None);
            };
            let slots = match direction {
                Direction::Back => nearest.saturating_sub(block - 1).max(1)..nearest + 1,
                Direction::Forward => {
                    let end = nearest.saturating_add(block);
                    nearest..end.min(self.index.step_count() + 1)
                }
            };
            let mut steps = self.reader().steps_of(slots.clone())?;
            at = match direction {
                Direction::Back => {
                    steps.reverse();
                    Position(slots.start - 1)
                }
                Direction::Forward => Position(slots.end - 1),
            };
            if let Some(found) = steps.iter().find_map(|step| self.read_by(step)) {
                return self.hit(found).map(Some);
            }
            block = (2 * block).min(BLOCKS.end);
        }
    }

    fn reader(&self) -> OperandReader<'a> {
        OperandReader {
            index: self.index,
            thread: self.thread,
            kinds: AccessKinds::Reads.into(),
        }
    }

    /// Returns the register's name in the steps of a mode; none if instructions name another
    /// register so.
    fn named_in(&self, mode: Mode) -> Option<RegisterView> {
        if self.mode.has_windows() {
            // Steps are queried by cell.
            return Some(RegisterView {
                register: self.mode.home(self.plain.register),
                ..self.plain
            });
        }
        self.is_meant_in(mode).then_some(self.plain)
    }

    fn read_by(&self, step: &OperandStep) -> Option<OperandUse> {
        if self.plain.register == RegisterId::PC {
            return None;
        }
        let named = self.named_in(step.mode)?;
        let doubt = use_of(step, named, AccessKinds::Reads.into())?;
        // The trace shows whether a condition held.
        Some(OperandUse {
            slot: step.slot,
            doubt: doubt.filter(|doubt| *doubt != Doubt::Conditional),
        })
    }

    fn is_meant_in(&self, mode: Mode) -> bool {
        let home = |mode: Mode| mode.home(self.plain.register);
        let is_known = mode.tells(self.plain.register) && self.mode.tells(self.plain.register);
        (!is_known || home(mode) == home(self.mode))
            && self
                .banks
                .iter()
                .all(|(bank, is_meant)| bank.is_in_use(mode) == *is_meant)
    }

    fn hit(&self, found: OperandUse) -> Result<Hit, QueryError> {
        let position = Position(found.slot);
        let step = position.last_step().ok_or(QueryError::TraceChanged)?;
        let hit = records::hit(self.index, step, position)?;
        let access = Access {
            is_decoded: true,
            ..self.reader().access(self.view, AccessKind::Read)
        };
        // The bank depends on the mode of the step itself, which may not be that of the position
        // before it.
        let access = if self.banks.is_empty() {
            // A cell of a window has its plain name in only one window.
            let home = self.mode.home(self.view.register);
            let register = if self.mode.has_windows() {
                home
            } else {
                self.view.register
            };
            let view = RegisterView {
                register,
                ..self.view
            };
            let state = RegisterReader::new(self.index, self.thread, step.before())
                .state(String::new(), view)?;
            Access {
                value: state.value,
                ..access
            }
        } else {
            access
        };
        Ok(Hit {
            doubt: found.doubt,
            access: Some(access),
            ..hit
        })
    }
}

/// Reader of the uses of a register from operands.
pub(super) enum DecodedUses<'a> {
    /// Uses of any kind, in traces that record no registers.
    Uses(OperandsOf<'a>),
    /// Reads, in traces that record only writes.
    Reads(RegisterReads<'a>),
}

impl DecodedUses<'_> {
    /// Returns the nearest use before or after a position.
    pub fn nearest(
        &self,
        at: Position,
        direction: Direction,
        cancel: &Cancel,
    ) -> Result<Option<Hit>, QueryError> {
        match (self, direction) {
            (Self::Uses(operands), Direction::Back) => operands.last_hit(at, cancel),
            (Self::Uses(operands), Direction::Forward) => operands.next_hit(at, cancel),
            (Self::Reads(reads), _) => reads.nearest(at, direction, cancel),
        }
    }
}

/// A register with uses only in the operands of instructions.
pub(super) struct OperandsOf<'a> {
    pub reader: OperandReader<'a>,
    pub view: RegisterView,
    /// Register at the position of the query; on a processor with windows a cell.
    pub cell: RegisterView,
    /// Requested kinds of use.
    pub kinds: AccessKinds,
}

impl OperandsOf<'_> {
    fn last_hit(&self, before: Position, cancel: &Cancel) -> Result<Option<Hit>, QueryError> {
        let last = self
            .reader
            .last_uses(&[self.cell], before.0, cancel)?
            .pop()
            .flatten();
        let Some(last) = last else { return Ok(None) };
        let mut hit = self.hit(last)?;
        if hit.doubt.is_none() && self.kinds != AccessKinds::Reads {
            let used = ThreadSlot {
                thread: self.reader.thread,
                slot: last.slot,
            };
            hit.doubt = doubts::register_doubt(self.reader.index, used, before, cancel)?;
        }
        self.in_doubt(hit, before, cancel).map(Some)
    }

    fn next_hit(&self, from: Position, cancel: &Cancel) -> Result<Option<Hit>, QueryError> {
        let Some(next) =
            self.reader
                .next_use(self.cell, from.0.saturating_add(1)..u64::MAX, cancel)?
        else {
            return Ok(None);
        };
        self.in_doubt(self.hit(next)?, from, cancel).map(Some)
    }

    fn hit(&self, found: OperandUse) -> Result<Hit, QueryError> {
        let position = Position(found.slot);
        let step = position.last_step().ok_or(QueryError::TraceChanged)?;
        let hit = records::hit(self.reader.index, step, position)?;
        let kind = match self.cell == self.view {
            true => hit.record.kind_of_use(self.view, self.kinds),
            false => self.reader.kind_of_use(found.slot, self.cell, self.kinds)?,
        };
        Ok(Hit {
            doubt: found.doubt,
            access: Some(self.reader.access(self.view, kind)),
            ..hit
        })
    }

    /// Adds a doubt to a use: if steps may be missing, it may not be the nearest.
    fn in_doubt(&self, hit: Hit, at: Position, cancel: &Cancel) -> Result<Hit, QueryError> {
        let is_filtered =
            hit.doubt.is_none() && doubts::is_filtered(self.reader.index, at, cancel)?;
        Ok(Hit {
            doubt: hit.doubt.or(is_filtered.then_some(Doubt::Filtered)),
            ..hit
        })
    }
}
