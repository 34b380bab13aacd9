//! Companion files of a trace that contain lines or entries of text, each of which may be invalid:
//! [`CompanionProblems`] reports those that are.
//!
//! [`FunctionList`] reads `funclist.log`, the traced functions by their numbers:
//!
//! ```
//! use stepback_parsers::drmemtrace::FunctionList;
//!
//! let list = FunctionList::parse(b"6,1,0x7f4a24a5a930,libc.so.6!malloc\n7,1,0x7f4a24a5aef0,noret,libc.so.6!free\n");
//! assert_eq!(list.name_of(6), Some("libc.so.6!malloc"));
//! assert!(!list.functions[1].is_return_traced);
//! ```
//!
//! [`PhysicalPages`] reads `v2p.textproto`, the physical pages of virtual pages:
//!
//! ```
//! use stepback_parsers::drmemtrace::PhysicalPages;
//!
//! let text = b"page_size: 4096\naddress_mapping {\n  virtual_address: 0x7f0000001000\n  physical_address: 0x8000\n}\n";
//! let pages = PhysicalPages::parse(text);
//! assert_eq!(pages.physical(0x7f00_0000_1234), Some(0x8234));
//! assert_eq!(pages.virtual_addresses(0x8234).collect::<Vec<_>>(), [0x7f00_0000_1234]);
//! ```

use std::collections::BTreeMap;

use crate::problem::{CompanionFault, ProblemKind};

/// Maximum number of problems kept per file; all are counted.
const PROBLEM_LIMIT: usize = 20;

/// Problems found in a companion file of the trace.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct CompanionProblems {
    /// First problems of the file, all [`ProblemKind::Companion`].
    pub first: Vec<ProblemKind>,
    /// Number of problems.
    pub count: u64,
}

impl CompanionProblems {
    /// Adds a problem at `offset`.
    pub(super) fn push(&mut self, offset: usize, fault: CompanionFault) {
        self.count += 1;
        if self.first.len() < PROBLEM_LIMIT {
            self.first.push(ProblemKind::Companion {
                offset: offset as u64,
                fault,
            });
        }
    }
}

/// Iterates over lines with their offsets, without line ends.
pub(super) fn lines(bytes: &[u8]) -> impl Iterator<Item = (usize, &[u8])> {
    let mut offset = 0;
    bytes
        .split_inclusive(|byte| *byte == b'\n')
        .map(move |line| {
            let start = offset;
            offset += line.len();
            (start, line.trim_ascii_end())
        })
}

/// Parses a decimal number, surrounded by blanks.
pub(super) fn decimal(field: &[u8]) -> Option<u64> {
    std::str::from_utf8(field).ok()?.trim().parse().ok()
}

/// Parses a hexadecimal number with or without `0x`, surrounded by blanks.
pub(super) fn hexadecimal(field: &[u8]) -> Option<u64> {
    let text = std::str::from_utf8(field).ok()?.trim();
    let digits = text
        .strip_prefix("0x")
        .or_else(|| text.strip_prefix("0X"))
        .unwrap_or(text);
    // The library would also accept a sign.
    digits
        .bytes()
        .all(|digit| digit.is_ascii_hexdigit())
        .then(|| u64::from_str_radix(digits, 16).ok())?
}

/// Parses a number: hexadecimal with the prefix `0x`, decimal otherwise.
pub(super) fn number(field: &[u8]) -> Option<u64> {
    let field = field.trim_ascii();
    if field.starts_with(b"0x") || field.starts_with(b"0X") {
        hexadecimal(field)
    } else {
        decimal(field)
    }
}

/// Traced functions of a recording.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct FunctionList {
    /// Functions in the order of the file. Several may have one number: aliases at one address, or
    /// one name in several libraries.
    pub functions: Vec<TracedFunction>,
    /// Lines that could not be read.
    pub problems: CompanionProblems,
}

/// Function whose calls the recorder traced.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TracedFunction {
    /// Number that markers refer to.
    pub id: u64,
    /// Number of recorded arguments.
    pub argument_count: u64,
    /// Address of the function.
    pub address: u64,
    /// False when its return is not recorded (`noret`).
    pub is_return_traced: bool,
    /// Name with its library, such as `libc.so.6!malloc`.
    pub name: String,
}

impl FunctionList {
    /// Parses a file; invalid lines become problems.
    pub fn parse(bytes: &[u8]) -> Self {
        let mut list = Self::default();
        for (offset, line) in lines(bytes).filter(|(_, line)| !line.is_empty()) {
            match function(line) {
                Some(function) => list.functions.push(function),
                None => list.problems.push(offset, CompanionFault::NoFunction),
            }
        }
        list
    }

