//! Code of a source file, by line.
//!
//! The index by file name is read apart from the look-up by address: it costs the headers of all
//! units, and then only the lines of units that name the file. Paths are normalised in both the
//! same way.

use std::borrow::Cow;
use std::collections::{HashMap, HashSet};

use gimli::{DebugInfoOffset, Dwarf, LineProgramHeader, Reader as _, UnitRef};
use stepback_index::{Cancel, QueryError};
use stepback_machine::Address;

use crate::image::lines::section::SectionReader;
use crate::image::lines::statements::RowGroups;

/// Consecutive instructions of one source line; none if only a statement begins there, whose code
/// belongs to the line of another row at the same address.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct LineRange {
    /// Line number, from 1.
    pub line: u32,
    /// First instruction.
    pub start: Address,
    /// First byte after the range.
    pub end: Address,
    /// First instruction at which a debugger stops; none if no row of the range begins a statement.
    pub statement: Option<Address>,
}

/// Maximum number of ranges: no file has more, and a damaged table may request all memory.
const RANGES: usize = 1 << 21;

/// Maximum number of file names in all units together, for the same reason.
const NAMES: usize = 1 << 23;

/// Index of the units that name a file.
#[derive(Debug, Default)]
pub struct FileUnits {
    /// Offsets of the unit headers, by the file's path.
    by_path: HashMap<String, Vec<usize>>,
}

impl FileUnits {
    /// Reads the file names of all units. Cost: the headers of all units.
    pub fn read(dwarf: &Dwarf<SectionReader>) -> Self {
        let mut by_path: HashMap<String, Vec<usize>> = HashMap::new();
        let mut seen = HashSet::new();
        let mut count = 0;
        let mut units = dwarf.units();
        // A damaged unit is skipped; after a damaged header nothing more can be found.
        while let Ok(Some(header)) = units.next() {
            let Some(place) = header.debug_info_offset() else {
                continue;
            };
            let Ok(unit) = dwarf.unit(header) else {
                continue;
            };
            let Some(program) = &unit.line_program else {
                continue;
            };
            if !seen.insert(program.header().offset().0) {
                continue;
            }
            for (_, path) in paths_of(unit.unit_ref(dwarf), program.header()) {
                count += 1;
                let places = by_path.entry(path).or_default();
                if places.last() != Some(&place.0) {
                    places.push(place.0);
                }
            }
            if count > NAMES {
                break;
            }
        }
        Self { by_path }
    }

    /// Returns the code of the files whose names satisfy `is_meant`, by line, then by address.
    /// Cost: the names of all files, and the lines of the units that name such a file.
    pub fn ranges_of(
        &self,
        dwarf: &Dwarf<SectionReader>,
        is_meant: &dyn Fn(&str) -> bool,
        cancel: &Cancel,
    ) -> Result<Vec<LineRange>, QueryError> {
        let meant = self.by_path.iter().filter(|(path, _)| is_meant(path));
        let mut places: Vec<usize> = meant
            .flat_map(|(_, places)| places.iter().copied())
            .collect();
        places.sort_unstable();
        places.dedup();
        let mut ranges = Vec::new();
        for place in places {
            cancel.check()?;
            let Ok(header) = dwarf.debug_info.header_from_offset(DebugInfoOffset(place)) else {
                continue;
            };
            let Ok(unit) = dwarf.unit(header) else {
                continue;
            };
            add_ranges(unit.unit_ref(dwarf), is_meant, &mut ranges, cancel);
        }
        cancel.check()?;
        ranges.sort_unstable();
        ranges.dedup();
        Ok(ranges)
    }
}

/// Returns the files of a unit with readable names, by their numbers.
fn paths_of<'a>(
    unit: UnitRef<'a, SectionReader>,
    header: &'a LineProgramHeader<SectionReader>,
) -> impl Iterator<Item = (u64, String)> + 'a {
    let first = u64::from(header.version() <= 4);
    let named = (first..).map_while(|number| Some((number, header.file(number)?)));
    named.filter_map(move |(number, entry)| Some((number, path_of(unit, entry, header).ok()?)))
}

fn add_ranges(
    unit: UnitRef<'_, SectionReader>,
    is_meant: &dyn Fn(&str) -> bool,
    ranges: &mut Vec<LineRange>,
    cancel: &Cancel,
) {
    let Some(program) = &unit.line_program else {
        return;
    };
    let meant = paths_of(unit, program.header()).filter(|(_, path)| is_meant(path));
    let numbers: HashSet<u64> = meant.map(|(number, _)| number).collect();
    let mut open: Option<LineRange> = None;
    for group in RowGroups::of_unit(unit).into_iter().flatten() {
        if cancel.is_cancelled() || ranges.len() >= RANGES {
            break;
        }
        let address = Address(group.code.start);
        if group.begins_sequence {
            ranges.extend(open.take().filter(is_needed));
        }
        let is_continued = group.is_of_line_before();
        for row in group.rows.iter().filter(|_| !is_continued) {
            let line = row.line.filter(|_| numbers.contains(&row.file));
            // A row with the same line but another column continues the range, unless debuggers stop
            // there too.
            let has_stop = open.is_some_and(|range| range.statement.is_some_and(|at| at < address));
            let is_second = row.is_statement && has_stop;
            if open.map(|range| range.line) != line || is_second {
                ranges.extend(open.filter(is_needed));
                open = line.map(|line| LineRange {
                    line,
                    start: address,
                    end: address,
                    statement: None,
                });
            }
            if let Some(range) = open.as_mut().filter(|_| row.is_statement) {
                range.statement.get_or_insert(address);
            }
        }
        if let Some(range) = &mut open {
            range.end = Address(group.code.end);
        }
    }
    ranges.extend(open.filter(is_needed));
}

fn is_needed(range: &LineRange) -> bool {
    range.start < range.end || range.statement.is_some()
}

/// Returns a file's path, composed as the look-up by address does it.
pub fn path_of(
    unit: UnitRef<'_, SectionReader>,
    entry: &gimli::FileEntry<SectionReader>,
    header: &LineProgramHeader<SectionReader>,
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
    join(
        &mut path,
        &unit.attr_string(entry.path_name())?.to_string_lossy()?,
    );
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

/// Removes `.` and each `..` that follows a directory from a path: build systems leave long chains
/// of them.
pub fn clean_path(path: &str) -> Cow<'_, str> {
    let is_clean = path.split('/').all(|part| part != "." && part != "..");
    // With backslashes a `..` is too rare to justify the rules of drives.
    if is_clean {
        return Cow::Borrowed(path);
    }
    let mut parts: Vec<&str> = Vec::new();
    for part in path.split('/') {
        match (part, parts.last()) {
            (".", _) => {}
            ("..", Some(last)) if !last.is_empty() && *last != ".." => {
                parts.pop();
            }
            // The parent of the root is the root.
            ("..", Some(&"")) if parts.len() == 1 => {}
            _ => parts.push(part),
        }
    }
    Cow::Owned(parts.join("/"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn detours_are_left_out_and_what_leads_outside_is_kept() {
        for (path, expected) in [
            ("/a/b.c", "/a/b.c"),
            ("/build/arm/../../lib/./a.c", "/lib/a.c"),
            ("/../a.c", "/a.c"),
            ("../x/../a.c", "../a.c"),
            ("../../a.c", "../../a.c"),
            ("./a.c", "a.c"),
            ("C:\\w\\a.c", "C:\\w\\a.c"),
            ("", ""),
        ] {
            assert_eq!(clean_path(path), expected, "{path}");
        }
    }
}
