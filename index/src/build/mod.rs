//! Builds the index of a trace: segments side by side, then one pass in order.

mod build_index;
mod follow;
mod options;
mod partial;
mod parts;
mod run;
#[cfg(test)]
mod tests;

pub use build_index::Build;
pub use follow::Follow;
pub use options::{BuildOptions, BuildProgress, BuildSummary, WARNINGS_KEPT};
pub(crate) use partial::so_far;
