//! Functions at low addresses, to which the linker moves the debug information of code that it
//! discards ([`LowFunction`]).

use std::collections::{HashMap, HashSet};
use std::ops::Range;
use std::path::Path;

use gimli::{AttributeValue, Dwarf, Reader as _, Unit, UnitHeader, UnitOffset};
use rayon::iter::{ParallelBridge as _, ParallelIterator as _};

use crate::image::elf;
use crate::image::lines::section::SectionReader;

/// Maximum number of entries from which a function inherits its name.
const ORIGINS: usize = 8;

/// A function with the bytes that hold its address.
pub struct LowFunction {
    /// Offset of its line table.
    pub table: Option<usize>,
    pub code: Range<u64>,
    pub address: AddressBytes,
    pub fate: FunctionFate,
}

/// Bytes that hold an address.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum AddressBytes {
    /// In `.debug_info`.
    Entry(Range<usize>),
    /// In `.debug_addr`.
    Table(Range<usize>),
}

/// Whether the code of a function is in the image.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum FunctionFate {
    /// A symbol has its name.
    Linked,
    Discarded,
    Unknown,
}

/// Reads the functions that begin below an address, and finds out which ones the linker discarded.
/// `code` are the code ranges of the image. Cost: reads all entries once.
pub fn read(
    dwarf: &Dwarf<SectionReader>,
    below: u64,
    code: &[Range<u64>],
    path: &Path,
) -> Vec<LowFunction> {
    let image = LinkedCode {
        below,
        code,
        names: linked_names(path, below),
    };
    let mut units = dwarf.units();
    // After a damaged header other readers find nothing either.
    let headers = std::iter::from_fn(move || units.next().ok().flatten());
    let of_unit = |header| image.functions_of(dwarf, header).unwrap_or_default();
    let mut functions: Vec<LowFunction> = headers.par_bridge().flat_map_iter(of_unit).collect();
    let is_linked = |function: &LowFunction| function.fate == FunctionFate::Linked;
    let linked = FunctionCode::of(functions.iter().filter(|one| is_linked(one)));
    let elsewhere = |one: &&LowFunction| one.code.start != 0 && one.fate != FunctionFate::Discarded;
    let elsewhere = FunctionCode::of(functions.iter().filter(elsewhere));
    for function in &mut functions {
        let LowFunction { code, fate, .. } = function;
        // Without symbols, a function that begins at another address than 0 comes first.
        let is_hidden = linked.overlaps(code) || (code.start == 0 && elsewhere.overlaps(code));
        if *fate == FunctionFate::Unknown && is_hidden {
            *fate = FunctionFate::Discarded;
        }
    }
    functions
}

/// Returns the names of the symbols in code below an address.
fn linked_names(path: &Path, below: u64) -> HashMap<u64, HashSet<String>> {
    let content = std::fs::read(path).ok();
    let content = content.and_then(|bytes| elf::read(&bytes, 0).ok());
    let symbols = content.into_iter().flat_map(|content| content.symbols);
    let mut names: HashMap<u64, HashSet<String>> = HashMap::new();
    for symbol in symbols.filter(|symbol| symbol.is_code() && symbol.address.0 < below) {
        let of_address = names.entry(symbol.address.0).or_default();
        of_address.insert(symbol.raw_name().to_owned());
    }
    names
}

/// Code of an image, with its symbols.
struct LinkedCode<'a> {
    /// Address below which functions matter.
    below: u64,
    code: &'a [Range<u64>],
    /// Names of the symbols by address.
    names: HashMap<u64, HashSet<String>>,
}

impl LinkedCode<'_> {
    fn functions_of(
        &self,
        dwarf: &Dwarf<SectionReader>,
        header: UnitHeader<SectionReader>,
    ) -> gimli::Result<Vec<LowFunction>> {
        let unit = dwarf.unit(header)?;
        let table = unit.line_program.as_ref();
        let table = table.map(|program| program.header().offset().0);
        let mut found = Vec::new();
        let mut entries = unit.entries_raw(None)?;
        while !entries.is_empty() {
            let offset = entries.next_offset();
            let Some(abbreviation) = entries.read_abbreviation()? else {
                continue;
            };
            if abbreviation.tag() != gimli::DW_TAG_subprogram {
                entries.skip_attributes(abbreviation.attributes())?;
                continue;
            }
            let (mut start, mut end) = (None, None);
            for attribute in abbreviation.attributes() {
                let first = entries.next_offset();
                let value = entries.read_attribute(*attribute)?.value();
                match attribute.name() {
                    gimli::DW_AT_low_pc => start = address_of(dwarf, &unit, first, &value)?,
                    gimli::DW_AT_high_pc => end = Some(value),
                    _ => {}
                }
            }
            let Some((start, address)) = start.filter(|(start, _)| *start < self.below) else {
                continue;
            };
            let end = match end {
                Some(AttributeValue::Udata(len_bytes)) => start.checked_add(len_bytes),
                Some(end) => dwarf.attr_address(&unit, end)?,
                None => None,
            };
            found.push(LowFunction {
                table,
                code: start..end.unwrap_or(start),
                address,
                fate: self.fate_of(start, || name_of(dwarf, &unit, offset)),
            });
        }
        Ok(found)
    }

    /// Decides by the code ranges and the symbol at its address whether a function is in the image.
    fn fate_of(&self, start: u64, name: impl FnOnce() -> Option<String>) -> FunctionFate {
        if !self.code.iter().any(|code| code.contains(&start)) {
            return FunctionFate::Discarded;
        }
        let symbols = self.names.get(&start);
        match symbols.and_then(|symbols| Some(is_among(&name()?, symbols))) {
            Some(true) => FunctionFate::Linked,
            Some(false) | None => FunctionFate::Unknown,
        }
    }
}

