//! Inlined instances of functions, by name.

use std::collections::HashMap;

use stepback_index::{Cancel, QueryError};
use stepback_machine::Address;

use crate::image::function_query::FunctionQuery;
use crate::image::variables::code_ranges::offsets_of;
use crate::image::variables::debug_entries::{DebugEntries, Entry, EntryId};
use crate::image::variables::image_variables::{ImageVariables, catch_panic};

impl ImageVariables {
    /// Returns the addresses at which inlined instances of the functions that a debugger means by a name begin. Cost:
    /// reads all units.
    ///
    /// # Errors
    /// It was cancelled.
    pub fn inlined_instances(
        &self,
        name: &str,
        cancel: &Cancel,
    ) -> Result<Vec<Address>, QueryError> {
        let found = self
            .loaded()
            .and_then(|loaded| catch_panic(|| instances_of(&loaded.entries, name, cancel)));
        let mut own = found.unwrap_or_else(|| Ok(Vec::new()))?;
        own.sort_unstable();
        own.dedup();
        let offset = self.lines.offset();
        let kept = own
            .into_iter()
            .map(|own| Address(own.wrapping_add(offset)))
            .filter(|address| self.lines.own(*address).is_some());
        Ok(kept.collect())
    }
}

fn instances_of(
    entries: &DebugEntries,
    name: &str,
    cancel: &Cancel,
) -> Result<Vec<u64>, QueryError> {
    let query = FunctionQuery::new(name);
    let mut starts = Vec::new();
    let mut is_meant: HashMap<EntryId, bool> = HashMap::new();
    for unit in entries.all_units() {
        cancel.check()?;
        let offsets = offsets_of(gimli::DW_TAG_inlined_subroutine, &unit.unit);
        for offset in offsets.unwrap_or_default() {
            let Ok(die) = unit.unit.entry(offset) else {
                continue;
            };
            let instance = Entry {
                unit: unit.clone(),
                die,
            };
            let origin = entries.reference(&instance, gimli::DW_AT_abstract_origin);
            let is_meant = origin.is_some_and(|origin| {
                *is_meant
                    .entry(origin)
                    .or_insert_with(|| is_called(entries, origin, &query))
            });
            if is_meant {
                starts.extend(start_of(entries, &instance));
            }
        }
    }
    Ok(starts)
}

/// Returns true if a query means a function, by its plain or its mangled name.
fn is_called(entries: &DebugEntries, function: EntryId, query: &FunctionQuery<'_>) -> bool {
    let Some(function) = entries.entry(function) else {
        return false;
    };
    match entries.linkage_name(&function) {
        Some(linkage) => query.matches(&linkage),
        None => {
            let name = entries.name_of(&function);
            name.is_some_and(|name| query.matches_plain(&name))
        }
    }
}

/// Returns the address at which an instance is entered. As in gdb 13, that is where its first range
/// begins, not `DW_AT_entry_pc`.
fn start_of(entries: &DebugEntries, instance: &Entry) -> Option<u64> {
    Some(entries.ranges_of(instance).first()?.start)
}
