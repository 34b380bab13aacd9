//! Entries of the debug information, by their offsets, with the units that contain them.

use std::collections::HashMap;
use std::iter::successors;
use std::ops::Range;
use std::sync::{Arc, Mutex, OnceLock, PoisonError};

use gimli::{
    AttributeValue, DebugInfoOffset, DebugTypesOffset, DebuggingInformationEntry, DwAt, DwTag,
    Dwarf, Reader as _, Unit, UnitHeader, UnitOffset, UnitType,
};

use crate::image::lines::SectionReader;
use crate::image::variables::code_ranges::{code_of, offsets_of};
use crate::image::variables::global_names::GlobalNames;

/// Maximum number of units that are kept. A full cache is cleared.
const UNITS_KEPT: usize = 256;

/// Maximum number of entries from which an entry inherits attributes: abstract instances and
/// declarations.
const ORIGINS: usize = 8;

/// Place of an entry, or of a unit.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct EntryId {
    section: EntrySection,
    offset: usize,
}

/// Section with entries.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
enum EntrySection {
    /// `.debug_info`.
    Info,
    /// `.debug_types`, the type units of DWARF 4.
    Types,
}

impl EntryId {
    /// Reference that cannot be resolved. No entry has this offset.
    pub const UNRESOLVED: Self = Self::info(usize::MAX);

    const fn info(offset: usize) -> Self {
        Self {
            section: EntrySection::Info,
            offset,
        }
    }

    const fn types(offset: usize) -> Self {
        Self {
            section: EntrySection::Types,
            offset,
        }
    }
}

/// The debug information of an image.
pub struct DebugEntries {
    pub dwarf: Dwarf<SectionReader>,
    /// Units of `.debug_info` in ascending order.
    units: Vec<UnitExtent>,
    /// Units of `.debug_types` in ascending order.
    type_units: Vec<TypeUnit>,
    /// Types by signature (DWARF 5, 3.1.4 "Type Unit Entries").
    signatures: HashMap<u64, EntryId>,
    kept: Mutex<HashMap<EntryId, Arc<DebugUnit>>>,
    /// Variables outside functions of all units.
    pub(super) globals: OnceLock<GlobalNames>,
}

/// A unit of `.debug_types`.
struct TypeUnit {
    bytes: Range<usize>,
    header: UnitHeader<SectionReader>,
}

/// Extent of a unit in `.debug_info` and in memory.
struct UnitExtent {
    bytes: Range<usize>,
    code: Vec<Range<u64>>,
}

/// A unit with its functions.
pub struct DebugUnit {
    pub unit: Unit<SectionReader>,
    functions: OnceLock<Vec<FunctionExtent>>,
    pub(super) names: OnceLock<GlobalNames>,
}

/// Code of a function.
struct FunctionExtent {
    code: Range<u64>,
    offset: UnitOffset,
}

impl FunctionExtent {
    /// Returns true if the linker probably discarded the function: it leaves the address 0. An image
    /// may have a function there, so one that begins elsewhere comes first.
    fn is_discarded(&self) -> bool {
        self.code.start == 0
    }
}

/// A function at an address.
struct FoundFunction {
    entry: Entry,
    /// See [`FunctionExtent::is_discarded`].
    is_discarded: bool,
}

/// An entry with its unit.
#[derive(Clone)]
pub struct Entry {
    pub unit: Arc<DebugUnit>,
    pub die: DebuggingInformationEntry<SectionReader>,
}

impl DebugEntries {
    /// Reads the headers of all units and the ranges of their code.
    pub fn new(dwarf: Dwarf<SectionReader>) -> Self {
        let mut units = Vec::new();
        let mut signatures = HashMap::new();
        let mut headers = dwarf.units();
        // An unreadable header ends the list.
        while let Ok(Some(header)) = headers.next() {
            let Some(start) = header.debug_info_offset() else {
                continue;
            };
            let end = start.0.saturating_add(header.length_including_self());
            if let UnitType::Type {
                type_signature,
                type_offset,
            } = header.type_()
                && let Some(place) = type_offset.to_debug_info_offset(&header)
            {
                signatures.insert(type_signature.0, EntryId::info(place.0));
            }
            let unit = dwarf.unit(header).ok();
            let root = unit.as_ref().and_then(|unit| {
                let die = unit.entry(unit.header.root_offset()).ok()?;
                Some(code_of(&dwarf, unit, &die))
            });
            let code = root.unwrap_or_default();
            units.push(UnitExtent {
                bytes: start.0..end,
                code,
            });
        }
        let type_units = type_units_of(&dwarf, &mut signatures);
        Self {
            dwarf,
            units,
            type_units,
            signatures,
            kept: Mutex::default(),
            globals: OnceLock::new(),
        }
    }

