//! Where the blocks lie.

/// Blocks in a group.
const GROUP: usize = 64;

/// Place and length of each block; they stand one after the other.
#[derive(Clone, Debug, Default)]
pub struct Blocks {
    /// Where each group begins.
    groups: Vec<u64>,
    lengths: Vec<u32>,
    end: u64,
}

impl Blocks {
    /// None so far: the first will begin at `start`.
    pub fn new(start: u64) -> Self {
        Self { end: start, ..Self::default() }
    }

    /// Those of these lengths.
    pub fn of(start: u64, lengths: &[u8]) -> Self {
        let mut blocks = Self::new(start);
        lengths.as_chunks().0.iter().for_each(|length| blocks.push(u32::from_le_bytes(*length)));
        blocks
    }

    /// Adds one.
    pub fn push(&mut self, length: u32) {
        if self.lengths.len().is_multiple_of(GROUP) {
            self.groups.push(self.end);
        }
        self.lengths.push(length);
        self.end += u64::from(length);
    }

    /// How many there are.
    pub fn len(&self) -> u64 {
        self.lengths.len() as u64
    }

    /// Where the last one ends.
    pub fn end(&self) -> u64 {
        self.end
    }

    /// Their lengths, 4 bytes each.
    pub fn lengths(&self) -> Vec<u8> {
        self.lengths.iter().flat_map(|length| length.to_le_bytes()).collect()
    }

    /// Where a block begins, and its length; none when there is no such block. O(1).
    pub fn place(&self, block: u64) -> Option<(u64, u32)> {
        let block = usize::try_from(block).ok()?;
        let length = *self.lengths.get(block)?;
        let group = block / GROUP;
        let before = self.lengths.get(group * GROUP..block)?.iter();
        let start = before.fold(*self.groups.get(group)?, |start, length| start + u64::from(*length));
        Some((start, length))
    }
}
