//! Number of CPUs that ran the threads of a trace.

use std::collections::BTreeSet;

use stepback_index::{Cancel, FindMarkers, Index, Query as _, QueryError};
use stepback_parsers::{MarkerKind, Position};

/// Maximum number of CPU changes that are examined.
const CPU_CHANGES: usize = 200_000;

/// Returns the number of CPUs that ran the threads; `None` if there are too many CPU changes.
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