    /// Returns the width of an address in bytes; none without a unit.
    pub fn address_bytes(&self) -> Option<u8> {
        let mut headers = self.dwarf.units();
        let first = headers.next().ok().flatten()?;
        Some(first.address_size())
    }

    /// Returns the innermost function that contains an address of the image.
    pub fn function_at(&self, address: u64) -> Option<Entry> {
        let is_there = |code: &Range<u64>| code.contains(&address);
        let units = self
            .units
            .iter()
            .filter(|extent| extent.code.iter().any(is_there));
        let mut found =
            units.filter_map(|extent| self.function_in(EntryId::info(extent.bytes.start), address));
        let first = found.next()?;
        let kept = match first.is_discarded {
            true => found.find(|function| !function.is_discarded),
            false => None,
        };
        Some(kept.unwrap_or(first).entry)
    }

    fn function_in(&self, unit: EntryId, address: u64) -> Option<FoundFunction> {
        let unit = self.unit(unit)?;
        let functions = unit.functions.get_or_init(|| self.functions_of(&unit.unit));
        let around = functions
            .iter()
            .filter(|function| function.code.contains(&address));
        let innermost = around.min_by_key(|function| {
            (
                function.is_discarded(),
                function.code.end - function.code.start,
            )
        })?;
        let is_discarded = innermost.is_discarded();
        let die = unit.unit.entry(innermost.offset).ok()?;
        Some(FoundFunction {
            entry: Entry { unit, die },
            is_discarded,
        })
    }

    fn functions_of(&self, unit: &Unit<SectionReader>) -> Vec<FunctionExtent> {
        let mut functions = Vec::new();
        for offset in offsets_of(gimli::DW_TAG_subprogram, unit).unwrap_or_default() {
            let Ok(die) = unit.entry(offset) else {
                continue;
            };
            let code = code_of(&self.dwarf, unit, &die).into_iter();
            functions.extend(code.map(|code| FunctionExtent { code, offset }));
        }
        functions
    }

    /// Returns all units, which are not kept.
    pub(super) fn all_units(&self) -> impl Iterator<Item = Arc<DebugUnit>> {
        let starts = self.units.iter().map(|extent| extent.bytes.start);
        starts.filter_map(|start| {
            let header = self.dwarf.unit_header(DebugInfoOffset(start)).ok()?;
            Some(Arc::new(DebugUnit::new(self.dwarf.unit(header).ok()?)))
        })
    }

    /// Returns the ranges of an entry's code.
    pub fn ranges_of(&self, entry: &Entry) -> Vec<Range<u64>> {
        code_of(&self.dwarf, &entry.unit.unit, &entry.die)
    }

    /// Returns the unit that begins at a place.
    fn unit(&self, start: EntryId) -> Option<Arc<DebugUnit>> {
        let mut kept = self.kept.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(known) = kept.get(&start) {
            return Some(Arc::clone(known));
        }
        let header = match start.section {
            EntrySection::Info => self.dwarf.unit_header(DebugInfoOffset(start.offset)).ok()?,
            EntrySection::Types => self.type_unit(start.offset)?.header.clone(),
        };
        let unit = Arc::new(DebugUnit::new(self.dwarf.unit(header).ok()?));
        if kept.len() >= UNITS_KEPT {
            kept.clear();
        }
        kept.insert(start, Arc::clone(&unit));
        Some(unit)
    }

    /// Returns an entry by its offset.
    pub fn entry(&self, id: EntryId) -> Option<Entry> {
        let (unit, offset) = match id.section {
            EntrySection::Info => {
                let start = |extent: &UnitExtent| extent.bytes.start <= id.offset;
                let after = self.units.partition_point(start);
                let extent = self.units.get(after.checked_sub(1)?)?;
                let is_inside = extent.bytes.contains(&id.offset);
                let start = Some(extent.bytes.start).filter(|_| is_inside)?;
                let unit = self.unit(EntryId::info(start))?;
                let offset = DebugInfoOffset(id.offset).to_unit_offset(&unit.unit.header)?;
                (unit, offset)
            }
            EntrySection::Types => {
                let start = self.type_unit(id.offset)?.bytes.start;
                let unit = self.unit(EntryId::types(start))?;
                let offset = DebugTypesOffset(id.offset).to_unit_offset(&unit.unit.header)?;
                (unit, offset)
            }
        };
        let die = unit.unit.entry(offset).ok()?;
        Some(Entry { unit, die })
    }

