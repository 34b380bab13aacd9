//! What calls, iterations of loops and ranges of steps take in and leave behind, and how two calls of a function differ.

mod comparison;
mod differences;
mod own_names;
mod own_path;
mod partings;
mod rounds;
mod scope;
mod used;

pub use self::comparison::{CallComparison, compare_calls};
pub use self::differences::{Differences, DifferingCell};
pub use self::own_path::{OwnPath, PathStep};
pub use self::partings::{Parting, Partings};
pub use self::scope::{
    Scope, call_around, call_of_function_around, call_scope, iteration_around, range_scope,
};
pub use self::used::{Effects, LISTED, Used, UsedCell, VALUE_BYTES, effects_of};
