//! Next touches of a piece: reads or writes.

use std::ops::Range;

use stepback_machine::{RegisterId, RegisterView};
use stepback_parsers::Position;

use crate::answers::access_kinds::AccessKinds;
use crate::answers::cancel::Cancel;
use crate::answers::error::QueryError;
use crate::answers::slice::EdgeKinds;
use crate::answers::thread::ThreadId;
use crate::index::Index;
use crate::index::homes::Homes;
use crate::index::operand_table::OperandKinds;
use crate::query::slice::definers::status_view;
use crate::query::slice::pieces::StatePiece;
use crate::read::operands::OperandReader;
use crate::read::register_reader::RegisterReader;
use crate::read::touches::{TouchFilter, TouchReader};
use crate::read::views::ViewReader;
use crate::read::walked_uses::WalkedUses;

/// Finds next touches.
pub(super) struct NextTouches<'w, 'a> {
    pub index: &'a Index,
    /// Edges that are traced. Without addresses, a register used only to form an address does not
    /// count as read.
    pub edges: EdgeKinds,
    /// Finds the next uses of registers.
    pub uses: &'w mut WalkedUses<'a>,
}

impl NextTouches<'_, '_> {
    /// Returns the first slot from `first` on in which a piece is touched; none if there is none.
    pub fn of(
        &mut self,
        thread: ThreadId,
        piece: &StatePiece,
        first: u64,
        cancel: &Cancel,
    ) -> Result<Option<u64>, QueryError> {
        match piece {
            StatePiece::Register { view, homes } => {
                self.of_register(thread, *view, homes, first, cancel)
            }
            StatePiece::Flags(bits) => {
                let view = status_view(*bits);
                let written = ViewReader(self.index).next_register_slot(thread, view, first)?;
                let used = self.used(thread, view, first..u64::MAX, cancel)?;
                let stacked = self.stacked(thread, RegisterId::PSR, first)?;
                Ok(written.into_iter().chain(used).chain(stacked).min())
            }
            StatePiece::Decision => Ok(None),
            StatePiece::Memory { granule, mask } => {
                let reader = TouchReader::in_memory(self.index, self.index.memories().of(thread));
                let touched = reader.next_touch(*granule, *mask, first, TouchFilter::All)?;
                let by_host = self
                    .index
                    .host_regions
                    .next_of_bytes(*granule, *mask, first);
                Ok(touched
                    .map(|touch| touch.slot)
                    .into_iter()
                    .chain(by_host.into_iter().flatten())
                    .min())
            }
        }
    }

    fn of_register(
        &mut self,
        thread: ThreadId,
        view: RegisterView,
        homes: &Homes,
        first: u64,
        cancel: &Cancel,
    ) -> Result<Option<u64>, QueryError> {
        let mut next = None;
        for home in homes.of_bytes(view.offset, view.size_bytes).lists() {
            let written = ViewReader(self.index).next_register_slot(thread, home, first)?;
            next = next.into_iter().chain(written).min();
        }
        // A write of the lower part of a vector clears it.
        let clearing = RegisterReader::new(self.index, thread, Position(first)).clearing(view);
        let lists = clearing
            .into_iter()
            .flat_map(|low| ViewReader(self.index).overlapping(thread, low));
        for known in lists.filter(|known| Some(known.view) == clearing) {
            next = next
                .into_iter()
                .chain(ViewReader(self.index).next_write_slot(known, first)?)
                .min();
        }
        // Operands may name the same register under another name: then more is examined than
        // necessary.
        next = next
            .into_iter()
            .chain(self.stacked(thread, view.register, first)?)
            .min();
        let used = self.used(thread, view, first..next.unwrap_or(u64::MAX), cancel)?;
        Ok(used.into_iter().chain(next).min())
    }

    /// Returns the next slot in which an exception may store a register: it writes the link
    /// register, or moves a stack pointer.
    fn stacked(
        &self,
        thread: ThreadId,
        register: RegisterId,
        first: u64,
    ) -> Result<Option<u64>, QueryError> {
        let set = self.index.instruction_set(thread);
        let Some(layout) = set.exception_frame() else {
            return Ok(None);
        };
        if !layout.has(self.index.plain_register(register)) {
            return Ok(None);
        }
        let mut next = None;
        for moved in [RegisterId::LR, RegisterId::SP]
            .into_iter()
            .chain(set.banks(RegisterId::SP))
        {
            let view = RegisterView::new(moved, 0, 4);
            next = next
                .into_iter()
                .chain(ViewReader(self.index).next_register_slot(thread, view, first)?)
                .min();
        }
        Ok(next)
    }

    fn used(
        &mut self,
        thread: ThreadId,
        view: RegisterView,
        slots: Range<u64>,
        cancel: &Cancel,
    ) -> Result<Option<u64>, QueryError> {
        let kinds = match self.edges.addresses || view.register == RegisterId::PSR {
            true => AccessKinds::All.into(),
            false => OperandKinds::Data,
        };
        let reader = OperandReader {
            index: self.index,
            thread,
            kinds,
        };
        self.uses
            .next(&reader, self.as_named(thread, view), slots, cancel)
    }

    /// Returns a bank under its name for instructions in its mode. A cell of a window has many
    /// names.
    fn as_named(&self, thread: ThreadId, view: RegisterView) -> RegisterView {
        let set = self.index.instruction_set(thread);
        if set.has_windows() || view.register <= RegisterId::LR {
            return view;
        }
        let named = self
            .index
            .banks
            .iter()
            .find(|known| known.register == view.register)
            .map(|known| known.plain);
        let plain = |number: &u16| {
            set.banks(RegisterId(*number))
                .any(|bank| bank == view.register)
        };
        let found = named.or_else(|| (0..=RegisterId::LR.0).find(plain).map(RegisterId));
        RegisterView {
            register: found.unwrap_or(view.register),
            ..view
        }
    }
}
