//! Asks, while an index is built, the segments so far what the trace itself told of memory.
//!
//! The last access of each byte is looked up in what was written of the index, its value in the trace.
//! Many blocks are asked for together: their steps are then read in the order of the trace, each once.

use std::cell::Cell;
use std::sync::atomic::AtomicU8;

use stepback_parsers::{EventSink, MemoryAccess, ParseScratch, Source, StepEvent};

use crate::answers::error::{PassError, QueryError};
use crate::store::contents::{KeyMaps, mapped};
use crate::store::data::IndexData;
use crate::store::directory::Directory;
use crate::store::granules::{GRANULE_BITS, Granule, TouchCoverage};
use crate::store::key_map::SegmentSet;
use crate::store::output::IndexOutput;
use crate::store::segment::meta::{Section, SegmentMeta};
use crate::store::segment::reader::{SegmentReader, damaged};

/// This many blocks are looked up through one map of the file: what was read through a map stays resident until it is dropped.
const BLOCKS_A_MAP: usize = 512;
/// Steps that lie this close together are read in one run.
const NEAR: u64 = 16;

/// The segments so far, as the trace and what was written of the index have them.
#[derive(Debug)]
pub struct EarlierSegments<'a, O> {
    /// The trace.
    pub source: &'a dyn Source,
    /// What was written.
    pub output: &'a mut O,
    /// The segments.
    pub segments: &'a [SegmentMeta],
    /// Of the first of them.
    pub key_maps: &'a [KeyMaps],
    /// Where their text ends in the trace.
    pub text_end: u64,
}

/// Some bytes of a block, and what is known of them.
#[derive(Clone, Copy, Debug)]
pub struct ByteStateQuery {
    /// Address / 64.
    pub granule: u64,
    /// The bytes that are asked for.
    pub need: u64,
    /// A bit for each segment behind the key maps: false when it certainly has no access of the block.
    pub recent: u64,
    /// Those of them whose value the trace told last; those whose last store is of an unknown value are not among them.
    pub known: u64,
    /// Their values.
    pub data: [u8; 64],
}

/// The last accesses of some bytes in a slot.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
struct LastAccesses {
    slot: u64,
    granule: u64,
    /// Whose answer it is.
    asked: usize,
    bytes: u64,
}

