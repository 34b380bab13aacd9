//! Values that a step of a slice defines.

use crate::answers::cancel::Cancel;
use crate::answers::error::QueryError;
use crate::answers::slice::{SliceDefinition, SliceStep};
use crate::index::Index;
use crate::inference::access_values::fill_cells;
use crate::query::question::Query;

/// Returns the cells that a step of a slice defines, with inferred values if the trace states none.
/// Cost: if it states none, some hundred steps around are read.
#[derive(Clone, Copy, Debug)]
pub struct DefinedValues<'r>(pub &'r SliceStep);

impl Query for DefinedValues<'_> {
    type Answer = Vec<SliceDefinition>;

    fn run(&self, index: &Index, cancel: &Cancel) -> Result<Vec<SliceDefinition>, QueryError> {
        let mut defines = self.0.defines.clone();
        fill_cells(index, self.0.step, &mut defines, cancel)?;
        Ok(defines)
    }
}
