//! Memory state carried across segments in bounded memory. Entries that were not used for long are
//! dropped; a later read that must be compared with one looks it up in the index written until now.

use std::collections::HashMap;

use crate::answers::error::PassError;
use crate::builder::earlier::{ByteStateQuery, EarlierSegments};
use crate::builder::segment::memory::GranuleState;
use crate::store::keys::{KeyFilter, SetFilter};
use crate::store::output::IndexOutput;

/// Maximum number of carried blocks besides those being compared: 32 MiB, or 46 in tables that just
/// grew. The filters take 12 MiB more once something was dropped.
const LIMIT: usize = 400_000;
/// Number of blocks compared together.
const PART: usize = 8192;

/// Carried state of a block.
#[derive(Clone, Copy, Debug)]
struct CarriedBlock {
    /// Bytes with a carried state. The others must be looked up in the index.
    settled: u64,
    /// Settled bytes with a value that the trace recorded last.
    known: u64,
    /// Values of the known bytes.
    data: [u8; 64],
}

impl CarriedBlock {
    /// Creates a block with these bytes settled as unknown.
    fn unknown(settled: u64) -> Self {
        Self {
            settled,
            known: 0,
            data: [0; 64],
        }
    }

    /// Returns the bytes that a segment read first with values other than those known before it.
    fn contradictions(&self, later: &GranuleState) -> u64 {
        debug_assert!(
            later.first_read & !self.settled == 0,
            "what a segment read first was looked up"
        );
        later.contradictions(self.known, &self.data)
    }

    fn follow(&mut self, later: &GranuleState) {
        later.follow(&mut self.known, &mut self.data);
        self.settled |= later.written | later.known;
    }
}

/// State of all memory at the end of the segments taken.
///
/// It has two generations. Blocks used since the last change of generation are young; the old ones
/// are dropped at the next change.
#[derive(Debug)]
pub struct CarriedMemory {
    limit: usize,
    young: HashMap<u64, CarriedBlock>,
    old: HashMap<u64, CarriedBlock>,
    has_dropped: bool,
    /// Number of segments taken. Earlier ones, of a resumed build, can only be looked up.
    taken: usize,
    /// Number of segments with key maps when last checked.
    mapped: usize,
    /// Filter of touched blocks, once something was dropped or not taken.
    touched: Option<TouchedBlocks>,
}

/// Blocks that the segments until now touched.
#[derive(Debug)]
struct TouchedBlocks {
    all: KeyFilter,
    /// Blocks by the places of the segments without key maps.
    recent: SetFilter,
}

impl Default for CarriedMemory {
    fn default() -> Self {
        Self::with_limit(LIMIT)
    }
}

impl CarriedMemory {
    /// Creates a memory of at most `limit` blocks.
    pub fn with_limit(limit: usize) -> Self {
        let (young, old) = Default::default();
        Self {
            limit,
            young,
            old,
            has_dropped: false,
            taken: 0,
            mapped: 0,
            touched: None,
        }
    }

    /// Takes the blocks of the next segment, ascending. Calls `each` for those, ascending, with
    /// first reads that contradict the known bytes.
    pub fn take<O: IndexOutput>(
        &mut self,
        earlier: &mut EarlierSegments<'_, O>,
        granules: &[(u64, GranuleState)],
        mut each: impl FnMut(u64, u64),
    ) -> Result<(), PassError> {
        for part in granules.chunks(self.part()) {
            self.settle(earlier, part)?;
            for (key, later) in part {
                let before = self
                    .young
                    .entry(*key)
                    .or_insert(CarriedBlock::unknown(u64::MAX));
                let wrong = before.contradictions(later);
                before.follow(later);
                if wrong != 0 {
                    each(*key, wrong);
                }
            }
            self.change_generation();
        }
        self.note_touched(earlier.segments.len() - earlier.mapped(), granules);
        Ok(())
    }

    /// Compares a segment without taking it: it will be replaced by a longer one.
    pub fn compare<O: IndexOutput>(
        &mut self,
        earlier: &mut EarlierSegments<'_, O>,
        granules: &[(u64, GranuleState)],
        mut each: impl FnMut(u64, u64),
    ) -> Result<(), PassError> {
        for part in granules.chunks(self.part()) {
            self.settle(earlier, part)?;
            for (key, later) in part {
                let wrong = self
                    .young
                    .get(key)
                    .map_or(0, |before| before.contradictions(later));
                if wrong != 0 {
                    each(*key, wrong);
                }
            }
            self.change_generation();
        }
        Ok(())
    }

