//! Cache of the upper bits of values, in seven tables.

use crate::rst::container::rz3::array::{SectionArray, VALUE_LEVELS};
use crate::rst::container::rz3::bits::{SectionBits, SectionFault};

const LEVELS: usize = 7;
const SIZES: [u64; LEVELS] = [7, 31, 61, 127, 509, 2039, 8191];
/// Number of low bits of a value at each level, which the file always stores.
const LOW_BITS: [u32; LEVELS] = [4, 6, 7, 8, 9, 10, 12];
/// Start of the table of each level, and the end of the last one.
const STARTS: [usize; LEVELS + 1] = [0, 7, 38, 99, 226, 735, 2774, 10965];

/// The values that a processor used.
#[derive(Debug)]
pub struct ValueCache {
    tags: Box<[u64]>,
}

impl ValueCache {
    /// Memory of the cache in bytes.
    pub const BYTES: usize = 8 * STARTS[LEVELS];

    pub fn new() -> Self {
        Self {
            tags: vec![0; STARTS[LEVELS]].into_boxed_slice(),
        }
    }

    /// Reads the next value and updates the cache.
    #[inline]
    pub fn next(&mut self, bits: &mut SectionBits) -> u64 {
        let level = bits.next(SectionArray::ValueLevel) as usize;
        let value = match VALUE_LEVELS.get(level) {
            None => bits.next(SectionArray::Raw),
            Some(array) => {
                let key = bits.next(*array);
                let (low_bits, size) = (LOW_BITS[level], SIZES[level]);
                let (place, low) = (key >> low_bits, key & ((1 << low_bits) - 1));
                let tag = self
                    .tags
                    .get(STARTS[level] + place as usize)
                    .copied()
                    .unwrap_or_default();
                match place.cmp(&size) {
                    std::cmp::Ordering::Less => tag << low_bits | low,
                    std::cmp::Ordering::Equal => low,
                    std::cmp::Ordering::Greater => {
                        bits.fail(SectionFault::Contradiction);
                        0
                    }
                }
            }
        };
        // The packer used the first level that holds the value.
        if self.note(value) != level {
            bits.fail(SectionFault::Contradiction);
        }
        value
    }

    /// Stores a value on all levels before the first one that holds it. Returns that level, or 7.
    #[inline]
    fn note(&mut self, value: u64) -> usize {
        macro_rules! levels {
            ($($level:literal)*) => {$(
                let tag = value >> LOW_BITS[$level];
                let place = self.tags.get_mut(STARTS[$level] + (tag % SIZES[$level]) as usize);
                if let Some(known) = place {
                    if tag == 0 || *known == tag {
                        return $level;
                    }
                    *known = tag;
                }
            )*};
        }
        levels!(0 1 2 3 4 5 6);
        LEVELS
    }
}
