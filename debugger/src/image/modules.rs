//! Search for the files that were mapped in the traced process, on this machine.

use std::collections::HashSet;
use std::ops::Range;
use std::path::{Component, Path, PathBuf};

use goblin::elf::ProgramHeader;
use stepback_machine::Address;
use stepback_parsers::drmemtrace::{ModuleSegment, ModulesLog};

use super::elf::ElfOutline;
use super::extents::{AddressExtent, Extents};
use super::names::SymbolNames;
use super::symbol::{Binding, Symbol, SymbolKind};
use super::{ImageSpec, elf};
use crate::image::segments::MappedRange;
use crate::messages::say;

/// Page size of most systems.
const PAGE_BYTES: u64 = 4 << 10;
/// Page size of some AArch64 systems.
const LARGE_PAGE_BYTES: u64 = 64 << 10;
/// The recorder's own libraries: their code is not in the trace, so their symbols are not needed.
const RECORDER: [&str; 2] = ["libdynamorio.so", "libdrmemtrace.so"];
/// Recorders' name for the code that the kernel maps into each program.
const KERNEL_CODE: &str = "[vdso]";
/// Maximum size of the kernel's data pages below it: seven pages on x86-64, up to two of 64 KiB on
/// AArch64.
const KERNEL_PAGES_BYTES: u64 = 128 << 10;
/// Maximum number of modules named in a notice.
const NAMED_IN_NOTICE: usize = 6;

/// Places to look for the files of the modules.
pub struct ModuleSearch<'a> {
    /// The recorder's list of mapped modules.
    pub log: &'a ModulesLog,
    /// Images that the user named.
    pub named: &'a [ImageSpec],
    /// Directories that mirror the traced machine, or contain its files without subdirectories.
    pub sysroots: &'a [PathBuf],
    /// Directories of the trace, nearest first.
    pub beside: &'a [PathBuf],
    /// Files that turned out to have other code than the trace executed.
    pub excluded: &'a [PathBuf],
}

/// A mapped file.
pub struct Module<'a> {
    log: &'a ModulesLog,
    first: &'a ModuleSegment,
    /// From its first byte to the end of its last segment.
    pub addresses: Range<u64>,
}

impl<'a> ModuleSearch<'a> {
    /// Returns the files to load, each with its module; none for an image that the user named and
    /// that is no module. Reports missing files.
    pub fn images(&self, notices: &mut Vec<String>) -> Vec<(ImageSpec, Option<Module<'a>>)> {
        let mut images = Vec::new();
        let mut used = HashSet::new();
        let mut missing = Vec::new();
        for module in self.modules().filter(|module| module.first.is_file()) {
            match self.find(&module, &mut used, notices) {
                Some(spec) => images.push((spec, Some(module))),
                None if RECORDER.contains(&module.name()) => {}
                None => missing.push(module.name()),
            }
        }
        for spec in self.named.iter().filter(|spec| !used.contains(&spec.path)) {
            if spec.offset == 0 {
                let path = &spec.path;
                notices.push(say!("notice-no-such-module", image = format!("{path:?}")));
            }
            images.push((spec.clone(), None));
        }
        notices.extend(missing_notice(&missing));
        images
    }

    /// Returns the modules with known addresses.
    pub fn modules(&self) -> impl Iterator<Item = Module<'a>> + use<'a> {
        let log = self.log;
        log.modules().filter_map(move |first| {
            Some(Module {
                log,
                first,
                addresses: log.extent_of(first)?,
            })
        })
    }

    /// Returns the interval map from addresses to modules. If libraries reused addresses, the last
    /// one owns them.
    pub fn owners(&self) -> Extents {
        let extent = |(rank, segment): (usize, &ModuleSegment)| {
            let Range { start, end } = segment.addresses.clone()?;
            let last = end.checked_sub(1).filter(|last| *last >= start)?;
            Some(AddressExtent {
                first: start,
                last,
                rank,
                owner: segment.first,
            })
        };
        Extents::new(
            self.log
                .segments
                .iter()
                .enumerate()
                .filter_map(extent)
                .collect(),
        )
    }

    /// Returns the modules that are no files but whose bytes the recorder kept: the vdso.
    pub fn embedded(&self) -> impl Iterator<Item = (Module<'a>, Vec<u8>)> {
        self.modules()
            .filter(|module| !module.first.is_file())
            .filter_map(|module| {
                let bytes: Vec<u8> = module
                    .segments()
                    .flat_map(|segment| segment.contents.iter().copied())
                    .collect();
                (!bytes.is_empty()).then_some((module, bytes))
            })
    }

