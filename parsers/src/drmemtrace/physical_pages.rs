//! `v2p.textproto`: the physical pages of virtual pages.
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

use crate::drmemtrace::companion::{CompanionProblems, lines, number};

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
                    pages.problems.push(
                        offset,
                        format!("{:?} is no number", String::from_utf8_lossy(value)),
                    );
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
            pages
                .problems
                .push(0, "it names no page size that is a power of two".to_owned());
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
