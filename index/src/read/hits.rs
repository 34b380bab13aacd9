//! Hits of the accesses of a step, for which the step is read once.

use stepback_parsers::{Position, Source, Step};

use crate::answers::error::QueryError;
use crate::answers::hit::{HIT_EFFECTS, Hit};
use crate::answers::step_record::{Access, StepRecord};
use crate::index::Index;
use crate::read::records::RecordReader;

/// Makes hits, mostly several of a step one after the other.
pub(crate) struct HitReader<'a, S> {
    index: &'a Index<S>,
    last: Option<StepRecord>,
}

impl<'a, S: Source> HitReader<'a, S> {
    /// Nothing read so far.
    pub fn new(index: &'a Index<S>) -> Self {
        Self { index, last: None }
    }

    /// A step as the hit of a question.
    pub fn hit(&mut self, step: Step, position: Position, access: Option<Access>) -> Result<Hit, QueryError> {
        let known = self.last.take().filter(|record| record.step == step);
        let record = match known {
            Some(record) => record,
            None => {
                let mut record = RecordReader(self.index).hit(step, position, None)?.record;
                record.effects.truncate(HIT_EFFECTS);
                record.effects.shrink_to_fit();
                record
            }
        };
        let record = self.last.insert(record).clone();
        Ok(Hit { record, position, access, doubt: None })
    }
}
