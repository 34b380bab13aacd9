//! `v2p.textproto`: which physical page a virtual page was mapped to.
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

/// The pages of a process.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct PhysicalPages {
    /// Bytes of a page; none when the file does not say it, or says no power of two: then no address is known.
    pub page_bytes: Option<u64>,
    /// Virtual to physical, both as the file has them.
    pub pages: BTreeMap<u64, u64>,
    /// What could not be read.
    pub problems: CompanionProblems,
}

impl PhysicalPages {
    /// Reads a file, as far as it can be read: line by line, as the tool that writes it reads it too.
    pub fn parse(bytes: &[u8]) -> Self {
        let mut pages = Self::default();
        // A field that is 0 is not written, as is the way of this notation.
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

    /// The physical address of a virtual one.
    pub fn physical(&self, address: u64) -> Option<u64> {
        let inside = self.page_bytes?.wrapping_sub(1);
        self.pages
            .get(&(address & !inside))
            .map(|page| page & !inside | address & inside)
    }

    /// The virtual addresses of a physical one. Cost: looks at every page.
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
