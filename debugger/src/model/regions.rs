//! Tables of memory: its regions (parts of images, stacks, the heap, other accessed memory), and
//! its pages by number of accesses.
//!
//! Outside images, regions are joined from accessed blocks; the stack pointers of the threads
//! identify the stacks.

use std::collections::BTreeMap;

use anyhow::Result;
use stepback_index::answer::{Heap, ThreadId};
use stepback_index::query::RegisterViewsAt;
use stepback_index::read::NameReader;
use stepback_index::{Cancel, Query as _};
use stepback_machine::Address;
use stepback_parsers::Position;

use crate::analysis::counts::{PageTotals, hot_pages};
use crate::image::MappedRange;
use crate::messages::say;
use crate::model::memory::{BLOCK_BYTES, MemoryRuns};
use crate::model::names::place_name;
use crate::model::so_far::so_far;
use crate::model::table::{ROWS, Table, TableCell, TableRow};
use crate::model::text::{size_text, thousands};
use crate::model::{TextRole, TextSpan};
use crate::session::Session;

const HEADS: [&str; 7] = [
    "head-first",
    "head-last",
    "head-bytes",
    "head-accessed",
    "head-rights",
    "head-kind",
    "head-what",
];

/// Maximum gap in bytes between accessed memory of one region.
const REGION_GAP: u64 = 1 << 16;
/// Maximum number of threads whose stack pointers are read.
const THREADS: usize = 256;

/// Range of memory with one use.
#[derive(Clone, Debug, PartialEq, Eq)]
struct MemoryRegion {
    first: u64,
    last: u64,
    /// Number of accessed bytes, in blocks of 64.
    accessed: u64,
    rights: &'static str,
    kind: RegionKind,
    what: String,
}

/// Use of a region.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum RegionKind {
    Unknown,
    /// Part of an image at no known address.
    NotLoaded,
    Code,
    Data,
    Stack,
    Heap,
}

impl RegionKind {
    fn word(self) -> &'static str {
        match self {
            Self::Unknown => say!("regions-unknown"),
            Self::NotLoaded => say!("regions-not-loaded"),
            Self::Code => say!("regions-code"),
            Self::Data => say!("regions-data"),
            Self::Stack => say!("regions-stack"),
            Self::Heap => say!("regions-heap"),
        }
    }
}

/// Lists the regions of memory by address, with the stacks at a position. Runs on a worker. Cost:
/// grows with the runs and the blocks of the heap. `heap` are the heap blocks, if known; `runs` is
/// accessed memory: see [`accessed_runs`](super::memory::accessed_runs).
///
/// # Errors
/// See [`stepback_index::QueryError`].
pub fn regions_table(
    session: &Session,
    heap: Option<&Heap>,
    runs: &[(u64, u64)],
    at: Position,
    cancel: &Cancel,
) -> Result<Table> {
    let images = session.images.mapped();
    let mut regions: Vec<MemoryRegion> =
        images.iter().map(|mapped| of_image(mapped, runs)).collect();
    let mut others = joined(&outside(runs, images));
    name_stacks(&mut others, session, &stack_pointers(session, at, cancel)?);
    if let Some(heap) = heap {
        name_heap(&mut others, heap, at, cancel)?;
    }
    regions.append(&mut others);
    regions.sort_by_key(|region| (region.first, region.last));
    let accessed = regions
        .iter()
        .fold(0u64, |sum, region| sum.saturating_add(region.accessed));
    let mut summary = so_far(
        session,
        &say!(
            "regions-summary",
            count = regions.len(),
            size = size_text(accessed)
        ),
    );
    if regions.len() > ROWS {
        summary = say!("regions-the-first", summary = summary, count = ROWS);
    }
    let rows = regions.iter().take(ROWS).map(MemoryRegion::row).collect();
    Ok(Table::new(summary, &HEADS, rows).without_empty())
}

