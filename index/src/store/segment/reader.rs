//! Reader of an encoded segment.

use std::sync::atomic::{AtomicU8, Ordering};

use stepback_machine::{RegisterId, RegisterView};

use crate::answers::cell::Direction;
use crate::answers::error::QueryError;
use crate::store::data::{IndexData, is_right};
use crate::store::directory::Directory;
use crate::store::granules::{Granule, Touch};
use crate::store::packed::{
    FRAME, MalformedEncoding, PackedList, TimeColumn, entry, take_u32, u32_in,
};
use crate::store::segment::meta::{STEPS_OF_THREAD, SeamExternal, Section, SegmentMeta};
use crate::store::visits::SegmentVisits;

/// A segment of an open index. The checksum of a section is verified when the section is first
/// used.
#[derive(Clone, Copy, Debug)]
pub struct SegmentReader<'a> {
    /// Directory entry.
    pub meta: &'a SegmentMeta,
    /// Bytes that `meta.sections` refers to.
    pub bytes: &'a IndexData,
    /// A bit for each verified section.
    pub checked: &'a AtomicU8,
}

impl<'a> SegmentReader<'a> {
    /// Converts a slot of the trace to one of the segment: 0 for those before it.
    pub fn local_slot(&self, slot: u64) -> u32 {
        u32::try_from(slot.saturating_sub(self.meta.step_base)).unwrap_or(u32::MAX)
    }

    /// Converts a slot of the segment to one of the trace.
    pub fn trace_slot(&self, local: u32) -> u64 {
        self.meta.step_base.saturating_add(u64::from(local))
    }

