//! `modules.log`: the files mapped into the traced process.
//!
//! ```
//! use stepback_parsers::drmemtrace::ModulesLog;
//!
//! let text = b"Module Table: version 5, count 1\nColumns: id, containing_id, start, end, entry, offset, preferred_base, path\n\
//!   0,   0, 0x7f0000001000, 0x7f0000002000, 0x0, 1000, 1000, v#1,0, /bin/tool\n";
//! let log = ModulesLog::parse(text);
//! let segment = log.segment_at(0x7f00_0000_1234).unwrap();
//! assert_eq!((segment.file_name(), segment.file_offset(0x7f00_0000_1234)), ("tool", Some(0x1234)));
//! ```
//!
//! The text holds raw bytes (the machine code of the vdso), so it is read as bytes and not by
//! lines.

use std::ops::Range;

use crate::drmemtrace::companion::{CompanionProblems, decimal, hexadecimal};
use crate::problem::CompanionFault;

/// Files are mapped in whole pages, but the listed offset of a segment may be inside its first
/// page.
const PAGE_BYTES: u64 = 4096;

/// Mapped files of a process.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ModulesLog {
    /// Segments in the order of the file: those of one module are consecutive, lowest first.
    pub segments: Vec<ModuleSegment>,
    /// Entries that could not be read.
    pub problems: CompanionProblems,
    /// Indices of the segments, grouped by module.
    by_module: Vec<usize>,
}

/// Mapped part of a file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ModuleSegment {
    /// Number in the file.
    pub id: u64,
    /// Index in [`ModulesLog::segments`] of the lowest segment of the module, which may be this
    /// one.
    pub first: usize,
    /// Mapped addresses; `None` in version 1, which does not state them.
    pub addresses: Option<Range<u64>>,
    /// Offset in the file; `None` before version 4. Not always page-aligned.
    pub offset: Option<u64>,
    /// Address that the file itself assigns to the segment; `None` before version 5.
    pub preferred_base: Option<u64>,
    /// Bytes that the recorder kept, such as the vdso, which is no file. Usually empty.
    pub contents: Vec<u8>,
    /// Path of the file; `<unknown>` and `[vdso]` are no files.
    pub path: String,
}

impl ModulesLog {
    /// Parses a file; invalid entries become problems.
    pub fn parse(bytes: &[u8]) -> Self {
        let mut log = Self::default();
        let mut cursor = ModulesLogCursor { bytes, at: 0 };
        let Some((version, count)) = header(&mut cursor) else {
            log.problems.push(0, CompanionFault::NoModuleTable);
            return log;
        };
        while cursor.skip_blanks() {
            let start = cursor.at;
            match entry(&mut cursor, version) {
                Ok(segment) => log.segments.push(segment),
                Err(fault) => {
                    log.problems.push(start, fault);
                    cursor.at = start;
                    cursor.line();
                }
            }
            if log.segments.len() as u64 + log.problems.count >= count {
                break;
            }
        }
        let found = log.segments.len() as u64 + log.problems.count;
        if found < count {
            log.problems
                .push(bytes.len(), CompanionFault::MissingEntries { found, count });
        }
        log.resolve();
        log
    }

    /// Returns the segment that contains an address. If a library replaced another, returns the
    /// last one.
    pub fn segment_at(&self, address: u64) -> Option<&ModuleSegment> {
        self.segments
            .iter()
            .rev()
            .find(|segment| segment.contains(address))
    }

    /// Returns the module of an address and the offset from the module's start, such as
    /// `libc.so.6+0x1b3f0`.
    pub fn name_of(&self, address: u64) -> Option<String> {
        let segment = self.segment_at(address)?;
        let start = self.first_of(segment).addresses.as_ref()?.start;
        Some(format!(
            "{}+{:#x}",
            segment.file_name(),
            address.wrapping_sub(start)
        ))
    }

    /// Returns the lowest segment of a segment's module.
    pub fn first_of<'a>(&'a self, segment: &'a ModuleSegment) -> &'a ModuleSegment {
        self.segments.get(segment.first).unwrap_or(segment)
    }

    /// Returns the lowest segment of each module.
    pub fn modules(&self) -> impl Iterator<Item = &ModuleSegment> {
        self.segments
            .iter()
            .enumerate()
            .filter(|(place, segment)| segment.first == *place)
            .map(|(_, segment)| segment)
    }

