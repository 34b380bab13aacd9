//! What memory consists of: parts of images, stacks, the heap, and what is accessed besides.

use anyhow::Result;
use stepback_index::{Cancel, Heap, NameReader, Query as _, RegisterViewsAt, ThreadId};
use stepback_machine::Address;
use stepback_parsers::Position;

use super::memory::{BLOCK_BYTES, accessed_runs};
use super::so_far::so_far;
use super::table::{ROWS, Table, TableCell, TableRow};
use super::text::size_text;
use super::{Meaning, Span};
use crate::image::Mapped;
use crate::messages::say;
use crate::session::Session;

const HEADS: [&str; 7] =
    ["head-first", "head-last", "head-bytes", "head-known", "head-rights", "head-kind", "head-what"];

/// Memory that is accessed is one region as long as nothing longer lies between.
const REGION_GAP: u64 = 1 << 16;
/// The stack pointers of more threads are not looked up.
const THREADS: usize = 256;

/// Memory that belongs together.
#[derive(Clone, Debug, PartialEq, Eq)]
struct Region {
    first: u64,
    last: u64,
    /// How many bytes the trace accesses or an image fills, in blocks of 64.
    accessed: u64,
    rights: &'static str,
    kind: &'static str,
    what: String,
}

/// The regions of memory by address, with the stacks as they are at a position. Runs on a worker.
/// Cost: all blocks of memory that the trace accesses.
///
/// # Errors
/// See [`stepback_index::QueryError`].
pub fn regions_table(session: &Session, heap: Option<&Heap>, at: Position, cancel: &Cancel) -> Result<Table> {
    let runs = accessed_runs(session, cancel)?;
    let mut regions: Vec<Region> = session.images.mapped().iter().map(|mapped| of_image(mapped, &runs)).collect();
    let mut others = joined(&outside(&runs, session.images.mapped()));
    let stacks = stack_pointers(session, at, cancel)?;
    for region in &mut others {
        name(region, session, heap, at, &stacks);
    }
    regions.append(&mut others);
    regions.sort_by_key(|region| (region.first, region.last));
    let accessed = regions.iter().fold(0u64, |sum, region| sum.saturating_add(region.accessed));
    let mut summary = so_far(session, &say!("regions-summary", count = regions.len(), size = size_text(accessed)));
    if regions.len() > ROWS {
        summary += &say!("regions-the-first", count = ROWS);
    }
    let rows = regions.iter().take(ROWS).map(Region::row).collect();
    Ok(Table::new(summary, &HEADS, rows).without_empty())
}

fn of_image(mapped: &Mapped, runs: &[(u64, u64)]) -> Region {
    let (first, last) = (mapped.first.0, mapped.last());
    let kind = if mapped.is_executable { say!("regions-code") } else { say!("regions-data") };
    let accessed = covered(runs, first, last);
    Region { first, last, accessed, rights: mapped.rights(), kind, what: mapped.file.to_string() }
}

/// How much of a range the runs cover.
fn covered(runs: &[(u64, u64)], first: u64, last: u64) -> u64 {
    let from = runs.partition_point(|(_, end)| *end <= first);
    let inside = runs.iter().skip(from).take_while(|(start, _)| *start <= last);
    inside.map(|(start, end)| end.saturating_sub(1).min(last) - (*start).max(first) + 1).sum()
}

/// The parts of runs that no image fills.
fn outside(runs: &[(u64, u64)], images: &[Mapped]) -> Vec<(u64, u64)> {
    // What is accessed is known in blocks: the rest of a block at the edge of an image is not told apart.
    let whole = |mapped: &Mapped| {
        let (first, last) = (mapped.first.0 & !(BLOCK_BYTES - 1), mapped.last() | (BLOCK_BYTES - 1));
        (first, last.saturating_add(1))
    };
    let mut taken: Vec<(u64, u64)> = images.iter().map(whole).collect();
    taken.sort_unstable();
    let mut rest = Vec::new();
    for (start, end) in runs {
        let mut from = *start;
        for (first, behind) in taken.iter().filter(|(first, behind)| first < end && behind > start) {
            if *first > from {
                rest.push((from, *first));
            }
            from = from.max(*behind);
        }
        if from < *end {
            rest.push((from, *end));
        }
    }
    rest
}

