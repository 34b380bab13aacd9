//! Next touches of a traced piece of state, reads or writes ([`NextTouches`]). [`LateLoads`] caches
//! the loads with lines after steps of other threads: these loads came earlier, and used the memory
//! contents of that time.

use std::collections::BTreeMap;
use std::collections::btree_map::Entry;
use std::ops::Range;

use stepback_machine::{AccessKind, RegisterId, RegisterView};
use stepback_parsers::Position;

use crate::answers::cell::{AccessKinds, Direction, ThreadId};
use crate::answers::error::{Cancel, QueryError};
use crate::answers::slice::EdgeKinds;
use crate::answers::step_record::LATE_STEPS;
use crate::index::Index;
use crate::index::homes::Homes;
use crate::index::operand_table::OperandKinds;
use crate::query::slice::definers::status_view;
use crate::query::slice::pieces::{StatePiece, blocks_of};
use crate::read::operands::OperandReader;
use crate::read::register_reader::RegisterReader;
use crate::read::slots::{SlotEventKind, SlotReader};
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
                .chain(ViewReader(self.index).nearest_write(known, first, Direction::Forward)?)
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
        // Lines that name `msp` or `psp` are listed under these names.
        let banks = self.index.banks.iter();
        let named = banks.filter(|bank| bank.plain == RegisterId::SP);
        let mut next = None;
        for moved in [RegisterId::LR, RegisterId::SP]
            .into_iter()
            .chain(set.banks(RegisterId::SP))
            .chain(named.map(|bank| bank.register))
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

/// Cache of the late loads by slot: each slot is read once. Memory: those of [`LATE_STEPS`] slots.
#[derive(Debug, Default)]
pub(super) struct LateLoads {
    slots: BTreeMap<u64, Vec<LateLoad>>,
}

/// Bytes of a block that a step loaded later than in its own slot.
#[derive(Clone, Copy, Debug)]
struct LateLoad {
    /// Own slot of the step.
    own: u64,
    granule: u64,
    mask: u64,
}

/// Bytes of a block, and the first slot in which they hold the traced value.
#[derive(Clone, Copy, Debug)]
pub(super) struct WatchedBytes {
    pub granule: u64,
    pub mask: u64,
    pub first: u64,
}

impl LateLoads {
    /// Drops the slots before one.
    pub fn forget_before(&mut self, slot: u64) {
        self.slots = self.slots.split_off(&slot);
    }

    /// Returns the first slot with a step that loads some bytes late, before the slot that touches
    /// them first.
    pub fn first_step(
        &mut self,
        index: &Index,
        watched: WatchedBytes,
        touched: u64,
    ) -> Result<Option<u64>, QueryError> {
        let WatchedBytes {
            granule,
            mask,
            first,
        } = watched;
        let last = touched.saturating_add(LATE_STEPS).min(index.step_count());
        if index.threads().len() == 1 || !has_late(index, touched, last)? {
            return Ok(None);
        }
        let (mut found, mut from) = (None, touched);
        while from <= last && found != Some(first) {
            let read =
                TouchReader::new(index).next_touch(granule, mask, from, TouchFilter::Reads)?;
            let Some(slot) = read.map(|touch| touch.slot).filter(|slot| *slot <= last) else {
                break;
            };
            let loads = self.of_slot(index, slot)?.iter();
            let meant = loads.filter(|load| load.granule == granule && load.mask & mask != 0);
            let own = meant
                .map(|load| load.own)
                .filter(|own| (first..touched).contains(own))
                .min();
            found = found.into_iter().chain(own).min();
            from = slot.saturating_add(1);
        }
        Ok(found)
    }

    fn of_slot(&mut self, index: &Index, slot: u64) -> Result<&[LateLoad], QueryError> {
        Ok(match self.slots.entry(slot) {
            Entry::Occupied(known) => known.into_mut(),
            Entry::Vacant(none) => none.insert(late_loads_in(index, slot)?),
        })
    }
}

/// Returns true if the slots may have late accesses. It is also true if they span several segments,
/// without a check of each.
fn has_late(index: &Index, first: u64, last: u64) -> Result<bool, QueryError> {
    let base = |slot| Ok::<_, QueryError>(SlotReader(index).locate(slot)?.0.meta.step_base);
    let is_stated = |slot| {
        SlotReader(index)
            .locate_all(slot)
            .any(|(segment, _)| segment.meta.has_late_accesses)
    };
    Ok(base(first)? != base(last)? || is_stated(first) || is_stated(last))
}

fn late_loads_in(index: &Index, slot: u64) -> Result<Vec<LateLoad>, QueryError> {
    let (mut owner, mut found): (Option<ThreadId>, Vec<(ThreadId, u64, u64)>) = Default::default();
    SlotReader(index).each_event(slot..slot.saturating_add(1), |event| {
        match event.kind {
            _ if event.slot != slot => {}
            SlotEventKind::Step(_) => owner = Some(event.thread),
            SlotEventKind::Access {
                kind: AccessKind::Read,
                address,
                size_bytes,
                ..
            } if Some(event.thread) != owner => {
                let blocks = blocks_of(address, size_bytes.into());
                for (granule, mask) in blocks {
                    let known = found
                        .iter_mut()
                        .find(|(thread, at, _)| (*thread, *at) == (event.thread, granule));
                    match known {
                        Some((.., bytes)) => *bytes |= mask,
                        None => found.push((event.thread, granule, mask)),
                    }
                }
            }
            _ => {}
        }
        Ok(())
    })?;
    let mut loads = Vec::new();
    for (thread, granule, mask) in found {
        if let Some(step) = SlotReader(index).owner(thread, slot)? {
            loads.push(LateLoad {
                own: step.0.saturating_add(1),
                granule,
                mask,
            });
        }
    }
    Ok(loads)
}
