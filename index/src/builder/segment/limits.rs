//! Memory limits of a segment.

use stepback_parsers::RegisterSource;

/// Limits at which a segment is closed early: a stretch without instructions has no cut points, so
/// the length of its text bounds nothing.
///
/// With segments of 16 MiB a segment under construction takes some 100 MiB at most: 20 bytes per
/// access, and twice 152 per block with known contents, or 24 if the trace has no values.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct SegmentLimits {
    /// Maximum number of accesses of blocks.
    pub accesses: usize,
    /// Maximum number of accessed blocks.
    pub blocks: usize,
}

impl SegmentLimits {
    /// Returns the limits for segments of this many bytes of text. Segments of real traces must
    /// stay below them, or each task is handed in in parts. With values, a new block is touched
    /// every few hundred bytes of text. Without, a step of 16 virtual bytes of a copy loads and
    /// stores, and now and then across the ends of blocks.
    pub fn of(segment_bytes: u64, registers: RegisterSource) -> Self {
        let of = |divisor: u64, most: u64| (segment_bytes / divisor).clamp(64, most) as usize;
        match registers {
            RegisterSource::Recorded => Self {
                accesses: of(8, 1 << 21),
                blocks: of(80, 1 << 18),
            },
            RegisterSource::Operands => Self {
                accesses: of(5, 7 << 19),
                blocks: of(12, 3 << 19),
            },
        }
    }
}

impl Default for SegmentLimits {
    fn default() -> Self {
        Self::of(u64::MAX, RegisterSource::Recorded)
    }
}

#[cfg(test)]
mod tests {
    use stepback_machine::{InstructionSet, RecordedBranch};

    use crate::builder::in_memory::index_in_memory;
    use crate::builder::options::BuildOptions;
    use crate::read::far_uses::records::{ITEM, Record, Records};

    /// Returns the number of segments of 8,000 such steps.
    fn segments_of(step: impl Fn(u64) -> Vec<Record>) -> usize {
        let options = BuildOptions {
            segment_bytes: 1000 * ITEM,
            threads: 1,
        };
        let records = (0..8000).flat_map(step).collect();
        let index =
            index_in_memory(Records::new(records, InstructionSet::X86_64), &options).unwrap();
        assert_eq!(index.step_count(), 8000);
        index.contents.segments.len()
    }

    #[test]
    fn a_copy_of_much_memory_is_in_as_many_segments_as_any_other_steps() {
        let step = |pc: u64| Record::step(0, 0x1000 + pc, 1, RecordedBranch::None);
        let expected = segments_of(|_| vec![step(0)]);
        let vectors = segments_of(|number| {
            let address = 0x10_0000 + 64 * (number / 2);
            match number % 2 {
                0 => vec![step(0), Record::read(0, address)],
                _ => vec![step(1), Record::write(0, 0x1000_0000 + address)],
            }
        });
        // Words that do not begin at block boundaries, loaded and stored by one step.
        let words = segments_of(|number| {
            let address = 0x10_0003 + 8 * number;
            vec![
                step(0),
                Record::read(0, address),
                Record::write(0, 0x1000_0000 + address),
            ]
        });
        assert_eq!((vectors, words), (expected, expected));
    }

    #[test]
    fn steps_that_access_very_much_close_their_segment_early() {
        let scattered = |number: u64| {
            let accesses =
                (0..8).map(move |lane| Record::write(0, 0x10_0000 + 64 * (8 * number + lane)));
            [Record::step(0, 0x1000, 1, RecordedBranch::None)]
                .into_iter()
                .chain(accesses)
                .collect()
        };
        assert!(segments_of(scattered) > 32);
    }
}