    /// Returns the unit of `.debug_types` that contains an offset.
    fn type_unit(&self, offset: usize) -> Option<&TypeUnit> {
        let after = self
            .type_units
            .partition_point(|unit| unit.bytes.start <= offset);
        let unit = self.type_units.get(after.checked_sub(1)?)?;
        Some(unit).filter(|unit| unit.bytes.contains(&offset))
    }

    /// Returns the file to which the compiler moved the variables of the code at an address (DWARF
    /// 5, 3.1.2 "Skeleton Compilation Unit Entries"); none if they are in the image.
    pub fn split_file_at(&self, address: u64) -> Option<String> {
        let is_there =
            |extent: &&UnitExtent| extent.code.iter().any(|code| code.contains(&address));
        let mut units = self.units.iter().filter(is_there);
        units.find_map(|extent| {
            let unit = self.unit(EntryId::info(extent.bytes.start))?;
            let root = unit.unit.entry(unit.unit.header.root_offset()).ok()?;
            let name = root
                .attr_value(gimli::DW_AT_dwo_name)
                .or_else(|| root.attr_value(gimli::DW_AT_GNU_dwo_name))?;
            let name = self.dwarf.attr_string(&unit.unit, name).ok()?;
            Some(name.to_string_lossy().ok()?.into_owned())
        })
    }

    /// Returns the entry to which an attribute refers.
    pub fn reference(&self, entry: &Entry, name: DwAt) -> Option<EntryId> {
        self.referred(entry, entry.die.attr_value(name)?)
    }

    fn referred(&self, entry: &Entry, value: AttributeValue<SectionReader>) -> Option<EntryId> {
        match value {
            AttributeValue::UnitRef(offset) => entry.unit.id_of(offset),
            AttributeValue::DebugInfoRef(offset) => Some(EntryId::info(offset.0)),
            AttributeValue::DebugTypesRef(signature) => self.signatures.get(&signature.0).copied(),
            _ => None,
        }
    }

    /// Returns an attribute of an entry, or of the entries that it completes, with the entry that
    /// has it.
    pub fn inherited(&self, entry: &Entry, name: DwAt) -> Option<Inherited> {
        self.with_origins(entry).find_map(|entry| {
            let value = entry.die.attr_value(name)?;
            Some(Inherited { entry, value })
        })
    }

    /// Returns an entry and those that it completes.
    fn with_origins(&self, entry: &Entry) -> impl Iterator<Item = Entry> {
        let origin = |entry: &Entry| {
            let origin = self
                .reference(entry, gimli::DW_AT_abstract_origin)
                .or_else(|| self.reference(entry, gimli::DW_AT_specification))?;
            self.entry(origin)
        };
        successors(Some(entry.clone()), origin).take(ORIGINS)
    }

    /// Returns the first declaration of what an entry completes.
    pub fn completed(&self, entry: &Entry) -> Option<Entry> {
        self.with_origins(entry).last()
    }

    /// Returns the type of an entry; none for `void`. A reference that cannot be resolved is
    /// [`EntryId::UNRESOLVED`].
    pub fn type_of(&self, entry: &Entry) -> Option<EntryId> {
        let Inherited { entry, value } = self.inherited(entry, gimli::DW_AT_type)?;
        Some(self.referred(&entry, value).unwrap_or(EntryId::UNRESOLVED))
    }

    /// Returns the name of an entry.
    pub fn name_of(&self, entry: &Entry) -> Option<String> {
        self.text_of(entry, gimli::DW_AT_name)
    }

    /// Returns the mangled name of a function.
    pub fn linkage_name(&self, function: &Entry) -> Option<String> {
        self.text_of(function, gimli::DW_AT_linkage_name)
    }

