//! Builds index files, follows growing traces and removes leftovers.

pub use crate::builder::build_index::{
    Build, BuildOptions, BuildProgress, BuildSummary, Follow, StageTimes, index_in_memory,
};
pub use crate::builder::partial::{open_so_far, remove_leftovers};
pub use crate::builder::semihosting::pass::with_images;
pub use crate::store::fingerprint::Fingerprint;
