//! Pass over the semihosting calls of a trace in order, once everything else is indexed. It queries
//! the new index itself, because a call's registers and parameter block may have been written in
//! any earlier segment. [`with_images`] repeats it at opening for the calls with parameters that
//! only the program images contain.

use std::collections::BTreeMap;

use stepback_machine::{Address, InstructionSet, Registers};
use stepback_parsers::Position;

use crate::answers::cell::{MemoryRange, ThreadId};
use crate::answers::error::{Cancel, QueryError};
use crate::answers::program::Program;
use crate::answers::step_record::HostOperation;
use crate::builder::seams::other_part;
use crate::builder::semihosting::call::{HOST_CALLS_LIMIT, HostWriteRegion, ParameterBlock};
use crate::index::Index;
use crate::query::memory::MemoryAt;
use crate::query::question::Query as _;
use crate::query::registers::RegisterViewsAt;
use crate::read::bytes::ByteReader;
use crate::read::encodings;
use crate::read::slots::SlotReader;
use crate::read::touches::{TouchFilter, TouchReader};
use crate::store::regions::host_regions::{AddressRange, HostRegion, HostRegions, REGIONS_LIMIT};
use crate::store::regions::open_calls::{MORE, UnresolvedCalls};
use crate::store::segment::meta::SeamExternal;

/// Total number of memory blocks examined, so that no trace can make this pass endless.
const BLOCKS_LIMIT: u64 = 1 << 22;
/// Maximum number of calls examined with images, which are known only when the index is opened; the
/// others stay open.
const CALLS_WITH_IMAGES: usize = 1024;
/// Maximum number of regions with which images are used, because each new region sorts all of them
/// again.
const REGIONS_WITH_IMAGES: usize = 1 << 12;

/// Writes of the host during a trace.
#[derive(Debug, Default)]
pub(crate) struct HostWrites {
    /// Regions and slots of the writes.
    pub regions: HostRegions,
    /// Calls with unknown regions.
    pub open: UnresolvedCalls,
    /// For each segment that has some: reads that seemed to contradict known memory but follow such
    /// a region, sorted by block and place; and the number of reads that are no longer external
    /// changes at all.
    pub explained: BTreeMap<usize, (Vec<SeamExternal>, u64)>,
    /// True if some calls were left out.
    pub is_cut_short: bool,
}

/// A touch of a block of memory.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
struct TouchKey {
    segment: usize,
    granule: u64,
    /// Place in the list of the block.
    place: u32,
}

/// Known registers of a call.
#[derive(Clone, Copy, Debug)]
struct HostCallRegisters {
    set: InstructionSet,
    before: Position,
    operation: Option<u64>,
    argument: Option<u64>,
}

/// Writes of the host during a call.
#[derive(Clone, Copy, Debug)]
enum HostCallWrites {
    Nothing,
    Region(HostRegion),
    Unknown,
}

/// Pass over the semihosting calls.
pub(crate) struct HostPass<'a> {
    index: Index,
    cancel: &'a Cancel,
    blocks_left: u64,
    explained: BTreeMap<TouchKey, SeamExternal>,
}

impl<'a> HostPass<'a> {
    /// Creates a pass over the calls of a trace, with its index.
    pub fn new(index: Index, cancel: &'a Cancel) -> Self {
        Self {
            index,
            cancel,
            blocks_left: BLOCKS_LIMIT,
            explained: BTreeMap::new(),
        }
    }

    /// Examines the calls of some slots, ascending.
    pub fn run(mut self, slots: &[u64], on_call: impl Fn()) -> Result<HostWrites, QueryError> {
        let mut asking = Vec::new();
        for slot in slots {
            self.cancel.check()?;
            if self.asks(*slot)? {
                asking.push(*slot);
            }
        }
        asking.extend((slots.len() >= HOST_CALLS_LIMIT).then_some(MORE));
        // Until the host's writes are known, no value is carried across a call: not even the
        // parameters of an earlier one.
        self.index.open_calls = UnresolvedCalls::of(asking);
        let is_cut_short = self.follow(usize::MAX, on_call)?;
        let explained = self.explained_by_segment()?;
        let Index {
            host_regions: regions,
            open_calls: open,
            ..
        } = self.index;
        Ok(HostWrites {
            regions,
            open,
            explained,
            is_cut_short,
        })
    }