    /// Returns the pages that the kernel keeps for the code that it maps into each program, such as
    /// the clock's. They are right below that code, above other mappings (Linux,
    /// `arch/*/kernel/vdso.c`). The range is the maximum that was ever used, or less.
    pub fn kernel_pages(&self) -> Option<Range<u64>> {
        let end = self
            .modules()
            .find(|module| module.name() == KERNEL_CODE)?
            .addresses
            .start;
        let below = self
            .modules()
            .map(|module| module.addresses.end)
            .filter(|below| *below <= end)
            .max();
        Some(
            end.saturating_sub(KERNEL_PAGES_BYTES)
                .max(below.unwrap_or(0))..end,
        )
    }

    /// Finds the file of a module: a named image, else in the sysroots, next to the trace, and at
    /// its original path.
    fn find(
        &self,
        module: &Module<'_>,
        used: &mut HashSet<PathBuf>,
        notices: &mut Vec<String>,
    ) -> Option<ImageSpec> {
        let named = self
            .named
            .iter()
            .find(|spec| file_name(&spec.path) == module.name());
        if let Some(named) = named.or_else(|| {
            self.named
                .iter()
                .find(|spec| self.is_other_name(module, &spec.path))
        }) {
            used.insert(named.path.clone());
            return Some(module.named_image(named, notices));
        }
        let mut other = None;
        for path in self
            .candidates(module)
            .into_iter()
            .filter(|path| path.is_file())
        {
            let Ok(outline) = std::fs::read(&path)
                .map_err(Into::into)
                .and_then(|bytes| elf::outline(&bytes))
            else {
                continue;
            };
            if module.fits(&outline) && !self.excluded.contains(&path) {
                return Some(ImageSpec {
                    offset: module.bias(&outline),
                    path,
                });
            }
            other = other.or(Some(path));
        }
        let left_out = |path| say!("notice-other-build-left-out", image = format!("{path:?}"));
        notices.extend(other.map(left_out));
        None
    }

    /// Returns true for `tool.elf` and `tool.BUILDID.debug` as names of `tool`, unless another
    /// module has exactly that name.
    fn is_other_name(&self, module: &Module<'_>, path: &Path) -> bool {
        let name = file_name(path);
        name.strip_prefix(module.name())
            .is_some_and(|rest| rest.starts_with('.'))
            && !self.log.modules().any(|other| other.file_name() == name)
            && module.fits(&outline_of(path))
    }

    fn candidates(&self, module: &Module<'_>) -> Vec<PathBuf> {
        let traced = PathBuf::from(&module.first.path);
        let parts: Vec<_> = traced
            .components()
            .filter(|part| matches!(part, Component::Normal(_)))
            .collect();
        // `usr/lib/libc.so.6`, `lib/libc.so.6`, `libc.so.6`: distributions link some of these
        // directories to each other.
        let tails: Vec<PathBuf> = (0..parts.len())
            .filter_map(|from| Some(parts.get(from..)?.iter().collect()))
            .collect();
        let in_sysroots = self
            .sysroots
            .iter()
            .flat_map(|root| tails.iter().map(move |tail| root.join(tail)));
        let name = module.name();
        let beside = self.beside.iter().flat_map(|directory| {
            [
                directory.join(name),
                directory.join("libs").join(name),
                directory.join("lib").join(name),
            ]
        });
        in_sysroots.chain(beside).chain([traced.clone()]).collect()
    }
}

