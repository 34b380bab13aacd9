//! Which bank of a register the plain name means at a position.
//!
//! A line that names a bank in use writes the plain register too: `R SP_EL1 …` is a write of `sp`.
//! A change of mode writes nothing, and yet `sp` is another register from there on.
//! So where the newest write of the plain register named a bank that the mode at the position does not use,
//! the plain register is the bank that it does use, if the trace names that anywhere.

use stepback_machine::{Mode, RegisterId, RegisterView};
use stepback_parsers::{Position, Source};

use crate::answers::cell::Cell;
use crate::answers::error::QueryError;
use crate::index::Index;
use crate::read::register_reader::RegisterReader;
use crate::read::slots::{EventKind, SlotEvent, SlotReader};
use crate::read::views::ViewReader;
use crate::store::named_bank::NamedBank;

/// The cell that is meant at a position: where its register has banks, the one in use.
pub(crate) fn home_of<S: Source>(index: &Index<S>, cell: Cell, at: Position) -> Result<Cell, QueryError> {
    match cell {
        Cell::Register { thread, view } => {
            Ok(Cell::Register { thread, view: RegisterReader::new(index, thread, at).home(view)? })
        }
        Cell::Memory { .. } => Ok(cell),
    }
}

impl<S: Source> RegisterReader<'_, S> {
    /// Where the bytes of a view are: in the register itself, or in the bank that the mode uses.
    pub(crate) fn home(&mut self, view: RegisterView) -> Result<RegisterView, QueryError> {
        let (index, thread) = (self.index, self.thread);
        let is_written = |bank: &&NamedBank| {
            let whole = RegisterView::new(bank.register, 0, u16::MAX);
            bank.plain == view.register && ViewReader(index).overlapping(thread, whole).next().is_some()
        };
        let mut banks = index.banks.iter().filter(is_written).peekable();
        if banks.peek().is_none() {
            return Ok(view);
        }
        let mode = self.mode()?;
        if !self.is_of_another_bank(view, mode)? {
            return Ok(view);
        }
        let mut newest: Option<(Option<(u64, usize)>, RegisterView)> = None;
        for bank in banks.filter(|bank| bank.bank.is_in_use(mode)) {
            let view = RegisterView { register: bank.register, ..view };
            let write = self.newest_write(view)?.map(|(slot, event)| (slot, event.place_in_slot));
            if newest.is_none_or(|(known, _)| known < write) {
                newest = Some((write, view));
            }
        }
        Ok(newest.map_or(view, |(_, view)| view))
    }

    /// The mode of the thread's last step.
    pub(crate) fn mode(&mut self) -> Result<Mode, QueryError> {
        if let Some(mode) = self.mode {
            return Ok(mode);
        }
        let mode = match SlotReader(self.index).owner(self.thread, self.at.0)? {
            Some(step) => {
                let mode =
                    |event: &SlotEvent| if let EventKind::Step(step) = &event.kind { Some(step.mode) } else { None };
                self.events_of(step.after().0)?.iter().find_map(mode).ok_or(QueryError::TraceChanged)?
            }
            None => Mode::Other,
        };
        self.mode = Some(mode);
        Ok(mode)
    }

    /// True when what a plain register was written with last belongs to a bank that a mode does not use.
    fn is_of_another_bank(&mut self, view: RegisterView, mode: Mode) -> Result<bool, QueryError> {
        // What was never written under the plain name may stand in a bank that was not in use then.
        let Some((slot, write)) = self.newest_write(view)? else { return Ok(mode != Mode::Other) };
        let (line, place) = (write.line_in_range, write.place_in_slot);
        let behind = self.events_of(slot)?.iter().filter(|event| event.place_in_slot > place);
        let copies = behind.take_while(|event| event.line_in_range == line).filter_map(|event| match event.kind {
            EventKind::Register { view, is_bank_copy: true, .. } => Some(view.register),
            _ => None,
        });
        let copies: Vec<RegisterId> = copies.collect();
        let is_copy = |bank: &&NamedBank| bank.plain == view.register && copies.contains(&bank.register);
        Ok(self.index.banks.iter().find(is_copy).is_some_and(|known| !known.bank.is_in_use(mode)))
    }

    /// The newest write of some byte of a view, and its slot.
    fn newest_write(&mut self, view: RegisterView) -> Result<Option<(u64, SlotEvent)>, QueryError> {
        let mut newest = None;
        for known in ViewReader(self.index).overlapping(self.thread, view) {
            newest = newest.max(ViewReader(self.index).last_write_slot(known, self.at.0)?);
        }
        let Some(slot) = newest else { return Ok(None) };
        let is_write = |event: &&SlotEvent| matches!(event.kind, EventKind::Register { view: written, .. } if written.overlaps(view));
        let write = self.events_of(slot)?.iter().rfind(is_write).ok_or(QueryError::TraceChanged)?;
        Ok(Some((slot, write.clone())))
    }
}
