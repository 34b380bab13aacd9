//! All program images of a trace together.

use std::collections::{HashMap, HashSet};
use std::ops::Range;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use anyhow::{Context as _, Result, ensure};
use stepback_index::{Cancel, ExecutedCode, Program, QueryError};
use stepback_machine::{Address, Encoding, Endian, InstructionSet};

use super::debug_file;
use super::elf::{self, ElfContent};
use super::extents::{AddressExtent, Extents};
use super::given::{AddressName, UserNameTable};
use super::lines::{ImageLines, LineRange, SourceLine};
use super::mapped::MappedRange;
use super::memory_view::LinkerView;
use super::modules::{Module, ModuleImage, ModuleSearch};
use super::names::NamePart;
use super::segments::LoadedSegment;
use super::symbol_table::SymbolTable;
use super::{ImageSpec, Symbol, SymbolAt, SymbolKind};

/// The symbols of all images, by address and by name. Without an image every question has no answer.
#[derive(Clone, Debug, Default)]
pub struct Images {
    infos: Vec<ImageInfo>,
    symbols: SymbolTable,
    /// What the user calls addresses.
    given: UserNameTable,
    /// Which file code belongs to, by its place in `files`.
    file_by_address: Extents,
    files: Vec<CodeFile>,
    segments: Vec<PlacedSegment>,
    /// Where all segments of all images lie, and those of modules whose files are not here.
    mapped: Vec<MappedRange>,
    /// One an image.
    lines: Vec<Arc<ImageLines>>,
    data_use: DataUse,
    kernel_pages: Option<Range<u64>>,
}

/// A segment of an image.
#[derive(Clone, Debug)]
pub struct PlacedSegment {
    /// The place of its image among all.
    pub image: usize,
    /// The segment.
    pub segment: LoadedSegment,
}

/// Why an image is used.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum ImageOrigin {
    /// The user named it, now or last time.
    #[default]
    Named,
    /// It was found beside the trace, or where the recorder saw a file of its name.
    Found,
}

/// A file with code in the traced program.
#[derive(Clone, Debug)]
struct CodeFile {
    name: Box<str>,
    addresses: Vec<Range<u64>>,
}

/// How a file is read as an image.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
enum DataUse {
    /// What it loads is what memory held when the trace began.
    #[default]
    All,
    /// A loader of shared libraries has changed what may be written (relocations) before the trace could see it.
    ReadOnly,
}

/// An image that was loaded.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ImageInfo {
    /// What was asked for.
    pub spec: ImageSpec,
    /// Byte order of its data.
    pub endian: Endian,
    /// How its code decodes; none for machines that are not known.
    pub set: Option<InstructionSet>,
    /// Byte order of its code, where a processor has two.
    pub code_endian: Endian,
    /// Where it begins; none where it says nothing of that.
    pub entry: Option<Address>,
    /// Why it is used.
    pub origin: ImageOrigin,
    /// How many symbols it added.
    pub symbol_count: usize,
    /// The file with its debug information, where that is another one.
    pub debug_file: Option<PathBuf>,
    /// What is wrong with the file, though it can be used; one sentence each.
    pub problems: Vec<String>,
}

impl Images {
    /// Reads all images. Cost: each file once, and the raw names of its symbols.
    ///
    /// # Errors
    /// A file could not be read or is no ELF file; the message names it.
    pub fn load(specs: &[ImageSpec]) -> Result<Self> {
        Self::load_from(specs, &[])
    }

    /// As [`Self::load`]; debug files are searched in the sysroots too.
    ///
    /// # Errors
    /// As [`Self::load`].
    pub fn load_from(specs: &[ImageSpec], sysroots: &[PathBuf]) -> Result<Self> {
        let (mut images, mut symbols) = (Self::default(), Vec::new());
        for spec in specs {
            symbols.append(&mut images.add_file(spec, sysroots)?);
        }
        images.prepare(symbols);
        Ok(images)
    }

