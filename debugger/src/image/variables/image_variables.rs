//! Debug information of the image about variables ([`ImageVariables`]), read at the first query.

use std::collections::HashMap;
use std::fmt;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::PathBuf;
use std::sync::{Arc, Mutex, OnceLock, PoisonError};

use gimli::{Dwarf, Reader as _, Section as _, SectionId};
use stepback_machine::Address;

use crate::image::lines::{ImageLines, SectionReader, read_section};
use crate::image::variables::array_lengths::FrameLengths;
use crate::image::variables::debug_entries::{DebugEntries, Entry};
use crate::image::variables::frame_rules::FrameRules;
use crate::image::variables::scopes::CodeScope;
use crate::image::variables::types::TypeReader;

/// The variables of an image.
pub struct ImageVariables {
    pub(super) lines: Arc<ImageLines>,
    /// File of the program, which has the rules of its frames.
    program: PathBuf,
    loaded: OnceLock<Option<LoadedVariables>>,
    /// Scopes by the image's own addresses.
    scopes: Mutex<HashMap<u64, Option<Arc<ScopeAtAddress>>>>,
}

/// A function with the variables in scope at an address.
pub(super) struct ScopeAtAddress {
    pub function: Entry,
    /// Address of the instruction, by the image's own addresses.
    pub address: u64,
    pub code: CodeScope,
}

/// Maximum number of scopes that are kept. A full cache is cleared.
const SCOPES_KEPT: usize = 1 << 10;

/// Debug information of the image.
pub(super) struct LoadedVariables {
    pub entries: DebugEntries,
    pub rules: FrameRules,
}

impl LoadedVariables {
    /// Returns a reader of the types in a frame whose arrays have these lengths.
    pub fn types<'a>(&'a self, lengths: &'a FrameLengths) -> TypeReader<'a> {
        let endian = self.entries.dwarf.debug_info.reader().endian();
        TypeReader {
            entries: &self.entries,
            is_big_endian: endian == gimli::RunTimeEndian::Big,
            lengths,
        }
    }
}

impl fmt::Debug for ImageVariables {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("ImageVariables")
            .field("program", &self.program)
            .finish_non_exhaustive()
    }
}

impl ImageVariables {
    /// Creates the variables of an image. Reads nothing yet.
    pub fn new(lines: Arc<ImageLines>, program: PathBuf) -> Self {
        Self {
            lines,
            program,
            loaded: OnceLock::new(),
            scopes: Mutex::default(),
        }
    }

    /// Returns the scope at an address of the image; none if it has no function there.
    pub(super) fn scope_at(&self, address: u64) -> Option<Arc<ScopeAtAddress>> {
        let scopes = || self.scopes.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(known) = scopes().get(&address) {
            return known.clone();
        }
        let found = catch_panic(|| {
            let entries = &self.loaded()?.entries;
            let function = entries.function_at(address)?;
            let code = CodeScope::at(entries, &function, address);
            Some(Arc::new(ScopeAtAddress {
                function,
                address,
                code,
            }))
        });
        let found = found.flatten();
        let mut kept = scopes();
        if kept.len() >= SCOPES_KEPT {
            kept.clear();
        }
        kept.insert(address, found.clone());
        found
    }

    /// Returns the name of the file to which the compiler moved the variables of the code at an
    /// address.
    pub fn split_file_at(&self, address: Address) -> Option<String> {
        let own = self.lines.own(address)?;
        let entries = &self.loaded()?.entries;
        catch_panic(|| entries.split_file_at(own)).flatten()
    }

    /// Returns the debug information; none if the image has none that can be used.
    pub(super) fn loaded(&self) -> Option<&LoadedVariables> {
        let load = || catch_panic(|| self.read()).flatten();
        self.loaded.get_or_init(load).as_ref()
    }

    fn read(&self) -> Option<LoadedVariables> {
        let dwarf = self.with_locations(self.lines.dwarf()?.as_ref())?;
        let entries = DebugEntries::new(dwarf);
        let address_bytes = entries.address_bytes()?;
        let rules = FrameRules::read(self.lines.path(), &self.program, address_bytes);
        Some(LoadedVariables { entries, rules })
    }

    /// Adds the location lists and the type units, which lines do not need, to the sections of the
    /// lines.
    fn with_locations(&self, lines: &Dwarf<SectionReader>) -> Option<Dwarf<SectionReader>> {
        let empty = SectionReader::new(Vec::new(), gimli::RunTimeEndian::Little);
        let read = |id: SectionId| {
            let read = read_section(self.lines.path(), id);
            read.map_or_else(|_| empty.clone(), |section| section.content)
        };
        let section = |id: SectionId| -> Result<SectionReader, gimli::Error> {
            Ok(match id {
                SectionId::DebugAbbrev => lines.debug_abbrev.reader().clone(),
                SectionId::DebugAddr => lines.debug_addr.reader().clone(),
                SectionId::DebugInfo => lines.debug_info.reader().clone(),
                SectionId::DebugLine => lines.debug_line.reader().clone(),
                SectionId::DebugLineStr => lines.debug_line_str.reader().clone(),
                SectionId::DebugStr => lines.debug_str.reader().clone(),
                SectionId::DebugStrOffsets => lines.debug_str_offsets.reader().clone(),
                SectionId::DebugRanges => lines.ranges.debug_ranges().reader().clone(),
                SectionId::DebugRngLists => lines.ranges.debug_rnglists().reader().clone(),
                SectionId::DebugLoc | SectionId::DebugLocLists | SectionId::DebugTypes => read(id),
                _ => empty.clone(),
            })
        };
        Dwarf::load(section).ok()
    }
}

/// Runs a query of the debug information. The libraries check their input, but an oversight must
/// cost only the answer.
pub(super) fn catch_panic<T>(query: impl FnOnce() -> T) -> Option<T> {
    catch_unwind(AssertUnwindSafe(query)).ok()
}
