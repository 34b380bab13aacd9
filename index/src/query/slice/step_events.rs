//! Events of a step that a slice needs: a step may have a million.

use foldhash::{HashMap, HashMapExt as _};
use stepback_machine::AccessKind;

use crate::answers::error::QueryError;
use crate::index::Index;
use crate::query::slice::pieces::{StatePiece, blocks_of};
use crate::read::slots::{SlotEvent, SlotEventKind, SlotReader};

/// Number of events of a step that are kept in any case.
const KEPT: usize = 1 << 14;

/// Collects events.
#[derive(Default)]
pub(super) struct StepEvents {
    pub kept: Vec<SlotEvent>,
    /// True if accesses were left out: the complete loads of the step are then unknown.
    pub is_cut: bool,
    /// Requested bytes of each block.
    blocks: HashMap<u64, u64>,
    /// Number of kept events at which overwritten register writes are dropped: only the last write
    /// of a register counts.
    limit: usize,
}

impl StepEvents {
    /// Creates a collector for these pieces: stores to them are kept in any case.
    pub fn about<'p>(pieces: impl Iterator<Item = &'p StatePiece>) -> Self {
        let mut blocks: HashMap<u64, u64> = HashMap::new();
        for piece in pieces {
            if let StatePiece::Memory { granule, mask } = piece {
                *blocks.entry(*granule).or_default() |= mask;
            }
        }
        Self {
            blocks,
            limit: 2 * KEPT,
            ..Self::default()
        }
    }

    /// Takes the events of some contiguous slots, ascending.
    pub fn read(&mut self, index: &Index, slots: &[u64]) -> Result<(), QueryError> {
        let Some((first, last)) = slots.first().zip(slots.last()) else {
            return Ok(());
        };
        let (first, last) = (*first, *last);
        SlotReader(index).each_event(first..last.saturating_add(1), |event| {
            if event.slot >= first {
                self.take(event);
            }
            Ok(())
        })
    }

    fn take(&mut self, event: SlotEvent) {
        let is_kept = self.kept.len() < KEPT || self.is_needed(&event);
        if is_kept {
            self.kept.push(event);
        } else if matches!(event.kind, SlotEventKind::Access { .. }) {
            self.is_cut = true;
        }
        if self.kept.len() > self.limit {
            self.forget_overwritten();
            self.limit = 2 * self.kept.len().max(KEPT);
        }
    }

    fn is_needed(&self, event: &SlotEvent) -> bool {
        match &event.kind {
            SlotEventKind::Step(_) | SlotEventKind::Register { .. } | SlotEventKind::Marker(_) => {
                true
            }
            SlotEventKind::Access {
                kind: AccessKind::Write,
                address,
                size_bytes,
                ..
            } => {
                let mut blocks = blocks_of(*address, u64::from(*size_bytes));
                blocks.any(|(granule, mask)| {
                    self.blocks
                        .get(&granule)
                        .is_some_and(|asked| asked & mask != 0)
                })
            }
            SlotEventKind::Access { .. } | SlotEventKind::Text { .. } => false,
        }
    }

    /// Keeps the last write of each register, and all other events.
    fn forget_overwritten(&mut self) {
        let mut seen = HashMap::new();
        for (place, event) in self.kept.iter().enumerate() {
            if let SlotEventKind::Register { view, .. } = &event.kind {
                seen.insert((event.thread, event.slot, *view), place);
            }
        }
        let mut place = 0;
        self.kept.retain(|event| {
            place += 1;
            match &event.kind {
                SlotEventKind::Register { view, .. } => {
                    seen.get(&(event.thread, event.slot, *view)) == Some(&(place - 1))
                }
                _ => true,
            }
        });
    }
}