    /// Returns the index with the host writes of open calls added, if the images contain their
    /// parameters. If the trace cannot be read they stay open; the next query reports the error.
    pub fn with_images(mut self) -> Index {
        if self.index.host_regions.len() > REGIONS_WITH_IMAGES {
            return self.index;
        }
        if self.follow(CALLS_WITH_IMAGES, || {}).is_err() {
            self.index.open_calls.keep();
            self.index.open_calls.finish();
        }
        for (number, (explained, reads)) in self.explained_by_segment().unwrap_or_default() {
            let contents = &mut self.index.contents;
            let Some(meta) = contents.segments.get_mut(number) else {
                continue;
            };
            meta.explain(explained);
            meta.externals = meta.externals.saturating_sub(reads);
            contents.externals = contents.externals.saturating_sub(reads);
        }
        self.index
    }

    /// Resolves the open calls, at most `limit`; returns true if the limits on regions or blocks
    /// left some unresolved.
    fn follow(&mut self, limit: usize, on_call: impl Fn()) -> Result<bool, QueryError> {
        let mut is_cut_short = false;
        for _ in 0..limit {
            let Some(slot) = self.index.open_calls.take() else {
                break;
            };
            self.cancel.check()?;
            on_call();
            is_cut_short |= self.index.host_regions.len() >= REGIONS_LIMIT || self.blocks_left == 0;
            let written = if is_cut_short {
                HostCallWrites::Unknown
            } else {
                self.written_by(slot)?
            };
            match written {
                HostCallWrites::Nothing => {}
                HostCallWrites::Unknown => self.index.open_calls.keep(),
                HostCallWrites::Region(region) => {
                    self.index.host_regions.insert(region);
                    self.explain(&region)?;
                }
            }
        }
        self.index.open_calls.finish();
        Ok(is_cut_short)
    }

    /// Returns false for a call that is known to write no memory.
    fn asks(&self, slot: u64) -> Result<bool, QueryError> {
        let Some(HostCallRegisters { operation, .. }) = self.requested(slot)? else {
            return Ok(false);
        };
        Ok(operation.is_none_or(|number| HostOperation::of_number(number).is_some()))
    }

    /// Returns the registers of the call of a slot; none when it is no call.
    fn requested(&self, slot: u64) -> Result<Option<HostCallRegisters>, QueryError> {
        let Some(before) = slot.checked_sub(1).map(Position) else {
            return Ok(None);
        };
        let (thread, step) = SlotReader(&self.index)
            .step_of(slot)?
            .ok_or(QueryError::TraceChanged)?;
        let set = step.instruction_set;
        let Some(call) = set.host_call() else {
            return Ok(None);
        };
        let register = |name| self.register(name, set, thread, before);
        Ok(Some(HostCallRegisters {
            set,
            before,
            operation: register(call.operation)?,
            argument: register(call.argument)?,
        }))
    }

    /// Returns the host writes of the call of a slot.
    fn written_by(&self, slot: u64) -> Result<HostCallWrites, QueryError> {
        let Some(HostCallRegisters {
            set,
            before,
            operation,
            argument,
        }) = self.requested(slot)?
        else {
            return Ok(HostCallWrites::Nothing);
        };
        let Some(number) = operation else {
            return Ok(HostCallWrites::Unknown);
        };
        let Some(operation) = HostOperation::of_number(number) else {
            return Ok(HostCallWrites::Nothing);
        };
        let Some(address) = argument else {
            return Ok(HostCallWrites::Unknown);
        };
        let (word_bytes, highest) = (u64::from(set.word_bytes()), set.highest_address());
        let block = ParameterBlock {
            address,
            word_bytes,
            highest,
        };
        let mut words = Vec::new();
        for number in 0..3 {
            words.push(self.word(&block, number, before)?);
        }
        let word = |number: u64| words.get(usize::try_from(number).ok()?).copied().flatten();
        Ok(match block.region(operation, word) {
            HostWriteRegion::Nothing => HostCallWrites::Nothing,
            HostWriteRegion::Unknown => HostCallWrites::Unknown,
            HostWriteRegion::Region(AddressRange { first, last }) => {
                HostCallWrites::Region(HostRegion {
                    slot,
                    first,
                    last,
                    operation,
                })
            }
        })
    }

    fn register(
        &self,
        name: &str,
        set: InstructionSet,
        thread: ThreadId,
        position: Position,
    ) -> Result<Option<u64>, QueryError> {
        let Some(view) = Registers::view(name, set) else {
            return Ok(None);
        };
        let views = vec![(name.to_owned(), view)];
        let states = RegisterViewsAt {
            position,
            thread,
            views,
        }
        .run(&self.index, self.cancel)?;
        Ok(states.first().and_then(|state| state.value.to_u64()))
    }

