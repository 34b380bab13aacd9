//! The part of an index that an unfinished build has written.

use std::path::Path;
use std::sync::Arc;

use stepback_parsers::Source;

use crate::answers::error::OpenError;
use crate::builder::partial::so_far;
use crate::index::Index;
use crate::store::fingerprint::Fingerprint;

/// Opens the written part of the index of a trace, of a build that stopped or is still running.
///
/// # Errors
/// As [`Index::open`].
pub fn open_so_far(
    source: Arc<dyn Source>,
    path: &Path,
    fingerprint: &Fingerprint,
) -> Result<Index, OpenError> {
    let index = Index::load(source, so_far(path)?, None)?;
    let known = index.fingerprint();
    match known.difference(fingerprint) {
        Some(reason) if !known.is_start_of(fingerprint, index.source().as_ref()) => {
            Err(OpenError::Stale(reason))
        }
        _ => Ok(index),
    }
}
