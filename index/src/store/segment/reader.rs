//! Reads a segment as it lies in the index.

use std::sync::atomic::{AtomicU8, Ordering};

use stepback_machine::{RegisterId, RegisterView};

use crate::answers::error::QueryError;
use crate::store::data::IndexData;
use crate::store::directory::Directory;
use crate::store::extent::is_right;
use crate::store::granules::{Granule, Touch};
use crate::store::packed::{
    FRAME, MalformedEncoding, PackedList, TimeColumn, entry, take_u32, u32_in,
};
use crate::store::pcs::SegmentVisits;
use crate::store::segment::meta::{SeamExternal, Section, SegmentMeta};
use crate::store::segment::views::STEPS_OF_THREAD;

/// A segment of an open index. Each section's checksum is looked at when the section is first used.
#[derive(Clone, Copy, Debug)]
pub struct SegmentReader<'a> {
    /// Its entry in the directory.
    pub meta: &'a SegmentMeta,
    /// The bytes that `meta.sections` counts in.
    pub bytes: &'a IndexData,
    /// A bit for each section that was checked.
    pub checked: &'a AtomicU8,
}

impl<'a> SegmentReader<'a> {
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

    /// Looks at the checksums of all sections.
    pub fn check_all(&self) -> Result<(), QueryError> {
        Section::ALL
            .into_iter()
            .try_for_each(|section| self.section(section).map(|_| ()))
    }

    /// Where in the trace a slot's text begins.
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

    /// The line, counted from the segment's first, of the first step of a block of 128.
    pub fn block_line(&self, block: usize) -> Result<u64, QueryError> {
        let line = entry::<4>(self.section(Section::Lines)?, block);
        line.map(|bytes| u64::from(u32::from_le_bytes(*bytes)))
            .map_err(|MalformedEncoding| damaged(Section::Lines))
    }

    /// How many blocks of 128 steps there are.
    pub fn block_count(&self) -> usize {
        (self.meta.steps as usize).div_ceil(FRAME)
    }

    fn times(&self) -> Result<TimeColumn<'a>, QueryError> {
        Ok(TimeColumn::new(
            self.section(Section::Times)?,
            self.meta.steps as usize,
        ))
    }

    /// The time of a slot's step, never less than that of a step before; none when no line before it has one.
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

    /// How many of the segment's steps have a time of at most `bound`.
    pub fn steps_up_to(&self, bound: u64) -> Result<u32, QueryError> {
        if self.meta.time_before.is_some_and(|before| before > bound) {
            return Ok(0);
        }
        // Steps without a time stand first, with 0 in the column; those after them count from the time before.
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

    /// The list of a view of a thread, both by the segment's own numbers.
    pub fn list(
        &self,
        thread: u16,
        view: RegisterView,
    ) -> Result<Option<PackedList<'a>>, QueryError> {
        let (count, bytes) = self.lists()?;
        find_list(count, bytes, (thread, view))
            .map_err(|MalformedEncoding| damaged(Section::Registers))
    }

    /// The slots of a thread's steps; none when all steps of the segment are those of its first thread.
    pub fn steps_of_thread(&self, thread: u16) -> Result<Option<PackedList<'a>>, QueryError> {
        self.list(thread, STEPS_OF_THREAD)
    }

    /// The memory blocks.
    pub fn granules(&self) -> Result<Directory<'a>, QueryError> {
        Directory::new(self.section(Section::Granules)?)
            .map_err(|MalformedEncoding| damaged(Section::Granules))
    }

    /// The touches of a memory block.
    pub fn granule(&self, granule: u64) -> Result<Option<Granule<'a>>, QueryError> {
        self.granules()?
            .find(granule)
            .map_err(|MalformedEncoding| damaged(Section::Granules))
    }

    /// A touch of a memory block by its place in the block's list.
    pub fn touch(&self, granule: u64, place: u32) -> Result<Option<Touch>, QueryError> {
        let Some(list) = self.granule(granule)? else {
            return Ok(None);
        };
        list.get(place)
            .map_err(|MalformedEncoding| damaged(Section::Granules))
    }

    /// The bytes of a touch that contradict what was known and are not explained by what the host wrote.
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

    /// The slots with a read that contradicts what the segment knew before it.
    fn external_slots(&self) -> Result<PackedList<'a>, QueryError> {
        Ok(PackedList::new(
            self.section(Section::Externals)?,
            self.meta.external_slots as usize,
        ))
    }

    /// The first slot from `from` on with a read that contradicts what was known; `seams` are those of the seams, ascending.
    pub fn next_external_slot(&self, from: u32, seams: &[u32]) -> Result<Option<u32>, QueryError> {
        let inside = self
            .external_slots()?
            .first_from(from)
            .map_err(|MalformedEncoding| damaged(Section::Externals))?;
        let seam = seams
            .get(seams.partition_point(|slot| *slot < from))
            .copied();
        Ok(inside.into_iter().chain(seam).min())
    }

    /// The last slot up to `last` with a read that contradicts what was known; `seams` are those of the seams, ascending.
    pub fn last_external_slot(&self, last: u32, seams: &[u32]) -> Result<Option<u32>, QueryError> {
        let below = last.saturating_add(1);
        let inside = self
            .external_slots()?
            .last_below(below)
            .map_err(|MalformedEncoding| damaged(Section::Externals))?;
        let count = seams.partition_point(|slot| *slot <= last);
        let seam = count
            .checked_sub(1)
            .and_then(|place| seams.get(place))
            .copied();
        Ok(inside.max(seam))
    }

    /// The addresses.
    pub fn pcs(&self) -> Result<Directory<'a>, QueryError> {
        Directory::new(self.section(Section::Pcs)?)
            .map_err(|MalformedEncoding| damaged(Section::Pcs))
    }

    /// The visits of an address.
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

/// The error for bytes that no encoder writes, in a section whose checksum holds or does not.
pub fn damaged(section: Section) -> QueryError {
    QueryError::Damaged {
        part: section.name().to_owned(),
    }
}