fn of_image(mapped: &MappedRange, runs: &[(u64, u64)]) -> MemoryRegion {
    let (first, last) = (mapped.first.0, mapped.last());
    let kind = match (mapped.is_loaded, mapped.is_executable) {
        (false, _) => RegionKind::NotLoaded,
        (true, true) => RegionKind::Code,
        (true, false) => RegionKind::Data,
    };
    let accessed = covered(runs, first, last);
    MemoryRegion {
        first,
        last,
        accessed,
        rights: mapped.rights(),
        kind,
        what: mapped.file.to_string(),
    }
}

/// Returns the number of bytes of a range that the runs cover.
fn covered(runs: &[(u64, u64)], first: u64, last: u64) -> u64 {
    let from = runs.partition_point(|(_, end)| *end < first);
    let inside = runs
        .iter()
        .skip(from)
        .take_while(|(start, _)| *start <= last);
    inside
        .map(|(start, end)| len_of((*start).max(first), (*end).min(last)))
        .fold(0, u64::saturating_add)
}

fn len_of(first: u64, last: u64) -> u64 {
    (last - first).saturating_add(1)
}

/// Returns the blocks that images fill; overlapping ones are merged.
fn taken_by(images: &[MappedRange]) -> MemoryRuns {
    // Accesses are known by block only, so the rest of a block at the edge of an image counts as
    // filled.
    let whole = |mapped: &MappedRange| {
        (
            mapped.first.0 & !(BLOCK_BYTES - 1),
            mapped.last() | (BLOCK_BYTES - 1),
        )
    };
    let mut blocks: MemoryRuns = images.iter().map(whole).collect();
    blocks.sort_unstable();
    blocks.dedup_by(|(first, last), (_, before)| {
        let meets = *first <= *before;
        *before = if meets { (*before).max(*last) } else { *before };
        meets
    });
    blocks
}

/// Returns the parts of runs that no image fills.
fn outside(runs: &[(u64, u64)], images: &[MappedRange]) -> MemoryRuns {
    let taken = taken_by(images);
    let mut rest = Vec::new();
    for (first, last) in runs {
        let mut from = Some(*first);
        let near = taken.partition_point(|(_, end)| end < first);
        for (start, end) in taken
            .iter()
            .skip(near)
            .take_while(|(start, _)| start <= last)
        {
            rest.extend(
                from.filter(|from| from < start)
                    .map(|from| (from, start - 1)),
            );
            from = end.checked_add(1);
        }
        rest.extend(from.filter(|from| from <= last).map(|from| (from, *last)));
    }
    rest
}

/// Joins runs that are close to each other into regions.
fn joined(runs: &[(u64, u64)]) -> Vec<MemoryRegion> {
    let mut regions: Vec<MemoryRegion> = Vec::new();
    for (first, last) in runs {
        let len = len_of(*first, *last);
        match regions.last_mut() {
            Some(region) if first.saturating_sub(region.last) <= REGION_GAP => {
                (region.last, region.accessed) = (*last, region.accessed.saturating_add(len));
            }
            _ => regions.push(MemoryRegion {
                first: *first,
                last: *last,
                accessed: len,
                rights: "",
                kind: RegionKind::Unknown,
                what: String::new(),
            }),
        }
    }
    regions
}

/// Returns the known stack pointers of the threads with their names.
fn stack_pointers(session: &Session, at: Position, cancel: &Cancel) -> Result<Vec<(u64, String)>> {
    let index = &session.index;
    let mut found = Vec::new();
    for (number, thread) in index.threads().iter().enumerate().take(THREADS) {
        let id = ThreadId(u16::try_from(number)?);
        found.extend(
            stack_pointer(session, id, at, cancel)?.map(|pointer| (pointer, thread.name.clone())),
        );
    }
    Ok(found)
}