    fn section(&self, section: Section) -> Result<&'a [u8], QueryError> {
        let number = section as usize;
        let place = |number: usize| usize::try_from(self.meta.sections[number]).ok();
        let range = place(number)
            .zip(place(number + 1))
            .map(|(start, end)| start..end);
        let range = range.ok_or_else(|| damaged(section))?;
        let bit = 1u8 << number;
        if self.checked.load(Ordering::Relaxed) & bit != 0 {
            return self.bytes.get(range).ok_or_else(|| damaged(section));
        }
        let is_whole = |bytes: &&[u8]| is_right(bytes, self.meta.checksums[number]);
        let bytes = self
            .bytes
            .get_all(range)
            .filter(is_whole)
            .ok_or_else(|| damaged(section))?;
        self.checked.fetch_or(bit, Ordering::Relaxed);
        Ok(bytes)
    }

    /// Verifies the checksums of all sections.
    pub fn check_all(&self) -> Result<(), QueryError> {
        Section::ALL
            .into_iter()
            .try_for_each(|section| self.section(section).map(|_| ()))
    }

    /// Returns the start of a slot's text in the trace.
    pub fn text_start(&self, slot: u32) -> Result<u64, QueryError> {
        let Some(index) = slot.checked_sub(1) else {
            return Ok(self.meta.text_start);
        };
        let list = PackedList::new(self.section(Section::Offsets)?, self.meta.steps as usize);
        let offset = list
            .get(index as usize)
            .map_err(|MalformedEncoding| damaged(Section::Offsets))?;
        Ok(self.meta.text_start.saturating_add(u64::from(offset)))
    }

    /// Returns the line of the first step of a block of 128, relative to the segment's first line.
    pub fn block_line(&self, block: usize) -> Result<u64, QueryError> {
        let line = entry::<4>(self.section(Section::Lines)?, block);
        line.map(|bytes| u64::from(u32::from_le_bytes(*bytes)))
            .map_err(|MalformedEncoding| damaged(Section::Lines))
    }

    /// Returns the number of blocks of 128 steps.
    pub fn block_count(&self) -> usize {
        (self.meta.steps as usize).div_ceil(FRAME)
    }

    fn times(&self) -> Result<TimeColumn<'a>, QueryError> {
        Ok(TimeColumn::new(
            self.section(Section::Times)?,
            self.meta.steps as usize,
        ))
    }

    /// Returns the time of a slot's step, never less than that of an earlier step; `None` if no
    /// line up to it has one.
    pub fn time(&self, slot: u32) -> Result<Option<u64>, QueryError> {
        let index = slot.saturating_sub(1);
        if index < self.meta.timeless {
            return Ok(self.meta.time_before);
        }
        let time = self
            .times()?
            .get(index as usize)
            .map_err(|MalformedEncoding| damaged(Section::Times))?;
        Ok(self.meta.time_before.max(Some(time)))
    }

    /// Returns the number of the segment's steps with a time of at most `bound`.
    pub fn steps_up_to(&self, bound: u64) -> Result<u32, QueryError> {
        if self.meta.time_before.is_some_and(|before| before > bound) {
            return Ok(0);
        }
        // Steps without a time come first, with 0 in the column; those after them count from the
        // time before.
        let count = self
            .times()?
            .count_up_to(bound)
            .map_err(|MalformedEncoding| damaged(Section::Times))?;
        Ok(count as u32)
    }

    fn lists(&self) -> Result<(usize, &'a [u8]), QueryError> {
        let mut bytes = self.section(Section::Registers)?;
        let count =
            take_u32(&mut bytes).map_err(|MalformedEncoding| damaged(Section::Registers))?;
        Ok((count as usize, bytes))
    }

    /// Returns the list of a view of a thread, both by segment-local number.
    pub fn list(
        &self,
        thread: u16,
        view: RegisterView,
    ) -> Result<Option<PackedList<'a>>, QueryError> {
        let (count, bytes) = self.lists()?;
        find_list(count, bytes, (thread, view))
            .map_err(|MalformedEncoding| damaged(Section::Registers))
    }

    /// Returns the slots of a thread's steps; `None` if all steps of the segment belong to its
    /// first thread.
    pub fn steps_of_thread(&self, thread: u16) -> Result<Option<PackedList<'a>>, QueryError> {
        self.list(thread, STEPS_OF_THREAD)
    }

    /// Returns the directory of memory blocks.
    pub fn granules(&self) -> Result<Directory<'a>, QueryError> {
        Directory::new(self.section(Section::Granules)?)
            .map_err(|MalformedEncoding| damaged(Section::Granules))
    }

    /// Returns the touches of a memory block.
    pub fn granule(&self, granule: u64) -> Result<Option<Granule<'a>>, QueryError> {
        self.granules()?
            .find(granule)
            .map_err(|MalformedEncoding| damaged(Section::Granules))
    }

    /// Returns a touch of a memory block by its index in the block's list.
    pub fn touch(&self, granule: u64, place: u32) -> Result<Option<Touch>, QueryError> {
        let Some(list) = self.granule(granule)? else {
            return Ok(None);
        };
        list.get(place)
            .map_err(|MalformedEncoding| damaged(Section::Granules))
    }

    /// Returns the mask of the contradicting bytes of a touch that no host write explains.
    pub fn external_mask(&self, granule: u64, touch: Touch, place: u32) -> u64 {
        let in_list = |list: &[SeamExternal]| {
            let found = list
                .binary_search_by_key(&(granule, place), |seam| (seam.granule, seam.place))
                .ok();
            found
                .and_then(|found| list.get(found))
                .map_or(0, |seam| seam.mask)
        };
        let all = touch.external_mask() | in_list(&self.meta.seam_externals);
        if all == 0 {
            0
        } else {
            all & !in_list(&self.meta.explained)
        }
    }

    /// Returns the slots with a read that contradicts earlier accesses of the segment.
    fn external_slots(&self) -> Result<PackedList<'a>, QueryError> {
        Ok(PackedList::new(
            self.section(Section::Externals)?,
            self.meta.external_slots as usize,
        ))
    }

    /// Returns the nearest slot, from `bound` on, with a contradicting read. `seams` are the slots of
    /// such reads at segment seams, ascending.
    pub fn nearest_external_slot(
        &self,
        bound: u32,
        direction: Direction,
        seams: &[u32],
    ) -> Result<Option<u32>, QueryError> {
        let inside = self
            .external_slots()?
            .nearest(bound, direction)
            .map_err(|MalformedEncoding| damaged(Section::Externals))?;
        let place = match direction {
            Direction::Back => seams.partition_point(|slot| *slot <= bound).checked_sub(1),
            Direction::Forward => Some(seams.partition_point(|slot| *slot < bound)),
        };
        let seam = place.and_then(|place| seams.get(place)).copied();
        Ok(direction.nearer(inside, seam))
    }

    /// Returns the runs of a thread's steps, by segment-local number: number of steps and digest.
    pub fn digests(
        &self,
        thread: u16,
    ) -> Result<impl Iterator<Item = Result<(u32, u64), MalformedEncoding>> + use<'a>, QueryError>
    {
        let malformed = |MalformedEncoding| damaged(Section::Digests);
        let bytes = self.section(Section::Digests)?;
        let end_of = |thread: u16| entry::<4>(bytes, usize::from(thread)).map(|end| u32_in(end, 0));
        let start = thread.checked_sub(1).map_or(Ok(0), end_of);
        let runs = start.map_err(malformed)?..end_of(thread).map_err(malformed)?;
        let table = bytes.get(4 * self.meta.threads.len()..).unwrap_or_default();
        Ok(runs.map(move |number| {
            let run = entry::<12>(table, number as usize)?;
            let digest = u64::from(u32_in(run, 4)) | u64::from(u32_in(run, 8)) << 32;
            Ok((u32_in(run, 0), digest))
        }))
    }

    /// Returns the directory of instruction addresses.
    pub fn pcs(&self) -> Result<Directory<'a>, QueryError> {
        Directory::new(self.section(Section::Pcs)?)
            .map_err(|MalformedEncoding| damaged(Section::Pcs))
    }

    /// Returns the visits of an address.
    pub fn visits(&self, pc: u64) -> Result<Option<SegmentVisits<'a>>, QueryError> {
        self.pcs()?
            .find(pc)
            .map_err(|MalformedEncoding| damaged(Section::Pcs))
    }
}

