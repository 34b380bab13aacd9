//! Source lines of one image, with the calls through which each was inlined.
//!
//! The debug information is read at the first query, which may block for seconds. Images whose
//! functions are inlined too deep are refused, because the library that reads them is recursive.

use std::collections::{HashMap, HashSet};
use std::ops::Range;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::{Path, PathBuf};
use std::sync::atomic::AtomicBool;
use std::sync::atomic::Ordering::{Acquire, Release};
use std::sync::{Arc, Mutex, MutexGuard, OnceLock, PoisonError};

use addr2line::{Context, Location};
use gimli::{Dwarf, UnitHeader, UnitRef};
use rayon::iter::{ParallelBridge as _, ParallelIterator as _};
use stepback_index::{Cancel, QueryError};
use stepback_machine::Address;

use crate::image::lines::code_origin::{CodeOrigin, InlineSite, LinelessCode, SourceLine};
use crate::image::lines::discarded::mark_discarded;
use crate::image::lines::file_lines::{FileUnits, LineRange, clean_path, path_of};
use crate::image::lines::section;
use crate::image::lines::section::SectionReader;
use crate::image::lines::statements::{StatementRows, TableRow};
use crate::image::names::demangle;

/// Maximum number of cached answers. A full cache is cleared, which costs less than to track the
/// oldest.
const CACHE_LIMIT: usize = 1 << 16;

/// The source lines of an image, read at the first query. Every query may block for that time,
/// about a second for 200 MB of debug information.
#[derive(Debug)]
pub struct ImageLines {
    path: PathBuf,
    /// Added to the image's own addresses.
    offset: u64,
    /// Code ranges of the image, by its own addresses. Sections that the linker discarded also have
    /// lines, at address 0, mostly outside of them.
    code: Vec<Range<u64>>,
    loaded: OnceLock<Result<Option<Mutex<LoadedDebugInfo>>, String>>,
    /// Read at the first query for a file.
    files: OnceLock<FileUnits>,
    is_ready: AtomicBool,
}

struct LoadedDebugInfo {
    dwarf: Arc<Dwarf<SectionReader>>,
    context: Context<SectionReader>,
    /// Functions are inlined too deep to be read.
    is_too_deep: bool,
    statements: StatementRows,
    answers: HashMap<u64, Option<CodeOrigin>>,
    /// Interned names.
    names: HashSet<Arc<str>>,
}

impl std::fmt::Debug for LoadedDebugInfo {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Loaded")
            .field("answers", &self.answers.len())
            .finish_non_exhaustive()
    }
}

impl ImageLines {
    /// Creates the lines of an image that was loaded `offset` bytes above its own addresses. Reads
    /// nothing yet.
    pub fn new(path: PathBuf, offset: u64, code: Vec<Range<u64>>) -> Self {
        let (loaded, files) = (OnceLock::new(), OnceLock::new());
        Self {
            path,
            offset,
            code,
            loaded,
            files,
            is_ready: AtomicBool::new(false),
        }
    }

    /// Returns the debug information of the image; none if it has none that can be used.
    pub fn dwarf(&self) -> Option<Arc<Dwarf<SectionReader>>> {
        self.loaded().map(|loaded| Arc::clone(&loaded.dwarf))
    }

    /// Returns the file with the debug information.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// Returns the number of bytes by which the image was loaded above its own addresses.
    pub fn offset(&self) -> u64 {
        self.offset
    }

    /// Returns the source line and the functions of an instruction.
    pub fn origin_at(&self, address: Address) -> Option<CodeOrigin> {
        let address = self.own(address)?;
        self.loaded()?.origin_at(address)
    }

    /// Returns the code of the row of the line table that contains an instruction.
    pub fn row_at(&self, address: Address) -> Option<Range<Address>> {
        let own = self.own(address)?;
        let row = self.loaded()?.row_at(own)?;
        let loaded = |own: u64| Address(own.wrapping_add(self.offset));
        Some(loaded(row.start)..loaded(row.end))
    }

    /// Returns the code of the files whose names satisfy `is_meant`, by line.
    ///
    /// # Errors
    /// It was cancelled.
    pub fn ranges_of(
        &self,
        is_meant: &dyn Fn(&str) -> bool,
        cancel: &Cancel,
    ) -> Result<Vec<LineRange>, QueryError> {
        // Do not hold the lock: rows of the trace need their lines meanwhile.
        let Some(dwarf) = self.loaded().map(|loaded| Arc::clone(&loaded.dwarf)) else {
            return Ok(Vec::new());
        };
        let found = catch_unwind(AssertUnwindSafe(|| {
            self.files(&dwarf).ranges_of(&dwarf, is_meant, cancel)
        }));
        let mut ranges = found.unwrap_or_else(|_| Ok(Vec::new()))?;
        // A damaged table may extend a line over the rest of the address space.
        ranges.retain_mut(|range| {
            let code = self.code.iter().find(|code| code.contains(&range.start.0));
            code.is_some_and(|code| {
                range.end.0 = range.end.0.min(code.end);
                true
            })
        });
        for range in &mut ranges {
            range.start.0 = range.start.0.wrapping_add(self.offset);
            range.end.0 = range.end.0.wrapping_add(self.offset);
            if let Some(statement) = &mut range.statement {
                statement.0 = statement.0.wrapping_add(self.offset);
            }
        }
        Ok(ranges)
    }

