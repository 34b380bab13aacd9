//! Inputs and outputs of calls, loop iterations and ranges of steps, and the differences between
//! two calls.

mod comparison;
mod differences;
mod own_names;
mod own_path;
mod scope;
mod used;

pub use self::comparison::{CallComparison, compare_calls};
pub use self::differences::{Differences, DifferingCell};
pub use self::own_path::{FramePath, PathStep};
pub use self::scope::{
    EffectScope, call_around, call_of_function_around, call_scope, iteration_around, range_scope,
};
pub use self::used::{Effects, LISTED, UsedCell, UsedValue, VALUE_BYTES, effects_of};
pub use crate::analysis::effects::own_path::{DivergenceFinder, PathDivergence};
