//! All program images of a trace.

use std::collections::{HashMap, HashSet};
use std::ops::Range;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use anyhow::{Context as _, Result, ensure};
use stepback_index::answer::{ExecutedCode, Program};
use stepback_index::{Cancel, QueryError};
use stepback_machine::{Address, Encoding, Endian, InstructionSet};

use super::elf::ElfContent;
use super::extents::{AddressExtent, Extents};
use super::lines::{CodeOrigin, ImageLines, LineRange, SourceLine};
use super::modules::{Module, ModuleSearch};
use super::names::{NamePart, NameQuery, SymbolNames};
use super::segments::LoadedSegment;
use super::{ImageSpec, Symbol, SymbolAt, SymbolKind, elf};
use crate::image::identity;
use crate::image::memory_view::{LinkerView, ProgramStarts};
use crate::image::segments::MappedRange;
use crate::image::symbol::{AddressName, SymbolTable, UserNameTable};
use crate::image::variables::{FrameVariables, ImageVariables, UnitName};

/// The symbols of all images, by address and by name. Without images every query has no answer.
#[derive(Clone, Debug, Default)]
pub struct Images {
    infos: Vec<ImageInfo>,
    symbols: Arc<SymbolTable>,
    /// Names that the user gave to addresses.
    given: UserNameTable,
    /// Index into `files` of the file whose code contains an address.
    file_by_address: Extents,
    files: Vec<(Box<str>, Vec<Range<u64>>)>,
    segments: Vec<PlacedSegment>,
    /// Address ranges of all segments of all images, and those of modules whose files are missing.
    mapped: Vec<MappedRange>,
    /// One per image.
    lines: Vec<Arc<ImageLines>>,
    /// One per image.
    variables: Vec<Arc<ImageVariables>>,
    /// Names of thread-local variables, per image.
    thread_locals: Vec<Arc<[SymbolNames]>>,
    data_use: DataUse,
    kernel_pages: Option<Range<u64>>,
}

/// A segment of an image.
#[derive(Clone, Debug)]
pub struct PlacedSegment {
    /// Index of its image.
    pub image: usize,
    pub segment: LoadedSegment,
}

/// Reason why an image is used.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum ImageOrigin {
    /// The user named it, now or in a previous run.
    #[default]
    Named,
    /// It was found next to the trace, or where the recorder saw a file of its name.
    Found,
}

/// Segments of a file that initialise memory.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
enum DataUse {
    /// All: its content is what memory held when the trace began.
    #[default]
    All,
    /// Only read-only ones: a loader of shared libraries has changed writable ones (relocations)
    /// before the trace began.
    ReadOnly,
}

/// A loaded image.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ImageInfo {
    /// Request that loaded it.
    pub spec: ImageSpec,
    /// Byte order of its data.
    pub endian: Endian,
    /// Instruction set of its code; none for unknown machines.
    pub set: Option<InstructionSet>,
    /// Byte order of its code, if the processor has two.
    pub code_endian: Endian,
    /// Entry point; none if the file has none.
    pub entry: Option<Address>,
    /// A dynamic linker changes its data before the first instruction.
    pub has_interpreter: bool,
    /// Section for the dynamic linker; none if the file has none.
    pub dynamic: Option<Address>,
    pub origin: ImageOrigin,
    /// Number of symbols that it added.
    pub symbol_count: usize,
    /// File with its debug information, if that is a separate one.
    pub debug_file: Option<PathBuf>,
    /// Problems of a file that is nevertheless usable; one sentence each.
    pub problems: Vec<String>,
}

/// Returns the function at an address, or the address if there is no symbol: `decode_field`,
/// `8000087c`.
pub fn function_name(images: &Images, address: Address) -> String {
    match images.code_at(address) {
        Some(found) if found.offset == 0 => found.name.to_owned(),
        Some(found) => format!("{}+{:#x}", found.name, found.offset),
        None => format!("{:x}", address.0),
    }
}

impl Images {
    /// Reads all images. Cost: each file once, and the raw names of its symbols.
    ///
    /// # Errors
    /// A file could not be read or is no ELF file; the message names it.
    pub fn load(specs: &[ImageSpec]) -> Result<Self> {
        Self::load_from(specs, &[])
    }

