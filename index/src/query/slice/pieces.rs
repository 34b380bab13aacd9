//! Pieces of machine state: bytes of registers, flags, bytes of memory.

use std::sync::Arc;

use stepback_machine::{Address, RegisterView};

use crate::answers::cell::ThreadId;
use crate::answers::slice::SliceCell;
use crate::index::homes::Homes;
use crate::store::granules::{BlockSpan, GRANULE_BITS, runs_of};

/// A piece of the machine state whose definitions are traced.
#[derive(Clone, Debug)]
pub(super) enum StatePiece {
    /// Bytes of a register.
    Register {
        /// Bytes, under the register's name at their use.
        view: RegisterView,
        /// Physical registers of that name there.
        homes: Arc<Homes>,
    },
    /// Condition flags, as bits of the status register; never empty.
    Flags(u64),
    /// Bytes of a block of memory; never empty.
    Memory { granule: u64, mask: u64 },
    /// Target of a branch or a call.
    Decision,
}

impl StatePiece {
    /// Returns true if two pieces are equal, so that their uses can be merged.
    pub fn is_same(&self, other: &Self) -> bool {
        match (self, other) {
            (
                Self::Register { view, homes },
                Self::Register {
                    view: other,
                    homes: others,
                },
            ) => view == other && homes.lists().eq(others.lists()),
            (Self::Flags(bits), Self::Flags(others)) => bits == others,
            (
                Self::Memory { granule, mask },
                Self::Memory {
                    granule: other,
                    mask: others,
                },
            ) => (granule, mask) == (other, others),
            (Self::Decision, Self::Decision) => true,
            _ => false,
        }
    }

    /// Returns the number of bytes; none for flags and decisions.
    pub fn len_bytes(&self) -> Option<usize> {
        match self {
            Self::Register { view, .. } => Some(usize::from(view.size_bytes)),
            Self::Memory { mask, .. } => Some(mask.count_ones() as usize),
            Self::Flags(_) | Self::Decision => None,
        }
    }

    /// Returns the cells of an answer: a block of memory may have several runs of bytes.
    pub fn cells(&self, thread: ThreadId) -> Vec<SliceCell> {
        match self {
            Self::Register { view, .. } => vec![SliceCell::Register {
                thread,
                view: *view,
            }],
            Self::Flags(bits) => vec![SliceCell::Flags {
                thread,
                bits: *bits,
            }],
            Self::Memory { granule, mask } => {
                runs_of(*mask).map(|run| cell_of(run, *granule)).collect()
            }
            Self::Decision => Vec::new(),
        }
    }
}

/// Returns the bytes of a run as a cell.
pub(super) fn cell_of(run: BlockSpan, granule: u64) -> SliceCell {
    let address = Address((granule << GRANULE_BITS) + u64::from(run.first));
    SliceCell::Memory {
        address,
        len_bytes: u64::from(run.len),
    }
}

/// Iterates over the blocks of some bytes of memory, each with its bytes, up to the end of the
/// address space.
pub(super) fn blocks_of(address: Address, len_bytes: u64) -> impl Iterator<Item = (u64, u64)> {
    let last = address.0.saturating_add(len_bytes.saturating_sub(1));
    let granules = address.0 >> GRANULE_BITS..=last >> GRANULE_BITS;
    granules
        .filter(move |_| len_bytes != 0)
        .map(move |granule| {
            (
                granule,
                crate::store::granules::bytes_between(granule, address.0, last),
            )
        })
}

/// Groups bytes of memory by block.
pub(super) fn blocks_of_bytes(addresses: &[Address]) -> Vec<StatePiece> {
    let mut blocks: Vec<(u64, u64)> = Vec::new();
    for address in addresses {
        let (granule, bit) = (
            address.0 >> GRANULE_BITS,
            1u64 << (address.0 & ((1 << GRANULE_BITS) - 1)),
        );
        match blocks.iter_mut().find(|(known, _)| *known == granule) {
            Some((_, mask)) => *mask |= bit,
            None => blocks.push((granule, bit)),
        }
    }
    blocks
        .into_iter()
        .map(|(granule, mask)| StatePiece::Memory { granule, mask })
        .collect()
}

/// Merges adjacent items: `grow` tries to merge the next into the last.
pub(super) fn joined<T>(
    items: impl IntoIterator<Item = T>,
    grow: impl Fn(&mut T, &T) -> bool,
) -> Vec<T> {
    let mut all: Vec<T> = Vec::new();
    for next in items {
        let is_grown = all.last_mut().is_some_and(|last| grow(last, &next));
        if !is_grown {
            all.push(next);
        }
    }
    all
}

/// Extends a view by the bytes of another, if they come right after it.
pub(super) fn grow_view(view: &mut RegisterView, more: RegisterView) -> bool {
    let is_next = view.register == more.register
        && view.offset.checked_add(view.size_bytes) == Some(more.offset);
    let size_bytes = view
        .size_bytes
        .checked_add(more.size_bytes)
        .filter(|_| is_next);
    view.size_bytes = size_bytes.unwrap_or(view.size_bytes);
    size_bytes.is_some()
}

/// Splits a view into runs of bytes with equal values of `of`.
pub(super) fn parts_of<T: PartialEq + Copy>(
    view: RegisterView,
    of: impl Fn(u16) -> T,
) -> Vec<(RegisterView, T)> {
    let mut parts: Vec<(RegisterView, T)> = Vec::new();
    for offset in view.offset..view.offset.saturating_add(view.size_bytes) {
        let value = of(offset);
        match parts.last_mut().filter(|(_, known)| *known == value) {
            Some((part, _)) => part.size_bytes += 1,
            None => parts.push((RegisterView::new(view.register, offset, 1), value)),
        }
    }
    parts
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn masks_have_runs() {
        let runs = |mask| {
            runs_of(mask)
                .map(|run| (run.first, run.len))
                .collect::<Vec<_>>()
        };
        assert_eq!(runs(0), []);
        assert_eq!(runs(u64::MAX), [(0, 64)]);
        assert_eq!(runs(0x8000_0000_0000_0019), [(0, 1), (3, 2), (63, 1)]);
    }

    #[test]
    fn ranges_have_blocks() {
        let blocks = |address, len| blocks_of(Address(address), len).collect::<Vec<_>>();
        assert_eq!(blocks(0x3e, 4), [(0, 3 << 62), (1, 3)]);
        assert_eq!(blocks(u64::MAX, 10), [(u64::MAX >> 6, 1 << 63)]);
        assert_eq!(blocks(5, 0), []);
    }
}
