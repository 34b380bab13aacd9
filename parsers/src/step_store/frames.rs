//! Table of the frames of a store.

use crate::step_store::block::ITEMS;
use crate::step_store::frame::BLOCKS;

/// Number of items in a frame.
const FRAME_ITEMS: u64 = BLOCKS * ITEMS;
/// Number of frames in a group.
const GROUP: usize = 64;

/// Offset and length of each frame; frames are contiguous.
///
/// Stores one length per frame and one offset per group of frames.
#[derive(Clone, Debug, Default)]
pub struct FrameTable {
    /// Offset of each group.
    groups: Vec<u64>,
    lengths: Vec<u32>,
    end: u64,
}

impl FrameTable {
    /// Creates an empty table; the first frame will begin at `start`.
    pub fn new(start: u64) -> Self {
        Self {
            end: start,
            ..Self::default()
        }
    }

    /// Creates a table from the lengths of the frames, 4 bytes each.
    pub fn of(start: u64, lengths: &[u8]) -> Self {
        let mut frames = Self::new(start);
        lengths
            .as_chunks()
            .0
            .iter()
            .for_each(|length| frames.push(u32::from_le_bytes(*length)));
        frames
    }

    /// Appends a frame.
    pub fn push(&mut self, length: u32) {
        if self.lengths.len().is_multiple_of(GROUP) {
            self.groups.push(self.end);
        }
        self.lengths.push(length);
        self.end += u64::from(length);
    }

    /// Returns whether the number of frames matches a number of items.
    pub fn hold(&self, items: u64) -> bool {
        items.div_ceil(FRAME_ITEMS) == self.lengths.len() as u64
    }

    /// Returns the end of the last frame.
    pub fn end(&self) -> u64 {
        self.end
    }

    /// Returns the lengths of the frames, 4 bytes each.
    pub fn lengths(&self) -> Vec<u8> {
        self.lengths
            .iter()
            .flat_map(|length| length.to_le_bytes())
            .collect()
    }

    /// Returns the offset and length of a frame; `None` if it does not exist. O(1).
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