    /// Returns the segments of a module, given one of them. O(log n).
    pub fn segments_of(
        &self,
        module: &ModuleSegment,
    ) -> impl Iterator<Item = &ModuleSegment> + use<'_> {
        let first = module.first;
        let first_of = |place: &usize| self.segments.get(*place).map(|segment| segment.first);
        let start = self
            .by_module
            .partition_point(|place| first_of(place) < Some(first));
        let places = self.by_module.get(start..).unwrap_or_default().iter();
        places
            .filter_map(|place| self.segments.get(*place))
            .take_while(move |segment| segment.first == first)
    }

    /// Returns the addresses of a module, given its lowest segment: from its start to the end of
    /// its highest segment.
    pub fn extent_of(&self, module: &ModuleSegment) -> Option<Range<u64>> {
        let ends = self
            .segments_of(module)
            .filter_map(|segment| segment.addresses.as_ref())
            .map(|range| range.end);
        Some(module.addresses.as_ref()?.start..ends.max()?)
    }

    /// Replaces the numbers of containing modules by indices.
    fn resolve(&mut self) {
        let places: std::collections::HashMap<u64, usize> = self
            .segments
            .iter()
            .enumerate()
            .map(|(place, segment)| (segment.id, place))
            .collect();
        for (place, segment) in self.segments.iter_mut().enumerate() {
            // Until here this is the number in the file.
            let number = u64::try_from(segment.first).unwrap_or(u64::MAX);
            segment.first = places.get(&number).copied().unwrap_or(place);
        }
        // A segment contained in a contained one would have no module.
        for place in 0..self.segments.len() {
            let first = self
                .segments
                .get(place)
                .map_or(place, |segment| segment.first);
            let is_root = self
                .segments
                .get(first)
                .is_some_and(|segment| segment.first == first);
            if let Some(segment) = self.segments.get_mut(place).filter(|_| !is_root) {
                segment.first = place;
            }
        }
        self.by_module = (0..self.segments.len()).collect();
        self.by_module
            .sort_by_key(|place| self.segments.get(*place).map(|segment| segment.first));
    }
}

impl ModuleSegment {
    /// Returns the last part of the path.
    pub fn file_name(&self) -> &str {
        self.path.rsplit(['/', '\\']).next().unwrap_or(&self.path)
    }

    /// Returns whether it is part of a file that can be located again.
    pub fn is_file(&self) -> bool {
        !self.path.is_empty() && !self.path.starts_with(['[', '<'])
    }

    /// Returns the offset of an address in the file; `None` if the log does not state it or the
    /// address is elsewhere.
    pub fn file_offset(&self, address: u64) -> Option<u64> {
        let offset = self.offset? / PAGE_BYTES * PAGE_BYTES;
        offset.checked_add(self.distance(address)?)
    }

    /// Returns an address in the numbering of the file's own symbols.
    /// `None` if the log does not state it (before version 5) or the address is elsewhere.
    pub fn own_address(&self, address: u64) -> Option<u64> {
        self.preferred_base?.checked_add(self.distance(address)?)
    }

    fn contains(&self, address: u64) -> bool {
        self.addresses
            .as_ref()
            .is_some_and(|addresses| addresses.contains(&address))
    }

    fn distance(&self, address: u64) -> Option<u64> {
        let addresses = self
            .addresses
            .as_ref()
            .filter(|addresses| addresses.contains(&address))?;
        address.checked_sub(addresses.start)
    }
}

/// Parses the first line: `Module Table: version 5, count 21`, or `Module Table: 21` in version 1.
/// Returns the version and the number of the following entries. From version 2 on, also skips the
/// column names.
fn header(cursor: &mut ModulesLogCursor<'_>) -> Option<(u64, u64)> {
    let rest = cursor.line().strip_prefix(b"Module Table:")?.trim_ascii();
    let Some(rest) = rest.strip_prefix(b"version") else {
        return Some((1, decimal(rest)?));
    };
    let mut parts = rest.splitn(2, |byte| *byte == b',');
    let number = decimal(parts.next()?)?;
    let count = decimal(parts.next()?.trim_ascii().strip_prefix(b"count")?)?;
    if cursor.rest().starts_with(b"Columns:") {
        cursor.line();
    }
    Some((number, count))
}

/// Parses one entry with its line end. [`ModuleSegment::first`] is the number of the containing
/// module until all are read.
fn entry(cursor: &mut ModulesLogCursor<'_>, version: u64) -> Result<ModuleSegment, CompanionFault> {
    let id = cursor.number("its number", decimal)?;
    if version == 1 {
        let _size = cursor.number("its size", decimal)?;
        return Ok(ModuleSegment {
            path: cursor.path(),
            ..unplaced(id)
        });
    }
    let containing = if version >= 3 {
        cursor.number("the module that contains it", decimal)?
    } else {
        id
    };
    let start = cursor.number("its start", hexadecimal)?;
    let end = cursor.number("its end", hexadecimal)?;
    let _entry_point = cursor.number("its entry point", hexadecimal)?;
    let offset = if version >= 4 {
        Some(cursor.number("its offset", hexadecimal)?)
    } else {
        None
    };
    let preferred_base = if version >= 5 {
        Some(cursor.number("its preferred base", hexadecimal)?)
    } else {
        None
    };
    if end < start {
        return Err(CompanionFault::EntryRange { start, end });
    }
    cursor.skip_windows_fields();
    let contents = cursor.custom_field()?.to_vec();
    Ok(ModuleSegment {
        first: usize::try_from(containing).unwrap_or(usize::MAX),
        addresses: Some(start..end),
        offset,
        preferred_base,
        contents,
        path: cursor.path(),
        ..unplaced(id)
    })
}