    /// Returns a word of a parameter block; a read after the call may supply it, when no write of
    /// the trace is in between.
    fn word(
        &self,
        block: &ParameterBlock,
        number: u64,
        position: Position,
    ) -> Result<Option<u64>, QueryError> {
        let Some(address) = block.word(number) else {
            return Ok(None);
        };
        let question = MemoryAt {
            position,
            address: Address(address),
            len_bytes: block.word_bytes,
        };
        let mut bytes = question.run(&self.index, self.cancel)?;
        if !self.index.info().is_big_endian {
            bytes.reverse();
        }
        Ok(bytes
            .into_iter()
            .try_fold(0, |number, byte| Some(number << 8 | u64::from(byte.value?))))
    }

    /// Records the first reads after a region that were taken for contradictions of earlier memory.
    fn explain(&mut self, region: &HostRegion) -> Result<(), QueryError> {
        let Self {
            index,
            cancel,
            blocks_left,
            explained,
        } = self;
        if index.contents.externals == 0 {
            return Ok(());
        }
        let range = MemoryRange {
            address: Address(region.first),
            len_bytes: region.last - region.first + 1,
        };
        ByteReader::new(index).for_each_touched(range, cancel, |granule, mask| {
            let Some(left) = blocks_left.checked_sub(1) else {
                return Ok(());
            };
            *blocks_left = left;
            let evidence = TouchReader::new(index).next_touches(
                granule,
                mask,
                region.slot,
                TouchFilter::Evidence,
            )?;
            let external = TouchReader::new(index).next_touches(
                granule,
                mask,
                region.slot,
                TouchFilter::External,
            )?;
            for (place, touch) in evidence.iter().enumerate() {
                if let Some(touch) = touch.filter(|touch| external[place] == Some(*touch)) {
                    let local = touch.slot.saturating_sub(index.step_base(touch.segment));
                    let slot = u32::try_from(local).unwrap_or(u32::MAX);
                    let key = TouchKey {
                        segment: touch.segment,
                        granule,
                        place: touch.place,
                    };
                    explained
                        .entry(key)
                        .or_insert(SeamExternal {
                            granule,
                            slot,
                            place: touch.place,
                            mask: 0,
                        })
                        .mask |= 1 << place;
                }
            }
            Ok(())
        })
    }

    fn explained_by_segment(
        &self,
    ) -> Result<BTreeMap<usize, (Vec<SeamExternal>, u64)>, QueryError> {
        let mut by_segment: BTreeMap<usize, (Vec<SeamExternal>, u64)> = BTreeMap::new();
        for (key, explained) in &self.explained {
            let entry = by_segment.entry(key.segment).or_default();
            entry.0.push(*explained);
            entry.1 += u64::from(self.is_explained_whole(*key)?);
        }
        Ok(by_segment)
    }

    /// Returns true if a read is no external change any more. For a read of two blocks, the last
    /// explained part counts.
    fn is_explained_whole(&self, key: TouchKey) -> Result<bool, QueryError> {
        let TouchKey {
            segment,
            granule,
            place,
        } = key;
        let Some(reader) = self.index.segment(segment) else {
            return Ok(false);
        };
        let Some(touch) = reader.touch(granule, place)? else {
            return Ok(false);
        };
        let is_left = |key: TouchKey, flags: u64| {
            flags
                & !self
                    .explained
                    .get(&key)
                    .map_or(0, |explained| explained.mask)
                != 0
        };
        if is_left(key, reader.external_mask(granule, touch, place)) {
            return Ok(false);
        }
        let Some((other, other_place, part)) = other_part(&reader, granule, place, touch) else {
            return Ok(true);
        };
        let other_key = TouchKey {
            segment,
            granule: other,
            place: other_place,
        };
        let is_counted_there = self.explained.contains_key(&other_key) && other > granule;
        Ok(
            !is_left(other_key, reader.external_mask(other, part, other_place))
                && !is_counted_there,
        )
    }
}

/// Returns the index with the knowledge of the program images added: the initial memory contents,
/// the functions, and the host writes of calls with parameters in the images. Pages on which the
/// trace executed other bytes are not taken from the program. Cost: one comparison for each
/// distinct instruction, and some lookups for each call with parameters unknown to the trace.
pub fn with_images(index: Index, program: Program, cancel: &Cancel) -> Index {
    // If the trace cannot be read any more, nothing is compared, and the next query reports the
    // error.
    let program = encodings::consistent_program(&index, program.clone(), cancel).unwrap_or(program);
    let index = index.with_program(program);
    if index.program().is_empty() || index.open_calls.is_empty() {
        return index;
    }
    HostPass::new(index, cancel).with_images()
}