    fn text_of(&self, entry: &Entry, name: DwAt) -> Option<String> {
        let Inherited { entry, value } = self.inherited(entry, name)?;
        let text = self.dwarf.attr_string(&entry.unit.unit, value).ok()?;
        Some(text.to_string_lossy().ok()?.into_owned())
    }

    /// Returns true if GCC compiled a unit with optimisation: it states its options.
    pub fn is_optimised(&self, unit: &DebugUnit) -> bool {
        let producer = || {
            let mut entries = unit.unit.entries();
            let root = entries.next_dfs().ok()??;
            let value = root.attr_value(gimli::DW_AT_producer)?;
            let text = self.dwarf.attr_string(&unit.unit, value).ok()?;
            Some(text.to_string_lossy().ok()?.into_owned())
        };
        producer().is_some_and(|producer| {
            let mut levels = producer
                .split(' ')
                .filter_map(|word| word.strip_prefix("-O"));
            producer.starts_with("GNU ") && levels.next_back().is_some_and(|level| level != "0")
        })
    }

    /// Returns the direct children of an entry, at most `limit` of them.
    pub fn children_of(&self, entry: &Entry, limit: usize) -> Vec<Entry> {
        let mut children = Vec::new();
        let Ok(mut cursor) = entry.unit.unit.entries_at_offset(entry.die.offset()) else {
            return children;
        };
        let Ok(Some(parent)) = cursor.next_dfs() else {
            return children;
        };
        if !parent.has_children() || !matches!(cursor.next_entry(), Ok(true)) {
            return children;
        }
        let mut next = cursor.current().cloned();
        while let Some(die) = next.filter(|die| !die.is_null() && children.len() < limit) {
            children.push(Entry {
                unit: Arc::clone(&entry.unit),
                die,
            });
            next = cursor.next_sibling().ok().flatten().cloned();
        }
        children
    }
}

/// An attribute with the entry that has it.
pub struct Inherited {
    pub entry: Entry,
    pub value: AttributeValue<SectionReader>,
}

impl DebugUnit {
    fn new(unit: Unit<SectionReader>) -> Self {
        Self {
            unit,
            functions: OnceLock::new(),
            names: OnceLock::new(),
        }
    }

    fn id_of(&self, offset: UnitOffset) -> Option<EntryId> {
        let header = &self.unit.header;
        match offset.to_debug_info_offset(header) {
            Some(place) => Some(EntryId::info(place.0)),
            None => {
                let place = offset.to_debug_types_offset(header)?;
                Some(EntryId::types(place.0))
            }
        }
    }
}

impl Entry {
    pub fn tag(&self) -> DwTag {
        self.die.tag()
    }

    /// Returns true for an attribute that is set.
    pub fn has_flag(&self, name: DwAt) -> bool {
        matches!(self.die.attr_value(name), Some(AttributeValue::Flag(true)))
    }

    /// Returns a constant attribute.
    pub fn number(&self, name: DwAt) -> Option<i128> {
        number_of(&self.die.attr_value(name)?)
    }

    /// Returns a constant attribute that is not negative.
    pub fn count(&self, name: DwAt) -> Option<u64> {
        u64::try_from(self.number(name)?).ok()
    }

    /// Returns the offset of the entry.
    pub fn id(&self) -> Option<EntryId> {
        self.unit.id_of(self.die.offset())
    }
}

/// Returns the value of a constant attribute.
pub fn number_of(value: &AttributeValue<SectionReader>) -> Option<i128> {
    match value {
        AttributeValue::Sdata(number) => Some((*number).into()),
        other => other.udata_value().map(Into::into),
    }
}

/// Lists the units of `.debug_types`, and adds their types. An unreadable header ends the list.
fn type_units_of(
    dwarf: &Dwarf<SectionReader>,
    signatures: &mut HashMap<u64, EntryId>,
) -> Vec<TypeUnit> {
    let mut units = Vec::new();
    let mut headers = dwarf.type_units();
    while let Ok(Some(header)) = headers.next() {
        let Some(start) = header.debug_types_offset() else {
            continue;
        };
        if let UnitType::Type {
            type_signature,
            type_offset,
        } = header.type_()
            && let Some(place) = type_offset.to_debug_types_offset(&header)
        {
            signatures.insert(type_signature.0, EntryId::types(place.0));
        }
        let end = start.0.saturating_add(header.length_including_self());
        units.push(TypeUnit {
            bytes: start.0..end,
            header,
        });
    }
    units
}
