//! What the segments so far tell of memory, in bounded memory: what was not used for long is dropped and,
//! when a later read must be compared with it, looked up in the index so far.

use std::collections::HashMap;

use crate::answers::error::PassError;
use crate::builder::earlier::{ByteStateQuery, EarlierSegments};
use crate::builder::segment::shadow::GranuleState;
use crate::store::key_filter::{KeyFilter, SetFilter};
use crate::store::output::IndexOutput;

/// At most this many blocks are remembered besides those that are being compared: 32 MiB, or 46 in tables that just grew.
/// The filters take 12 MiB more as soon as something was forgotten.
const LIMIT: usize = 400_000;
/// Blocks that are compared in one go.
const PART: usize = 8192;

/// What is remembered of a block.
#[derive(Clone, Copy, Debug)]
struct CarriedBlock {
    /// The bytes whose state is remembered. Of the others the index so far must be asked.
    settled: u64,
    /// Those of them whose value the trace told last.
    known: u64,
    /// Their values.
    data: [u8; 64],
}

impl CarriedBlock {
    /// A block of which these bytes are not known to anybody.
    fn unknown(settled: u64) -> Self {
        Self {
            settled,
            known: 0,
            data: [0; 64],
        }
    }

    /// The bytes that a segment read first with other values than were known before it.
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

/// What is known of all memory at the end of the segments so far.
///
/// Two generations take turns: what was used since the last turn is young, and what is old at a turn is dropped.
#[derive(Debug)]
pub struct CarriedMemory {
    limit: usize,
    young: HashMap<u64, CarriedBlock>,
    old: HashMap<u64, CarriedBlock>,
    has_dropped: bool,
    /// How many segments were taken. Earlier ones, of a build that was resumed, can only be looked up.
    taken: usize,
    /// How many had key maps when they were looked at last.
    mapped: usize,
    /// As soon as something was dropped, or not taken.
    touched: Option<TouchedBlocks>,
}

/// The blocks that the segments so far touched.
#[derive(Debug)]
struct TouchedBlocks {
    all: KeyFilter,
    /// By the places of the segments among those that have no key map yet.
    recent: SetFilter,
}

impl Default for CarriedMemory {
    fn default() -> Self {
        Self::with_limit(LIMIT)
    }
}

impl CarriedMemory {
    /// Remembers so many blocks.
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

    /// Takes the blocks of the next segment, ascending.
    /// Calls `each` with those, ascending, of which it read bytes first that were known to be different.
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
            self.grow_old();
        }
        self.note_touched(earlier.segments.len() - earlier.mapped(), granules);
        Ok(())
    }

    /// The same for a segment that is not taken: it will come again, longer.
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
            self.grow_old();
        }
        Ok(())
    }

    fn part(&self) -> usize {
        PART.min(self.limit / 2).max(1)
    }

    /// Looks up what must be known of some blocks, all of which are young then, but for those that nobody touched.
    fn settle<O: IndexOutput>(
        &mut self,
        earlier: &mut EarlierSegments<'_, O>,
        granules: &[(u64, GranuleState)],
    ) -> Result<(), PassError> {
        self.look_at_touched(earlier)?;
        let mut asked = Vec::new();
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
                asked.push(ByteStateQuery {
                    granule: *key,
                    need,
                    recent,
                    known: 0,
                    data: [0; 64],
                });
            }
        }
        if asked.is_empty() {
            return Ok(());
        }
        earlier.tell(&mut asked)?;
        for ByteStateQuery {
            granule,
            need,
            known,
            data,
            ..
        } in asked
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

    /// Whether a block of which nothing is remembered may have been touched.
    fn may_be_touched(&self, key: u64) -> bool {
        self.touched
            .as_ref()
            .is_some_and(|touched| touched.all.may_have(key))
    }

    /// Begins a new generation when the young one is large enough.
    fn grow_old(&mut self) {
        if self.young.len() >= (self.limit / 2).max(1) {
            std::mem::swap(&mut self.young, &mut self.old);
            self.has_dropped |= !self.young.is_empty();
            self.young.clear();
        }
    }

    /// Finds out which blocks were touched before, as soon as that is no longer remembered.
    fn look_at_touched<O: IndexOutput>(
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

    /// Notes which blocks a segment touched that has this place among those without key maps.
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
    use crate::builder::task::ParsedTask;
    use crate::store::data::IndexData;
    use crate::store::fingerprint::Fingerprint;

    /// The bytes of an index whose memory is changed before each task.
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
            // What nothing is remembered of is looked up, with the same result.
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
