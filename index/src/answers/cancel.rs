//! How a question or a build is cancelled.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use crate::answers::error::QueryError;

/// A flag that one side raises and the other looks at. Clones share it.
#[derive(Clone, Debug, Default)]
pub struct Cancel(Arc<AtomicBool>);

impl Cancel {
    /// Asks whoever works under this flag to stop.
    pub fn cancel(&self) {
        self.0.store(true, Ordering::Relaxed);
    }

    /// True once [`Self::cancel`] was called.
    pub fn is_cancelled(&self) -> bool {
        self.0.load(Ordering::Relaxed)
    }

    /// An error once [`Self::cancel`] was called, so that loops can leave with `?`.
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
