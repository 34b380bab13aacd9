//! Following a trace that still grows.

use stepback_parsers::SourceError;

use crate::answers::cancel::Cancel;
use crate::store::fingerprint::Fingerprint;

/// Lets a build follow the trace as it grows.
#[derive(Clone, Copy)]
pub struct Follow<'a> {
    /// Cancelling this makes the build finish with the text present.
    pub until: &'a Cancel,
    /// Returns the current fingerprint of the trace.
    pub fingerprint: &'a (dyn Fn() -> Result<Fingerprint, SourceError> + Sync),
}

impl std::fmt::Debug for Follow<'_> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Follow")
            .field("until", self.until)
            .finish_non_exhaustive()
    }
}