    /// Like [`Self::load`], but searches the sysroots for debug files too.
    ///
    /// # Errors
    /// See [`Self::load`].
    pub fn load_from(specs: &[ImageSpec], sysroots: &[PathBuf]) -> Result<Self> {
        let (mut images, mut symbols) = (Self::default(), Vec::new());
        for spec in specs {
            symbols.append(&mut images.add_file(spec, sysroots)?);
        }
        images.prepare(symbols);
        Ok(images)
    }

    /// Reads the image that was found next to a trace.
    ///
    /// # Errors
    /// See [`Self::load_from`].
    pub fn load_found(spec: &ImageSpec, sysroots: &[PathBuf]) -> Result<Self> {
        let mut images = Self::load_from(std::slice::from_ref(spec), sysroots)?;
        images
            .infos
            .iter_mut()
            .for_each(|info| info.origin = ImageOrigin::Found);
        Ok(images)
    }

    /// Reads the images of a trace whose recorder listed where each file was mapped. Reports
    /// missing files and other builds in `notices`.
    ///
    /// # Errors
    /// An image that the user named is not usable.
    pub fn of_modules(search: &ModuleSearch<'_>, notices: &mut Vec<String>) -> Result<Self> {
        let mut images = Self {
            data_use: DataUse::ReadOnly,
            kernel_pages: search.kernel_pages(),
            ..Self::default()
        };
        // The addresses of an unloaded library that another one reuses belong to the other.
        let owners = search.owners();
        let is_shown = |module: &Module<'_>, symbol: &Symbol| {
            owners
                .owner_of(symbol.address.0)
                .is_none_or(|owner| owner == module.place())
        };
        let (mut loaded, mut symbols) = (HashSet::new(), Vec::new());
        for (spec, module) in search.images(notices) {
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
            // The kernel maps this code into each program. If it has no names, the rest still
            // works.
            let content = elf::read(&code, module.addresses.start).ok();
            let own = content.into_iter().flat_map(|content| content.symbols);
            symbols.extend(own.filter(|symbol| is_shown(&module, symbol)));
        }
        let is_missing =
            |module: &Module<'_>| module.is_file() && !loaded.contains(&module.place());
        // A module whose addresses another one reuses is no longer there.
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
        let file = |module: Module<'_>| (module.name().into(), vec![module.addresses.clone()]);
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

    /// Returns these images with new names of the user, which replace the earlier ones.
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

