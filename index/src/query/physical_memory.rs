//! Physical memory at a position.

use stepback_machine::{AccessKind, Address};
use stepback_parsers::Position;

use crate::answers::cell::{Direction, MemoryRange, ThreadId};
use crate::answers::error::{Cancel, QueryError};
use crate::answers::value::{ByteState, ValueSource};
use crate::index::Index;
use crate::query::memory::MemoryAt;
use crate::query::physical::VirtualPart;
use crate::query::question::Query;
use crate::read::slots::{SlotEventKind, SlotReader};
use crate::read::touches::{TouchFilter, TouchReader};
use crate::store::granules::{GRANULE_BITS, bytes_between, granules_of};

/// Reads bytes of physical memory at a position: each as its last access left or found it, through
/// any virtual page mapped to it then. Bytes without an access are unknown, except for the contents
/// of program images for the pages mapped there. Cost: that of [`MemoryAt`] for each virtual page
/// that was ever mapped there.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct PhysicalMemoryAt {
    /// Position of the query.
    pub position: Position,
    /// Address of the first byte.
    pub address: Address,
    /// Number of bytes; bytes beyond the end of the address space are left out.
    pub len_bytes: u64,
}

impl Query for PhysicalMemoryAt {
    type Answer = Vec<ByteState>;

    fn run(&self, index: &Index, cancel: &Cancel) -> Result<Vec<ByteState>, QueryError> {
        SlotReader(index).check_position(self.position)?;
        let Self {
            address, len_bytes, ..
        } = *self;
        let len_bytes = match address.0.wrapping_neg() {
            0 => len_bytes,
            to_end => len_bytes.min(to_end),
        };
        let parts = VirtualPart::all(index, MemoryRange { address, len_bytes }, cancel)?;
        let mut bytes =
            vec![ByteState::default(); usize::try_from(len_bytes).unwrap_or(usize::MAX)];
        for parts in parts.chunk_by(|one, next| one.within.physical() == next.within.physical()) {
            let Some(first) = parts.first() else { continue };
            let start = (first.within.physical() + first.inside()).wrapping_sub(address.0) as usize;
            let end = start + first.range.len_bytes as usize;
            self.fill_page(
                index,
                parts,
                bytes.get_mut(start..end).unwrap_or_default(),
                cancel,
            )?;
        }
        Ok(bytes)
    }
}

/// A part with the last accesses of its bytes.
struct VirtualPartState<'a> {
    part: &'a VirtualPart,
    number: usize,
    /// True if its page was never mapped elsewhere, and no other page was mapped there.
    is_plain: bool,
    /// Slot of the last access of each byte, and the number of the part.
    touches: &'a [Option<(u64, usize)>],
}

impl VirtualPartState<'_> {
    /// Converts the state of a byte to that of the physical one. Values inferred from later loads
    /// through the page hold only if `is_plain`. What contradicts one page may have been written
    /// through another.
    fn state(&self, state: ByteState) -> ByteState {
        match state.source {
            _ if self.is_plain => state,
            ValueSource::Inferred => ByteState::default(),
            ValueSource::External => ByteState {
                source: ValueSource::Recorded,
                ..state
            },
            ValueSource::Recorded | ValueSource::Unknown => state,
        }
    }
}

impl PhysicalMemoryAt {
    /// Fills in bytes of a physical page; these are all the virtual parts that it ever had.
    fn fill_page(
        &self,
        index: &Index,
        parts: &[VirtualPart],
        bytes: &mut [ByteState],
        cancel: &Cancel,
    ) -> Result<(), QueryError> {
        let mut touches = vec![None::<(u64, usize)>; bytes.len()];
        for (number, part) in parts.iter().enumerate() {
            self.each_touch(index, part, cancel, |place, slot| {
                if let Some(known) = touches.get_mut(place) {
                    *known = (*known).max(Some((slot, number)));
                }
            })?;
        }
        let is_alone = parts.len() == 1;
        for (number, part) in parts.iter().enumerate() {
            let is_plain = is_alone && part.within.is_always();
            let filled = VirtualPartState {
                part,
                number,
                is_plain,
                touches: &touches,
            };
            self.fill(index, filled, bytes, cancel)?;
        }
        Ok(())
    }