    /// Reads the image that lies beside a trace, which nobody named.
    ///
    /// # Errors
    /// As [`Self::load_from`].
    pub fn load_found(spec: &ImageSpec, sysroots: &[PathBuf]) -> Result<Self> {
        let mut images = Self::load_from(std::slice::from_ref(spec), sysroots)?;
        images
            .infos
            .iter_mut()
            .for_each(|info| info.origin = ImageOrigin::Found);
        Ok(images)
    }

    /// Reads the images of a trace whose recorder listed where each file was mapped.
    /// What was not found, or is not what was traced, is told in `notices`.
    ///
    /// # Errors
    /// An image that was named cannot be used.
    pub fn of_modules(search: &ModuleSearch<'_>, notices: &mut Vec<String>) -> Result<Self> {
        let mut images = Self {
            data_use: DataUse::ReadOnly,
            kernel_pages: search.kernel_pages(),
            ..Self::default()
        };
        // Of a library whose place another one took, what lies in that place is gone.
        let owners = search.owners();
        let is_shown = |module: &Module<'_>, symbol: &Symbol| {
            owners
                .owner_of(symbol.address.0)
                .is_none_or(|owner| owner == module.place())
        };
        let (mut loaded, mut symbols) = (HashSet::new(), Vec::new());
        for ModuleImage { spec, module } in search.images(notices) {
            let added = images.add_file(&spec, search.sysroots);
            let is_named = search.named.iter().any(|named| named.path == spec.path);
            let own = match added {
                Err(error) if is_named => return Err(error),
                Err(error) => {
                    notices.push(format!("{error:#}"));
                    continue;
                }
                Ok(own) => own,
            };
            if let Some(info) = images.infos.last_mut().filter(|_| !is_named) {
                info.origin = ImageOrigin::Found;
            }
            loaded.extend(module.as_ref().map(Module::place));
            symbols.extend(own.into_iter().filter(|symbol| {
                module
                    .as_ref()
                    .is_none_or(|module| is_shown(module, symbol))
            }));
        }
        for (module, code) in search.embedded() {
            // It is what the kernel maps into each program: without names it serves no less.
            let content = elf::read(&code, module.addresses.start).ok();
            let own = content.into_iter().flat_map(|content| content.symbols);
            symbols.extend(own.filter(|symbol| is_shown(&module, symbol)));
        }
        let is_missing =
            |module: &Module<'_>| module.is_file() && !loaded.contains(&module.place());
        // Of what another one took the place of, nothing is there any more.
        let is_there = |mapped: &MappedRange, place| {
            owners
                .owner_of(mapped.first.0)
                .is_none_or(|owner| owner == place)
        };
        for module in search.modules().filter(is_missing) {
            images.mapped.extend(
                module
                    .unloaded()
                    .filter(|mapped| is_there(mapped, module.place())),
            );
        }
        let file = |module: Module<'_>| CodeFile {
            name: module.name().into(),
            addresses: vec![module.addresses.clone()],
        };
        images.files.extend(search.modules().map(file));
        let modules = search.modules().map(|module| (module.symbol(), module));
        symbols.extend(
            modules
                .filter(|(symbol, module)| is_shown(module, symbol))
                .map(|(symbol, _)| symbol),
        );
        images.prepare(symbols);
        Ok(images)
    }

    /// The same with names that the user gave in place of those given before.
    #[must_use]
    pub fn with_names(&self, names: &[AddressName]) -> Self {
        let plain = Self {
            given: UserNameTable::default(),
            ..self.clone()
        };
        let given = UserNameTable::new(names, |address| {
            plain.symbol_at(address).map(|found| found.symbol)
        });
        Self { given, ..plain }
    }

    /// The innermost symbol that contains an address; where none has a size that does,
    /// the nearest one without a size before it in its section, up to the next symbol. O(log n).
    pub fn symbol_at(&self, address: Address) -> Option<SymbolAt<'_>> {
        let symbol = self
            .given
            .at(address)
            .or_else(|| self.symbols.at(address))?;
        Some(of_symbol(symbol, address))
    }

    /// The function or label in code that contains an address. O(log n).
    pub fn function_at(&self, address: Address) -> Option<SymbolAt<'_>> {
        let given = self.given.at(address).filter(|symbol| symbol.is_code());
        Some(of_symbol(
            given.or_else(|| self.symbols.code_at(address))?,
            address,
        ))
    }

    /// The name of the file whose code contains an address: the program, a library. O(log n).
    pub fn file_at(&self, address: Address) -> Option<&str> {
        self.files
            .get(self.file_by_address.owner_of(address.0)?)
            .map(|file| &*file.name)
    }

    /// The function or label in code that contains an address, else the mapped file that does. O(log n).
    pub fn code_at(&self, address: Address) -> Option<SymbolAt<'_>> {
        let module = || {
            self.symbol_at(address)
                .filter(|found| found.symbol.kind == SymbolKind::Module)
        };
        self.function_at(address).or_else(module)
    }

    /// The same under the first name that the file lists for it: what tools print that know of no better names.
    pub fn first_function_at(&self, address: Address) -> Option<SymbolAt<'_>> {
        let given = self.given.at(address).filter(|symbol| symbol.is_code());
        Some(of_symbol(
            given.or_else(|| self.symbols.first_code_at(address))?,
            address,
        ))
    }

    /// What reports name an address after: the first name that the file lists for its function, else what else is in code
    /// there. O(log n + aliases).
    pub fn reported_at(&self, address: Address) -> Option<SymbolAt<'_>> {
        self.first_function_at(address)
            .or_else(|| self.code_at(address))
    }

    /// `main` or `main+0x8`. O(log n).
    pub fn name_at(&self, address: Address) -> Option<String> {
        self.symbol_at(address).map(|found| found.to_string())
    }

    /// Where a symbol begins, by its mangled or demangled name, the latter also without parameters.
    /// Of several with one name: the global before the weak before the local, a function first, then the lowest.
    pub fn address_of(&self, name: &str) -> Option<Address> {
        self.symbol(name).map(|symbol| symbol.address)
    }

    /// Where the symbols with a name begin, each address once, in ascending order. Static functions share names;
    /// functions and variables do not, so where some are code the others are left out.
    pub fn addresses_of(&self, name: &str) -> Vec<u64> {
        let symbols = self.symbols_named(name);
        let has_code = symbols.iter().any(|symbol| symbol.is_code());
        let meant = symbols
            .iter()
            .filter(|symbol| symbol.is_code() || !has_code);
        meant.map(|symbol| symbol.address.0).collect()
    }

    /// The symbols with a name, the best one for each address, by address.
    pub fn symbols_named(&self, name: &str) -> Vec<&Symbol> {
        if let Some(given) = self.given.named(name) {
            return vec![given];
        }
        let mut found = self.symbols.named(name);
        // Stable: of several at one address the preferred one comes first.
        found.sort_by_key(|symbol| symbol.address);
        found.dedup_by_key(|symbol| symbol.address);
        found
    }

    /// A symbol by name, as [`Self::address_of`].
    pub fn symbol(&self, name: &str) -> Option<&Symbol> {
        self.given
            .named(name)
            .or_else(|| self.symbols.named(name).first().copied())
    }

    /// Functions and labels in code with a part of their name equal to the filter in any case.
    /// Cost: looks at every raw name; demangles all names where the filter may match what is abbreviated in them.
    pub fn functions<'a>(&'a self, filter: &str) -> impl Iterator<Item = &'a Symbol> + use<'a> {
        let part = NamePart::new(filter);
        let symbols = self.given.symbols().iter().chain(self.symbols.all());
        symbols.filter(move |symbol| symbol.is_code() && symbol.names.contains(&part))
    }

    /// All segments that may tell what memory held, in the order of the images.
    pub(super) fn segments(&self) -> &[PlacedSegment] {
        &self.segments
    }

    /// Those of an image.
    pub(super) fn segments_of(&self, image: usize) -> impl Iterator<Item = &PlacedSegment> {
        self.segments
            .iter()
            .filter(move |placed| placed.image == image)
    }

    /// True for images of a trace whose recorder listed what was mapped: many of them are never executed.
    pub(super) fn is_module(&self, image: usize) -> bool {
        self.data_use == DataUse::ReadOnly && self.infos.get(image).is_some()
    }

    /// Byte order of code, where a processor has two.
    fn code_endian(&self) -> Endian {
        let is_big = self
            .infos
            .iter()
            .any(|info| info.code_endian == Endian::Big);
        if is_big { Endian::Big } else { Endian::Little }
    }

    /// The bytes of an executed instruction, as memory held them.
    pub(super) fn in_memory(&self, code: &ExecutedCode) -> Encoding {
        code.set.in_code_order(code.encoding, self.code_endian())
    }

    /// The bytes that a segment has in place of an executed instruction, where the file holds them all.
    pub(super) fn bytes_in<'a>(
        &self,
        placed: &'a PlacedSegment,
        code: &ExecutedCode,
    ) -> Option<&'a [u8]> {
        let start = usize::try_from(code.pc.0.wrapping_sub(placed.segment.address.0)).ok()?;
        placed
            .segment
            .bytes
            .get(start..start.checked_add(code.encoding.bytes().len())?)
    }

    /// Whether two images hold bytes of one address.
    pub fn share_addresses(&self, one: usize, other: usize) -> bool {
        let ranges = |image: usize| {
            let own = self
                .segments
                .iter()
                .filter(move |placed| placed.image == image);
            own.filter_map(|placed| Some(placed.segment.address.0..=placed.segment.last_in_file()?))
        };
        ranges(one).any(|range| {
            ranges(other).any(|of| range.start() <= of.end() && of.start() <= range.end())
        })
    }

    /// Whether several images hold bytes of one address.
    pub fn overlap(&self) -> bool {
        let mut ranges: Vec<(u64, u64, usize)> = Vec::new();
        for PlacedSegment { image, segment } in &self.segments {
            ranges.extend(
                segment
                    .last_in_file()
                    .map(|last| (segment.address.0, last, *image)),
            );
        }
        ranges.sort_unstable();
        // The furthest end so far, and whose it is.
        let mut furthest: Option<(u64, usize)> = None;
        for (first, last, image) in ranges {
            if furthest.is_some_and(|(end, other)| first <= end && other != image) {
                return true;
            }
            if furthest.is_none_or(|(end, _)| last > end) {
                furthest = Some((last, image));
            }
        }
        false
    }

    /// What the images tell of the traced program: later ones are loaded over earlier ones.
    /// `starts` are the addresses at which the threads of the trace begin: they tell the [`MemoryView`] of each image.
    pub fn program(&self, starts: &[Address]) -> Program {
        let mut program = Program::default();
        program.set_code_endian(self.code_endian());
        self.kernel_pages
            .iter()
            .for_each(|pages| program.add_kernel_pages(pages.clone()));
        let views: Vec<LinkerView> = (0..self.infos.len())
            .map(|image| self.view_of(image, starts))
            .collect();
        for PlacedSegment { image, segment } in &self.segments {
            let bytes = Arc::clone(&segment.bytes);
            match views.get(*image).copied().unwrap_or_default() {
                LinkerView::Load
                    if segment.is_writable || segment.address != segment.load_address =>
                {
                    let len_bytes = bytes.len() as u64;
                    program.load(segment.load_address, bytes, len_bytes);
                }
                _ if segment.is_writable => program.load(segment.address, bytes, segment.len_bytes),
                _ => program.load_constant(segment.address, bytes, segment.len_bytes),
            }
        }
        let functions = || {
            self.symbols
                .all()
                .iter()
                .filter(|symbol| symbol.kind == SymbolKind::Function)
        };
        let whole: HashSet<&str> = functions().filter_map(Symbol::cold_part_of).collect();
        let mut owners: HashMap<&str, Vec<&Symbol>> = HashMap::new();
        for owner in functions().filter(|symbol| whole.contains(symbol.raw_name())) {
            owners.entry(owner.raw_name()).or_default().push(owner);
        }
        for symbol in functions() {
            let Some(last) = symbol.last else { continue };
            let bytes = symbol.address.0..last.0.saturating_add(1);
            // Of functions with one name it is that of the same source file, which the file lists near it.
            let owners = symbol
                .cold_part_of()
                .and_then(|name| owners.get(name))
                .into_iter()
                .flatten();
            match owners.min_by_key(|owner| owner.place.abs_diff(symbol.place)) {
                Some(owner) => program.add_part(bytes, owner.address.0),
                None => program.add_function(bytes),
            }
        }
        program
    }

    /// The source line of an instruction. The first question reads the debug information of the image that has the
    /// address, which takes about a second for 200 MB of it; later ones cost a look-up.
    pub fn source_at(&self, address: Address) -> Option<Arc<SourceLine>> {
        // Later images are loaded over earlier ones.
        self.lines
            .iter()
            .rev()
            .find_map(|lines| lines.source_at(address))
    }

    /// The code of a source file, named as [`SourceLine::file`], by line. Cost: the file names of all images' units.
    ///
    /// # Errors
    /// It was cancelled.
    pub fn code_of_file(&self, file: &str, cancel: &Cancel) -> Result<Vec<LineRange>, QueryError> {
        self.code_of_files(&|name| name == file, cancel)
    }

    /// The same for all files whose names are meant.
    ///
    /// # Errors
    /// It was cancelled.
    pub fn code_of_files(
        &self,
        is_meant: &dyn Fn(&str) -> bool,
        cancel: &Cancel,
    ) -> Result<Vec<LineRange>, QueryError> {
        let mut ranges = Vec::new();
        for lines in &self.lines {
            ranges.extend(lines.ranges_of(is_meant, cancel)?);
        }
        ranges.sort_unstable();
        Ok(ranges)
    }

    /// Reads the debug information of all images, which may take seconds and cannot be stopped.
    pub fn load_lines(&self) {
        self.lines.iter().for_each(|lines| lines.load());
    }

    /// Whether [`Self::load_lines`] is done, so that no question about lines has to wait for it.
    pub fn are_lines_ready(&self) -> bool {
        self.lines.iter().all(|lines| lines.is_ready())
    }

    /// Whether any image says something about source lines. Reads the debug information of all.
    ///
    /// # Errors
    /// What is wrong with the lines of the one image that has any, as a sentence with its path.
    pub fn has_lines(&self) -> Result<bool, &str> {
        let outcomes = || self.lines.iter().map(|lines| lines.is_there());
        if outcomes().any(|outcome| outcome == Ok(true)) {
            return Ok(true);
        }
        outcomes().find(Result::is_err).unwrap_or(Ok(false))
    }

    /// Where the parts of all images lie, in the order of the images; behind them those of modules whose files are not here.
    pub fn mapped(&self) -> &[MappedRange] {
        &self.mapped
    }

    /// The images, in the order in which they were asked for.
    pub fn infos(&self) -> &[ImageInfo] {
        &self.infos
    }

    /// Whether both are of the same files at the same places.
    pub fn has_same_files(&self, other: &Self) -> bool {
        self.infos
            .iter()
            .map(|info| &info.spec)
            .eq(other.infos.iter().map(|info| &info.spec))
    }

    /// True when no image was loaded.
    pub fn is_empty(&self) -> bool {
        self.infos.is_empty()
    }

    /// Byte order of the first image; none without one.
    pub fn endian(&self) -> Option<Endian> {
        self.infos.first().map(|info| info.endian)
    }

    /// How the code of all images decodes; none without images, or when they differ.
    pub fn instruction_set(&self) -> Option<InstructionSet> {
        let set = self.infos.first()?.set;
        set.filter(|_| self.infos.iter().all(|info| info.set == set))
    }

    /// Adds a file, and the file that its debug information was moved to.
    fn add_file(&mut self, spec: &ImageSpec, sysroots: &[PathBuf]) -> Result<Vec<Symbol>> {
        let unusable = || format!("the image cannot be used: {:?}", spec.path);
        let bytes = read_file(&spec.path).with_context(unusable)?;
        let mut content = elf::read(&bytes, spec.offset).with_context(unusable)?;
        let identity = elf::outline(&bytes).with_context(unusable)?.identity;
        let debug = debug_file::find(&spec.path, &identity, sysroots);
        if let Some(more) = debug
            .as_ref()
            .and_then(|debug| elf::read(&debug.bytes, spec.offset).ok())
        {
            // Its own come last, as the table for loaders does.
            let own = std::mem::replace(&mut content.symbols, more.symbols);
            content.symbols.extend(own);
        }
        Ok(self.add(spec, content, debug.map(|debug| debug.path)))
    }

    /// Adds what a file holds; returns its symbols.
    fn add(
        &mut self,
        spec: &ImageSpec,
        content: ElfContent,
        debug_file: Option<PathBuf>,
    ) -> Vec<Symbol> {
        let ElfContent {
            endian,
            set,
            code_endian,
            code,
            entry,
            mut symbols,
            mut segments,
            problems,
        } = content;
        let image = self.infos.len();
        let addresses = code.iter().filter_map(|code| {
            let moved = code.start.checked_add(spec.offset)?..code.end.checked_add(spec.offset)?;
            (moved.start < moved.end).then_some(moved)
        });
        let name: Box<str> = spec
            .path
            .file_name()
            .unwrap_or_default()
            .to_string_lossy()
            .into();
        self.mapped
            .extend(
                segments
                    .iter()
                    .filter(|segment| segment.len_bytes > 0)
                    .map(|segment| MappedRange {
                        first: segment.address,
                        len_bytes: segment.len_bytes,
                        is_writable: segment.is_writable,
                        is_executable: segment.is_executable,
                        is_loaded: true,
                        file: name.clone(),
                    }),
            );
        self.files.push(CodeFile {
            name,
            addresses: addresses.collect(),
        });
        let lines = debug_file.as_ref().unwrap_or(&spec.path).clone();
        self.lines
            .push(Arc::new(ImageLines::new(lines, spec.offset, code)));
        fn key(symbol: &Symbol) -> (Address, &str, u64) {
            (symbol.address, symbol.raw_name(), symbol.size_bytes)
        }
        symbols.sort_by(|a, b| key(a).cmp(&key(b)));
        symbols.dedup_by(|a, b| key(a) == key(b));
        let symbol_count = symbols.len();
        self.infos.push(ImageInfo {
            spec: spec.clone(),
            endian,
            set,
            code_endian,
            entry,
            origin: ImageOrigin::Named,
            symbol_count,
            debug_file,
            problems,
        });
        segments.retain(|segment| self.data_use == DataUse::All || !segment.is_writable);
        self.segments.extend(
            segments
                .into_iter()
                .map(|segment| PlacedSegment { image, segment }),
        );
        symbols
    }

    /// Takes all symbols.
    fn prepare(&mut self, symbols: Vec<Symbol>) {
        self.symbols = SymbolTable::new(symbols);
        self.file_by_address = file_extents(&self.files);
    }
}

/// An address as an offset from a symbol.
fn of_symbol(symbol: &Symbol, address: Address) -> SymbolAt<'_> {
    SymbolAt {
        name: symbol.name(),
        offset: address.0.wrapping_sub(symbol.address.0),
        symbol,
    }
}

fn read_file(path: &Path) -> Result<Vec<u8>> {
    // A pipe or a device may never end.
    ensure!(std::fs::metadata(path)?.is_file(), "not a file");
    Ok(std::fs::read(path)?)
}

/// Later files are loaded over earlier ones.
fn file_extents(files: &[CodeFile]) -> Extents {
    let extents = files.iter().enumerate().flat_map(|(owner, file)| {
        let parts = file.addresses.iter().filter(|part| part.start < part.end);
        parts.map(move |part| AddressExtent {
            first: part.start,
            last: part.end - 1,
            rank: owner,
            owner,
        })
    });
    Extents::new(extents.collect())
}
