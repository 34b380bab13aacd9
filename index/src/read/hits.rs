//! Conversion of accesses to hits; the text of the steps is read once.

use stepback_parsers::{Position, Step};

use crate::answers::error::QueryError;
use crate::answers::hit::Hit;
use crate::answers::step_record::Access;
use crate::index::Index;
use crate::read::records::{RecordDetail, RecordReader};

/// An access of a step that was found.
#[derive(Clone, Debug)]
pub(crate) struct FoundAccess {
    /// Step of the access.
    pub step: Step,
    /// Position at which it first shows.
    pub position: Position,
    /// The access.
    pub access: Option<Access>,
}

/// Creates hits.
pub(crate) struct HitReader<'a>(pub &'a Index);

impl HitReader<'_> {
    /// Converts accesses to hits, in their order. Cost: the text of each 128 steps with one of them
    /// is read once, in any order of the accesses.
    pub fn hits(&self, found: Vec<FoundAccess>) -> Result<Vec<Hit>, QueryError> {
        let mut steps: Vec<Step> = found.iter().map(|found| found.step).collect();
        steps.sort_unstable();
        steps.dedup();
        let records = RecordReader(self.0).records_of(&steps, RecordDetail::Hit)?;
        let hit = |FoundAccess {
                       step,
                       position,
                       access,
                   }| {
            let place = records
                .binary_search_by_key(&step, |record| record.step)
                .ok();
            let record = place
                .and_then(|place| records.get(place))
                .cloned()
                .ok_or(QueryError::TraceChanged)?;
            Ok(Hit {
                record,
                position,
                access,
                doubt: None,
            })
        };
        found.into_iter().map(hit).collect()
    }
}