    /// Calls `take` for each byte of a part with a value from an access of it, with the slot of the
    /// last one.
    fn each_touch(
        &self,
        index: &Index,
        part: &VirtualPart,
        cancel: &Cancel,
        mut take: impl FnMut(usize, u64),
    ) -> Result<(), QueryError> {
        let MemoryRange { address, len_bytes } = part.range;
        for (granule, mask) in granules_of(address, len_bytes) {
            let mut work: Vec<(u64, u64)> = part
                .within
                .nearest(self.position.0, Direction::Back)
                .map(|last| (mask, last))
                .into_iter()
                .collect();
            while let Some((need, last)) = work.pop() {
                cancel.check()?;
                let touches = TouchReader::new(index).last_touches(
                    granule,
                    need,
                    last,
                    TouchFilter::Evidence,
                )?;
                let mut slots: Vec<u64> =
                    touches.iter().flatten().map(|touch| touch.slot).collect();
                slots.sort_unstable();
                slots.dedup();
                for slot in slots {
                    let of_slot = (0..64).filter(|place| {
                        touches[*place as usize].is_some_and(|touch| touch.slot == slot)
                    });
                    let touched = of_slot.fold(0u64, |mask, place| mask | 1 << place);
                    let meant = touched & evidence_in(index, part, granule, slot)?;
                    for place in (0..64).filter(|place| meant >> place & 1 != 0) {
                        let at = (granule << GRANULE_BITS | place).wrapping_sub(address.0);
                        take(usize::try_from(at).unwrap_or(usize::MAX), slot);
                    }
                    let left = touched & !meant;
                    let before = slot
                        .checked_sub(1)
                        .and_then(|before| part.within.nearest(before, Direction::Back));
                    work.extend(before.filter(|_| left != 0).map(|before| (left, before)));
                }
            }
        }
        Ok(())
    }

    /// Fills in the bytes of a part that were last accessed through it, and the image's contents
    /// for those never accessed.
    fn fill(
        &self,
        index: &Index,
        filled: VirtualPartState<'_>,
        bytes: &mut [ByteState],
        cancel: &Cancel,
    ) -> Result<(), QueryError> {
        let VirtualPartState {
            part,
            number,
            touches,
            ..
        } = filled;
        let mut place = 0;
        for run in touches.chunk_by(|one, next| one == next) {
            let address = Address(part.range.address.0 + place as u64);
            let of_run = bytes.get_mut(place..place + run.len()).unwrap_or_default();
            match run.first().copied().flatten() {
                Some((slot, last)) if last == number => {
                    let question = MemoryAt {
                        position: Position(slot),
                        address,
                        len_bytes: run.len() as u64,
                    };
                    let states = question.by_address(index, None, cancel)?;
                    of_run
                        .iter_mut()
                        .zip(states)
                        .for_each(|(byte, state)| *byte = filled.state(state));
                }
                None if part.within.nearest(self.position.0, Direction::Back)
                    == Some(self.position.0) =>
                {
                    self.fill_from_image(index, address, of_run, cancel)?;
                }
                _ => {}
            }
            place += run.len();
        }
        Ok(())
    }

    /// Fills in the contents of a program image for bytes never accessed through the virtual page
    /// either.
    fn fill_from_image(
        &self,
        index: &Index,
        address: Address,
        bytes: &mut [ByteState],
        cancel: &Cancel,
    ) -> Result<(), QueryError> {
        if index.program().is_empty() {
            return Ok(());
        }
        let question = MemoryAt {
            position: self.position,
            address,
            len_bytes: bytes.len() as u64,
        };
        let states = question.by_address(index, None, cancel)?;
        let of_image =
            |state: &ByteState| state.source == ValueSource::Inferred && state.seen_at.is_none();
        for (byte, state) in bytes
            .iter_mut()
            .zip(states)
            .filter(|(byte, state)| byte.value.is_none() && of_image(state))
        {
            *byte = state;
        }
        Ok(())
    }
}

/// Returns the bytes of a block with values from accesses of a slot that went to the physical
/// page.
fn evidence_in(
    index: &Index,
    part: &VirtualPart,
    granule: u64,
    slot: u64,
) -> Result<u64, QueryError> {
    if index.threads().len() == 1 && part.within.has_all_of(ThreadId(0), slot) {
        return Ok(u64::MAX);
    }
    let (mut inside, mut mask) = (part.within.in_slot(slot), 0);
    SlotReader(index).each_event(slot..slot.saturating_add(1), |event| {
        match event.kind {
            SlotEventKind::Marker(marker) if event.slot == slot => {
                inside.marker(event.thread, marker)
            }
            SlotEventKind::Access {
                kind,
                address,
                size_bytes,
                ref bytes,
                ..
            } if event.slot == slot => {
                let is_evidence = kind == AccessKind::Write || bytes.is_some();
                let last = address
                    .0
                    .saturating_add(u64::from(size_bytes).saturating_sub(1));
                if is_evidence
                    && address.0 >> GRANULE_BITS <= granule
                    && granule <= last >> GRANULE_BITS
                    && inside.holds(event.thread)
                {
                    mask |= bytes_between(granule, address.0, last);
                }
            }
            _ => {}
        }
        Ok(())
    })?;
    Ok(mask)
}
