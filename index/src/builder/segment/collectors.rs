//! Collectors that a segment's builder fills while events arrive: slots of markers by thread and
//! kind, distinct instructions, and slots with unreadable input. The length of its text does not
//! bound what a segment contains, so [`SegmentLimits`] closes it early if it needs too much memory.

use foldhash::{HashMap, HashSet, HashSetExt as _};
use stepback_machine::{Encoding, InstructionSet, RegisterView};
use stepback_parsers::{MarkerKind, RegisterSource, StepEvent, StepOrigin};

use crate::store::segment::meta::{DAMAGED_PLACES, SlotRange, markers_of, markers_of_all};

/// Markers of one kind and thread in a segment.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct MarkersOfKind {
    /// Number of the thread in the segment.
    pub thread: u16,
    /// Kind of the markers.
    pub kind: MarkerKind,
    /// Number of markers.
    pub count: u64,
}

/// Collects the slots of markers.
#[derive(Debug, Default)]
pub struct MarkerLists {
    lists: Vec<(MarkersOfKind, Vec<u32>)>,
    places: HashMap<(u16, MarkerKind), usize>,
    /// Slots of all threads together, so that a query about no particular thread does not read the
    /// list of each.
    of_all: Vec<(MarkerKind, Vec<u32>)>,
    /// Place of each kind in `of_all`: a damaged trace has thousands.
    places_of_all: HashMap<MarkerKind, usize>,
    /// Number of the list that was added to last.
    last: usize,
}

impl MarkerLists {
    /// Forgets all markers.
    pub fn clear(&mut self) {
        self.lists.clear();
        self.places.clear();
        self.of_all.clear();
        self.places_of_all.clear();
    }

    /// Records a marker; several in a slot are listed once.
    pub fn note(&mut self, thread: u16, kind: MarkerKind, slot: u32) {
        let is_of = |(of, _): &(MarkersOfKind, Vec<u32>)| (of.thread, of.kind) == (thread, kind);
        if !self.lists.get(self.last).is_some_and(is_of) {
            self.last = *self.places.entry((thread, kind)).or_insert_with(|| {
                self.lists.push((
                    MarkersOfKind {
                        thread,
                        kind,
                        count: 0,
                    },
                    Vec::new(),
                ));
                self.lists.len() - 1
            });
        }
        let Some((of, slots)) = self.lists.get_mut(self.last) else {
            return;
        };
        of.count += 1;
        if slots.last() != Some(&slot) {
            slots.push(slot);
        }
        let place = *self.places_of_all.entry(kind).or_insert_with(|| {
            self.of_all.push((kind, Vec::new()));
            self.of_all.len() - 1
        });
        if let Some((_, slots)) = self
            .of_all
            .get_mut(place)
            .filter(|(_, slots)| slots.last() != Some(&slot))
        {
            slots.push(slot);
        }
    }

    /// Returns the threads and kinds with their counts.
    pub fn kinds(&self) -> Vec<MarkersOfKind> {
        self.lists.iter().map(|(of, _)| *of).collect()
    }

    /// Iterates over the lists as register views of the segment.
    pub fn lists(&self) -> impl Iterator<Item = (u16, RegisterView, &Vec<u32>)> {
        self.lists
            .iter()
            .map(|(of, slots)| (of.thread, markers_of(of.kind), slots))
    }

    /// Iterates over the lists of all threads together, as register views of the segment.
    pub fn lists_of_all(&self) -> impl Iterator<Item = (u16, RegisterView, &Vec<u32>)> {
        self.of_all
            .iter()
            .map(|(kind, slots)| (0, markers_of_all(*kind), slots))
    }
}

/// An instruction of a segment, with its recorded bytes.
#[derive(Clone, Copy, Debug)]
pub struct FoundCode {
    /// Address.
    pub pc: u64,
    /// Instruction set.
    pub set: InstructionSet,
    /// Encoded bytes.
    pub encoding: Encoding,
    /// First slot that has it.
    pub slot: u32,
}

/// Instruction of the last step at an address.
#[derive(Clone, Copy, Debug)]
struct LastCode {
    opcode: u32,
    length_bytes: u8,
    set: InstructionSet,
    encoding: Option<Encoding>,
}

impl LastCode {
    #[inline(always)]
    fn is_same(&self, step: &StepEvent<'_>) -> bool {
        let is_same_number = self.opcode == step.opcode && self.length_bytes == step.length_bytes;
        is_same_number
            && self.set == step.instruction_set
            && (step.bytes.is_empty()
                || self
                    .encoding
                    .is_some_and(|encoding| encoding.bytes() == step.bytes))
    }
}