type ListKey = (u16, RegisterView);

fn list_key(table: &[u8], number: usize) -> Result<ListKey, MalformedEncoding> {
    let entry = entry::<16>(table, number)?;
    let half = |place: usize| u16::from_le_bytes([entry[place], entry[place + 1]]);
    Ok((
        half(0),
        RegisterView::new(RegisterId(half(2)), half(4), half(6)),
    ))
}

fn find_list(
    count: usize,
    table: &[u8],
    wanted: ListKey,
) -> Result<Option<PackedList<'_>>, MalformedEncoding> {
    let (mut low, mut high) = (0, count);
    while low < high {
        let middle = low.midpoint(high);
        if list_key(table, middle)? < wanted {
            low = middle + 1
        } else {
            high = middle
        }
    }
    if low == count || list_key(table, low)? != wanted {
        return Ok(None);
    }
    let number = |list: usize, offset: usize| {
        entry::<16>(table, list).map(|entry| u32_in(entry, offset) as usize)
    };
    let start = if low == 0 { 0 } else { number(low - 1, 12)? };
    let lists = count
        .checked_mul(16)
        .and_then(|end| table.get(end..))
        .ok_or(MalformedEncoding)?;
    let list = lists
        .get(start..number(low, 12)?)
        .ok_or(MalformedEncoding)?;
    Ok(Some(PackedList::new(list, number(low, 8)?)))
}

/// Returns the error for malformed bytes in a section, or for a wrong checksum.
pub fn damaged(section: Section) -> QueryError {
    QueryError::Damaged {
        part: section.name().to_owned(),
    }
}