    /// Returns the first name of a number, such as `libc.so.6!malloc`.
    pub fn name_of(&self, id: u64) -> Option<&str> {
        self.functions
            .iter()
            .find(|function| function.id == id)
            .map(|function| &*function.name)
    }
}

impl TracedFunction {
    /// Returns the name without its library: `malloc` for `libc.so.6!malloc`.
    pub fn symbol(&self) -> &str {
        self.name
            .split_once('!')
            .map_or(&self.name, |(_, symbol)| symbol)
    }
}

fn function(line: &[u8]) -> Option<TracedFunction> {
    let mut fields = line.splitn(4, |byte| *byte == b',');
    let (id, argument_count) = (decimal(fields.next()?)?, decimal(fields.next()?)?);
    let address = hexadecimal(fields.next()?)?;
    let mut is_return_traced = true;
    let mut name = fields.next()?;
    // Names of templates have commas too, but after the exclamation mark.
    while let Some((flag, rest)) = split_at_comma(name).filter(|(flag, _)| !flag.contains(&b'!')) {
        is_return_traced &= flag != b"noret";
        name = rest;
    }
    let name = String::from_utf8_lossy(name).into_owned();
    Some(TracedFunction {
        id,
        argument_count,
        address,
        is_return_traced,
        name,
    })
    .filter(|found| !found.name.is_empty())
}

fn split_at_comma(text: &[u8]) -> Option<(&[u8], &[u8])> {
    let comma = text.iter().position(|byte| *byte == b',')?;
    Some((text.get(..comma)?, text.get(comma + 1..)?))
}

/// Page table of a process.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct PhysicalPages {
    /// Bytes of a page. `None` if the file states none, or no power of two: then no address is
    /// known.
    pub page_bytes: Option<u64>,
    /// Physical address of each virtual page, both as in the file.
    pub pages: BTreeMap<u64, u64>,
    /// Lines that could not be read.
    pub problems: CompanionProblems,
}

impl PhysicalPages {
    /// Parses a file; invalid lines become problems. Works line by line, as does the tool that
    /// writes the file.
    pub fn parse(bytes: &[u8]) -> Self {
        let mut pages = Self::default();
        // Text format protocol buffers leave out fields that are 0.
        let mut virtual_address = 0;
        for (offset, line) in lines(bytes) {
            let line = line
                .split(|byte| *byte == b'#')
                .next()
                .unwrap_or_default()
                .trim_ascii();
            let Some(colon) = line.iter().position(|byte| *byte == b':') else {
                continue;
            };
            let (key, value) = (
                line.get(..colon).unwrap_or_default(),
                line.get(colon + 1..).unwrap_or_default(),
            );
            let key = key
                .rsplit(|byte| !byte.is_ascii_alphanumeric() && *byte != b'_')
                .next()
                .unwrap_or_default();
            let Some(value) = number(value.split(|byte| *byte == b'}').next().unwrap_or_default())
            else {
                if matches!(key, b"page_size" | b"virtual_address" | b"physical_address") {
                    let found = String::from_utf8_lossy(value).into_owned();
                    pages
                        .problems
                        .push(offset, CompanionFault::PageNumber { found });
                }
                continue;
            };
            match key {
                b"page_size" => {
                    pages.page_bytes = Some(value).filter(|size| size.is_power_of_two())
                }
                b"virtual_address" => virtual_address = value,
                b"physical_address" => {
                    pages
                        .pages
                        .insert(std::mem::take(&mut virtual_address), value);
                }
                _ => {}
            }
        }
        if !pages.pages.is_empty() && pages.page_bytes.is_none() {
            pages.problems.push(0, CompanionFault::NoPageSize);
        }
        pages
    }

    /// Returns the physical address of a virtual one.
    pub fn physical(&self, address: u64) -> Option<u64> {
        let inside = self.page_bytes?.wrapping_sub(1);
        self.pages
            .get(&(address & !inside))
            .map(|page| page & !inside | address & inside)
    }

    /// Returns the virtual addresses of a physical one. Cost: O(n) in the number of pages.
    pub fn virtual_addresses(&self, physical: u64) -> impl Iterator<Item = u64> + use<'_> {
        let inside = self.page_bytes.map_or(0, |size| size.wrapping_sub(1));
        let of_page = self
            .pages
            .iter()
            .filter(move |(_, page)| **page & !inside == physical & !inside);
        of_page
            .filter(|_| self.page_bytes.is_some())
            .map(move |(address, _)| address & !inside | physical & inside)
    }
}