/// Returns true if a name is among those of some symbols. Compilers append a suffix to the name of a
/// variant, such as `f.constprop.0`.
fn is_among(name: &str, symbols: &HashSet<String>) -> bool {
    let is_variant = |symbol: &String| {
        let rest = symbol.strip_prefix(name);
        rest.is_some_and(|rest| rest.starts_with('.'))
    };
    symbols.contains(name) || symbols.iter().any(is_variant)
}

/// Reads an address with the bytes that hold it; none for another form. `first` is the place of the
/// attribute in its unit.
fn address_of(
    dwarf: &Dwarf<SectionReader>,
    unit: &Unit<SectionReader>,
    first: UnitOffset,
    value: &AttributeValue<SectionReader>,
) -> gimli::Result<Option<(u64, AddressBytes)>> {
    let size = usize::from(unit.encoding().address_size);
    let bytes = |start: Option<usize>| Some(start?..start?.checked_add(size)?);
    Ok(match *value {
        AttributeValue::Addr(address) => {
            let start = first.to_debug_info_offset(&unit.header);
            let bytes = bytes(start.map(|start| start.0));
            bytes.map(|bytes| (address, AddressBytes::Entry(bytes)))
        }
        AttributeValue::DebugAddrIndex(index) => {
            let address = dwarf.address(unit, index)?;
            let start = index.0.checked_mul(size);
            let start = start.and_then(|start| start.checked_add(unit.addr_base.0));
            bytes(start).map(|bytes| (address, AddressBytes::Table(bytes)))
        }
        _ => None,
    })
}

/// Returns the name of a function for the linker, or else the one in the source.
fn name_of(
    dwarf: &Dwarf<SectionReader>,
    unit: &Unit<SectionReader>,
    mut entry: UnitOffset,
) -> Option<String> {
    let mut name = None;
    for _ in 0..ORIGINS {
        let die = unit.entry(entry).ok()?;
        let linkage = die.attr_value(gimli::DW_AT_linkage_name);
        let linkage = linkage.or_else(|| die.attr_value(gimli::DW_AT_MIPS_linkage_name));
        if linkage.is_some() {
            name = linkage;
            break;
        }
        name = name.or_else(|| die.attr_value(gimli::DW_AT_name));
        let origin = die.attr_value(gimli::DW_AT_abstract_origin);
        match origin.or_else(|| die.attr_value(gimli::DW_AT_specification)) {
            Some(AttributeValue::UnitRef(origin)) => entry = origin,
            _ => break,
        }
    }
    let name = dwarf.attr_string(unit, name?).ok()?;
    Some(name.to_string_lossy().ok()?.into_owned())
}

/// Code of some functions.
struct FunctionCode {
    /// First address of each function, ascending, and the highest end of it and those before it.
    ends: Vec<(u64, u64)>,
}

impl FunctionCode {
    fn of<'a>(functions: impl Iterator<Item = &'a LowFunction>) -> Self {
        let ends = functions.map(|function| (function.code.start, function.code.end));
        let mut ends: Vec<(u64, u64)> = ends.collect();
        ends.sort_unstable();
        let mut highest = 0;
        for (_, end) in &mut ends {
            highest = highest.max(*end);
            *end = highest;
        }
        Self { ends }
    }

    /// Returns true if a function shares bytes with a range, or begins with it.
    fn overlaps(&self, code: &Range<u64>) -> bool {
        let last = code.end.max(code.start.saturating_add(1));
        let before = self.ends.partition_point(|(start, _)| *start < last);
        let before = before.checked_sub(1).and_then(|place| self.ends.get(place));
        before.is_some_and(|(start, end)| *start == code.start || *end > code.start)
    }
}
