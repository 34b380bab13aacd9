//! Offsets of the blocks in a copy.

/// Blocks per group. The offset is stored for the first block of a group only; the others follow
/// from the lengths.
pub(super) const GROUP: usize = 64;

/// Offsets of the blocks: 2.1 bytes of memory for each.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct BlockDirectory {
    /// Offset of the first block of each group.
    groups: Vec<u64>,
    /// Packed lengths of the blocks.
    lengths: Vec<u16>,
    end: u64,
}

impl BlockDirectory {
    /// Creates the directory of a copy with its first block at `start`.
    pub fn new(start: u64) -> Self {
        Self {
            groups: Vec::new(),
            lengths: Vec::new(),
            end: start,
        }
    }

    /// Returns the offset after the last block.
    pub fn end(&self) -> u64 {
        self.end
    }

    /// Returns the number of blocks.
    pub fn count(&self) -> usize {
        self.lengths.len()
    }

    /// Returns the packed lengths of the blocks.
    pub fn lengths(&self) -> &[u16] {
        &self.lengths
    }

    /// Appends a block.
    pub fn push(&mut self, length: u16) {
        if self.lengths.len().is_multiple_of(GROUP) {
            self.groups.push(self.end);
        }
        self.lengths.push(length);
        self.end += u64::from(length);
    }

    /// Leaves a gap before the next block, which must be the first of a group.
    pub fn skip(&mut self, length: u64) {
        debug_assert!(
            self.lengths.len().is_multiple_of(GROUP),
            "places inside a group follow from lengths alone"
        );
        self.end += length;
    }

    /// Returns the offset and the packed length of a block.
    pub fn place(&self, block: u64) -> Option<(u64, u16)> {
        let block = usize::try_from(block).ok()?;
        let first = block - block % GROUP;
        let before = self
            .lengths
            .get(first..block)?
            .iter()
            .map(|length| u64::from(*length))
            .sum::<u64>();
        Some((
            self.groups.get(block / GROUP)? + before,
            *self.lengths.get(block)?,
        ))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn places_follow_from_lengths_and_gaps() {
        let mut directory = BlockDirectory::new(72);
        (0..GROUP as u16).for_each(|length| directory.push(length));
        directory.skip(1000);
        (0..10).for_each(|_| directory.push(7));
        assert_eq!(directory.place(0), Some((72, 0)));
        assert_eq!(directory.place(63), Some((72 + 62 * 63 / 2, 63)));
        assert_eq!(
            directory.place(66),
            Some((72 + 63 * 64 / 2 + 1000 + 2 * 7, 7))
        );
        assert_eq!(
            (directory.place(74), directory.place(u64::MAX)),
            (None, None)
        );
        assert_eq!(directory.end(), 72 + 63 * 64 / 2 + 1000 + 70);
    }
}