/// Collects the instructions of a segment in the order of their first slots.
#[derive(Debug, Default)]
pub(crate) struct SegmentCodes {
    /// Last instruction by the segment's number of its address.
    last: Vec<LastCode>,
    /// Instructions of addresses that have several.
    several: Option<HashSet<(u64, InstructionSet, Encoding)>>,
    found: Vec<FoundCode>,
}

impl SegmentCodes {
    /// Forgets all instructions.
    pub fn clear(&mut self) {
        self.last.clear();
        self.several = None;
        self.found.clear();
    }

    /// Records the instruction of a step at the address with this number.
    #[inline(always)]
    pub fn note(&mut self, number: u32, slot: u32, step: &StepEvent<'_>) {
        let is_known = self
            .last
            .get(number as usize)
            .is_some_and(|last| last.is_same(step));
        if !is_known {
            self.note_new(number as usize, slot, step);
        }
    }

    fn note_new(&mut self, number: usize, slot: u32, step: &StepEvent<'_>) {
        let encoding = step
            .encoding()
            .filter(|_| step.origin == StepOrigin::Recorded);
        let (opcode, length_bytes, set) = (step.opcode, step.length_bytes, step.instruction_set);
        let code = LastCode {
            opcode,
            length_bytes,
            set,
            encoding,
        };
        let before = match self.last.get_mut(number) {
            Some(last) => Some(std::mem::replace(last, code)),
            // Addresses are numbered in the order of their first steps.
            None => {
                self.last.push(code);
                None
            }
        };
        let Some(encoding) = encoding else { return };
        let pc = step.pc.0;
        if let Some(before) = before {
            let several = self.several.get_or_insert_with(HashSet::new);
            several.extend(before.encoding.map(|encoding| (pc, before.set, encoding)));
            if !several.insert((pc, set, encoding)) {
                return;
            }
        }
        self.found.push(FoundCode {
            pc,
            set,
            encoding,
            slot,
        });
    }

    /// Returns all instructions found.
    pub fn found(&self) -> &[FoundCode] {
        &self.found
    }
}

/// Slots with unreadable input: a bounded number of ranges.
#[derive(Debug, Default)]
pub(crate) struct DamagedPlaces(Vec<SlotRange>);

impl DamagedPlaces {
    /// Adds a slot that is not before the last one.
    pub fn add(&mut self, slot: u32) {
        if let Some(last) = self
            .0
            .last_mut()
            .filter(|last| slot.saturating_sub(last.last) <= 1)
        {
            last.last = last.last.max(slot);
            return;
        }
        self.0.push(SlotRange {
            first: slot,
            last: slot,
        });
        if self.0.len() > DAMAGED_PLACES {
            self.join_nearest();
        }
    }

    /// Takes the ranges.
    pub fn take(&mut self) -> Vec<SlotRange> {
        std::mem::take(&mut self.0)
    }

    fn join_nearest(&mut self) {
        let gaps = self
            .0
            .iter()
            .zip(self.0.iter().skip(1))
            .map(|(before, behind)| behind.first - before.last);
        let Some((place, _)) = gaps.enumerate().min_by_key(|(_, gap)| *gap) else {
            return;
        };
        let behind = self.0.remove(place + 1);
        self.0[place].last = behind.last;
    }
}

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
    use super::*;

    #[test]
    fn the_nearest_places_are_taken_together_when_there_are_too_many() {
        let mut places = DamagedPlaces::default();
        let far = (0..DAMAGED_PLACES as u32 - 1).map(|place| 1000 * place);
        let near = (0..5000).map(|place| 200_000 + 2 * place);
        far.clone().chain(near).for_each(|slot| places.add(slot));
        let expected = far.map(|slot| SlotRange {
            first: slot,
            last: slot,
        });
        let expected = expected.chain([SlotRange {
            first: 200_000,
            last: 209_998,
        }]);
        assert_eq!(places.take(), expected.collect::<Vec<_>>());
        assert_eq!(places.take(), []);
    }

    #[test]
    fn slots_that_follow_each_other_are_one_place() {
        let mut places = DamagedPlaces::default();
        [0, 3, 3, 4, 9]
            .into_iter()
            .for_each(|slot| places.add(slot));
        let ranges = [(0, 0), (3, 4), (9, 9)].map(|(first, last)| SlotRange { first, last });
        assert_eq!(places.take(), ranges);
    }
}

#[cfg(test)]
mod limits_tests {
    use stepback_machine::InstructionSet;
    use stepback_machine::flow::RecordedBranch;

    use crate::builder::build_index::BuildOptions;
    use crate::builder::build_index::index_in_memory;
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
