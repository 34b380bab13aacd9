//! Where the frames lie.

use crate::step_store::block::ITEMS;
use crate::step_store::frame::BLOCKS;

/// Items in a frame.
const FRAME_ITEMS: u64 = BLOCKS * ITEMS;
/// Frames in a group.
const GROUP: usize = 64;

/// Place and length of each frame; they stand one after the other.
#[derive(Clone, Debug, Default)]
pub struct FrameTable {
    /// Where each group begins.
    groups: Vec<u64>,
    lengths: Vec<u32>,
    end: u64,
}

impl FrameTable {
    /// None so far: the first will begin at `start`.
    pub fn new(start: u64) -> Self {
        Self {
            end: start,
            ..Self::default()
        }
    }

    /// Those of these lengths.
    pub fn of(start: u64, lengths: &[u8]) -> Self {
        let mut frames = Self::new(start);
        lengths
            .as_chunks()
            .0
            .iter()
            .for_each(|length| frames.push(u32::from_le_bytes(*length)));
        frames
    }

    /// Adds one.
    pub fn push(&mut self, length: u32) {
        if self.lengths.len().is_multiple_of(GROUP) {
            self.groups.push(self.end);
        }
        self.lengths.push(length);
        self.end += u64::from(length);
    }

    /// Whether they are as many as hold so many items.
    pub fn hold(&self, items: u64) -> bool {
        items.div_ceil(FRAME_ITEMS) == self.lengths.len() as u64
    }

    /// Where the last one ends.
    pub fn end(&self) -> u64 {
        self.end
    }

    /// Their lengths, 4 bytes each.
    pub fn lengths(&self) -> Vec<u8> {
        self.lengths
            .iter()
            .flat_map(|length| length.to_le_bytes())
            .collect()
    }

    /// Where a frame begins, and its length; none when there is no such frame. O(1).
    pub fn place(&self, frame: u64) -> Option<(u64, u32)> {
        let frame = usize::try_from(frame).ok()?;
        let length = *self.lengths.get(frame)?;
        let group = frame / GROUP;
        let before = self.lengths.get(group * GROUP..frame)?.iter();
        let start = before.fold(*self.groups.get(group)?, |start, length| {
            start + u64::from(*length)
        });
        Some((start, length))
    }
}
