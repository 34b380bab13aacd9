//! How much a segment may hold of memory.

/// How much a segment may hold of memory before it is closed early: a stretch without instructions can be cut nowhere,
/// so the length of its text bounds nothing.
///
/// With segments of 16 MiB a segment that is being made takes 90 MiB at most: 20 bytes an access, and twice 152 a block.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct SegmentLimits {
    /// Accesses of a block.
    pub accesses: usize,
    /// Blocks of which it is known what they hold.
    pub blocks: usize,
}

impl SegmentLimits {
    /// Those of segments of so many bytes of text. Steps of a real trace stay below: they touch a new block every few hundred bytes.
    pub fn of(segment_bytes: u64) -> Self {
        let of = |divisor: u64, least: u64, most: u64| (segment_bytes / divisor).clamp(least, most) as usize;
        Self { accesses: of(8, 64, 1 << 21), blocks: of(80, 64, 1 << 18) }
    }
}

impl Default for SegmentLimits {
    fn default() -> Self {
        Self::of(u64::MAX)
    }
}