/// Returns the end of a thread's stack at a position; none if it is unknown.
pub(super) fn stack_pointer(
    session: &Session,
    thread: ThreadId,
    at: Position,
    cancel: &Cancel,
) -> Result<Option<u64>> {
    let set = NameReader(&session.index).set_at(thread, at)?;
    let Some(view) = NameReader(&session.index).view_in("sp", set) else {
        return Ok(None);
    };
    let views = vec![(String::new(), view)];
    let states = RegisterViewsAt {
        position: at,
        thread,
        views,
    }
    .run(&session.index, cancel)?;
    Ok(states
        .first()
        .and_then(|state| state.value.to_u64())
        .map(|pointer| set.stack_end(pointer)))
}

/// Marks regions that contain a stack pointer as stacks.
fn name_stacks(regions: &mut [MemoryRegion], session: &Session, stacks: &[(u64, String)]) {
    let is_named = session.index.threads().len() > 1;
    for (pointer, thread) in stacks {
        let place = regions.partition_point(|region| region.last < *pointer);
        // The accessed memory may begin above the stack pointer.
        let near = regions
            .get_mut(place)
            .filter(|region| region.first.saturating_sub(*pointer) <= REGION_GAP);
        let Some(region) = near else { continue };
        region.kind = RegionKind::Stack;
        if is_named {
            region.what += if region.what.is_empty() { "" } else { ", " };
            region.what += thread;
        }
    }
}

/// Marks other regions that contain heap blocks as heap.
fn name_heap(
    regions: &mut [MemoryRegion],
    heap: &Heap,
    at: Position,
    cancel: &Cancel,
) -> Result<()> {
    // Number of allocated blocks of each region that has any blocks.
    let mut counts: BTreeMap<usize, u64> = BTreeMap::new();
    for block in heap.blocks() {
        cancel.check()?;
        let place = regions.partition_point(|region| region.last < block.address.0);
        if regions
            .get(place)
            .is_some_and(|region| region.first <= block.address.0)
        {
            *counts.entry(place).or_default() += u64::from(block.is_allocated(at));
        }
    }
    for (place, count) in counts {
        if let Some(region) = regions
            .get_mut(place)
            .filter(|region| region.kind != RegionKind::Stack)
        {
            (region.kind, region.what) = (RegionKind::Heap, say!("regions-blocks", count = count));
        }
    }
    Ok(())
}

impl MemoryRegion {
    fn row(&self) -> TableRow {
        let number =
            |bytes: u64| TableCell::Number(bytes, TextSpan::new(TextRole::Plain, size_text(bytes)));
        let meaning = if self.kind == RegionKind::Unknown {
            TextRole::Unknown
        } else {
            TextRole::Second
        };
        TableRow {
            name: say!("regions-row", address = format!("{:x}", self.first)),
            cells: vec![
                TableCell::new(TextRole::Plain, format!("{:08x}", self.first)),
                TableCell::new(TextRole::Plain, format!("{:08x}", self.last)),
                number((self.last - self.first).saturating_add(1)),
                number(self.accessed),
                TableCell::new(TextRole::Second, self.rights),
                TableCell::new(meaning, self.kind.word()),
                TableCell::new(TextRole::Symbol, self.what.clone()),
            ],
            address: Some(Address(self.first)),
            // A region that is only executed is not unused.
            is_faded: self.accessed == 0 && self.kind != RegionKind::Code,
            ..TableRow::default()
        }
    }
}

const HEAT_HEADS: [&str; 5] = [
    "head-page",
    "head-reads",
    "head-writes",
    "head-share",
    "head-symbol",
];

