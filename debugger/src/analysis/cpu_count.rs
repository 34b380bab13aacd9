//! How many cpus ran the threads of a trace.

use std::collections::BTreeSet;

use stepback_index::{Cancel, FindMarkers, Index, Query as _, QueryError};
use stepback_parsers::{MarkerKind, Position};

/// More changes of the cpu are not looked at.
const CPU_CHANGES: usize = 200_000;

/// How many cpus ran the threads; none when too many changes of the cpu would have to be looked at.
///
/// # Errors
/// See [`QueryError`].
pub fn cpu_count(index: &Index, cancel: &Cancel) -> Result<Option<usize>, QueryError> {
    let kinds = vec![MarkerKind::CPU];
    let query = FindMarkers {
        kinds,
        thread: None,
        from: Position(0),
        to: index.end(),
        limit: CPU_CHANGES,
    };
    let hits = query.run(index, cancel)?;
    let cpus: BTreeSet<u64> = hits
        .iter()
        .map(|hit| hit.marker.value)
        .filter(|cpu| *cpu != u64::MAX)
        .collect();
    Ok((hits.len() < CPU_CHANGES).then_some(cpus.len()))
}
