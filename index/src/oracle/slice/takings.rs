//! Writers of the inputs of a step and of a queried cell, byte by byte.

use stepback_machine::{AccessKind, Address, Mode, RegisterId, RegisterView};
use stepback_parsers::{Position, Step};

use crate::answers::cell::Cell;
use crate::answers::slice::SliceCell;
use crate::answers::thread::ThreadId;
use crate::oracle::event::OracleEventKind;
use crate::oracle::record::Oracle;
use crate::oracle::slice::flow::OracleInput;
use crate::oracle::slice::writers::{ByteOrigin, WriterBound};

/// A byte or a flag, with its origin.
pub(super) type CellOrigin = (SliceCell, ByteOrigin);

impl Oracle {
    /// Returns the writers of a queried cell; `None` if the index does not support the cell.
    pub(super) fn writers_at(&self, cell: Cell, at: Position) -> Option<Vec<CellOrigin>> {
        Some(match cell {
            Cell::Register { thread, view } if view.register == RegisterId::PSR => {
                self.flag_writers(thread, self.instruction_set(thread).flag_bits(), at)
            }
            Cell::Register { thread, view } => self.byte_writers(thread, view, at, None),
            Cell::Memory { address, len_bytes } => {
                let before = WriterBound {
                    event: self.events_until(at).len(),
                    taken_by: None,
                };
                let addresses = (0..len_bytes).map_while(|place| address.0.checked_add(place));
                addresses
                    .map(|address| (memory(address), self.memory_writer(address, before, at)))
                    .collect()
            }
            Cell::Physical { .. } => return None,
        })
    }

    /// Returns the writers of an input of a step.
    pub(super) fn writers_of(&self, step: Step, taken: OracleInput) -> Vec<CellOrigin> {
        let Some(told) = self.step(step) else {
            return Vec::new();
        };
        let (thread, at) = (told.thread, Position(step.0));
        match taken {
            OracleInput::Register(view) => {
                let mode = Some(self.mode_of_step(step, told)).filter(|mode| *mode != Mode::Other);
                self.byte_writers(thread, view, at, mode)
            }
            OracleInput::Home(event, offset) => {
                self.home_writer(event, offset, at).into_iter().collect()
            }
            OracleInput::Flags(bits) => self.flag_writers(thread, bits, at),
            OracleInput::Memory(address) => {
                vec![(
                    memory(address),
                    self.memory_writer(address, self.before_loads(step), at),
                )]
            }
        }
    }

    fn byte_writers(
        &self,
        thread: ThreadId,
        view: RegisterView,
        at: Position,
        mode: Option<Mode>,
    ) -> Vec<CellOrigin> {
        let byte = |offset| SliceCell::Register {
            thread,
            view: RegisterView::new(view.register, offset, 1),
        };
        let found = self
            .register_writers(thread, view, at, mode)
            .into_iter()
            .zip(view.offset..);
        found.map(|(found, offset)| (byte(offset), found)).collect()
    }

    fn flag_writers(&self, thread: ThreadId, bits: u64, at: Position) -> Vec<CellOrigin> {
        let flags = (0..64).map(|bit| bits & 1 << bit).filter(|bits| *bits != 0);
        flags
            .map(|bits| {
                (
                    SliceCell::Flags { thread, bits },
                    self.flag_writer(thread, bits, at),
                )
            })
            .collect()
    }

    /// Returns the end of the past of a step's loads: its last load, or the end of its own slot if
    /// that comes later. Stores of others after later steps are not in its past.
    fn before_loads(&self, step: Step) -> WriterBound {
        let end = self.events_until(step.after()).len();
        let is_load = |kind: &OracleEventKind| matches!(kind, OracleEventKind::Access(access) if access.kind == AccessKind::Read);
        let here = self.events.iter().enumerate().take(end);
        let last = here
            .rev()
            .find(|(_, event)| event.owner == Some(step) && is_load(&event.kind));
        WriterBound {
            event: last.map_or(end, |(number, _)| number + 1),
            taken_by: Some(step),
        }
    }
}

/// Returns the cell of a memory byte.
pub(super) fn memory(address: u64) -> SliceCell {
    SliceCell::Memory {
        address: Address(address),
        len_bytes: 1,
    }
}
