//! The code of one source file.

use std::collections::HashSet;

use gimli::{Dwarf, Reader as _, UnitRef};
use stepback_index::{Cancel, QueryError};
use stepback_parsers::Address;

use super::clean_path::clean_path;
use super::section::SectionReader;

/// Consecutive instructions of one line.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct LineRange {
    /// From 1.
    pub line: u32,
    /// The first instruction: where a debugger would stop.
    pub start: Address,
    /// The first byte behind.
    pub end: Address,
}

/// More are not looked at: no file has so many, and a damaged table asks for all of the memory.
const RANGES: usize = 1 << 21;

/// The code of the files that are meant, by line, then by address. Cost: the file names of all units, and the lines
/// of those that name such a file.
pub fn ranges_of(
    dwarf: &Dwarf<SectionReader>,
    is_meant: &dyn Fn(&str) -> bool,
    cancel: &Cancel,
) -> Result<Vec<LineRange>, QueryError> {
    let mut ranges = Vec::new();
    let mut seen = HashSet::new();
    let mut units = dwarf.units();
    // A damaged unit costs what is in it; behind a damaged header nothing can be found.
    while let Ok(Some(header)) = units.next() {
        cancel.check()?;
        let Ok(unit) = dwarf.unit(header) else { continue };
        let is_new = unit.line_program.as_ref().is_some_and(|program| seen.insert(program.header().offset().0));
        if is_new {
            let _damaged = add_ranges(unit.unit_ref(dwarf), is_meant, (&mut ranges, cancel));
            cancel.check()?;
        }
    }
    ranges.sort_unstable();
    ranges.dedup();
    Ok(ranges)
}

fn add_ranges(
    unit: UnitRef<'_, SectionReader>,
    is_meant: &dyn Fn(&str) -> bool,
    (ranges, cancel): (&mut Vec<LineRange>, &Cancel),
) -> Result<(), gimli::Error> {
    let Some(program) = unit.line_program.clone() else { return Ok(()) };
    let header = program.header();
    let first = u64::from(header.version() <= 4);
    let named = (first..).map_while(|number| Some((number, header.file(number)?)));
    let numbers: HashSet<u64> = named
        .filter(|(_, entry)| path_of(unit, entry, header).is_ok_and(|path| is_meant(&path)))
        .map(|(number, _)| number)
        .collect();
    if numbers.is_empty() {
        return Ok(());
    }
    let mut rows = program.rows();
    let mut open: Option<LineRange> = None;
    while let Some((_, row)) = rows.next_row()? {
        if cancel.is_cancelled() || ranges.len() >= RANGES {
            break;
        }
        let address = Address(row.address());
        let line = row.line().and_then(|line| u32::try_from(line.get()).ok());
        let line = line.filter(|_| !row.end_sequence() && numbers.contains(&row.file_index()));
        if let Some(range) = &mut open {
            range.end = address;
        }
        // The same line again, as it comes with another column, goes on.
        if open.map(|range| range.line) != line || row.end_sequence() {
            ranges.extend(open.filter(|range| range.start < range.end));
            open = line.map(|line| LineRange { line, start: address, end: address });
        }
    }
    Ok(())
}

/// A file's path, put together as the look-up by address does it.
fn path_of(
    unit: UnitRef<'_, SectionReader>,
    entry: &gimli::FileEntry<SectionReader>,
    header: &gimli::LineProgramHeader<SectionReader>,
) -> Result<String, gimli::Error> {
    let mut path = match &unit.comp_dir {
        Some(directory) => directory.to_string_lossy()?.into_owned(),
        None => String::new(),
    };
    if entry.directory_index() != 0
        && let Some(directory) = entry.directory(header)
    {
        join(&mut path, &unit.attr_string(directory)?.to_string_lossy()?);
    }
    join(&mut path, &unit.attr_string(entry.path_name())?.to_string_lossy()?);
    Ok(clean_path(&path).into_owned())
}

fn join(path: &mut String, part: &str) {
    let begins = |text: &str, drive: &str| text.get(1..3) == Some(drive);
    let is_backward = |text: &str| text.starts_with('\\') || begins(text, ":\\");
    if part.starts_with('/') || begins(part, ":/") || is_backward(part) {
        part.clone_into(path);
        return;
    }
    let separator = if is_backward(path) { '\\' } else { '/' };
    if !path.is_empty() && !path.ends_with(separator) {
        path.push(separator);
    }
    path.push_str(part);
}
