//! Looks up, while an index is built, the last recorded values of memory in earlier segments.
//!
//! The last access of each byte is found in the written part of the index, its value in the trace.
//! Many blocks are looked up together: their steps are then read in trace order, each once.

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

/// Number of blocks looked up through one map of the file: pages read through a map stay resident
/// until it is dropped.
const BLOCKS_A_MAP: usize = 512;
/// Maximum distance in slots of accesses that are read in one run.
const NEAR: u64 = 16;

/// Segments taken until now: their trace text and the written part of the index.
#[derive(Debug)]
pub struct EarlierSegments<'a, O> {
    /// The trace.
    pub source: &'a dyn Source,
    /// Output with the written part.
    pub output: &'a mut O,
    /// Segments.
    pub segments: &'a [SegmentMeta],
    /// Key maps of the first segments.
    pub key_maps: &'a [KeyMaps],
    /// Text offset at which the segments end.
    pub text_end: u64,
}

/// Requested bytes of a block, and their values.
#[derive(Clone, Copy, Debug)]
pub struct ByteStateQuery {
    /// Address / 64.
    pub granule: u64,
    /// Requested bytes.
    pub need: u64,
    /// A bit for each segment after the key maps: false when it certainly has no access of the
    /// block.
    pub recent: u64,
    /// Requested bytes with a known value; those with a last store of an unknown value are not
    /// among them.
    pub known: u64,
    /// Values of the known bytes.
    pub data: [u8; 64],
}

/// Last accesses of some bytes in a slot.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
struct LastAccesses {
    slot: u64,
    granule: u64,
    /// Place of the request that they answer.
    requested: usize,
    bytes: u64,
}

impl<O: IndexOutput> EarlierSegments<'_, O> {
    /// Finds the last recorded values of some bytes.
    pub fn tell(&mut self, requested: &mut [ByteStateQuery]) -> Result<(), PassError> {
        let mut stated = Vec::new();
        for (number, requested) in requested.chunks(BLOCKS_A_MAP).enumerate() {
            let data = self.output.read_back()?;
            for (place, requested) in requested.iter().enumerate() {
                self.find_last(&data, requested, number * BLOCKS_A_MAP + place, &mut stated)?;
            }
        }
        stated.sort_unstable();
        // Several accesses of a block in a slot state different bytes of it.
        stated.dedup_by(|next, kept| {
            let is_same = (next.slot, next.requested) == (kept.slot, kept.requested);
            kept.bytes |= if is_same { next.bytes } else { 0 };
            is_same
        });
        let runs = stated.chunk_by(|one, next| next.slot - one.slot <= NEAR);
        let mut reader = AccessValueReader {
            slot: 0,
            stated: &[],
            found: requested,
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
                (reader.slot, reader.stated) = (first.slot.saturating_sub(1), run);
                self.source
                    .parse(text, &mut scratch, &mut reader)
                    .map_err(QueryError::from)?;
            }
        }
        let is_stated = |stated: &LastAccesses| {
            requested
                .get(stated.requested)
                .is_some_and(|requested| stated.bytes & !requested.known == 0)
        };
        // Another value, or none, where the segment had one: the trace was rewritten.
        if stated.iter().all(is_stated) {
            Ok(())
        } else {
            Err(QueryError::TraceChanged.into())
        }
    }

    /// Calls `each` with every block: those of the key maps, and then those of each segment after
    /// them, with its place among these.
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

    /// Returns the number of segments with a key map.
    pub fn mapped(&self) -> usize {
        mapped(self.key_maps).min(self.segments.len())
    }

    /// Checksums are not checked: this run of the program wrote the bytes, or checked them when it
    /// resumed.
    fn reader<'d>(&self, data: &'d IndexData, meta: &'d SegmentMeta) -> SegmentReader<'d> {
        static CHECKED: AtomicU8 = AtomicU8::new(u8::MAX);
        SegmentReader {
            meta,
            bytes: data,
            checked: &CHECKED,
        }
    }

    /// Finds the last accesses of the requested bytes that state a value.
    fn find_last(
        &self,
        data: &IndexData,
        requested: &ByteStateQuery,
        place: usize,
        stated: &mut Vec<LastAccesses>,
    ) -> Result<(), QueryError> {
        let need = Cell::new(requested.need);
        for group in (0..=self.key_maps.len()).rev() {
            let first = self
                .key_maps
                .get(group)
                .map_or(self.mapped(), |maps| maps.first as usize);
            let mut segments = self.segments_of(data, group, requested, need.get())?;
            while segments != 0 && need.get() != 0 {
                let number = segments.ilog2();
                segments ^= 1 << number;
                let Some(meta) = self.segments.get(first + number as usize) else {
                    continue;
                };
                let Some(list) = self.reader(data, meta).granule(requested.granule)? else {
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
                                granule: requested.granule,
                                requested: place,
                                bytes,
                            };
                            stated.extend(touch.shape.is_known().then_some(found));
                        }
                        need.get() != 0
                    },
                );
                walked.map_err(|_| damaged(Section::Granules))?;
            }
        }
        Ok(())
    }

    /// Returns the segments of a group that may touch these bytes of a block, a bit each.
    fn segments_of(
        &self,
        data: &IndexData,
        group: usize,
        requested: &ByteStateQuery,
        need: u64,
    ) -> Result<u64, QueryError> {
        let Some(maps) = self.key_maps.get(group) else {
            return Ok(requested.recent);
        };
        let bytes = maps
            .granules
            .of(data)
            .ok_or_else(|| damaged(Section::Granules))?;
        let set = Directory::new(bytes)
            .and_then(|map| map.find::<SegmentSet<TouchCoverage>>(requested.granule));
        let set = set
            .map_err(|_| damaged(Section::Granules))?
            .unwrap_or_default();
        let is_met = set
            .gist
            .is_none_or(|reach| (reach.masks.read | reach.masks.write) & need != 0);
        Ok(if is_met { set.segments } else { 0 })
    }

    /// Returns the text offset of a slot; the end of the segments' text after the last.
    fn text_start(&self, data: &IndexData, slot: u64) -> Result<u64, QueryError> {
        // Slot 0 of a segment continues the last slot of the one before: a text that can be parsed
        // begins there.
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

/// Reads the values of some accesses from the text of their steps.
struct AccessValueReader<'a> {
    slot: u64,
    /// Remaining accesses, by slot and block.
    stated: &'a [LastAccesses],
    found: &'a mut [ByteStateQuery],
}

impl EventSink for AccessValueReader<'_> {
    fn begin_step(&mut self, _step: &StepEvent<'_>) {
        self.slot += 1;
        let passed = self
            .stated
            .partition_point(|stated| stated.slot < self.slot);
        self.stated = self.stated.get(passed..).unwrap_or_default();
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
                .stated
                .binary_search_by_key(&(self.slot, granule), |stated| {
                    (stated.slot, stated.granule)
                });
            let Ok(found) = found else { continue };
            let Some(stated) = self
                .stated
                .get(found)
                .filter(|stated| stated.bytes >> place & 1 != 0)
            else {
                continue;
            };
            let Some(found) = self.found.get_mut(stated.requested) else {
                continue;
            };
            found.known |= 1 << place;
            found.data[place as usize] = byte;
        }
    }
}