    /// Reads the lines and everything that makes queries fast. May take seconds, and cannot be
    /// cancelled.
    pub fn load(&self) {
        if let Some(dwarf) = self.loaded().map(|loaded| Arc::clone(&loaded.dwarf)) {
            self.files(&dwarf);
        }
        self.is_ready.store(true, Release);
    }

    /// Returns true if [`Self::load`] is done, so that no query blocks for it.
    pub fn is_ready(&self) -> bool {
        self.is_ready.load(Acquire)
    }

    fn files(&self, dwarf: &Dwarf<SectionReader>) -> &FileUnits {
        self.files.get_or_init(|| {
            catch_unwind(AssertUnwindSafe(|| FileUnits::read(dwarf))).unwrap_or_default()
        })
    }

    /// Returns true if the image has line information.
    ///
    /// # Errors
    /// The line information is damaged; a description.
    pub fn is_there(&self) -> Result<bool, &str> {
        self.outcome()
            .as_ref()
            .map(Option::is_some)
            .map_err(String::as_str)
    }

    /// Converts an address to the image's own; none if it is no code.
    pub fn own(&self, address: Address) -> Option<u64> {
        Some(address.0.wrapping_sub(self.offset)).filter(|address| self.is_code(*address))
    }

    fn is_code(&self, address: u64) -> bool {
        self.code.iter().any(|range| range.contains(&address))
    }

    fn outcome(&self) -> &Result<Option<Mutex<LoadedDebugInfo>>, String> {
        self.loaded.get_or_init(|| {
            // The libraries check their input, but an oversight must cost only the lines.
            catch_unwind(|| LoadedDebugInfo::read(&self.path, &self.code))
                .unwrap_or_else(|_| {
                    Err(anyhow::anyhow!(
                        "they are damaged in a way that could not be read"
                    ))
                })
                .map(|loaded| loaded.map(Mutex::new))
                .map_err(|error| {
                    format!(
                        "the source lines cannot be used: {error:#}: {:?}",
                        self.path
                    )
                })
        })
    }

    fn loaded(&self) -> Option<MutexGuard<'_, LoadedDebugInfo>> {
        let loaded = self.outcome().as_ref().ok()?.as_ref()?;
        Some(loaded.lock().unwrap_or_else(PoisonError::into_inner))
    }
}

impl LoadedDebugInfo {
    fn read(path: &Path, code: &[Range<u64>]) -> anyhow::Result<Option<Self>> {
        let Some(mut dwarf) = section::read(path)? else {
            return Ok(None);
        };
        mark_discarded(&mut dwarf, code, path);
        let dwarf = Arc::new(dwarf);
        let context = Context::from_arc_dwarf(Arc::clone(&dwarf))?;
        let is_too_deep = is_too_deep(&dwarf);
        Ok(Some(Self {
            dwarf,
            context,
            is_too_deep,
            statements: StatementRows::default(),
            answers: HashMap::new(),
            names: HashSet::new(),
        }))
    }

    fn origin_at(&mut self, address: u64) -> Option<CodeOrigin> {
        if let Some(known) = self.answers.get(&address) {
            return known.clone();
        }
        let look_up = || self.look_up(address);
        let found = catch_unwind(AssertUnwindSafe(look_up)).ok().flatten();
        if self.answers.len() >= CACHE_LIMIT {
            self.answers.clear();
        }
        self.answers.insert(address, found.clone());
        found
    }

    fn row_at(&mut self, address: u64) -> Option<Range<u64>> {
        let look_up = || {
            let unit = self.context.find_dwarf_and_unit(address).skip_all_loads();
            let row = unit.and_then(|unit| self.statements.continued_at(unit, address));
            if row.is_some() {
                return row;
            }
            let end = address.saturating_add(1);
            let mut rows = self.context.find_location_range(address, end).ok()?;
            let (start, len_bytes, _) = rows.next()?;
            Some(start..start.saturating_add(len_bytes))
        };
        catch_unwind(AssertUnwindSafe(look_up)).ok().flatten()
    }

