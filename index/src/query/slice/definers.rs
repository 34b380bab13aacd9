//! Who wrote a piece last: the steps, or why there is none.

use std::sync::Arc;

use stepback_machine::{AccessKind, Address, RegisterId, RegisterView, State};
use stepback_parsers::{Line, Position, Source, Step};

use crate::answers::access_kinds::AccessKinds;
use crate::answers::cancel::Cancel;
use crate::answers::error::QueryError;
use crate::answers::slice::{End, SliceEnd, WantedBy};
use crate::answers::thread::ThreadId;
use crate::index::Index;
use crate::query::slice::frontier::{Frontier, Want};
use crate::query::slice::pieces::{Piece, runs_of};
use crate::read::homes::Homes;
use crate::read::operands::OperandReader;
use crate::read::register_reader::RegisterReader;
use crate::read::slots::{EventKind, SlotReader};
use crate::read::touches::{TouchReader, Wanted};
use crate::read::views::ViewReader;
use crate::read::write_lists::WriteLists;
use crate::store::granules::GRANULE_BITS;

/// Up to where writers are looked for.
#[derive(Clone, Copy, Debug)]
pub(super) struct Until {
    /// The last slot whose writes count.
    pub slot: u64,
    /// The last slot whose loads may show that memory was changed: the load itself that wants it.
    pub shown: u64,
}

/// Looks for writers.
pub(super) struct Definers<'a, S> {
    pub index: &'a Index<S>,
}

/// What is wanted, and by whom.
#[derive(Clone, Debug)]
pub(super) struct Wish {
    pub thread: ThreadId,
    pub piece: Piece,
    pub wanted_by: Vec<WantedBy>,
}

/// What was found of some wishes.
pub(super) struct Finds<'f> {
    pub frontier: &'f mut Frontier,
    pub ends: &'f mut Vec<SliceEnd>,
}

impl Finds<'_> {
    fn end(&mut self, wish: &Wish, piece: &Piece, end: End) {
        for cell in piece.cells(wish.thread) {
            self.ends.push(SliceEnd { end, cell, wanted_by: wish.wanted_by.clone() });
        }
    }
}