    fn part(&self) -> usize {
        PART.min(self.limit / 2).max(1)
    }

    /// Looks up the needed state of some blocks. They are all young afterwards, except those that
    /// were never touched.
    fn settle<O: IndexOutput>(
        &mut self,
        earlier: &mut EarlierSegments<'_, O>,
        granules: &[(u64, GranuleState)],
    ) -> Result<(), PassError> {
        self.collect_touched(earlier)?;
        let mut requested = Vec::new();
        for (key, later) in granules {
            let mut known = self.young.get(key).copied();
            if known.is_none() {
                known = self
                    .old
                    .get(key)
                    .copied()
                    .or_else(|| self.may_be_touched(*key).then(|| CarriedBlock::unknown(0)));
                self.young.extend(known.map(|known| (*key, known)));
            }
            let need = known.map_or(0, |known| later.first_read & !known.settled);
            if need != 0 {
                let recent = self
                    .touched
                    .as_ref()
                    .map_or(0, |touched| touched.recent.sets_with(*key));
                requested.push(ByteStateQuery {
                    granule: *key,
                    need,
                    recent,
                    known: 0,
                    data: [0; 64],
                });
            }
        }
        if requested.is_empty() {
            return Ok(());
        }
        earlier.tell(&mut requested)?;
        for ByteStateQuery {
            granule,
            need,
            known,
            data,
            ..
        } in requested
        {
            let Some(remembered) = self.young.get_mut(&granule) else {
                continue;
            };
            remembered.settled |= need;
            remembered.known |= known;
            (0..64)
                .filter(|place| known >> place & 1 != 0)
                .for_each(|place| remembered.data[place] = data[place]);
        }
        Ok(())
    }

    /// Returns true if a block without a carried state may have been touched.
    fn may_be_touched(&self, key: u64) -> bool {
        self.touched
            .as_ref()
            .is_some_and(|touched| touched.all.may_have(key))
    }

    /// Begins a new generation when the young one is large enough.
    fn change_generation(&mut self) {
        if self.young.len() >= (self.limit / 2).max(1) {
            std::mem::swap(&mut self.young, &mut self.old);
            self.has_dropped |= !self.young.is_empty();
            self.young.clear();
        }
    }

    /// Collects the blocks touched before, once they are no longer all carried.
    fn collect_touched<O: IndexOutput>(
        &mut self,
        earlier: &mut EarlierSegments<'_, O>,
    ) -> Result<(), PassError> {
        if let Some(touched) = self
            .touched
            .as_mut()
            .filter(|_| earlier.mapped() != self.mapped)
        {
            touched.recent.clear();
        }
        self.mapped = earlier.mapped();
        let is_remembered = !self.has_dropped && self.taken == earlier.segments.len();
        if is_remembered || self.touched.is_some() {
            return Ok(());
        }
        let words = self.limit.next_power_of_two();
        let mut touched = TouchedBlocks {
            all: KeyFilter::new(2 * words),
            recent: SetFilter::new(words),
        };
        earlier.for_each_granule(|granule, place| touched.add(granule, place))?;
        self.touched = Some(touched);
        Ok(())
    }

    /// Records the touched blocks of a segment, given its place among those without key maps.
    fn note_touched(&mut self, place: usize, granules: &[(u64, GranuleState)]) {
        self.taken += 1;
        let Some(touched) = &mut self.touched else {
            return;
        };
        granules
            .iter()
            .for_each(|(key, _)| touched.add(*key, Some(place)));
    }
}

impl TouchedBlocks {
    fn add(&mut self, granule: u64, place: Option<usize>) {
        self.all.add(granule);
        if let Some(place) = place {
            self.recent.add(granule, place);
        }
    }
}

#[cfg(test)]
#[path = "../../tests/it/support/dice.rs"]
mod dice;
#[cfg(test)]
#[path = "../../tests/it/support/text.rs"]
mod text;

#[cfg(test)]
mod tests {
    use std::path::PathBuf;
    use std::sync::Arc;

