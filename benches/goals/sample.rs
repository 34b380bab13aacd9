//! An open index with places of the trace to query.

use std::path::Path;

use anyhow::Result;
use stepback_benches::Trace;
use stepback_benches::places::Places;
use stepback_generator::Dice;
use stepback_index::answer::CallId;
use stepback_index::build::Fingerprint;
use stepback_index::query::FoldSet;
use stepback_index::{Index, OpenError};

use super::builds::MODIFIED;

/// Number of calls to fold, if the trace has that number.
const FOLDS: usize = 100_000;

/// Places of the trace to query.
#[derive(Debug, Default)]
pub struct Sample {
    pub places: Places,
    pub folds: FoldSet,
}

/// Opens the index of a trace.
pub fn open(trace: &Trace, path: &Path) -> Result<Index> {
    let source = trace.open()?;
    let fingerprint = Fingerprint::of(source.as_ref(), MODIFIED)?;
    Index::open(source, path, &fingerprint)
        .map_err(|error: OpenError| anyhow::anyhow!("{error}: {path:?}"))
}

impl Sample {
    pub fn of(index: &Index, dice: &mut Dice) -> Result<Self> {
        Ok(Self {
            places: Places::of(index, dice, 4)?,
            folds: folds(index),
        })
    }
}

/// Folds all calls except the outermost ones, down to the level that leaves at most [`FOLDS`] rows
/// of folded calls.
fn folds(index: &Index) -> FoldSet {
    let calls = index.calls();
    let mut by_depth: Vec<usize> = Vec::new();
    let all = || (0..calls.len()).filter_map(|id| Some((CallId(id), calls.get(CallId(id))?)));
    for (_, call) in all() {
        let depth = call.depth as usize;
        by_depth.resize(by_depth.len().max(depth + 1), 0);
        by_depth[depth] += 1;
    }
    let depths = 1..by_depth.len();
    let deepest = depths
        .filter(|depth| by_depth[*depth] <= FOLDS)
        .max_by_key(|depth| by_depth[*depth])
        .unwrap_or(1);
    let open: Vec<_> = all()
        .filter(|(_, call)| (call.depth as usize) < deepest)
        .map(|(id, _)| id)
        .collect();
    let mut folds = FoldSet::new(index.step_count());
    folds.fold_all_around(calls, &open);
    folds
}