/// Lists the accessed pages, the busiest first. Runs on a worker.
///
/// # Errors
/// See [`stepback_index::QueryError`].
pub fn heat_table(session: &Session, cancel: &Cancel) -> Result<Table> {
    let (page_bytes, pages) = hot_pages(&session.index, Position(0), session.index.end(), cancel)?;
    let most = pages.first().map_or(0, |page| page.reads + page.writes);
    let mut summary = match pages.len() {
        0 => say!("heat-no-access").to_owned(),
        count => say!("heat-pages", count = count, size = size_text(page_bytes)),
    };
    if pages.len() > ROWS {
        summary = say!("heat-busiest", summary = summary, count = ROWS);
    }
    let page_row = |PageTotals {
                        process,
                        first,
                        reads,
                        writes,
                    }: PageTotals| TableRow {
        name: say!("heat-page", address = format!("{:x}", first.0)),
        cells: vec![
            TableCell::new(
                TextRole::Plain,
                [Some(format!("{:08x}", first.0)), process]
                    .into_iter()
                    .flatten()
                    .collect::<Vec<_>>()
                    .join("  "),
            ),
            TableCell::Number(reads, TextSpan::new(TextRole::Read, thousands(reads))),
            TableCell::Number(writes, TextSpan::new(TextRole::Write, thousands(writes))),
            TableCell::Bar(reads, writes, most),
            TableCell::new(
                TextRole::Symbol,
                place_name(&session.images, first).unwrap_or_default(),
            ),
        ],
        address: Some(first),
        ..TableRow::default()
    };
    let rows = pages.into_iter().take(ROWS).map(page_row).collect();
    Ok(Table::new(so_far(session, &summary), &HEAT_HEADS, rows))
}

#[cfg(test)]
mod tests {
    use stepback_machine::InstructionSet;

    use super::*;

    use crate::model::memory::accessed_runs;
    use crate::session::test_session::{overflow, overflow_with_image};

    #[test]
    fn what_images_fill_is_cut_out_of_what_is_accessed() {
        let image = |first, len_bytes| MappedRange {
            first: Address(first),
            len_bytes,
            is_writable: false,
            is_loaded: true,
            is_executable: true,
            file: "a.elf".into(),
            base: Address(first),
        };
        assert_eq!(
            outside(&[(0, 63), (128, 255)], &[image(16, 16), image(200, 1000)]),
            [(128, 191)]
        );
        let (end, images) = (
            u64::MAX,
            [image(u64::MAX - 10, 11), image(64, 100), image(70, 10)],
        );
        assert_eq!(
            outside(&[(0, 255), (end - 127, end)], &images),
            [(0, 63), (192, 255), (end - 127, end - 64)]
        );
        assert_eq!(covered(&[(0, 63), (128, 255)], 32, 159), 64);
        let regions = joined(&[(0, 63), (128, 255), (1 << 20, (1 << 20) + 63)]);
        assert_eq!(
            regions
                .iter()
                .map(|region| (region.first, region.accessed))
                .collect::<Vec<_>>(),
            [(0, 192), (1 << 20, 64)]
        );
    }

    #[test]
    fn every_instruction_set_has_a_stack_pointer() {
        for set in InstructionSet::CHOICES {
            assert!(
                NameReader(&overflow().index).view_in("sp", set).is_some(),
                "{set:?}"
            );
        }
    }

    #[test]
    fn the_stack_is_told_by_its_pointer() {
        let session = overflow();
        let runs = accessed_runs(&session, &Cancel::default()).unwrap();
        let end = session.index.end();
        let table = regions_table(&session, None, &runs, end, &Cancel::default()).unwrap();
        let lines: Vec<String> = table.rows.iter().map(TableRow::line).collect();
        assert!(lines.iter().any(|line| line.contains("stack")), "{lines:?}");
        assert!(table.summary.contains("regions"), "{}", table.summary);
    }

    #[test]
    fn what_an_image_fills_is_not_accessed_for_that() {
        let session = overflow_with_image();
        let runs = accessed_runs(&session, &Cancel::default()).unwrap();
        let regions: Vec<MemoryRegion> = session
            .images
            .mapped()
            .iter()
            .map(|mapped| of_image(mapped, &runs))
            .collect();
        let len = |region: &MemoryRegion| region.last - region.first + 1;
        assert!(
            regions.iter().any(|region| region.accessed > 0),
            "{regions:?}"
        );
        assert!(
            regions.iter().any(|region| region.accessed < len(region)),
            "{regions:?}"
        );
    }
}