    use proptest::prelude::*;
    use stepback_parsers::{ParseScratch, Source as _, Tarmac};

    use super::*;
    use crate::builder::assemble::{Assembler, Coverage};
    use crate::builder::segment::builder::SegmentBuilder;
    use crate::builder::segment::sealed::ParsedTask;
    use crate::store::data::IndexData;
    use crate::store::fingerprint::Fingerprint;

    /// Returns the bytes of an index, with the memory changed before each task.
    fn bytes_of(
        tarmac: &Tarmac,
        segment_bytes: u64,
        mut change: impl FnMut(&mut CarriedMemory),
    ) -> Vec<u8> {
        let fingerprint = Fingerprint::of(tarmac, 0).unwrap();
        let mut assembler = Assembler::new(
            tarmac,
            &fingerprint,
            Arc::new(IndexData::Memory(Vec::new())),
        )
        .unwrap();
        let (mut builder, mut scratch) = (SegmentBuilder::default(), ParseScratch::default());
        let (mut start, mut target) = (0, 0);
        while start < tarmac.length() {
            let end = loop {
                target += segment_bytes;
                let cut = tarmac
                    .cut(target, target + segment_bytes, &mut scratch)
                    .unwrap();
                if target >= tarmac.length() || cut.is_some() {
                    break cut.unwrap_or(tarmac.length());
                }
            };
            builder.begin_task(start);
            let lines = tarmac
                .parse(start..end, &mut scratch, &mut builder)
                .unwrap()
                .lines;
            builder.end_task();
            let (mut earlier, memory) = assembler.earlier(tarmac, start);
            change(memory);
            // Dropped blocks are looked up, with the same result.
            let mut found = [Vec::new(), Vec::new()];
            let granules = &builder.sealed[0].granules;
            memory
                .compare(&mut earlier, granules, |key, wrong| {
                    found[0].push((key, wrong))
                })
                .unwrap();
            let mut fresh = CarriedMemory::with_limit(100);
            fresh
                .compare(&mut earlier, granules, |key, wrong| {
                    found[1].push((key, wrong))
                })
                .unwrap();
            assert_eq!(found[0], found[1]);
            let segments = std::mem::take(&mut builder.sealed);
            assembler
                .add_task(
                    tarmac,
                    &mut ParsedTask {
                        segments,
                        lines,
                        end: Some(end),
                        is_last: false,
                        is_whole: true,
                    },
                )
                .unwrap();
            start = end;
        }
        let data = Arc::into_inner(assembler.finish(Coverage::Whole).unwrap().into_output().0);
        let Some(IndexData::Memory(bytes)) = data else {
            panic!("an index in memory is in memory")
        };
        bytes
    }

    #[track_caller]
    fn check(text: &[u8], segment_sizes: &[u64]) {
        let tarmac = Tarmac::open(Box::new(text.to_vec()), Default::default()).unwrap();
        for segment_bytes in segment_sizes {
            let expected = bytes_of(&tarmac, *segment_bytes, |_| {});
            for limit in [1, 3, 20] {
                let found = bytes_of(&tarmac, *segment_bytes, |memory| memory.limit = limit);
                assert!(
                    found == expected,
                    "{limit} blocks remembered, segments of {segment_bytes}"
                );
            }
            let found = bytes_of(&tarmac, *segment_bytes, |memory| {
                *memory = CarriedMemory::with_limit(100)
            });
            assert!(
                found == expected,
                "nothing remembered, segments of {segment_bytes}"
            );
        }
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(100))]

        #[test]
        fn what_is_forgotten_is_looked_up(text in super::text::traces(0..300)) {
            check(text.as_bytes(), &[64, 200, 1000]);
        }
    }

    #[test]
    fn what_is_forgotten_of_a_real_trace_is_looked_up() {
        let folder = PathBuf::from(concat!(env!("CARGO_MANIFEST_DIR"), "/../fixtures"));
        let mut paths: Vec<_> = folder
            .read_dir()
            .unwrap()
            .map(|entry| entry.unwrap().path())
            .collect();
        paths.retain(|path| {
            path.extension()
                .is_some_and(|extension| extension == "tarmac")
        });
        assert!(!paths.is_empty());
        for path in paths {
            check(&std::fs::read(&path).unwrap(), &[4 << 10, 40 << 10]);
        }
    }
}
