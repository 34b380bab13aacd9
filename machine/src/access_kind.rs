//! Loads and stores.

use serde::{Deserialize, Serialize};

/// Whether an access read or wrote.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub enum AccessKind {
    /// A load.
    Read,
    /// A store.
    Write,
}