    /// Returns the innermost symbol that contains an address. If no symbol's size covers it,
    /// returns the nearest symbol without a size before it in its section, up to the next symbol.
    /// O(log n).
    pub fn symbol_at(&self, address: Address) -> Option<SymbolAt<'_>> {
        let symbol = self
            .given
            .at(address)
            .or_else(|| self.symbols.at(address))?;
        Some(of_symbol(symbol, address))
    }

    /// Returns the function or label in code that contains an address. O(log n).
    pub fn function_at(&self, address: Address) -> Option<SymbolAt<'_>> {
        let given = self.given.at(address).filter(|symbol| symbol.is_code());
        Some(of_symbol(
            given.or_else(|| self.symbols.code_at(address))?,
            address,
        ))
    }

    /// Returns the name of the file whose code contains an address: the program or a library. O(log
    /// n).
    pub fn file_at(&self, address: Address) -> Option<&str> {
        self.files
            .get(self.file_by_address.owner_of(address.0)?)
            .map(|(name, _)| &**name)
    }

    /// Returns the function or label in code that contains an address, else the mapped file that
    /// does. O(log n).
    pub fn code_at(&self, address: Address) -> Option<SymbolAt<'_>> {
        let module = || {
            self.symbol_at(address)
                .filter(|found| found.symbol.kind == SymbolKind::Module)
        };
        self.function_at(address).or_else(module)
    }

    /// Like [`Self::function_at`], with the first name that the file lists, as simple tools print
    /// it.
    pub fn first_function_at(&self, address: Address) -> Option<SymbolAt<'_>> {
        let given = self.given.at(address).filter(|symbol| symbol.is_code());
        Some(of_symbol(
            given.or_else(|| self.symbols.first_code_at(address))?,
            address,
        ))
    }

    /// Returns the symbol by which reports name an address: the function with the first name that
    /// the file lists, else what [`Self::code_at`] returns. O(log n + aliases).
    pub fn reported_at(&self, address: Address) -> Option<SymbolAt<'_>> {
        self.first_function_at(address)
            .or_else(|| self.code_at(address))
    }

    /// Formats an address as `main` or `main+0x8`. O(log n).
    pub fn name_at(&self, address: Address) -> Option<String> {
        self.symbol_at(address).map(|found| found.to_string())
    }

    /// Returns the address of a symbol by its mangled or demangled name, the latter also without
    /// parameters. Of several symbols with one name, a global comes before a weak and a local one,
    /// then a function, then the lowest address.
    pub fn address_of(&self, name: &str) -> Option<Address> {
        self.symbol(name).map(|symbol| symbol.address)
    }

    /// Returns the addresses of all symbols with a name, each once, in ascending order. Static
    /// functions share names. Functions and variables do not, so if some symbols are code, the
    /// others are omitted.
    pub fn addresses_of(&self, name: &str) -> Vec<u64> {
        let meant = self.meant_by(name).into_iter();
        meant.map(|symbol| symbol.address.0).collect()
    }

    /// Returns the full names of the symbols that [`Self::addresses_of`] returns.
    pub fn full_names_of(&self, name: &str) -> Vec<String> {
        let meant = self.meant_by(name).into_iter();
        meant.map(|symbol| symbol.name().to_owned()).collect()
    }

    fn meant_by(&self, name: &str) -> Vec<&Symbol> {
        let mut symbols = self.symbols_named(name);
        let has_code = symbols.iter().any(|symbol| symbol.is_code());
        symbols.retain(|symbol| symbol.is_code() || !has_code);
        symbols
    }

    /// Returns the symbols with a name, the preferred one for each address, by address. If there are
    /// none, returns the functions whose names end with it ([`Self::functions_called`]).
    pub fn symbols_named(&self, name: &str) -> Vec<&Symbol> {
        if let Some(given) = self.given.named(name) {
            return vec![given];
        }
        let found = by_address(self.symbols.named(name));
        match found.is_empty() {
            true => by_address(self.symbols.functions_called(name)),
            false => found,
        }
    }

    /// Returns true if a name is that of a thread-local variable, which has no single address.
    pub fn is_thread_local(&self, name: &str) -> bool {
        let query = NameQuery::new(name);
        let mut all = self.thread_locals.iter().flat_map(|names| names.iter());
        all.any(|variable| variable.has(&query))
    }

    /// Returns the functions that a debugger means by a name, the preferred symbol for each address,
    /// by address: `push` names `Ring<int, 4>::push(int)` too.
    pub fn functions_called(&self, name: &str) -> Vec<&Symbol> {
        let given = self.given.named(name).filter(|symbol| symbol.is_code());
        let mut found = self.symbols.functions_called(name);
        found.extend(given);
        by_address(found)
    }

    /// Returns a symbol by name, chosen as by [`Self::address_of`].
    pub fn symbol(&self, name: &str) -> Option<&Symbol> {
        self.given
            .named(name)
            .or_else(|| self.symbols.named(name).first().copied())
    }

    /// Returns the functions and labels in code whose names contain the filter, in any case. Cost:
    /// looks at every raw name. Demangles all names if the filter may match what is abbreviated in
    /// them.
    pub fn functions<'a>(&'a self, filter: &str) -> impl Iterator<Item = &'a Symbol> + use<'a> {
        let part = NamePart::new(filter);
        let symbols = self.given.symbols().iter().chain(self.symbols.all());
        symbols.filter(move |symbol| symbol.is_code() && symbol.names.contains(&part))
    }

    /// Returns all segments that may initialise memory, in the order of the images.
    pub(super) fn segments(&self) -> &[PlacedSegment] {
        &self.segments
    }

    pub(super) fn segments_of(&self, image: usize) -> impl Iterator<Item = &PlacedSegment> {
        self.segments
            .iter()
            .filter(move |placed| placed.image == image)
    }

    /// Returns true for images of a trace whose recorder listed the mapped files: many of them are
    /// never executed.
    pub(super) fn is_module(&self, image: usize) -> bool {
        self.data_use == DataUse::ReadOnly && self.infos.get(image).is_some()
    }

    /// Returns the byte order of code, if the processor has two.
    fn code_endian(&self) -> Endian {
        let is_big = self
            .infos
            .iter()
            .any(|info| info.code_endian == Endian::Big);
        if is_big { Endian::Big } else { Endian::Little }
    }

    /// Returns the bytes of an executed instruction in memory order.
    pub(super) fn in_memory(&self, code: &ExecutedCode) -> Encoding {
        code.set.in_code_order(code.encoding, self.code_endian())
    }

    /// Returns the bytes that a segment has in place of an executed instruction, if the file has
    /// them all.
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

    /// Returns true if two images have bytes at a common address.
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

    /// Returns true if any two images have bytes at a common address.
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
        // The highest end until now, and its image.
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

    /// Returns the images' contents for the index: later images are loaded over earlier ones.
    /// `starts` determines the [`LinkerView`] of each image; `refuted` are images that memory does not
    /// hold.
    pub fn program(&self, starts: &ProgramStarts, refuted: &[usize]) -> Program {
        let mut program = Program::default();
        program.set_code_endian(self.code_endian());
        self.kernel_pages
            .iter()
            .for_each(|pages| program.add_kernel_pages(pages.clone()));
        let views: Vec<LinkerView> = (0..self.infos.len())
            .map(|image| self.view_of(image, starts))
            .collect();
        let is_held = |placed: &&PlacedSegment| !refuted.contains(&placed.image);
        for PlacedSegment { image, segment } in self.segments.iter().filter(is_held) {
            segment.load_into(&mut program, views.get(*image).copied().unwrap_or_default());
        }
        let held: Vec<&PlacedSegment> = self.segments.iter().filter(is_held).collect();
        let is_in_memory = |symbol: &Symbol| {
            refuted.is_empty() || held.iter().any(|held| held.segment.has(symbol.address))
        };
        let functions = || {
            self.symbols
                .all()
                .iter()
                .filter(|symbol| symbol.kind == SymbolKind::Function && is_in_memory(symbol))
        };
        let whole: HashSet<&str> = functions().filter_map(Symbol::cold_part_of).collect();
        let mut owners: HashMap<&str, Vec<&Symbol>> = HashMap::new();
        for owner in functions().filter(|symbol| whole.contains(symbol.raw_name())) {
            owners.entry(owner.raw_name()).or_default().push(owner);
        }
        for symbol in functions() {
            let Some(last) = symbol.last else { continue };
            let bytes = symbol.address.0..last.0.saturating_add(1);
            // Of several functions with this name, take the nearest in the symbol table: it is of
            // the same source file.
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

    /// Returns the source line of an instruction. The first query reads the debug information of
    /// the image that contains the address, which takes about a second for 200 MB. Later queries
    /// cost a look-up.
    pub fn source_at(&self, address: Address) -> Option<Arc<SourceLine>> {
        // Later images are loaded over earlier ones.
        let mut images = self.lines.iter().rev();
        images.find_map(|lines| lines.origin_at(address)?.line().cloned())
    }

    /// Like [`Self::source_at`], with the functions of an instruction without a line, too.
    pub fn origin_at(&self, address: Address) -> Option<CodeOrigin> {
        let mut images = self.lines.iter().rev();
        images.find_map(|lines| lines.origin_at(address))
    }

    /// Like [`Self::source_at`], but code without a line has that of the row of the line table before
    /// it, as in gdb.
    pub fn shown_source_at(&self, address: Address) -> Option<Arc<SourceLine>> {
        match self.origin_at(address)? {
            CodeOrigin::Line(line) => Some(line),
            CodeOrigin::Lineless(code) => {
                let row = self.source_at(self.row_at(address).start)?;
                Some(Arc::new(row.in_functions(&code)))
            }
        }
    }

    /// Returns the code of the row of the line table that contains an instruction; empty without one.
    pub fn row_at(&self, address: Address) -> Range<Address> {
        let mut images = self.lines.iter().rev();
        let found = images.find_map(|lines| lines.row_at(address));
        found.unwrap_or(address..address)
    }

    /// Returns the variables in scope at an instruction; none without debug information. The first
    /// query reads the headers of all units of the image that contains the address.
    pub fn variables_at(&self, address: Address) -> Option<FrameVariables> {
        self.variables
            .iter()
            .rev()
            .find_map(|image| FrameVariables::find(image, address))
    }

    /// Returns the first instruction after the prologue of the function that an instruction enters;
    /// none for another instruction, or if its variables are in their places from the entry on.
    pub fn body_of(&self, entry: Address) -> Option<Address> {
        let found = self.variables_at(entry)?;
        found.body().filter(|_| found.entry() == Some(entry))
    }

    /// Returns the addresses at which inlined instances of the functions with a name begin. Cost:
    /// reads the debug information of all images.
    ///
    /// # Errors
    /// It was cancelled.
    pub fn inlined_instances(
        &self,
        name: &str,
        cancel: &Cancel,
    ) -> Result<Vec<Address>, QueryError> {
        let mut starts = Vec::new();
        for image in &self.variables {
            starts.extend(image.inlined_instances(name, cancel)?);
        }
        Ok(starts)
    }

    /// Returns the meaning of a name outside functions, in the unit of the code at an address.
    pub fn unit_name(&self, address: Address, name: &str) -> Option<UnitName> {
        let mut images = self.variables.iter().rev();
        images.find_map(|image| UnitName::find(image, address, name))
    }

    /// Returns the variable with a name outside functions, in any unit of an image. The first query
    /// reads all units.
    pub fn global_variable(&self, name: &str) -> Option<FrameVariables> {
        let mut images = self.variables.iter().rev();
        images.find_map(|image| FrameVariables::find_global(image, name))
    }

    /// Returns the name of the file to which the compiler moved the variables of the code at an
    /// address (split DWARF); none if they are in an image. That file is not read.
    pub fn split_file_at(&self, address: Address) -> Option<String> {
        self.variables
            .iter()
            .rev()
            .find_map(|image| image.split_file_at(address))
    }

    /// Returns the code of a source file, named as in [`SourceLine::file`], by line. Cost: the file
    /// names of all images' units.
    ///
    /// # Errors
    /// It was cancelled.
    pub fn code_of_file(&self, file: &str, cancel: &Cancel) -> Result<Vec<LineRange>, QueryError> {
        self.code_of_files(&|name| name == file, cancel)
    }

    /// Like [`Self::code_of_file`], for all files whose names satisfy `is_meant`.
    ///
    /// # Errors
    /// It was cancelled.
    pub fn code_of_files(
        &self,
        is_meant: &dyn Fn(&str) -> bool,
        cancel: &Cancel,
    ) -> Result<Vec<LineRange>, QueryError> {
        let mut ranges = self.statements_of_files(is_meant, cancel)?;
        ranges.retain(|range| range.start < range.end);
        // A line has a range for each of its statements.
        ranges.dedup_by(|next, last| {
            let is_continued = next.line == last.line && next.start == last.end;
            if is_continued {
                last.end = next.end;
                last.statement = last.statement.or(next.statement);
            }
            is_continued
        });
        Ok(ranges)
    }

    /// Like [`Self::code_of_files`], with the statements that have no code, too.
    ///
    /// # Errors
    /// It was cancelled.
    pub fn statements_of_files(
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

    /// Reads the debug information of all images. May take seconds and cannot be cancelled.
    pub fn load_lines(&self) {
        self.lines.iter().for_each(|lines| lines.load());
    }

    /// Returns true if [`Self::load_lines`] is done, so that no query about lines blocks for it.
    pub fn are_lines_ready(&self) -> bool {
        self.lines.iter().all(|lines| lines.is_ready())
    }

    /// Returns true if any image has source lines. Reads the debug information of all.
    ///
    /// # Errors
    /// No image has usable lines, and at least one has damaged ones. A sentence with its path.
    pub fn has_lines(&self) -> Result<bool, &str> {
        let outcomes = || self.lines.iter().map(|lines| lines.is_there());
        if outcomes().any(|outcome| outcome == Ok(true)) {
            return Ok(true);
        }
        outcomes().find(Result::is_err).unwrap_or(Ok(false))
    }

    /// Returns the address ranges of the segments of all images, in the order of the images, and
    /// then those of modules whose files are missing.
    pub fn mapped(&self) -> &[MappedRange] {
        &self.mapped
    }

    /// Returns the images, in the order of the requests.
    pub fn infos(&self) -> &[ImageInfo] {
        &self.infos
    }

    /// Returns true if both have the same files at the same addresses.
    pub fn has_same_files(&self, other: &Self) -> bool {
        self.infos
            .iter()
            .map(|info| &info.spec)
            .eq(other.infos.iter().map(|info| &info.spec))
    }

    /// Returns true if no image is loaded.
    pub fn is_empty(&self) -> bool {
        self.infos.is_empty()
    }

    /// Returns the byte order of the first image; none without one.
    pub fn endian(&self) -> Option<Endian> {
        self.infos.first().map(|info| info.endian)
    }

    /// Returns the instruction set of all images; none without images, or if they differ.
    pub fn instruction_set(&self) -> Option<InstructionSet> {
        let set = self.infos.first()?.set;
        set.filter(|_| self.infos.iter().all(|info| info.set == set))
    }

    /// Adds a file, and the file to which its debug information was moved.
    fn add_file(&mut self, spec: &ImageSpec, sysroots: &[PathBuf]) -> Result<Vec<Symbol>> {
        let unusable = || format!("the image cannot be used: {:?}", spec.path);
        let bytes = read_file(&spec.path).with_context(unusable)?;
        let mut content = elf::read(&bytes, spec.offset).with_context(unusable)?;
        let identity = elf::outline(&bytes).with_context(unusable)?.identity;
        let debug = identity::find(&spec.path, &identity, sysroots);
        if let Some(more) = debug
            .as_ref()
            .and_then(|(_, bytes)| elf::read(bytes, spec.offset).ok())
        {
            // Its own symbols come last, like those for loaders.
            let own = std::mem::replace(&mut content.symbols, more.symbols);
            content.symbols.extend(own);
            content.thread_locals.extend(more.thread_locals);
        }
        Ok(self.add(spec, content, debug.map(|(path, _)| path)))
    }

    /// Adds the contents of a file and returns its symbols.
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
            has_interpreter,
            dynamic,
            mut symbols,
            thread_locals,
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
        let mapped = || segments.iter().filter(|segment| segment.len_bytes > 0);
        let base = mapped().map(|segment| segment.address).min();
        self.mapped.extend(mapped().map(|segment| MappedRange {
            first: segment.address,
            len_bytes: segment.len_bytes,
            is_writable: segment.is_writable,
            is_executable: segment.is_executable,
            is_loaded: true,
            file: name.clone(),
            base: base.unwrap_or(segment.address),
        }));
        self.files.push((name, addresses.collect()));
        let lines = debug_file.as_ref().unwrap_or(&spec.path).clone();
        let lines = Arc::new(ImageLines::new(lines, spec.offset, code));
        self.variables.push(Arc::new(ImageVariables::new(
            Arc::clone(&lines),
            spec.path.clone(),
        )));
        self.lines.push(lines);
        self.thread_locals.push(thread_locals.into());
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
            has_interpreter,
            dynamic,
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

    /// Builds the look-up tables from all symbols.
    fn prepare(&mut self, symbols: Vec<Symbol>) {
        self.symbols = Arc::new(SymbolTable::new(symbols));
        self.file_by_address = file_extents(&self.files);
    }
}

/// Sorts symbols by address. Of several at one address, only the first remains.
fn by_address(mut symbols: Vec<&Symbol>) -> Vec<&Symbol> {
    symbols.sort_by_key(|symbol| symbol.address);
    symbols.dedup_by_key(|symbol| symbol.address);
    symbols
}

/// Returns an address as an offset from a symbol.
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

/// Builds the interval map of files. Later files are loaded over earlier ones.
fn file_extents(files: &[(Box<str>, Vec<Range<u64>>)]) -> Extents {
    let extents = files
        .iter()
        .enumerate()
        .flat_map(|(owner, (_, addresses))| {
            let parts = addresses.iter().filter(|part| part.start < part.end);
            parts.map(move |part| AddressExtent {
                first: part.start,
                last: part.end - 1,
                rank: owner,
                owner,
            })
        });
    Extents::new(extents.collect())
}
