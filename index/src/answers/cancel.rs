//! Cancellation of queries and builds.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use crate::answers::error::QueryError;

/// A cancellation flag. Clones share it.
#[derive(Clone, Debug, Default)]
pub struct Cancel(Arc<AtomicBool>);

impl Cancel {
    /// Requests that work under this flag stop.
    pub fn cancel(&self) {
        self.0.store(true, Ordering::Relaxed);
    }

    /// Returns true once [`Self::cancel`] was called.
    pub fn is_cancelled(&self) -> bool {
        self.0.load(Ordering::Relaxed)
    }

    /// Returns an error once [`Self::cancel`] was called, so that loops can leave with `?`.
    ///
    /// # Errors
    /// [`QueryError::Cancelled`].
    pub fn check(&self) -> Result<(), QueryError> {
        if self.is_cancelled() {
            Err(QueryError::Cancelled)
        } else {
            Ok(())
        }
    }
}