impl<S: Source> Definers<'_, S> {
    /// What a name means before a step of which the state is known, or at a position.
    pub fn register(
        &self,
        thread: ThreadId,
        view: RegisterView,
        at: Position,
        state: Option<State>,
    ) -> Result<Piece, QueryError> {
        let homes = if self.index.has_operands_alone() {
            let cell = match state {
                Some(state) => RegisterView { register: state.mode.home(view.register), ..view },
                None => self.operands(thread).cells(&[view], at)?.pop().unwrap_or(view),
            };
            Homes::only(cell)
        } else {
            let mut reader = RegisterReader::new(self.index, thread, at);
            reader.state = state.map(Some);
            reader.homes(view)?
        };
        Ok(Piece::Register { view, homes: Arc::new(homes) })
    }

    /// Adds who wrote a piece last.
    pub fn find(&self, wish: Wish, until: Until, finds: &mut Finds<'_>, cancel: &Cancel) -> Result<(), QueryError> {
        match wish.piece.clone() {
            Piece::Register { view, homes } => self.of_register(wish, (view, &homes), until, finds, cancel),
            Piece::Flags(bits) => self.of_flags(wish, bits, until, finds, cancel),
            Piece::Memory { granule, mask } => self.of_memory(wish, (granule, mask), until, finds),
            // What decided is found by where it stands, not by who wrote something.
            Piece::Decision => Ok(()),
        }
    }

    fn of_register(
        &self,
        wish: Wish,
        (view, homes): (RegisterView, &Homes),
        until: Until,
        finds: &mut Finds<'_>,
        cancel: &Cancel,
    ) -> Result<(), QueryError> {
        if self.index.has_operands_alone() || self.is_left_out(wish.thread, view) {
            let cells: Vec<RegisterView> =
                homes.lists().map(|home| RegisterView { register: home.register, ..view }).collect();
            return self.of_operands(wish, &cells, until, finds, cancel);
        }
        let at = Position(until.slot);
        let homes = homes.of_bytes(view.offset, view.size_bytes);
        let mut lists = WriteLists::of(self.index, wish.thread, &homes, at)?;
        let clearing = RegisterReader::new(self.index, wish.thread, at).clearing(view);
        clearing.map_or(Ok(()), |low| lists.add_exactly(low))?;
        match lists.newest() {
            Some(slot) => self.written_in(wish, slot, finds),
            None => {
                let piece = wish.piece.clone();
                finds.end(&wish, &piece, End::Initial { line: None });
                Ok(())
            }
        }
    }

    /// True for a status register that the trace never writes: many leave out what comparisons of floating point set.
    fn is_left_out(&self, thread: ThreadId, view: RegisterView) -> bool {
        let is_status = (RegisterId::PSR..=RegisterId::VPR).contains(&view.register);
        is_status && ViewReader(self.index).overlapping(thread, view).next().is_none()
    }

    /// A piece that a slot of its thread writes.
    fn written_in(&self, wish: Wish, slot: u64, finds: &mut Finds<'_>) -> Result<(), QueryError> {
        let Wish { thread, piece, wanted_by } = &wish;
        match SlotReader(self.index).owner(*thread, slot)? {
            Some(step) => {
                let (piece, wanted_by) = (piece.clone(), wanted_by.clone());
                finds.frontier.add(step, Want { thread: *thread, piece, slot, wanted_by, doubt: None });
            }
            None => {
                let line = self.initial_line(&wish, slot)?;
                finds.end(&wish, piece, End::Initial { line });
            }
        }
        Ok(())
    }

    fn of_flags(
        &self,
        wish: Wish,
        bits: u64,
        until: Until,
        finds: &mut Finds<'_>,
        cancel: &Cancel,
    ) -> Result<(), QueryError> {
        let view = status_view(bits);
        if self.index.has_operands_alone() || self.is_left_out(wish.thread, view) {
            return self.of_operands(wish, &[view], until, finds, cancel);
        }
        match ViewReader(self.index).last_register_slot(wish.thread, view, until.slot)? {
            Some(slot) => self.written_in(wish, slot, finds),
            None => {
                let piece = wish.piece.clone();
                finds.end(&wish, &piece, End::Initial { line: None });
                Ok(())
            }
        }
    }

    /// Registers that no line or record tells of: the operands of instructions do.
    fn of_operands(
        &self,
        wish: Wish,
        cells: &[RegisterView],
        until: Until,
        finds: &mut Finds<'_>,
        cancel: &Cancel,
    ) -> Result<(), QueryError> {
        let found = self.operands(wish.thread).last_uses(cells, until.slot, cancel)?;
        match found.into_iter().flatten().max_by_key(|found| found.slot) {
            Some(found) => {
                let step = Step(found.slot.saturating_sub(1));
                let Wish { thread, piece, wanted_by } = wish;
                let want = Want { thread, piece, slot: found.slot, wanted_by, doubt: found.doubt };
                finds.frontier.add(step, want);
            }
            None => {
                let piece = wish.piece.clone();
                finds.end(&wish, &piece, End::Initial { line: None });
            }
        }
        Ok(())
    }

    fn operands(&self, thread: ThreadId) -> OperandReader<'_, S> {
        OperandReader { index: self.index, thread, kinds: AccessKinds::Writes }
    }

    fn of_memory(
        &self,
        wish: Wish,
        (granule, mask): (u64, u64),
        until: Until,
        finds: &mut Finds<'_>,
    ) -> Result<(), QueryError> {
        let reader = TouchReader(self.index);
        let written = reader.last_touches(granule, mask, until.slot, Wanted::Writes)?;
        let by_host = self.index.host_regions.last_of_bytes(granule, mask, until.slot);
        let has_externals = self.index.contents.externals != 0;
        let changed = match has_externals {
            true => reader.last_touches(granule, mask, until.shown, Wanted::External)?,
            false => [None; 64],
        };
        let who = |place: u32| {
            let place = place as usize;
            let slot = written.get(place).copied().flatten().map(|touch| touch.slot);
            // An access of the call's own slot comes after what the host wrote.
            let host = by_host.get(place).copied().flatten().filter(|host| slot.is_none_or(|slot| *host > slot));
            let told = host.or(slot);
            let change = changed.get(place).copied().flatten().map(|touch| touch.slot);
            match change.filter(|change| told.is_none_or(|told| *change > told)) {
                Some(slot) => Who::Nobody(End::External { seen_by: Position(slot).last_step() }),
                None => told.map_or_else(|| Who::Nobody(self.untouched(granule, place)), Who::Slot),
            }
        };
        for run in runs_of(mask) {
            let places = run.first..run.first + run.len;
            let mut groups: Vec<(Who, u64)> = Vec::new();
            for place in places {
                let (who, bit) = (who(place), 1u64 << place);
                match groups.iter_mut().find(|(known, _)| *known == who) {
                    Some((_, mask)) => *mask |= bit,
                    None => groups.push((who, bit)),
                }
            }
            for (who, mask) in groups {
                let piece = Piece::Memory { granule, mask };
                match who {
                    Who::Nobody(end) => finds.end(&wish, &piece, end),
                    Who::Slot(slot) => self.stored_in(Wish { piece, ..wish.clone() }, slot, finds)?,
                }
            }
        }
        Ok(())
    }

    /// Memory that a slot writes, by whichever thread.
    fn stored_in(&self, wish: Wish, slot: u64, finds: &mut Finds<'_>) -> Result<(), QueryError> {
        let Piece::Memory { granule, mask } = wish.piece else { return Ok(()) };
        let thread = if self.index.threads().len() == 1 { ThreadId(0) } else { self.writer_in(slot, granule, mask)? };
        self.written_in(Wish { thread, ..wish }, slot, finds)
    }

    /// Who wrote a byte in a slot last.
    fn writer_in(&self, slot: u64, granule: u64, mask: u64) -> Result<ThreadId, QueryError> {
        let byte = (granule << GRANULE_BITS) + u64::from(mask.trailing_zeros());
        let mut writer = None;
        let mut of_step = None;
        SlotReader(self.index).each_event(slot..slot.saturating_add(1), |event| {
            match event.kind {
                EventKind::Step(_) if event.slot == slot => of_step = Some(event.thread),
                EventKind::Access { kind: AccessKind::Write, address, size_bytes, .. } if event.slot == slot => {
                    let is_here = byte.checked_sub(address.0).is_some_and(|place| place < u64::from(size_bytes));
                    writer = if is_here { Some(event.thread) } else { writer };
                }
                _ => {}
            }
            Ok(())
        })?;
        Ok(writer.or(of_step).unwrap_or_default())
    }

    /// What memory is that nothing wrote.
    fn untouched(&self, granule: u64, place: usize) -> End {
        let address = Address((granule << GRANULE_BITS) + place as u64);
        match self.index.program().byte(address) {
            Some(_) => End::Image,
            None => End::Initial { line: None },
        }
    }

    /// The line that states a register before the first step.
    fn initial_line(&self, wish: &Wish, slot: u64) -> Result<Option<Line>, QueryError> {
        if slot != 0 || !self.index.source().is_text() {
            return Ok(None);
        }
        let mut line = None;
        SlotReader(self.index).each_event(0..1, |event| {
            let is_meant = event.slot == 0
                && event.thread == wish.thread
                && match &wish.piece {
                    Piece::Register { homes, .. } => homes.written(&event).is_some(),
                    Piece::Flags(_) => {
                        matches!(event.kind, EventKind::Register { view, .. } if view.register == RegisterId::PSR)
                    }
                    Piece::Memory { .. } => matches!(event.kind, EventKind::Access { kind: AccessKind::Write, .. }),
                    Piece::Decision => false,
                };
            line = if is_meant { Some(Line(event.line_in_range + 1)) } else { line };
            Ok(())
        })?;
        Ok(line)
    }
}

/// Who wrote a byte last.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Who {
    Slot(u64),
    Nobody(End),
}

/// The bytes of the status register in which flags stand.
pub(super) fn status_view(bits: u64) -> RegisterView {
    let first = bits.trailing_zeros() / 8;
    let last = 7 - (bits.leading_zeros() / 8).min(7);
    let (first, len) = (first.min(last), last.saturating_sub(first.min(last)) + 1);
    RegisterView::new(RegisterId::PSR, u16::try_from(first).unwrap_or(0), u16::try_from(len).unwrap_or(8))
}