    fn look_up(&mut self, address: u64) -> Option<CodeOrigin> {
        if self.is_too_deep {
            let place = self.context.find_location(address).ok().flatten()?;
            let place = LinePlace::of(place, &mut self.names)?;
            let line = place.with_functions(LinelessCode::default());
            return Some(CodeOrigin::Line(Arc::new(line)));
        }
        let unit = self.context.find_dwarf_and_unit(address).skip_all_loads();
        let row = unit.map(|unit| self.statements.row_at(unit, address));
        let is_statement = row.as_ref().is_none_or(|row| row.is_statement);
        let shown = unit.zip(row.and_then(|row| row.shown));
        let shown = shown.and_then(|(unit, row)| LinePlace::of_row(unit, row, &mut self.names));
        let mut frames = self.context.find_frames(address).skip_all_loads().ok()?;
        let names = &mut self.names;
        let mut innermost: Option<(Option<LinePlace>, LinelessCode)> = None;
        while let Ok(Some(frame)) = frames.next() {
            let line = frame.location.and_then(|line| LinePlace::of(line, names));
            let function = frame
                .function
                .as_ref()
                .and_then(|name| name.raw_name().ok());
            let function = function.map(|raw| shared(names, &readable(raw.as_ref())));
            match (&mut innermost, line) {
                (None, line) => {
                    let inlined_at = Vec::new();
                    let code = LinelessCode {
                        function,
                        inlined_at,
                    };
                    innermost = Some((shown.clone().or(line), code));
                }
                (Some((_, code)), Some(call)) => code.inlined_at.push(InlineSite {
                    function,
                    file: call.file,
                    line: call.line,
                    column: call.column,
                }),
                // A call without a line does not hide the frames inside it.
                (Some(_), None) => break,
            }
        }
        innermost.map(|(place, code)| match place {
            Some(place) => CodeOrigin::Line(Arc::new(SourceLine {
                is_statement,
                ..place.with_functions(code)
            })),
            None => CodeOrigin::Lineless(Arc::new(code)),
        })
    }
}

/// A place in a source file.
#[derive(Clone)]
struct LinePlace {
    file: Arc<str>,
    line: u32,
    column: Option<u32>,
}

impl LinePlace {
    /// Converts a place of the line information; none for code without a line, which belongs to no
    /// file.
    fn of(place: Location<'_>, names: &mut HashSet<Arc<str>>) -> Option<Self> {
        Some(Self {
            file: shared(names, &clean_path(place.file?)),
            line: place.line?,
            column: place.column.filter(|column| *column > 0),
        })
    }

    /// Converts a row of the line table of a unit.
    fn of_row(
        unit: UnitRef<'_, SectionReader>,
        row: TableRow,
        names: &mut HashSet<Arc<str>>,
    ) -> Option<Self> {
        let header = unit.line_program.as_ref()?.header();
        let path = path_of(unit, header.file(row.file)?, header).ok()?;
        Some(Self {
            file: shared(names, &path),
            line: row.line?,
            column: row.column,
        })
    }

    /// Returns the line of a statement in some functions.
    fn with_functions(self, code: LinelessCode) -> SourceLine {
        let Self { file, line, column } = self;
        SourceLine {
            file,
            line,
            column,
            function: code.function,
            inlined_at: code.inlined_at,
            is_statement: true,
        }
    }
}

fn readable(raw: &str) -> String {
    demangle(raw).map_or_else(|| raw.to_owned(), |names| names.short.unwrap_or(names.full))
}

/// Interns a name.
fn shared(names: &mut HashSet<Arc<str>>, name: &str) -> Arc<str> {
    if let Some(known) = names.get(name) {
        return Arc::clone(known);
    }
    let name: Arc<str> = name.into();
    names.insert(Arc::clone(&name));
    name
}

/// Maximum depth. The library that reads the entries is recursive: a deeper nesting, which no
/// compiler writes, would overflow the stack.
const LEVELS: usize = 256;

/// Returns true if the functions of any unit are inlined deeper than can be read. Cost: reads all
/// entries once.
pub fn is_too_deep(dwarf: &Dwarf<SectionReader>) -> bool {
    let mut units = dwarf.units();
    // After a damaged header other readers find nothing either.
    let headers = std::iter::from_fn(move || units.next().ok().flatten());
    // An unreadable entry ends the unit for all readers.
    headers
        .par_bridge()
        .any(|header| is_unit_too_deep(dwarf, &header).unwrap_or(false))
}

fn is_unit_too_deep(
    dwarf: &Dwarf<SectionReader>,
    header: &UnitHeader<SectionReader>,
) -> Result<bool, gimli::Error> {
    let abbreviations = dwarf.abbreviations(header)?;
    let mut entries = header.entries_raw(&abbreviations, None)?;
    // Depths of the inlined functions around an entry.
    let mut around = Vec::new();
    while !entries.is_empty() {
        let depth = entries.next_depth();
        let Some(abbreviation) = entries.read_abbreviation()? else {
            continue;
        };
        if abbreviation.tag() == gimli::DW_TAG_inlined_subroutine {
            while around.last().is_some_and(|outer| *outer >= depth) {
                around.pop();
            }
            around.push(depth);
            if around.len() > LEVELS {
                return Ok(true);
            }
        }
        entries.skip_attributes(abbreviation.attributes())?;
    }
    Ok(false)
}
