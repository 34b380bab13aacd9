//! Whether a trace records accesses to memory.

use stepback_machine::decode;

use crate::answers::error::QueryError;
use crate::index::Index;
use crate::read::key_maps::{for_each_pc, next_granule};
use crate::store::codes::ExecutedCode;

/// Returns false if the trace shows no access to memory although it executed instructions that
/// access it, or instructions without recorded bytes. What the program wrote is then unknown.
///
/// Cost: the lists of accessed memory up to the first access; without any, all executed addresses,
/// once.
///
/// # Errors
/// The index is damaged.
pub fn records_accesses(index: &Index) -> Result<bool, QueryError> {
    let known = &index.caches.records_accesses;
    if let Some(known) = known.get() {
        return Ok(*known);
    }
    let found = next_granule(index, 0)?.is_some() || !may_have_accessed(index)?;
    Ok(*known.get_or_init(|| found))
}

/// Returns an error if a trace does not record accesses to memory.
///
/// # Errors
/// [`QueryError::NotRecorded`], or the index is damaged.
pub fn check_records_accesses(index: &Index) -> Result<(), QueryError> {
    if records_accesses(index)? {
        return Ok(());
    }
    Err(QueryError::NotRecorded {
        format: index.source().traits().format.clone(),
        what: "accesses to memory",
    })
}

/// Returns true if an executed instruction accesses memory, or if some are unknown.
fn may_have_accessed(index: &Index) -> Result<bool, QueryError> {
    let codes = index.executed_codes();
    let accesses = |code: &ExecutedCode| {
        let instruction = decode(code.encoding, code.pc, code.set);
        !instruction.meaning.is_memory_known || !instruction.meaning.memory.is_empty()
    };
    if !index.are_codes_complete() || codes.iter().any(accesses) {
        return Ok(true);
    }
    let mut is_any_unknown = false;
    for_each_pc(index, |pc| {
        is_any_unknown |= codes.binary_search_by_key(&pc, |code| code.pc.0).is_err();
    })?;
    Ok(is_any_unknown)
}
