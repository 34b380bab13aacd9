//! An index in memory only.

use std::sync::Arc;

use stepback_parsers::Source;

use crate::answers::cancel::Cancel;
use crate::answers::error::BuildError;
use crate::builder::build_index::Build;
use crate::builder::options::{BuildOptions, BuildProgress};
use crate::index::Index;
use crate::store::fingerprint::Fingerprint;

/// Builds an index in memory only.
///
/// # Errors
/// See [`BuildError`].
pub fn index_in_memory(
    source: Arc<dyn Source>,
    options: &BuildOptions,
) -> Result<Index, BuildError> {
    let fingerprint = Fingerprint::of(source.as_ref(), 0)?;
    Build::new(
        &source,
        &fingerprint,
        options,
        &BuildProgress::default(),
        &Cancel::default(),
    )
    .in_memory()
}