impl<O: IndexOutput> EarlierSegments<'_, O> {
    /// Finds out what the trace told last of some bytes.
    pub fn tell(&mut self, asked: &mut [ByteStateQuery]) -> Result<(), PassError> {
        let mut told = Vec::new();
        for (number, asked) in asked.chunks(BLOCKS_A_MAP).enumerate() {
            let data = self.output.read_back()?;
            for (place, asked) in asked.iter().enumerate() {
                self.find_last(&data, asked, number * BLOCKS_A_MAP + place, &mut told)?;
            }
        }
        told.sort_unstable();
        // Several accesses of a block in a slot tell different bytes of it.
        told.dedup_by(|next, kept| {
            let is_same = (next.slot, next.asked) == (kept.slot, kept.asked);
            kept.bytes |= if is_same { next.bytes } else { 0 };
            is_same
        });
        let runs = told.chunk_by(|one, next| next.slot - one.slot <= NEAR);
        let mut reader = AccessValueReader {
            slot: 0,
            told: &[],
            found: asked,
        };
        let mut scratch = ParseScratch::default();
        for runs in runs.collect::<Vec<_>>().chunks(BLOCKS_A_MAP) {
            let data = self.output.read_back()?;
            for run in runs {
                let (Some(first), Some(last)) = (run.first(), run.last()) else {
                    continue;
                };
                let text =
                    self.text_start(&data, first.slot)?..self.text_start(&data, last.slot + 1)?;
                (reader.slot, reader.told) = (first.slot.saturating_sub(1), run);
                self.source
                    .parse(text, &mut scratch, &mut reader)
                    .map_err(QueryError::from)?;
            }
        }
        let is_told = |told: &LastAccesses| {
            asked
                .get(told.asked)
                .is_some_and(|asked| told.bytes & !asked.known == 0)
        };
        // Another value, or none, where the segment had one: somebody rewrote the trace.
        if told.iter().all(is_told) {
            Ok(())
        } else {
            Err(QueryError::TraceChanged.into())
        }
    }

    /// Calls `each` with the blocks that are not behind the key maps: those of the maps, and then those of each
    /// segment behind them, with its place among these.
    pub fn for_each_granule(
        &mut self,
        mut each: impl FnMut(u64, Option<usize>),
    ) -> Result<(), PassError> {
        let is_damaged = |_| damaged(Section::Granules);
        for maps in self.key_maps {
            let data = self.output.read_back()?;
            let directory = Directory::new(
                maps.granules
                    .of(&data)
                    .ok_or_else(|| damaged(Section::Granules))?,
            );
            let mut note = |granule: u64, _: SegmentSet<TouchCoverage>| {
                each(granule, None);
                true
            };
            directory
                .and_then(|map| map.for_each_from(0, &mut note))
                .map_err(is_damaged)?;
        }
        let mapped = self.mapped();
        for (place, meta) in self
            .segments
            .get(mapped..)
            .unwrap_or_default()
            .iter()
            .enumerate()
        {
            let data = self.output.read_back()?;
            let mut note = |granule: u64, _: Granule<'_>| {
                each(granule, Some(place));
                true
            };
            self.reader(&data, meta)
                .granules()?
                .for_each_from(0, &mut note)
                .map_err(is_damaged)?;
        }
        Ok(())
    }

    /// How many segments have a key map.
    pub fn mapped(&self) -> usize {
        mapped(self.key_maps).min(self.segments.len())
    }

    /// Checksums are not checked: this run of the program wrote the bytes, or checked them when it resumed.
    fn reader<'d>(&self, data: &'d IndexData, meta: &'d SegmentMeta) -> SegmentReader<'d> {
        static CHECKED: AtomicU8 = AtomicU8::new(u8::MAX);
        SegmentReader {
            meta,
            bytes: data,
            checked: &CHECKED,
        }
    }

    /// Finds the last accesses of the bytes that are asked for which told a value.
    fn find_last(
        &self,
        data: &IndexData,
        asked: &ByteStateQuery,
        place: usize,
        told: &mut Vec<LastAccesses>,
    ) -> Result<(), QueryError> {
        let need = Cell::new(asked.need);
        for group in (0..=self.key_maps.len()).rev() {
            let first = self
                .key_maps
                .get(group)
                .map_or(self.mapped(), |maps| maps.first as usize);
            let mut segments = self.segments_of(data, group, asked, need.get())?;
            while segments != 0 && need.get() != 0 {
                let number = segments.ilog2();
                segments ^= 1 << number;
                let Some(meta) = self.segments.get(first + number as usize) else {
                    continue;
                };
                let Some(list) = self.reader(data, meta).granule(asked.granule)? else {
                    continue;
                };
                let walked = list.walk_back(
                    u32::MAX,
                    |masks| (masks.read | masks.write) & need.get() != 0,
                    |touch, _| {
                        let bytes = touch.shape.mask() & need.get();
                        let tells = touch.shape.is_write() || touch.shape.is_known();
                        if tells && bytes != 0 {
                            need.set(need.get() & !bytes);
                            let slot = meta.step_base + u64::from(touch.slot);
                            let found = LastAccesses {
                                slot,
                                granule: asked.granule,
                                asked: place,
                                bytes,
                            };
                            told.extend(touch.shape.is_known().then_some(found));
                        }
                        need.get() != 0
                    },
                );
                walked.map_err(|_| damaged(Section::Granules))?;
            }
        }
        Ok(())
    }

    /// The segments of a group that may touch these bytes of a block, a bit each.
    fn segments_of(
        &self,
        data: &IndexData,
        group: usize,
        asked: &ByteStateQuery,
        need: u64,
    ) -> Result<u64, QueryError> {
        let Some(maps) = self.key_maps.get(group) else {
            return Ok(asked.recent);
        };
        let bytes = maps
            .granules
            .of(data)
            .ok_or_else(|| damaged(Section::Granules))?;
        let set = Directory::new(bytes)
            .and_then(|map| map.find::<SegmentSet<TouchCoverage>>(asked.granule));
        let set = set
            .map_err(|_| damaged(Section::Granules))?
            .unwrap_or_default();
        let is_met = set
            .gist
            .is_none_or(|reach| (reach.masks.read | reach.masks.write) & need != 0);
        Ok(if is_met { set.segments } else { 0 })
    }

    /// Where in the trace the text of a slot begins; the end of the segments' text behind the last.
    fn text_start(&self, data: &IndexData, slot: u64) -> Result<u64, QueryError> {
        // Slot 0 of a segment continues the last slot of the one before: a text that can be parsed begins there.
        let after = self
            .segments
            .partition_point(|segment| segment.step_base < slot);
        let Some(meta) = self.segments.get(after.saturating_sub(1)) else {
            return Ok(self.text_end);
        };
        let local = slot.saturating_sub(meta.step_base);
        match u32::try_from(local) {
            Ok(local) if local <= meta.steps => self.reader(data, meta).text_start(local),
            _ => Ok(self.text_end),
        }
    }
}

/// Takes the values of some accesses from the text of their steps.
struct AccessValueReader<'a> {
    slot: u64,
    /// What is still to come, by slot and block.
    told: &'a [LastAccesses],
    found: &'a mut [ByteStateQuery],
}

impl EventSink for AccessValueReader<'_> {
    fn begin_step(&mut self, _step: &StepEvent<'_>) {
        self.slot += 1;
        let passed = self.told.partition_point(|told| told.slot < self.slot);
        self.told = self.told.get(passed..).unwrap_or_default();
    }

    fn access(&mut self, access: &MemoryAccess) {
        let Some(bytes) = access.bytes else { return };
        for (offset, byte) in bytes
            .into_iter()
            .take(usize::from(access.size_bytes))
            .enumerate()
        {
            let Some(address) = access.address.0.checked_add(offset as u64) else {
                return;
            };
            let (granule, place) = (address >> GRANULE_BITS, address & 63);
            let found = self
                .told
                .binary_search_by_key(&(self.slot, granule), |told| (told.slot, told.granule));
            let Ok(found) = found else { continue };
            let Some(told) = self
                .told
                .get(found)
                .filter(|told| told.bytes >> place & 1 != 0)
            else {
                continue;
            };
            let Some(found) = self.found.get_mut(told.asked) else {
                continue;
            };
            found.known |= 1 << place;
            found.data[place as usize] = byte;
        }
    }
}
