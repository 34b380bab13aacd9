//! Parameters of a build.

use std::sync::Arc;

use stepback_parsers::Source;

use crate::answers::cancel::Cancel;
use crate::builder::follow::Follow;
use crate::builder::options::{BuildOptions, BuildProgress};
use crate::index::Index;
use crate::store::fingerprint::Fingerprint;

/// Inputs and callbacks of a build.
pub(crate) struct BuildRequest<'a> {
    pub source: &'a Arc<dyn Source>,
    pub fingerprint: &'a Fingerprint,
    pub options: &'a BuildOptions,
    pub progress: &'a BuildProgress,
    pub cancel: &'a Cancel,
    /// Following of a growing trace; none when it ends where it ended when it was opened.
    pub follow: Option<Follow<'a>>,
    /// Receiver of partial indexes.
    pub on_part: Option<&'a (dyn Fn(Index) + Sync)>,
}