/// Runs that lie near each other are one region.
fn joined(runs: &[(u64, u64)]) -> Vec<Region> {
    let mut regions: Vec<Region> = Vec::new();
    for (start, end) in runs {
        let (last, len) = (end.saturating_sub(1), end - start);
        match regions.last_mut() {
            Some(region) if start.saturating_sub(region.last) <= REGION_GAP => {
                (region.last, region.accessed) = (last, region.accessed.saturating_add(len));
            }
            _ => regions.push(Region {
                first: *start,
                last,
                accessed: len,
                rights: "",
                kind: say!("regions-unknown"),
                what: String::new(),
            }),
        }
    }
    regions
}

/// Where the threads have their stacks, as far as it is known.
fn stack_pointers(session: &Session, at: Position, cancel: &Cancel) -> Result<Vec<(u64, String)>> {
    let index = &session.index;
    let mut found = Vec::new();
    for (number, thread) in index.threads().iter().enumerate().take(THREADS) {
        let id = ThreadId(u16::try_from(number)?);
        let set = NameReader(index).set_at(id, at)?;
        let Some(view) = NameReader(index).view_in("sp", set).or_else(|| NameReader(index).view_in("rsp", set)) else {
            continue;
        };
        let views = vec![(String::new(), view)];
        let states = RegisterViewsAt { position: at, thread: id, views }.run(index, cancel)?;
        let pointer = states.first().and_then(|state| state.value.to_u64());
        found.extend(pointer.map(|pointer| (set.stack_end(pointer), thread.name.clone())));
    }
    Ok(found)
}

/// Says what a region is: it has a stack pointer, or blocks of the heap.
fn name(region: &mut Region, session: &Session, heap: Option<&Heap>, at: Position, stacks: &[(u64, String)]) {
    let has = |address: u64| (region.first..=region.last).contains(&address);
    // What is accessed may begin above the stack pointer.
    let near = |pointer: u64| has(pointer) || (pointer < region.first && region.first - pointer <= REGION_GAP);
    let owners: Vec<&str> =
        stacks.iter().filter(|(pointer, _)| near(*pointer)).map(|(_, name)| name.as_str()).collect();
    if !owners.is_empty() {
        region.kind = say!("regions-stack");
        region.what = if session.index.threads().len() > 1 { owners.join(", ") } else { String::new() };
        return;
    }
    let blocks = heap.map_or(0, |heap| {
        let inside = heap.blocks().filter(|block| has(block.address.0));
        inside.filter(|block| block.is_allocated(at)).count()
    });
    if blocks > 0 || heap.is_some_and(|heap| heap.blocks().any(|block| has(block.address.0))) {
        region.kind = say!("regions-heap");
        region.what = say!("regions-blocks", count = blocks);
    }
}

impl Region {
    fn row(&self) -> TableRow {
        let number = |bytes: u64| TableCell::Number(bytes, Span::new(Meaning::Plain, size_text(bytes)));
        let meaning = if self.kind == say!("regions-unknown") { Meaning::Unknown } else { Meaning::Second };
        TableRow {
            name: say!("regions-row", address = format!("{:x}", self.first)),
            cells: vec![
                TableCell::new(Meaning::Plain, format!("{:08x}", self.first)),
                TableCell::new(Meaning::Plain, format!("{:08x}", self.last)),
                number((self.last - self.first).saturating_add(1)),
                number(self.accessed),
                TableCell::new(Meaning::Second, self.rights),
                TableCell::new(meaning, self.kind),
                TableCell::new(Meaning::Symbol, self.what.clone()),
            ],
            position: None,
            address: Some(Address(self.first)),
            is_faded: self.accessed == 0,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::session::test_session::overflow;

    #[test]
    fn what_images_fill_is_cut_out_of_what_is_accessed() {
        let image = |first, len_bytes| Mapped {
            first: Address(first),
            len_bytes,
            is_writable: false,
            is_executable: true,
            file: "a.elf".into(),
        };
        assert_eq!(outside(&[(0, 64), (128, 256)], &[image(16, 16), image(200, 1000)]), [(128, 192)]);
        assert_eq!(covered(&[(0, 64), (128, 256)], 32, 159), 64);
        let regions = joined(&[(0, 64), (128, 256), (1 << 20, (1 << 20) + 64)]);
        assert_eq!(
            regions.iter().map(|region| (region.first, region.accessed)).collect::<Vec<_>>(),
            [(0, 192), (1 << 20, 64)]
        );
    }

    #[test]
    fn the_stack_is_told_by_its_pointer() {
        let session = overflow();
        let table = regions_table(&session, None, session.index.end(), &Cancel::default()).unwrap();
        let lines: Vec<String> = table.rows.iter().map(TableRow::line).collect();
        assert!(lines.iter().any(|line| line.contains("stack")), "{lines:?}");
        assert!(table.summary.contains("regions"), "{}", table.summary);
    }
}
