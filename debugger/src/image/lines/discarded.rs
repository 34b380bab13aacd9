//! Debug information of code that the linker discarded.
//!
//! A linker leaves it in the file, at the address 0 or a little above it. If the code of an image
//! begins there, it hides the lines and functions that are really there. [`mark_discarded`]
//! replaces these addresses by the highest one, with which newer linkers mark such code and which
//! all readers skip. A function is recognised by the symbol at its address, and its rows of the line
//! table by its length.

use std::collections::HashMap;
use std::ops::Range;
use std::path::Path;

use gimli::{Dwarf, Section as _};
use rayon::iter::{ParallelBridge as _, ParallelIterator as _};

use crate::image::lines::line_sequences::{LineSequence, sequences_of};
use crate::image::lines::low_functions::{self, AddressBytes, FunctionFate, LowFunction};
use crate::image::lines::section::SectionReader;

/// Marks the addresses of discarded code in the debug information of a file. `code` are the code
/// ranges of its image. Cost: all line tables; all entries and the symbols only if there are rows
/// at addresses of discarded code.
pub fn mark_discarded(dwarf: &mut Dwarf<SectionReader>, code: &[Range<u64>], path: &Path) {
    let tables = suspicious_tables(dwarf, code);
    let ends = tables.values().flatten().map(|sequence| sequence.code.end);
    let Some(end) = ends.max() else {
        return;
    };
    let functions = low_functions::read(dwarf, end, code, path);
    let mut at_zero: HashMap<usize, Vec<&LowFunction>> = HashMap::new();
    for function in functions.iter().filter(|one| one.code.start == 0) {
        if let Some(table) = function.table {
            at_zero.entry(table).or_default().push(function);
        }
    }
    let mut linked = at_zero.values().flatten();
    let is_linked_at_zero = linked.any(|one| one.fate == FunctionFate::Linked);
    let discarded = tables.iter().flat_map(|(table, sequences)| {
        let rows = RowsAtZero {
            sequences,
            functions: at_zero.get(table).map_or(&[][..], Vec::as_slice),
            is_linked: is_linked_at_zero,
        };
        let is_discarded =
            move |one: &&LineSequence| !is_in(code, one.code.start) || rows.is_discarded(one);
        let discarded = sequences.iter().filter(is_discarded);
        discarded.flat_map(|one| one.addresses.iter().cloned())
    });
    let lines = dwarf.debug_line.reader().with_ones(discarded);
    let is_discarded = |one: &&LowFunction| one.fate == FunctionFate::Discarded;
    let addresses = || {
        functions
            .iter()
            .filter(is_discarded)
            .map(|one| &one.address)
    };
    let in_entries = addresses().filter_map(|address| match address {
        AddressBytes::Entry(bytes) => Some(bytes.clone()),
        AddressBytes::Table(_) => None,
    });
    let entries = dwarf.debug_info.reader().with_ones(in_entries);
    let in_table = addresses().filter_map(|address| match address {
        AddressBytes::Table(bytes) => Some(bytes.clone()),
        AddressBytes::Entry(_) => None,
    });
    let table = dwarf.debug_addr.reader().with_ones(in_table);
    dwarf.debug_line = lines.into();
    dwarf.debug_info = entries.into();
    dwarf.debug_addr = table.into();
}

/// Returns the sequences of all line tables, by the table, that begin at 0 or outside the code and
/// have rows in the code.
fn suspicious_tables(
    dwarf: &Dwarf<SectionReader>,
    code: &[Range<u64>],
) -> HashMap<usize, Vec<LineSequence>> {
    let is_suspicious = |sequence: &LineSequence| {
        let Range { start, end } = sequence.code;
        (start == 0 || !is_in(code, start))
            && code.iter().any(|code| start < code.end && code.start < end)
    };
    let mut units = dwarf.units();
    let headers = std::iter::from_fn(move || units.next().ok().flatten());
    let tables = headers.par_bridge().filter_map(|header| {
        let unit = dwarf.unit(header).ok()?;
        let table = unit.line_program.as_ref()?.header();
        let mut sequences = sequences_of(table);
        sequences.retain(is_suspicious);
        Some((table.offset().0, sequences)).filter(|(_, sequences)| !sequences.is_empty())
    });
    // Units may share a table.
    tables.collect()
}

fn is_in(code: &[Range<u64>], address: u64) -> bool {
    code.iter().any(|code| code.contains(&address))
}

/// Rows of a line table that begin at 0.
struct RowsAtZero<'a> {
    /// Sequences of the table, maybe with others.
    sequences: &'a [LineSequence],
    /// Functions of the table that begin at 0.
    functions: &'a [&'a LowFunction],
    /// A function of the image begins at 0, in any table.
    is_linked: bool,
}

impl RowsAtZero<'_> {
    /// Returns true for a sequence of discarded code.
    fn is_discarded(&self, sequence: &LineSequence) -> bool {
        let of_fate = |fate: FunctionFate| {
            let functions = self.functions.iter();
            functions.filter(move |function| function.fate == fate)
        };
        let ends = |function: &&LowFunction| function.code.end == sequence.code.end;
        if of_fate(FunctionFate::Linked).any(ends) {
            return false;
        }
        if of_fate(FunctionFate::Discarded).any(ends) {
            return true;
        }
        let mut linked = of_fate(FunctionFate::Linked).peekable();
        if linked.peek().is_some() {
            // The rows of the function are another sequence if one has its length.
            let is_other = |function: &LowFunction| {
                let mut sequences = self.sequences.iter();
                sequences.any(|other| other.code == function.code)
            };
            return linked.any(|function| is_other(function));
        }
        let has = |fate| of_fate(fate).next().is_some();
        !has(FunctionFate::Unknown) && (has(FunctionFate::Discarded) || self.is_linked)
    }
}