fn unplaced(id: u64) -> ModuleSegment {
    let first = usize::try_from(id).unwrap_or(usize::MAX);
    let (contents, path) = (Vec::new(), String::new());
    ModuleSegment {
        id,
        first,
        addresses: None,
        offset: None,
        preferred_base: None,
        contents,
        path,
    }
}

/// Cursor in the file, never past its end.
struct ModulesLogCursor<'a> {
    bytes: &'a [u8],
    at: usize,
}

impl<'a> ModulesLogCursor<'a> {
    fn rest(&self) -> &'a [u8] {
        self.bytes.get(self.at..).unwrap_or_default()
    }

    /// Returns the rest of the line and passes the line end.
    fn line(&mut self) -> &'a [u8] {
        let rest = self.rest();
        let line = rest.split(|byte| *byte == b'\n').next().unwrap_or_default();
        self.at = self.bytes.len().min(self.at + line.len() + 1);
        line.strip_suffix(b"\r").unwrap_or(line)
    }

    /// Skips blanks and empty lines; returns false at the end.
    fn skip_blanks(&mut self) -> bool {
        let rest = self.rest();
        self.at += rest.len() - rest.trim_ascii_start().len();
        !self.rest().is_empty()
    }

    /// Returns the text up to the next comma of the line, and passes the comma.
    fn field(&mut self) -> Option<&'a [u8]> {
        let rest = self.rest();
        let end = rest
            .iter()
            .position(|byte| matches!(byte, b',' | b'\n'))
            .filter(|end| rest.get(*end) == Some(&b','))?;
        self.at += end + 1;
        rest.get(..end)
    }

    fn number(
        &mut self,
        field: &'static str,
        read: impl Fn(&[u8]) -> Option<u64>,
    ) -> Result<u64, CompanionFault> {
        let text = self.field().ok_or(CompanionFault::EntryEnd { field })?;
        let shown = text.get(..text.len().min(40)).unwrap_or(text);
        read(text).ok_or_else(|| CompanionFault::EntryNumber {
            field,
            found: String::from_utf8_lossy(shown).trim().to_owned(),
        })
    }

    /// Skips the checksum and timestamp that Windows adds, both with `0x`.
    fn skip_windows_fields(&mut self) {
        for _ in 0..2 {
            let before = self.at;
            let is_number = |field: &[u8]| {
                field.trim_ascii().starts_with(b"0x") && hexadecimal(field).is_some()
            };
            if !self.field().is_some_and(is_number) {
                self.at = before;
            }
        }
    }

    /// Parses `v#1,<n>,` and n bytes of any kind; empty if there is no such field.
    fn custom_field(&mut self) -> Result<&'a [u8], CompanionFault> {
        let rest = self.rest();
        let blanks = rest.iter().take_while(|byte| **byte == b' ').count();
        let Some(marked) = rest.get(blanks..).filter(|rest| rest.starts_with(b"v#1,")) else {
            return Ok(&[]);
        };
        self.at = self.bytes.len() - marked.len() + b"v#1,".len();
        let length = self.number("the length of its custom field", decimal)?;
        let length = usize::try_from(length)
            .ok()
            .filter(|length| *length <= self.rest().len());
        let length = length.ok_or(CompanionFault::CustomField)?;
        let contents = self.rest().get(..length).unwrap_or_default();
        self.at += length;
        Ok(contents)
    }

    /// Returns the path at the end of the line. Other producers put additional text before the
    /// path.
    fn path(&mut self) -> String {
        let line = String::from_utf8_lossy(self.line()).into_owned();
        let whole = line.trim_start_matches([' ', ',']);
        let is_path =
            |text: &str| text.starts_with(['/', '[', '<', '\\']) || text.get(1..3) == Some(":\\");
        let after_text = whole
            .match_indices(", ")
            .map(|(at, _)| whole.get(at + 2..).unwrap_or_default());
        let path = std::iter::once(whole)
            .chain(after_text)
            .find(|text| is_path(text))
            .unwrap_or(whole);
        path.to_owned()
    }
}