impl<'a> Module<'a> {
    pub fn name(&self) -> &'a str {
        self.first.file_name()
    }

    /// Returns the symbol for all of its addresses that have no better one.
    pub fn symbol(&self) -> Symbol {
        let Range { start, end } = self.addresses;
        Symbol {
            names: SymbolNames::plain(self.name()),
            address: Address(start),
            size_bytes: end - start,
            kind: SymbolKind::Module,
            place: 0,
            binding: Binding::Local,
            last: end
                .checked_sub(1)
                .filter(|last| *last >= start)
                .map(Address),
        }
    }

    /// Returns an image that the user named, at its explicit offset, else at the address that the
    /// recorder saw.
    fn named_image(&self, named: &ImageSpec, notices: &mut Vec<String>) -> ImageSpec {
        let path = &named.path;
        if named.offset != 0 {
            return named.clone();
        }
        let outline = outline_of(path);
        if !self.fits(&outline) {
            notices.push(say!("notice-other-build", image = format!("{path:?}")));
        }
        ImageSpec {
            path: path.clone(),
            offset: self.bias(&outline),
        }
    }

    /// Returns its index in the log.
    pub fn place(&self) -> usize {
        self.first.first
    }

    /// Returns true if it is a file, which may exist here.
    pub fn is_file(&self) -> bool {
        self.first.is_file()
    }

    /// Returns its segments as ranges without bytes, for a missing file.
    pub fn unloaded(&self) -> impl Iterator<Item = MappedRange> {
        let starts = self
            .segments()
            .filter_map(|one| Some(one.addresses.clone()?.start));
        let base = Address(starts.min().unwrap_or(0));
        self.segments().filter_map(move |segment| {
            let Range { start, end } = segment.addresses.clone()?;
            Some(MappedRange {
                first: Address(start),
                len_bytes: end.checked_sub(start).filter(|len| *len > 0)?,
                is_writable: false,
                is_executable: false,
                is_loaded: false,
                file: self.name().into(),
                base,
            })
        })
    }

    fn segments(&self) -> impl Iterator<Item = &ModuleSegment> {
        self.log.segments_of(self.first)
    }

    /// Returns true if a file would be mapped as this module was.
    fn fits(&self, outline: &ElfOutline) -> bool {
        let Some(own) = extent(&outline.loads) else {
            return false;
        };
        let page = self.page_bytes();
        let is_load = |segment: &ModuleSegment| {
            let Some(base) = segment.preferred_base else {
                return true;
            };
            let mut loads = outline
                .loads
                .iter()
                .filter(|load| load.p_vaddr / page * page == base);
            loads.any(|load| {
                segment
                    .offset
                    .is_none_or(|offset| offset.abs_diff(load.p_offset) < page)
            })
        };
        let len = self.addresses.end - self.addresses.start;
        (own.end - own.start).abs_diff(len) < page && self.segments().all(is_load)
    }

    /// Returns the page size of the traced machine, derived from its mappings.
    fn page_bytes(&self) -> u64 {
        let mut starts = self
            .segments()
            .filter_map(|segment| segment.addresses.as_ref())
            .map(|range| range.start);
        if starts.all(|start| start % LARGE_PAGE_BYTES == 0) {
            LARGE_PAGE_BYTES
        } else {
            PAGE_BYTES
        }
    }

    /// Returns the load bias: the offset added to the file's own addresses.
    fn bias(&self, outline: &ElfOutline) -> u64 {
        let lowest = extent(&outline.loads).map_or(0, |own| own.start);
        self.addresses
            .start
            .wrapping_sub(self.first.preferred_base.unwrap_or(lowest))
    }
}

fn file_name(path: &Path) -> &str {
    path.file_name()
        .and_then(|name| name.to_str())
        .unwrap_or_default()
}

/// Reads the outline of a file; empty if it is no image.
fn outline_of(path: &Path) -> ElfOutline {
    std::fs::read(path)
        .ok()
        .and_then(|bytes| elf::outline(&bytes).ok())
        .unwrap_or_default()
}

/// Returns the range from the first loaded page of a file to its last byte.
fn extent(loads: &[ProgramHeader]) -> Option<Range<u64>> {
    let start = loads
        .iter()
        .map(|load| load.p_vaddr / PAGE_BYTES * PAGE_BYTES)
        .min()?;
    let end = loads
        .iter()
        .map(|load| load.p_vaddr.saturating_add(load.p_memsz))
        .max()?;
    Some(start..end)
}

fn missing_notice(missing: &[&str]) -> Option<String> {
    let (first, last) = (*missing.first()?, *missing.last()?);
    if missing.len() == 1 {
        return Some(say!("notice-module-missing", module = first));
    }
    let more = missing.len().saturating_sub(NAMED_IN_NOTICE);
    let shown = missing
        .get(..missing.len().min(NAMED_IN_NOTICE))
        .unwrap_or(missing);
    let names = if more > 0 {
        let shown = shown.join(", ");
        say!("notice-and-more", names = shown, count = more as u64)
    } else {
        let others = shown.get(..shown.len() - 1).unwrap_or_default();
        say!("notice-and-last", names = others.join(", "), last = last)
    };
    Some(say!("notice-modules-missing", modules = names))
}
